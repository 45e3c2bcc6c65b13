#include "contract_instances.h"

namespace ccgraph {

bool selects(const CollectiveRule &rule, const CollectiveFacts &collective) {
  if (!rule.graph.empty() && rule.graph != collective.place.graph)
    return false;
  if (rule.kind && *rule.kind != collective.kind)
    return false;
  if (!rule.group.empty() && rule.group != collective.group && rule.group != collective.groupDescription)
    return false;
  return selectedModule(rule.module, collective.module).has_value();
}

RuleInstances instancesOf(const CollectiveRule &rule, const CommunicationFacts &facts) {
  RuleInstances instances;
  if (!llvm::StringRef(rule.module).contains('*'))
    instances[rule.module];
  for (const auto &[graph, path] : facts.modules)
    if (rule.graph.empty() || rule.graph == graph)
      if (std::optional<std::string> module = selectedModule(rule.module, path))
        instances[*module];
  for (const CollectiveFacts &collective : facts.collectives)
    if (selects(rule, collective))
      instances[*selectedModule(rule.module, collective.module)].push_back(&collective);
  return instances;
}

std::optional<int64_t> bytesOf(const SelectedCollectives &collectives) {
  int64_t sum = 0;
  for (const CollectiveFacts *one : collectives) {
    if (!one->bytes || __builtin_add_overflow(sum, *one->bytes, &sum))
      return std::nullopt;
  }
  return sum;
}

} // namespace ccgraph
