// ChunkTrial: predicts the step of a program whose regions are cut, by its best schedule.
//
// A region that is faster in pieces alone may be slower in the program: its collective may overlap with other
// computation anyway, and pieces cost launches and copies. So a copy of the graph is cut, and the search of
// schedule-overlap finds the fastest order of both within the same memory budget.
//
// Ownership: refers to the graph and the context, and to nothing after it returns. Failure: none.
// Cost: a copy of the graph and one search a trial.
#pragma once

#include "schedule/chunks/chunk_chain.h"
#include "schedule/overlap/program_problem.h"
#include "schedule/overlap/replay.h"
#include "schedule/pass_search.h"

namespace ccgraph {

/// The predicted step of a program, in picoseconds.
struct PredictedStep {
  /// of the fastest schedule that was found
  int64_t time = 0;
  /// no order of its nodes, with any merging and any memory, takes less
  int64_t bound = 0;
};

/// A region or a chain, and the pieces into which it is cut.
struct ChunkPlan {
  /// of a chain: its first region
  ChunkRegion region;
  ChunkChoice choice;
  std::optional<ChunkChain> chain = std::nullopt;
  /// Returns the collectives that are cut.
  [[nodiscard]] llvm::SmallVector<const Node *, 4> launches() const;
  /// Returns the collectives and the rows of their pieces, as the option `only` of chunk-collectives names them:
  /// s-g.512.1536.
  [[nodiscard]] std::string text() const;
  /// Returns true if both plans cut the same node.
  [[nodiscard]] bool overlaps(const ChunkPlan &other) const;
  /// Returns the predicted picoseconds that the pieces alone take less.
  [[nodiscard]] int64_t saving() const { return choice.whole - choice.cut; }
};

/// Cuts the nodes of a plan.
void buildPieces(const CostModel &cost, Graph &graph, const ChunkPlan &plan, RuleEntry &entry);

class ChunkTrial {
public:
  ChunkTrial(Graph &graph, PassContext &context, Count walks, Count beam)
      : graph_(graph), context_(context), walks_(walks), beam_(beam) {}

  /// Finds the fastest schedule of the program as it is.
  [[nodiscard]] PredictedStep scheduleWhole();
  /// Returns the key of the program as it is, in the record of searches. scheduleWhole() must have run.
  [[nodiscard]] const std::string &program() const { return program_; }
  /// Returns for how many picoseconds the launch is exposed in the fastest schedule that needs no more memory than the
  /// program as it stands. A larger budget has the same candidates, so it is not slower.
  [[nodiscard]] int64_t exposed(const Node &launch) const { return exposed_[launch.id()]; }
  /// Returns for how many picoseconds the collectives of a sequence are exposed that begins with the launch of a region
  /// that reduces, or ends with that of a region that gathers. A sequence has the collectives of one link that follow
  /// one another without a pause. If that reduction began earlier, all of them would; if what reads that gathered value
  /// began earlier, so would all that follows. 0 for a launch within a sequence. The larger number of that schedule and
  /// of the fastest one within the budget counts.
  [[nodiscard]] int64_t exposes(const ChunkRegion &region) const {
    return (region.gathers() ? endsWith_ : beginsWith_)[region.launch->id()];
  }
  /// Returns true if no collective is exposed that pieces of the region could expose less.
  [[nodiscard]] bool isHidden(const ChunkRegion &region) const {
    const bool alone = region.kind == ChunkRegion::Kind::ReduceColumns || exposed(*region.launch) == 0;
    return alone && (!region.cutsColumns() || exposes(region) == 0);
  }
  /// Finds the fastest schedule with these regions cut; empty if the bound is at least `limit`, or if every schedule
  /// that was found exceeds the budget and needs more memory than the program as it is.
  [[nodiscard]] std::optional<PredictedStep> schedule(llvm::ArrayRef<const ChunkPlan *> plans, int64_t limit) const;

private:
  void noteExposed(const overlap::GraphProblem &given, const overlap::Schedule &schedule);
  void noteSequences(const overlap::GraphProblem &given, const overlap::Schedule &schedule,
                     const overlap::Replay &replay);

  Graph &graph_;
  PassContext &context_;
  Count walks_, beam_;
  std::string program_;                        ///< the key of the program as it is, in the record of searches
  std::vector<int64_t> exposed_;               ///< by node id
  std::vector<int64_t> beginsWith_, endsWith_; ///< by node id: for how long its sequence is exposed
  int64_t peak_ = 0;                           ///< bytes of the schedule of the program as it is
};

} // namespace ccgraph
