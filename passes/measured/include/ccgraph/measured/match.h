// Matches the events of profiles to the nodes of the graphs that a job executes, step by step.
//
// A step is one execution of the graph on one rank. The profile shows it as an execution of the compiled graph
// ("## Call CompiledFxGraph"), else as what the profiler calls a step, else where the first operator begins anew.
//
// A training step may execute several graphs, such as forward, backward and optimizer. Each compiled graph of the
// profile then belongs to the given graph whose nodes its events match for the longest time; each belongs to one at
// most. A step ends with an execution of the graph that is executed least often (of equally rare ones with that of the
// last execution), and the most frequent sequence of executions is a step; a graph that a step executes twice has its
// calls twice. Other sequences, at the begin and the end of a profile, are left out, and events between the executions
// are no nodes. Without compiled graphs, the given graphs are one program in their order.
//
// An event is matched by the first rule that applies:
//   Stated      the trace names the node (a trace of ccgraph-run, or a range of the user with the name of a node)
//   Kernel      Inductor states which nodes this call of the kernel computes; they share its time equally
//   Operator    the k-th call of an operator in a step is the k-th node of this operator; on a device, the kernels that
//               this call launched
//   Collective  the k-th record of a kind and a group in a step is the k-th launch of this kind and group
//   Wait        the k-th wait_tensor of a step is the k-th wait
//   Order       a kernel of Inductor, in a graph of which no kernel's nodes are stated: it computes the nodes between
//               those of the matched calls before and after it, which share the time of these kernels equally
// Kernel, Operator, Collective and Wait apply in a step only if it has as many events as the graph has nodes or calls,
// and a Collective only if the record's bytes are those of the graph, where both are known. Events inside a matched
// event belong to it.
//
// Ownership: owns its texts and refers to no graph. Failure: a profile without any matched event, a rank with two
// profiles, a trace that names nodes although several graphs are given; the message names the file. Cost: linear in the
// events, and a sort of them.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/profile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace ccgraph::measured {

enum class Rule : uint8_t { Stated, Kernel, Operator, Collective, Wait, Order };
inline constexpr size_t numRules = 6;
/// "stated", "kernel", ...
[[nodiscard]] llvm::StringRef ruleName(Rule rule);

using NodeIndex = uint32_t;

/// A graph that each step executes.
struct ExecutedGraph {
  const Graph &graph;
  std::string label; ///< "forward 0/0"; names the graph in texts, if there are several
};

/// A call of a graph, in program order.
struct Call {
  std::string name;                   ///< of the node; with several graphs "mm of forward 0/0"
  std::optional<CollectiveKind> kind; ///< of a launch
  std::string group;                  ///< of a launch: its name in the graph
  std::optional<int64_t> bytes;       ///< of a launch: the larger of the bytes that a rank sends and receives
  bool isWait = false;
  std::vector<NodeIndex> launches; ///< of a wait: the launches that it completes
  uint32_t sameCalls = 0;          ///< equal for calls of one operator with operands and results of equal types
  std::string node;                ///< of `graph`
  uint32_t graph = 0;              ///< index of its graph in the request
};

/// The call at one place of the lane on which the program computes: a host thread, or the streams of a device that do
/// not communicate.
struct LaneEntry {
  enum class Kind : uint8_t { Compute, Launch, Wait } kind = Kind::Compute;
  Rule rule = Rule::Operator;
  llvm::SmallVector<NodeIndex, 2> nodes;
  /// Nanoseconds. On a device, a launch or a wait takes no time of the lane, and both are when the host issued it.
  int64_t begin = 0;
  int64_t end = 0;
};

/// A collective as the backend recorded it on one rank, in nanoseconds.
struct Transfer {
  NodeIndex node = 0;
  std::vector<int64_t> members; ///< global ranks, ascending; empty: all ranks
  int64_t begin = 0;            ///< the arrival of the rank
  int64_t end = 0;
};

/// An outermost event that no rule matches.
struct Unmatched {
  std::string name;
  int64_t begin = 0;
  int64_t end = 0;
};

/// The part of a step that executes one graph; nanoseconds of the rank's clock.
struct Execution {
  uint32_t graph = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

/// One execution of all graphs on one rank; nanoseconds of the rank's clock.
struct Step {
  int64_t begin = 0;
  int64_t end = 0;
  std::vector<LaneEntry> lane; ///< in the order of issue
  std::vector<Transfer> transfers;
  std::vector<Unmatched> rest;       ///< by begin
  std::vector<Execution> executions; ///< of a job with several compiled graphs
};

struct RankSteps {
  int64_t rank = 0;
  std::string origin; ///< path of the trace
  bool onDevice = false;
  std::vector<Step> steps;
};

struct MatchedJob {
  std::vector<Call> calls;         ///< of a step, in the order of its executions
  std::vector<std::string> graphs; ///< labels of the request
  std::vector<RankSteps> ranks;    ///< ascending
  bool hasKernelNames = false;     ///< a mapping of kernels to nodes of one of the graphs was given
  std::vector<std::string> notes;  ///< sentences that say why records of collectives are not matched
};

struct MatchRequest {
  llvm::ArrayRef<ExecutedGraph> graphs; ///< at least one
  llvm::ArrayRef<RankProfile> profiles;
  llvm::ArrayRef<KernelProvenance> provenance;
};
[[nodiscard]] llvm::Expected<MatchedJob> matchJob(const MatchRequest &request);

} // namespace ccgraph::measured
