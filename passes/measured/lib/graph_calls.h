// GraphCalls: the calls of one or more graphs, one after another, by the names under which a profile shows them.
//
// Ownership: owns its texts. Failure: none. Cost: linear in the nodes.
#pragma once

#include "ccgraph/measured/match.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph::measured {

/// The calls of one name in the order of the program: each entry lists the nodes of one call.
struct NamedCalls {
  Rule rule = Rule::Operator;
  std::vector<llvm::SmallVector<NodeIndex, 2>> calls;
};

/// Numbers calls of one operator with equal types, in all graphs of a job.
using CallNumbers = llvm::StringMap<uint32_t>;

class GraphCalls {
public:
  explicit GraphCalls(CallNumbers &numbers) : numbers_(numbers) {}
  /// Adds the calls of a graph after those of the graphs before. `number` is the index of the graph in the job.
  void add(const ExecutedGraph &graph, uint32_t number, llvm::ArrayRef<KernelProvenance> provenance);

  [[nodiscard]] llvm::ArrayRef<Call> calls() const { return calls_; }
  [[nodiscard]] bool hasKernelNames() const { return !kernels_.empty(); }
  /// Returns whether a node makes new values: it is no view, collective or wait.
  [[nodiscard]] bool isComputed(NodeIndex node) const { return isComputed_[node]; }
  /// Returns whether Inductor generated the kernel of this event: "graph_0_cpp_fused_add_0", "triton_poi_fused_add_0".
  [[nodiscard]] static bool namesGeneratedKernel(llvm::StringRef eventName);
  /// Returns the calls that an event of this name may be: "aten::mm", "graph_0_cpp_fused_add_0"; null if none.
  [[nodiscard]] const NamedCalls *find(llvm::StringRef eventName) const;
  /// Returns the one call of a node that an event states; null if no graph has such a node. Of several graphs with such
  /// a node, it is that of the first.
  [[nodiscard]] const NamedCalls *findNode(llvm::StringRef node) const;

private:
  using Places = llvm::StringMap<NodeIndex>; ///< the call of each node of one graph
  Places addNodes(const Graph &graph, uint32_t number);
  void addKernels(const Places &places, llvm::ArrayRef<KernelProvenance> provenance);

  CallNumbers &numbers_;
  std::vector<Call> calls_;
  std::vector<bool> isComputed_;          ///< by call
  llvm::StringMap<NamedCalls> operators_; ///< by "aten.mm"
  llvm::StringMap<NamedCalls> kernels_;
  llvm::StringMap<NamedCalls> stated_; ///< by the name of the node
};

} // namespace ccgraph::measured
