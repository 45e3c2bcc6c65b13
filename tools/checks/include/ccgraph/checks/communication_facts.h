// CommunicationFacts lists the communication of a training step collective by collective, as contracts require it
// (contract_check.h): where each collective is, what it moves, and whether it overlaps with computation.
//
// A step consists of one graph or of several, such as forward and backward. Counts and times are sums over the graphs,
// each run once; the peak memory is the largest of the graphs. Subgraphs of higher-order operators are included in the
// collectives, but not in times and memory, as in ccgraph-opt's summary.
//
// Ownership: plain values, names and no nodes. Failure: an error of the passes that normalize the graph for the
// prediction of times. Cost: a copy of each graph, and two passes over the copy.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

/// A node, and the place in the user's program that created it.
struct NodePlace {
  /// label of the graph
  std::string graph;
  /// name; "subgraph/name" in a subgraph
  std::string node;
  /// empty if unknown
  std::string file;
  int64_t line = 0;
  /// the source line as the dump quotes it; may be empty
  std::string code;

  /// Returns "all_gather_3 (model.py:41: y = x @ w)", as far as it is known.
  [[nodiscard]] std::string str() const;
};

struct CollectiveFacts {
  NodePlace place;
  /// empty if the dump does not record it
  std::string module;
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// the group's name, and the description that its table gives; the description may be empty
  std::string group;
  std::string groupDescription;
  /// of the tensors that are sent, each once; a barrier has none
  std::vector<DType> dtypes;
  std::optional<ReduceOp> reduceOp;
  /// of one rank: the larger of input and output; empty if a size is unknown
  std::optional<int64_t> bytes;
  /// no computing node is between launch and wait
  bool isExposed = false;
  /// no node reads the result
  bool isDead = false;
};

/// The exposed time of one collective.
struct ExposedTime {
  NodePlace place;
  int64_t picoseconds = 0;
};

struct CommunicationFacts {
  std::vector<CollectiveFacts> collectives;
  /// launches without a wait, and waits that complete no collective
  std::vector<NodePlace> missingWaits;
  std::vector<NodePlace> deadWaits;
  /// label of a graph and path of a module in it, each pair once, sorted
  std::vector<std::pair<std::string, std::string>> modules;
  /// With FactsRequest::machine: picoseconds of the step, of exposed communication, and per collective, longest first.
  int64_t total = 0;
  int64_t exposed = 0;
  std::vector<ExposedTime> exposedTimes;
  /// collectives whose time is unknown, because a size is
  size_t untimed = 0;
  /// the largest peak, the graph that has it, and a text that lists what is live there
  int64_t peakBytes = 0;
  std::string peakGraph;
  std::string peakText;
};

/// One graph of a step. It must be well formed.
struct LabeledGraph {
  const Graph *graph = nullptr;
  /// "forward", "backward", or the name of the graph; unique in a step
  std::string label;
};

struct FactsRequest {
  llvm::ArrayRef<LabeledGraph> graphs;
  /// null: no times are predicted
  const Machine *machine = nullptr;
};

[[nodiscard]] llvm::Expected<CommunicationFacts> gatherCommunication(const FactsRequest &request);

} // namespace ccgraph
