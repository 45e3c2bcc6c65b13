#include "contract_instances.h"

#include "ccgraph/checks/contract_check.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <set>

namespace ccgraph {
namespace {

/// Replaces each component that is a number by a star: "layers.3.attention" -> "layers.*.attention".
std::string patternOf(llvm::StringRef module) {
  llvm::SmallVector<llvm::StringRef, 8> components;
  module.split(components, '.');
  for (llvm::StringRef &component : components)
    if (!component.empty() && llvm::all_of(component, llvm::isDigit))
      component = "*";
  return llvm::join(components, ".");
}

/// The requirements that an instance satisfies exactly.
CollectiveRule measured(CollectiveRule rule, const SelectedCollectives &collectives) {
  rule.count = Bounds::exactly(static_cast<int64_t>(collectives.size()));
  if (std::optional<int64_t> bytes = bytesOf(collectives))
    rule.bytes = Bounds::exactly(*bytes);
  for (const CollectiveFacts *one : collectives) {
    for (DType dtype : one->dtypes)
      if (!llvm::is_contained(rule.dtypes, dtype))
        rule.dtypes.push_back(dtype);
    if (one->reduceOp && !llvm::is_contained(rule.reductions, *one->reduceOp))
      rule.reductions.push_back(*one->reduceOp);
  }
  llvm::sort(rule.dtypes);
  llvm::sort(rule.reductions);
  return rule;
}

class ContractMaker {
public:
  explicit ContractMaker(const CommunicationFacts &facts) : facts_(facts) {
    std::set<std::string> graphs;
    for (const CollectiveFacts &one : facts.collectives)
      graphs.insert(one.place.graph);
    hasSeveralGraphs_ = graphs.size() > 1;
    std::map<std::string, std::set<std::string>> names;
    for (const CollectiveFacts &one : facts.collectives)
      names[one.groupDescription].insert(one.group);
    for (const auto &[description, groups] : names)
      if (!description.empty() && groups.size() == 1)
        distinct_.insert(description);
  }

  Contract make() {
    Contract contract;
    contract.allowsUnlisted = false;
    std::set<std::tuple<std::string, std::string, CollectiveKind, std::string>> known;
    for (const CollectiveFacts &one : facts_.collectives) {
      CollectiveRule rule = selectionOf(one);
      if (known.insert({rule.graph, rule.module, *rule.kind, rule.group}).second)
        addRules(rule, contract.collectives);
    }
    return contract;
  }

private:
  /// A description names a group better than the name, which is a number of one rank's registry.
  [[nodiscard]] CollectiveRule selectionOf(const CollectiveFacts &one) const {
    CollectiveRule rule;
    rule.graph = hasSeveralGraphs_ ? one.place.graph : "";
    rule.module = patternOf(one.module);
    rule.kind = one.kind;
    rule.group = distinct_.count(one.groupDescription) > 0 ? one.groupDescription : one.group;
    return rule;
  }

  void addRules(const CollectiveRule &selection, std::vector<CollectiveRule> &rules) const {
    RuleInstances instances = instancesOf(selection, facts_);
    CollectiveRule common = measured(selection, instances.begin()->second);
    bool isStarred = llvm::StringRef(selection.module).contains('*');
    if (llvm::all_of(instances, [&](const auto &one) { return measured(selection, one.second) == common; })) {
      if (isStarred)
        common.modules = Bounds::exactly(static_cast<int64_t>(instances.size()));
      rules.push_back(std::move(common));
      return;
    }
    for (const auto &[module, collectives] : instances)
      if (!collectives.empty()) {
        CollectiveRule own = selection;
        own.module = module;
        rules.push_back(measured(std::move(own), collectives));
      }
  }

  const CommunicationFacts &facts_;
  bool hasSeveralGraphs_ = false;
  std::set<std::string> distinct_; ///< descriptions that only one group has
};

/// Rounds up to two decimals.
double roundedUp(double percent) {
  constexpr double perUnit = 100;
  return std::ceil(percent * perUnit) / perUnit;
}

} // namespace

Contract contractOf(const CommunicationFacts &facts, llvm::StringRef machine) {
  Contract contract = ContractMaker(facts).make();
  contract.machine = machine.str();
  StepLimits &limits = contract.limits;
  limits.missingWaits = static_cast<int64_t>(facts.missingWaits.size());
  limits.deadWaits = static_cast<int64_t>(facts.deadWaits.size());
  auto counts = [&](auto member) {
    return static_cast<int64_t>(llvm::count_if(facts.collectives, [&](const auto &one) { return one.*member; }));
  };
  limits.deadCollectives = counts(&CollectiveFacts::isDead);
  limits.exposedCollectives = counts(&CollectiveFacts::isExposed);
  limits.peakBytes = facts.peakBytes;
  constexpr double all = 100;
  if (facts.total > 0)
    limits.exposedPercent = roundedUp(all * static_cast<double>(facts.exposed) / static_cast<double>(facts.total));
  return contract;
}

} // namespace ccgraph
