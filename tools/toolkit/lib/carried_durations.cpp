#include "ccgraph/toolkit/carried_durations.h"

#include "ccgraph/ir/collective.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

void addType(std::string &key, const Type *type) { key += (type ? type->str() : "?") + ";"; }

/// Returns the operator, the types of operands and result, and the group; empty for a node that is no call.
std::string keyOf(const Node &node) {
  if (node.opcode() != Opcode::CallFunction)
    return "";
  std::string key = node.target().str().str() + ";";
  for (const Node *operand : node.dataOperands())
    addType(key, operand->type());
  addType(key, node.type());
  if (std::optional<CollectiveCall> call = collectiveCall(node))
    key += call->group;
  return key;
}

/// Returns the nodes of each operator, in program order.
llvm::StringMap<std::vector<const Node *>> nodesByTarget(const Graph &graph) {
  llvm::StringMap<std::vector<const Node *>> nodes;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::CallFunction)
      nodes[node->target().str()].push_back(node);
  return nodes;
}

} // namespace

CarriedDurations::CarriedDurations(const Graph &timed, const Durations &durations) : origin_(durations.origin) {
  auto add = [&](const Node &node, const Duration &duration) {
    Calls &calls = calls_[keyOf(node)];
    if (calls.byName.try_emplace(node.name().str(), duration.picoseconds).second)
      calls.all.push_back(duration.picoseconds);
  };
  for (const auto &entry : nodesByTarget(timed)) {
    const std::vector<Duration> *inOrder = durations.calls(entry.first());
    for (size_t i = 0; i != entry.second.size(); ++i)
      if (const Duration *own = durations.find(entry.second[i]->name().str()))
        add(*entry.second[i], *own);
      else if (inOrder && inOrder->size() == entry.second.size())
        add(*entry.second[i], (*inOrder)[i]);
  }
  for (auto &entry : calls_)
    llvm::sort(entry.second.all);
}

int64_t CarriedDurations::Calls::timeOf(llvm::StringRef node) const {
  auto own = byName.find(node);
  return own == byName.end() ? all[(all.size() - 1) / 2] : own->second;
}

Durations CarriedDurations::of(const Graph &other) const {
  Durations carried;
  carried.origin = origin_;
  for (const Node *node : other)
    if (auto calls = calls_.find(keyOf(*node)); calls != calls_.end())
      carried.add(node->name().str(), {calls->second.timeOf(node->name().str()), DurationSource::Estimated});
  return carried;
}

} // namespace ccgraph
