#include "launch_order.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::measured {
namespace {

NodeIndex firstOf(const FoundCall &call) { return *std::min_element(call.nodes().begin(), call.nodes().end()); }
NodeIndex lastOf(const FoundCall &call) { return *std::max_element(call.nodes().begin(), call.nodes().end()); }

} // namespace

LaunchOrder::LaunchOrder(const GraphCalls &graph, llvm::ArrayRef<FoundCall> calls)
    : graph_(graph), calls_(calls), isMatched_(graph.calls().size()) {
  for (const FoundCall &call : calls)
    for (NodeIndex node : call.nodes())
      isMatched_[node] = true;
}

llvm::SmallVector<NodeIndex, 2> LaunchOrder::nodesOf(llvm::StringRef eventName, int64_t launched) const {
  llvm::SmallVector<NodeIndex, 2> nodes;
  if (graph_.hasKernelNames() || !GraphCalls::namesGeneratedKernel(eventName))
    return nodes;
  auto after = llvm::partition_point(calls_, [&](const FoundCall &call) { return call.event->begin <= launched; });
  const NodeIndex first = after == calls_.begin() ? 0 : lastOf(*std::prev(after)) + 1;
  const NodeIndex end = after == calls_.end() ? static_cast<NodeIndex>(isMatched_.size()) : firstOf(*after);
  for (NodeIndex node = first; node < end; ++node)
    if (!isMatched_[node] && graph_.isComputed(node))
      nodes.push_back(node);
  return nodes;
}

} // namespace ccgraph::measured
