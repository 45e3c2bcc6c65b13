// ListedGraph: the description of one graph of a file, for listings and for choosing a graph.
//
// One file of PyTorch's holds many graphs: each stage of compilation prints its own, for each rank, forward and
// backward, and again for each compilation. This description tells them apart and states whether they can be read.
//
// Ownership: plain values, nothing refers to the graph. Failure: none. Cost: describeGraph is linear in the nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

/// The part of a training step that a compiled graph computes.
enum class GraphRole : uint8_t {
  /// any other graph: inference, or a graph not from a training compilation
  Whole,
  Forward,
  Backward,
  /// forward and backward in one graph, before the partitioner splits it
  Joint,
  Optimizer,
};
/// Returns "graph", "forward", "backward", "joint" or "optimizer".
[[nodiscard]] llvm::StringRef graphRoleName(GraphRole role);

struct ListedGraph {
  std::string file;
  size_t line = 0;  ///< line of the header of its payload, else its own first line, from 1
  std::string kind; ///< "aot_joint_graph", "fx_graph_runnable", ...; the format for a file that is one graph
  std::string name; ///< name of the printed class, else of the header
  std::optional<int64_t> rank;
  std::string compileId; ///< "0/0", "0/0_1"; empty where nothing names one
  std::string frame;     ///< "train.py:154 in step", the function that was compiled; empty where unknown
  /// sizes that the symbols of the compilation had when it was traced
  std::vector<std::pair<std::string, int64_t>> hints;
  size_t nodes = 0;       ///< of the graph itself, inputs and output included
  size_t collectives = 0; ///< collectives, those of subgraphs included
  bool typed = false;     ///< its results have types, strides included
  unsigned stage = 0;     ///< a later stage of compilation has a higher number; 0: not one that a device runs
  GraphRole role = GraphRole::Whole;
  bool ofCompiledAutograd = false; ///< compiled autograd traced it: a backward pass with its hooks
  size_t inPayload = 0;            ///< which graph of its payload, where that holds several
  std::string leftOut;             ///< the reason why it cannot be read; empty where it can
};

/// Fills in the fields that the graph itself determines: nodes, collectives, typed, its name, and its role. The role
/// follows from its kind and from the input names that AOTAutograd chooses (`tangents_1`: backward; `primals_1` without
/// tangents: forward).
void describeGraph(const Graph &graph, ListedGraph &entry);

/// Returns how late in compilation PyTorch prints a graph of this kind; 0 for graphs of Dynamo and compiled autograd,
/// and for unknown kinds.
[[nodiscard]] unsigned stageOf(llvm::StringRef kind);

} // namespace ccgraph
