// FreedValues: the values of one graph whose memory is free for a part of the step, by one or both of two actions.
//
//   v.loss        v is computed again for its readers after the step `loss` (recomputation.h)
//   v.loss.host   v is in the host's memory there (offloading.h)
//
// Both actions change one graph and share its ValueLives, so a call may be repeated whose operand comes back from the
// host, and a value that a repeated call reads may be offloaded. The texts name what was done, in order: on an equal
// graph, they do it again. A text without a place is that of the usual action.
//
// Ownership: refers to graph, facts and costs; the facts describe the graph as it was. Failure: free() returns false.
// Cost: as PeakReduction states.
#pragma once

#include "rewrite/offloading.h"
#include "rewrite/recomputation.h"

namespace ccgraph {

/// The action for a value whose text names no place.
enum class UsualAction : uint8_t { Recompute, Offload };

/// The actions of reduceTo(). It offloads only if the machine has a link to the host.
struct FreeingActions {
  bool recompute = false;
  bool offload = false;
  /// null: no gathers are repeated
  const RepeatableGathers *gathers = nullptr;
  GatherTime time = GatherTime::Exposed;
};

class FreedValues {
public:
  FreedValues(Graph &graph, const ProgramFacts &facts, const CostModel &cost, const FreeingActions &actions);

  /// As PeakReduction::reduceTo().
  int64_t reduceTo(int64_t bytes) { return reduction_->reduceTo(bytes); }
  /// Returns the most bytes that are live at a step now.
  [[nodiscard]] int64_t peakBytes() const { return lives_.peak().bytes; }
  /// Frees the value that the text names; returns false if there is none, or if it may not be freed.
  bool free(llvm::StringRef text, UsualAction usual = UsualAction::Recompute);

  /// Returns true for the text of a value that is offloaded.
  [[nodiscard]] static bool isOffloaded(llvm::StringRef text, UsualAction usual);

  /// Returns the texts of all values so far, in the order in which they were freed.
  [[nodiscard]] std::vector<std::string> texts(UsualAction usual = UsualAction::Recompute) const;
  [[nodiscard]] size_t size() const { return reduction_->done().size(); }
  [[nodiscard]] llvm::ArrayRef<Recomputed> recomputed() const { return recomputation_.done(); }
  [[nodiscard]] llvm::ArrayRef<Offloaded> offloaded() const {
    return offloading_ ? offloading_->done() : llvm::ArrayRef<Offloaded>();
  }

  /// A value that stays live at the peak of the graph as it was, and the obstacle of one of the actions.
  struct Kept {
    const Node *value = nullptr;
    bool isOffload = false;
    unsigned obstacle = 0; ///< an OffloadObstacle or a RecomputeObstacle
  };
  [[nodiscard]] std::vector<Kept> kept() const;

private:
  [[nodiscard]] bool isOffload(const FreeingAction *action) const { return offloading_ && action == &*offloading_; }

  Graph &graph_;
  ValueLives lives_;
  Recomputation recomputation_;
  std::optional<Offloading> offloading_; ///< if there is a link
  std::optional<PeakReduction> reduction_;
};

} // namespace ccgraph
