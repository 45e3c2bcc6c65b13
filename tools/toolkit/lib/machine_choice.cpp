#include "ccgraph/toolkit/machine_choice.h"

#include "ccgraph/ir/group_nesting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

/// Returns the device kind of most tensors: "cpu", "cuda".
std::string deviceKind(const Graph &graph) {
  size_t onHost = 0, onDevice = 0;
  std::string device;
  for (const Node *node : graph) {
    if (!node->type() || !node->type()->isTensor())
      continue;
    llvm::StringRef kind = node->type()->device().kind.str();
    (kind == "cpu" ? onHost : onDevice) += 1;
    if (kind != "cpu")
      device = kind.str();
  }
  return onDevice > 0 ? device : onHost > 0 ? "cpu" : "";
}

} // namespace

HostGpus gpusOf(llvm::StringRef runnable) {
  constexpr llvm::StringLiteral head = "# GPU Hardware Info:";
  size_t at = runnable.find(head);
  if (at == llvm::StringRef::npos)
    return {};
  llvm::StringRef line = runnable.drop_front(at + head.size()).ltrim().take_until([](char c) { return c == '\n'; });
  if (!line.consume_front("#") || !line.contains(" : "))
    return {};
  auto [name, number] = line.rsplit(" : ");
  HostGpus gpus{name.trim().str(), 0};
  if (number.trim().getAsInteger(10, gpus.count) || gpus.count < 0)
    gpus.count = 0;
  return gpus;
}

std::optional<Machine> machineOfGpus(const HostGpus &gpus) {
  for (llvm::StringRef model : {"A100", "H100", "H200", "B200"})
    if (llvm::StringRef(gpus.name).contains(model)) {
      std::optional<Machine> machine = machinePreset(model.lower() + "x8");
      if (gpus.count > 1 && gpus.count != machine->ranksPerNode) {
        machine->ranksPerNode = gpus.count;
        machine->name += " with " + std::to_string(gpus.count) + " ranks a node";
      }
      return machine;
    }
  return std::nullopt;
}

std::string nodesText(const Graph &graph, const Machine &machine) {
  int64_t ranks = knownWorldSize(graph).value_or(0);
  if (ranks <= machine.ranksPerNode)
    return "";
  int64_t nodes = (ranks + machine.ranksPerNode - 1) / machine.ranksPerNode;
  return std::to_string(ranks) + " ranks on " + std::to_string(nodes) + " nodes of " +
         std::to_string(machine.ranksPerNode);
}

std::string machineDoubt(const Graph &graph, const HostGpus &gpus, llvm::StringRef machine) {
  if (!gpus.empty() && !machineOfGpus(gpus))
    return "the job ran on " + gpus.name + ", and times are predicted for " + machine.str() +
           " (--machine FILE describes another machine)";
  std::string kind = deviceKind(graph);
  if (kind == "cpu")
    return "the graph's tensors are on the CPU, and times are predicted for " + machine.str() +
           " (--machine cpu predicts for a host)";
  if (kind == "cuda" || kind.empty())
    return "";
  return "the graph's tensors are on " + kind + ", and times are predicted for " + machine.str() +
         " (--machine FILE describes another machine)";
}

} // namespace ccgraph
