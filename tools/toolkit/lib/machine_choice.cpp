#include "ccgraph/toolkit/machine_choice.h"

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

std::string gpuOf(llvm::StringRef runnable) {
  constexpr llvm::StringLiteral head = "# GPU Hardware Info:";
  size_t at = runnable.find(head);
  if (at == llvm::StringRef::npos)
    return "";
  llvm::StringRef line = runnable.drop_front(at + head.size()).ltrim().take_until([](char c) { return c == '\n'; });
  if (!line.consume_front("#") || !line.contains(" : "))
    return "";
  return line.rsplit(" : ").first.trim().str();
}

std::optional<Machine> machineOfGpu(llvm::StringRef gpu) {
  for (llvm::StringRef model : {"A100", "H100", "H200", "B200"})
    if (gpu.contains(model))
      return machinePreset(model.lower() + "x8");
  return std::nullopt;
}

std::string machineDoubt(const Graph &graph, llvm::StringRef gpu, llvm::StringRef machine) {
  if (!gpu.empty() && !machineOfGpu(gpu))
    return "the job ran on " + gpu.str() + ", and times are predicted for " + machine.str() +
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
