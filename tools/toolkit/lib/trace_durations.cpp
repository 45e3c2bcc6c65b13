#include "trace_durations.h"

#include "ccgraph/ir/collective.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using llvm::StringRef;

namespace ccgraph {
namespace {

/// Returns "mm" for "mm_12": the name from which torch.fx made the node's name.
StringRef kindOf(StringRef node) {
  StringRef kind = node.rtrim("0123456789");
  return kind.size() != node.size() && kind.consume_back("_") && !kind.empty() ? kind : node;
}

/// Returns "bf16(8192, 2048) f32(8)" for the tensors that a node reads, in the form of the table.
std::string inputsOf(const Node &node) {
  std::string text;
  for (const Node *operand : node.dataOperands()) {
    const Type *type = operand->type();
    if (type == nullptr || !type->isTensor())
      continue;
    std::string sizes = llvm::join(llvm::map_range(type->sizes(), [](const Dim &size) { return size.str(); }), ", ");
    text += (text.empty() ? "" : " ") + shortName(type->dtype()).str() + "(" + sizes + ")";
  }
  return text;
}

/// Python writes a comma after the size in a tuple of one size.
std::string asSpelled(std::string inputs) {
  for (size_t at; (at = inputs.find(",)")) != std::string::npos;)
    inputs.erase(at, 1);
  return inputs;
}

class Matcher {
public:
  Matcher(const TraceEstimates &estimates, const Graph &graph) : estimates_(estimates), graph_(graph) {
    for (const ComputeEstimate &found : estimates.computes) {
      const std::string inputs = asSpelled(found.inputs);
      times_.try_emplace(found.node + " " + inputs, found.picoseconds);
      timesOfKind_.try_emplace(kindOf(found.node).str() + " " + inputs, found.picoseconds);
    }
    for (const CollectiveEstimate &found : estimates.collectives)
      times_.try_emplace(keyOf(found.target, found.group, found.inputBytes), found.picoseconds);
  }

  Durations run() {
    durations_.origin = estimates_.origin;
    for (const Node *node : graph_)
      if (node->opcode() == Opcode::CallFunction)
        match(*node);
    for (const Durations &table : estimates_.kernels)
      matchKernels(table);
    return std::move(durations_);
  }

private:
  static std::string keyOf(StringRef target, StringRef group, int64_t bytes) {
    return (target + " on " + group + ": " + llvm::Twine(bytes)).str();
  }

  void add(const Node &node, const Duration &duration) { durations_.add(node.name().str(), duration); }
  bool addFrom(const llvm::StringMap<int64_t> &times, StringRef key, const Node &node) {
    auto found = times.find(key);
    if (found == times.end())
      return false;
    add(node, {found->second, DurationSource::Estimated});
    return true;
  }

  void match(const Node &node) {
    if (std::optional<CollectiveCall> call = collectiveCall(node)) {
      if (std::optional<int64_t> bytes = inputBytes(node))
        addFrom(times_, keyOf(node.target().str(), call->group, *bytes), node);
      return;
    }
    const std::string inputs = inputsOf(node);
    if (!addFrom(times_, node.name().str().str() + " " + inputs, node))
      addFrom(timesOfKind_, kindOf(node.name().str()).str() + " " + inputs, node);
  }

  /// A table belongs to one graph and does not name it: its collectives are used if the graph has as many of them.
  void matchKernels(const Durations &table) {
    llvm::StringMap<std::vector<const Node *>> calls;
    for (const Node *node : graph_) {
      if (const Duration *duration = table.find(node->name().str()))
        add(*node, *duration);
      if (table.calls(node->target().str()))
        calls[node->target().str()].push_back(node);
    }
    for (const auto &entry : calls)
      if (const auto &times = *table.calls(entry.first()); times.size() == entry.second.size())
        for (size_t i = 0; i != times.size(); ++i)
          add(*entry.second[i], times[i]);
  }

  const TraceEstimates &estimates_;
  const Graph &graph_;
  Durations durations_;
  llvm::StringMap<int64_t> times_;       ///< by name, or by collective and inputs
  llvm::StringMap<int64_t> timesOfKind_; ///< by operator and inputs
};

} // namespace

Durations matchEstimates(const TraceEstimates &estimates, const Graph &graph) {
  return Matcher(estimates, graph).run();
}

} // namespace ccgraph
