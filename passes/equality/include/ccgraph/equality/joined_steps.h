// joinSteps: the stages of a pipeline as one program, and microbatches as one input.
//
// Comparisons of steps and the inference of placements expect ranks that all have the same inputs and outputs. The
// stages of a pipeline have their own. So the programs of all stages with the same coordinates on the other axes become
// one program: what one stage receives is what the other one sends, in their order and by tag (as in job_run.h), and
// an all_reduce over ranks of several stages is their sum, then an all_reduce over the other axes. The axis of the
// pipeline then has one rank. Node n of stage 1 is called "pp1.n" after the axis.
//
//   stage 0: y = f(x), send y      stage 1: recv b, z = g(b), return z      ->      y = f(x), b = y, z = g(b), return z
//
// Inputs that are microbatches of one tensor become slices of one input.
//
// Ownership: owns its graphs, which live in the Context of the given ones; borrows the given graphs, which must
// outlive it. Failure: a DiagnosticError for placements that do not fit the ranks; `problem` for programs that cannot
// be joined: a stage waits for what none sends, another collective than an all_reduce spans stages, a constant. Cost:
// one copy of the programs of all ranks; equal copies are kept once.
#pragma once

#include "ccgraph/equality/same_step.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace ccgraph::equality {

class JoinedSteps {
public:
  std::vector<RankStep> ranks;
  /// without `at` and microbatches
  StepPlacements placements;
  /// why the programs cannot be joined; empty if they are
  std::string problem;

  /// Sets rank and node to those of the given programs.
  void restore(StepPlace &place) const;
  void restore(WrongOutput &output) const;

private:
  friend class StepJoiner;

  /// Where a node of a joined graph comes from.
  struct Origin {
    int64_t stage = 0;
    std::string node;
  };
  [[nodiscard]] int64_t givenRank(int64_t joined, int64_t stage) const;

  std::vector<std::unique_ptr<Graph>> graphs_;
  /// by graph, the origins of its nodes
  llvm::DenseMap<const Graph *, llvm::StringMap<Origin>> origins_;
  /// by what an output is: its stage
  llvm::StringMap<int64_t> stageOfOutput_;
  std::vector<NamedAxis> givenMesh_;
  /// the axis of the stages; empty if there is none
  std::optional<size_t> axis_;
};

[[nodiscard]] llvm::Expected<JoinedSteps> joinSteps(llvm::ArrayRef<RankStep> ranks, const StepPlacements &placements);

} // namespace ccgraph::equality
