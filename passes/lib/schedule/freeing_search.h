// FreeingSearch: chooses the values whose memory recompute-values and offload-values free for a part of the step.
//
// Values at the step with the most live bytes are freed until the peak is lower by a sixteenth of it, two sixteenths,
// and so on. Each of these parts is a program, and the schedule's own search predicts its step. The parts do not depend
// on the budget, so with more memory none is lost. The fastest program within the budget counts; if none fits, the one
// with the lowest peak. A pass that may compute values again and offload them frees values in one of two ways:
//
//   one after the other   values are computed again; then others are offloaded, if the best program is over the budget
//   by value              each value is freed by the action that frees more bytes for a microsecond. The parts go up to
//                         twelve sixteenths instead of eight
//
// The second way finds faster programs where the link to the host has time, but not always. So the manager tries the
// whole pipeline with each way (manager/choice.h). Without it, the second way is tried where the first one does not
// meet the budget, and counts if it does.
//
// Ownership: refers to graph and context. Failure: none. Cost: a search for each part whose lower bound is below the
// best step.
#pragma once

#include "ccgraph/passes/pass.h"
#include "rewrite/freed_values.h"
#include "schedule/overlap/search.h"
#include "schedule/search_record.h"

namespace ccgraph {

/// The actions that a pass may take on the values of a program.
struct FreeingSetting {
  static constexpr int64_t mostParts = 16;
  bool recompute = false;
  bool gatherAgain = false;
  bool offload = false;
  /// with both: compares them for each value. Without, this is tried where the budget is not met
  bool actionPerValue = false;
  /// how many parts are tried
  int64_t parts = 0;
  /// of the program as it stands
  int64_t peakBytes = 0;
  overlap::SearchOptions options;
};

/// The reasons of a pass why values stay, by obstacle; a null one is not reported.
struct FreeingReasons {
  std::array<const Reason *, numRecomputeObstacles> recompute = {};
  std::array<const Reason *, numOffloadObstacles> offload = {};
  const Reason *notFaster = nullptr;
};

class FreeingSearch {
public:
  FreeingSearch(Graph &graph, PassContext &context, FreeingSetting setting)
      : graph_(graph), context_(context), setting_(std::move(setting)) {}

  /// A program with some values freed, and its best schedule.
  struct Choice {
    std::vector<std::string> values; ///< texts of FreedValues
    int64_t picoseconds = 0;
    int64_t peakBytes = 0;
    /// picoseconds that no schedule beats, with any memory: of these nodes, and without the collectives that
    /// keep-gathered may remove
    std::pair<int64_t, int64_t> bound;
  };
  void choose();
  /// Returns the best choice; choose() has made it.
  [[nodiscard]] const Choice &best() const { return *best_; }
  /// Returns how many programs were searched, with the given one among them.
  [[nodiscard]] int64_t searched() const { return searched_; }
  /// Remarks on the values that stay: by their obstacles, and those that were tried.
  void remarkKept(const FreeingReasons &reasons) const;

private:
  /// How parts are made.
  struct Walk {
    bool recompute = false, offload = false;
    GatherTime time = GatherTime::Exposed;
    int64_t parts = 0;
    std::vector<std::string> start = {}; ///< texts of what is freed before
  };
  void searchGiven();
  void tryEach();
  void tryTimes(Walk walk);
  void tryParts(const Walk &walk);
  /// The values of a part, and whether the part is one of a walk that repeats gathers.
  struct Freed {
    std::vector<std::string> texts;
    bool gathers = false;
  };
  bool consider(Graph &graph, const CostModel &cost, const Freed &freed);
  [[nodiscard]] bool isBetter(const Choice &choice, bool gathers) const;
  [[nodiscard]] SearchRecord::Program &changedBy(llvm::ArrayRef<std::string> values);
  void note(const FreedValues &trial);
  [[nodiscard]] bool isFreed(const FreedValues::Kept &kept) const;

  Graph &graph_;
  PassContext &context_;
  FreeingSetting setting_;
  std::string program_; ///< the key of the search of the program as it stands
  std::optional<Choice> best_;
  bool isMetWithout_ = false;      ///< whether the program as it stands meets the budget
  std::vector<std::string> tried_; ///< values of some part
  std::vector<FreedValues::Kept> kept_;
  int64_t searched_ = 0;
};

} // namespace ccgraph
