// PeakReduction: makes values gone at the step with the most live bytes, until few enough are live at each step.
//
// In each round, each value that is live across the step with the most live bytes is planned, and the plans without an
// obstacle are applied, those of the largest gain first. Then the step that now has the most live bytes is next.
//
// A rewrite derives from it: class R : public PeakReduction<R, Obstacle>, and has, visible to this class:
//   Attempt plan(StorageId, const Node *at) const   what it takes that the storage is gone at the step. An Attempt has
//                                                   `storage`, `bytes` (that are freed) and `obstacle` (optional)
//   gain(const Attempt &) const                     what is compared: more is better
//   apply(const Attempt &)                          changes the graph and lives()
//   Node *placeOf(Node *) const                     the step for the one with the most live bytes
//   Obstacle::Written                               of a value that a step writes
//
// Ownership: refers to graph and facts; the facts describe the graph before the first change. Failure: none. Cost: one
// storage map and memory curve a round, of which there are at most 64, and the plans of the values that are live.
#pragma once

#include "rewrite/value_lives.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

template <class Rewrite, class Obstacle>
class PeakReduction {
public:
  /// Changes the graph until at most `bytes` are live at each step, or no value at the peak is left that helps. Returns
  /// the peak.
  int64_t reduceTo(int64_t bytes) {
    ValueLives::Peak now = lives_.peak();
    for (; now.bytes > bytes && rounds_ < mostRounds; ++rounds_) {
      const bool any = reduceAt({now.bytes, self().placeOf(now.at)}, bytes);
      isFirstRound_ = false;
      if (!any)
        break;
      now = lives_.peak();
    }
    return now.bytes;
  }
  /// Returns the obstacle of each value that stays live at the peak of the graph as it was; empty before reduceTo().
  [[nodiscard]] llvm::ArrayRef<std::pair<const Node *, Obstacle>> kept() const { return kept_; }

protected:
  PeakReduction(Graph &graph, const ProgramFacts &facts) : lives_(graph, facts) {}
  ~PeakReduction() = default;

  ValueLives lives_;

private:
  static constexpr unsigned mostRounds = 64;

  [[nodiscard]] Rewrite &self() { return static_cast<Rewrite &>(*this); }

  /// Returns the plans without an obstacle. The first round notes the obstacles of the others.
  [[nodiscard]] auto plansAt(const Node *at) {
    std::vector<decltype(self().plan(StorageId(), at))> attempts;
    for (StorageId storage = 0; storage < lives_.bytes.size(); ++storage) {
      if (isFirstRound_ && lives_.isWritten(storage) && lives_.isLiveAcross(storage, at))
        kept_.push_back({lives_.names[storage].front(), Obstacle::Written});
      if (!lives_.mayGo(storage, at))
        continue;
      auto attempt = self().plan(storage, at);
      if (!attempt.obstacle)
        attempts.push_back(std::move(attempt));
      else if (isFirstRound_)
        kept_.push_back({lives_.names[storage].front(), *attempt.obstacle});
    }
    return attempts;
  }

  bool reduceAt(const ValueLives::Peak &peak, int64_t bytes) {
    auto attempts = plansAt(peak.at);
    llvm::stable_sort(attempts, [&](const auto &a, const auto &b) { return self().gain(a) > self().gain(b); });
    int64_t live = peak.bytes;
    bool any = false;
    for (const auto &planned : attempts) {
      if (live <= bytes)
        break;
      const auto attempt = self().plan(planned.storage, peak.at); // the changes before it may have changed the plan
      if (attempt.obstacle)
        continue;
      live -= attempt.bytes;
      self().apply(attempt);
      any = true;
    }
    return any;
  }

  std::vector<std::pair<const Node *, Obstacle>> kept_;
  bool isFirstRound_ = true;
  unsigned rounds_ = 0;
};

} // namespace ccgraph
