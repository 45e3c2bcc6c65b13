// mergeStages: the programs of the stages of one pipeline as one program.
//
// Stages take turns, one node each, as the ranks of a job do (job_run.h), so the order of each stage stays. A send
// keeps a copy of its tensor; the copy is written into the buffer of the receive where the stage first reads the
// result, and later readers of the buffer read that. An all_reduce over ranks of several stages becomes a combination
// of their tensors, and an all_reduce over the ranks of one stage.
//
// Ownership: owns the graph. Failure: a text that states which stage cannot go on, and why. Cost: linear in the nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace ccgraph::equality {

/// The program of one stage of a pipeline.
struct StageProgram {
  const Graph *graph = nullptr;
  const GroupTable *groups = nullptr;
  /// rank of the job
  int64_t rank = 0;
  /// "pp1"
  std::string name;
};

/// The stage of a rank of the job, and its rank on the other axes.
struct StageRank {
  size_t stage = 0;
  int64_t rank = 0;
};
using StageOfRank = llvm::function_ref<StageRank(int64_t)>;

struct MergedStages {
  std::unique_ptr<Graph> graph;
  /// by name of a node: the stage, and the node of its program
  llvm::StringMap<std::pair<size_t, const Node *>> origins;
  /// the nodes in the order in which they were taken, and what they receive; programs of equal graphs with equal orders
  /// are equal
  std::vector<uint64_t> order;
  /// empty: merged
  std::string problem;
};

[[nodiscard]] MergedStages mergeStages(llvm::ArrayRef<StageProgram> stages, StageOfRank stageOf);

} // namespace ccgraph::equality
