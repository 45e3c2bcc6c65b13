// GraphCalls: the calls of a graph by the names under which a profile shows them.
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

class GraphCalls {
public:
  GraphCalls(const Graph &graph, llvm::ArrayRef<KernelProvenance> provenance);

  [[nodiscard]] llvm::ArrayRef<Call> calls() const { return calls_; }
  [[nodiscard]] bool hasKernelNames() const { return !kernels_.empty(); }
  /// Returns the calls that an event of this name may be: "aten::mm", "graph_0_cpp_fused_add_0"; null if none.
  [[nodiscard]] const NamedCalls *find(llvm::StringRef eventName) const;
  /// Returns the one call of a node that an event states; null if the graph has no such node.
  [[nodiscard]] const NamedCalls *findNode(llvm::StringRef node) const;

private:
  void addNodes(const Graph &graph);
  void addKernels(llvm::ArrayRef<KernelProvenance> provenance);

  std::vector<Call> calls_;
  llvm::StringMap<NamedCalls> operators_; ///< by "aten.mm"
  llvm::StringMap<NamedCalls> kernels_;
  llvm::StringMap<NamedCalls> stated_; ///< by the name of the node
};

} // namespace ccgraph::measured
