// PeakReduction: makes values gone at the step with the most live bytes, until few enough are live at each step.
//
// An action makes the storage of a value free for a part of the step: Recomputation computes the value again,
// Offloading keeps it in the host's memory meanwhile. In each round, each action makes an offer for each value that is
// live across the step with the most live bytes. The offers are taken in the order of the bytes that they free for a
// microsecond. Then the step that now has the most live bytes is next. With several actions, a value gets the better
// one.
//
// Ownership: refers to the lives and the actions, which change one graph. Failure: none. Cost: one storage map and
// memory curve a round, of which there are at most 64, and the offers for the values that are live.
#pragma once

#include "rewrite/value_lives.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

/// A value and the step up to which it is kept at most.
struct FreedValue {
  const Node *value = nullptr;
  const Node *after = nullptr;
};

/// Makes values free for a part of the step in one way.
class FreeingAction {
public:
  explicit FreeingAction(ValueLives &lives) : lives_(lives), graph_(lives.graph()), facts_(lives.facts()) {}
  FreeingAction(const FreeingAction &) = delete;
  FreeingAction &operator=(const FreeingAction &) = delete;
  virtual ~FreeingAction() = default;

  /// The effect that the action would have on a storage.
  struct Offer {
    /// that would be freed
    int64_t bytes = 0;
    /// bytes for a picosecond, and what decides between equal ones: more is better
    std::pair<double, double> gain;
    /// why the action cannot free it
    std::optional<unsigned> obstacle;
  };
  /// Returns what it takes that the storage is gone at the step.
  [[nodiscard]] virtual Offer offer(StorageId storage, const Node *at) const = 0;
  /// Does what the offer for the graph as it is states; it has no obstacle.
  virtual FreedValue take(StorageId storage, const Node *at) = 0;
  /// Returns the step at which a storage is to be gone, for the one with the most live bytes.
  [[nodiscard]] virtual const Node *placeOf(const Node *step) const { return step; }
  /// Returns the obstacle of a value that a step writes.
  [[nodiscard]] virtual unsigned writtenObstacle() const = 0;

protected:
  ValueLives &lives_;
  Graph &graph_;
  const ProgramFacts &facts_;
};

class PeakReduction {
public:
  /// Why a value stays live at the peak of the graph as it was.
  struct Kept {
    const Node *value = nullptr;
    const FreeingAction *action = nullptr;
    unsigned obstacle = 0;
  };
  struct Done {
    FreedValue value;
    const FreeingAction *action = nullptr;
  };

  PeakReduction(ValueLives &lives, llvm::ArrayRef<FreeingAction *> actions)
      : lives_(lives), actions_(actions.begin(), actions.end()) {}

  /// Changes the graph until at most `bytes` are live at each step, or no value at the peak is left that helps. Returns
  /// the peak.
  int64_t reduceTo(int64_t bytes);
  /// Frees one value for the readers after a step. Returns false, and leaves the graph unchanged, if an obstacle
  /// prevents it.
  bool free(FreeingAction &action, const Node *value, const Node *after);
  /// Returns all values so far, in the order in which they were freed.
  [[nodiscard]] llvm::ArrayRef<Done> done() const { return done_; }
  /// Returns the obstacles of the values that stay; empty before reduceTo().
  [[nodiscard]] llvm::ArrayRef<Kept> kept() const { return kept_; }

private:
  struct Planned {
    StorageId storage = 0;
    FreeingAction *action = nullptr;
    FreeingAction::Offer offer;
  };
  [[nodiscard]] static bool isBetter(const Planned &a, const Planned &b) { return a.offer.gain > b.offer.gain; }
  [[nodiscard]] std::vector<Planned> offersAt(const Node *at);
  bool reduceAt(const ValueLives::Peak &peak, int64_t bytes);

  ValueLives &lives_;
  llvm::SmallVector<FreeingAction *, 2> actions_;
  std::vector<Done> done_;
  std::vector<Kept> kept_;
  bool isFirstRound_ = true;
  unsigned rounds_ = 0;
};

} // namespace ccgraph
