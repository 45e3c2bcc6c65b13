// ListedGraph: a graph of a file, and what the file says of it, for lists and for choosing one.
//
// A file of PyTorch's holds many graphs: each stage of compilation prints its own, of each rank, forward and backward, and
// again for each compilation. What tells them apart is here, and whether they could be read.
//
// Ownership: plain values, nothing refers to the graph. Failure: none. Cost: describeGraph is linear in the nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

/// Which part of a training step a compiled graph computes.
enum class GraphRole : uint8_t {
  /// none of the others: inference, or a graph of one's own
  Whole,
  Forward,
  Backward,
  /// forward and backward in one graph, before the partitioner splits it
  Joint,
  Optimizer,
};
/// "graph", "forward", "backward", "joint", "optimizer".
[[nodiscard]] llvm::StringRef graphRoleName(GraphRole role);

struct ListedGraph {
  std::string file;
  size_t line = 0;  ///< of the header of its payload, else of its first line, from 1
  std::string kind; ///< "aot_joint_graph", "fx_graph_runnable", ...; of a file that is one graph, its format
  std::string name; ///< of the class that is printed, else that of the header
  std::optional<int64_t> rank;
  std::string compileId; ///< "0/0", "0/0_1"; empty: nothing names one
  std::string frame;     ///< "train.py:154 in step", the function that was compiled; empty: nothing says
  /// sizes that the symbols of the compilation had when it was traced
  std::vector<std::pair<std::string, int64_t>> hints;
  size_t nodes = 0;       ///< of the graph itself, inputs and output included
  size_t collectives = 0; ///< subgraphs included
  bool typed = false;     ///< its results have types, strides included
  unsigned stage = 0;     ///< a later stage of compilation has a higher number; 0: not one that a device runs
  GraphRole role = GraphRole::Whole;
  bool ofCompiledAutograd = false; ///< compiled autograd traced it: a backward pass with its hooks
  size_t inPayload = 0;            ///< which graph of its payload, where that holds several
  std::string leftOut;             ///< why it cannot be read; empty where it can
};

/// Fills in what the graph itself says: nodes, collectives, typed, its name, and its role by its kind and the names that
/// AOTAutograd gives to inputs (`tangents_1`: backward; `primals_1` without tangents: forward).
void describeGraph(const Graph &graph, ListedGraph &entry);

/// How late in compilation PyTorch prints a graph of this kind; 0 for those of Dynamo and compiled autograd, and for
/// kinds that are not known.
[[nodiscard]] unsigned stageOf(llvm::StringRef kind);

} // namespace ccgraph
