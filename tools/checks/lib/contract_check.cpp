#include "ccgraph/checks/contract_check.h"

#include "contract_instances.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace ccgraph {
namespace {

constexpr ContractRule rules[] = {
    {"count", "The number of selected collectives is within its bounds in each module of the pattern."},
    {"bytes", "The bytes of the selected collectives are within their bounds in each module of the pattern."},
    {"dtype", "Each tensor that a selected collective sends has a listed dtype."},
    {"reduction", "Each selected collective that reduces has a listed reduction."},
    {"modules", "The number of modules that the pattern selects is within its bounds."},
    {"unlisted", "Each collective is selected by a rule, unless the contract allows others."},
    {"missing-wait", "Each launch is waited for or returned, up to the limit."},
    {"dead-wait", "Each wait completes a collective, up to the limit."},
    {"dead-collective", "Each collective has a reader of its result, up to the limit."},
    {"exposed-collectives", "Computation runs between launch and wait of each collective, up to the limit."},
    {"exposed-percent", "The predicted exposed communication is within its share of the predicted step time."},
    {"peak-bytes", "The peak memory is within its limit."},
};

/// Returns "all_gather collectives of group fsdp in graph forward": what a rule selects.
std::string selectionText(const CollectiveRule &rule) {
  std::string text = rule.kind ? collectiveName(*rule.kind).str() + " collectives" : "collectives";
  if (!rule.group.empty())
    text += " of group " + rule.group;
  return rule.graph.empty() ? text : text + " in graph " + rule.graph;
}

std::string subjectText(const std::string &module) { return module.empty() ? "the step" : "module " + module; }

/// What distinguishes a collective of a module from the others, and is equal in modules of one kind.
std::string signatureOf(const CollectiveFacts &one, size_t moduleLength) {
  std::string bytes = one.bytes ? std::to_string(*one.bytes) : "?";
  std::string inner = one.module.substr(std::min(moduleLength, one.module.size()));
  return (inner + "|" + collectiveName(one.kind) + "|" + one.group + "|" + bytes + "|" + one.place.file + ":" +
          llvm::Twine(one.place.line) + "|" + one.place.graph)
      .str();
}

/// Returns the collectives of `module` that have no counterpart in `other`.
std::vector<NodePlace> surplus(const RuleInstances::value_type &module, const RuleInstances::value_type &other) {
  std::map<std::string, size_t> counterparts;
  for (const CollectiveFacts *one : other.second)
    ++counterparts[signatureOf(*one, other.first.size())];
  std::vector<NodePlace> extra;
  for (const CollectiveFacts *one : module.second) {
    size_t &left = counterparts[signatureOf(*one, module.first.size())];
    if (left == 0)
      extra.push_back(one->place);
    else
      --left;
  }
  return extra;
}

class ContractChecker {
public:
  ContractChecker(const Contract &contract, const CommunicationFacts &facts) : contract_(contract), facts_(facts) {}

  std::vector<ContractFinding> run() {
    checkLimits();
    for (const CollectiveRule &rule : contract_.collectives)
      checkRule(rule);
    if (!contract_.allowsUnlisted)
      checkUnlisted();
    return std::move(findings_);
  }

private:
  // --- Limits --------------------------------------------------------------------------------------------------------

  void checkLimits() {
    const StepLimits &limits = contract_.limits;
    limit({"missing-wait", "launches without a wait", "add a wait_tensor on the result, or return it"},
          limits.missingWaits, facts_.missingWaits);
    limit({"dead-wait", "waits that complete no collective", "remove the wait"}, limits.deadWaits, facts_.deadWaits);
    limit({"dead-collective", "collectives whose result no node reads",
           "remove the collective on all ranks, as eliminate-dead-collectives does"},
          limits.deadCollectives, placesOf([](const CollectiveFacts &one) { return one.isDead; }));
    limit({"exposed-collectives", "collectives without computation between launch and wait",
           "move the wait to the first reader, as sink-waits does, or issue the collective earlier"},
          limits.exposedCollectives, placesOf([](const CollectiveFacts &one) { return one.isExposed; }));
    checkExposedTime();
    checkPeak();
  }

  struct LimitText {
    llvm::StringRef rule;
    llvm::StringRef noun;
    llvm::StringRef repair;
  };
  void limit(const LimitText &text, std::optional<int64_t> most, std::vector<NodePlace> nodes) {
    if (!most || static_cast<int64_t>(nodes.size()) <= *most)
      return;
    std::string message =
        llvm::formatv("the step has {0} {1}, expected at most {2}", nodes.size(), text.noun, *most).str();
    findings_.push_back(
        {text.rule.str(), std::move(message), contract_.limits.place, std::move(nodes), text.repair.str()});
  }

  [[nodiscard]] std::vector<NodePlace> placesOf(llvm::function_ref<bool(const CollectiveFacts &)> counts) const {
    std::vector<NodePlace> places;
    for (const CollectiveFacts &one : facts_.collectives)
      if (counts(one))
        places.push_back(one.place);
    return places;
  }

  void checkExposedTime() {
    if (!contract_.limits.exposedPercent || facts_.total == 0)
      return;
    constexpr double all = 100;
    double percent = all * static_cast<double>(facts_.exposed) / static_cast<double>(facts_.total);
    if (percent <= *contract_.limits.exposedPercent)
      return;
    std::vector<NodePlace> nodes;
    for (const ExposedTime &time : facts_.exposedTimes)
      nodes.push_back(time.place);
    std::string machine = contract_.machine.empty() ? defaultMachine.str() : contract_.machine;
    std::string message = llvm::formatv("predicted exposed communication on {0} is {1:F2} % of the step, expected at "
                                        "most {2:F2} %",
                                        machine, percent, *contract_.limits.exposedPercent)
                              .str();
    findings_.push_back({"exposed-percent", std::move(message), contract_.limits.place, std::move(nodes),
                         "ccgraph-opt --exposed explains what holds each of these collectives"});
  }

  void checkPeak() {
    if (!contract_.limits.peakBytes || facts_.peakBytes <= *contract_.limits.peakBytes)
      return;
    std::string message =
        llvm::formatv("graph {0} needs {1} bytes at its peak ({2}), expected at most {3}", facts_.peakGraph,
                      facts_.peakBytes, bytesText(facts_.peakBytes), *contract_.limits.peakBytes)
            .str();
    findings_.push_back({"peak-bytes", std::move(message), contract_.limits.place, {}, facts_.peakText});
  }

  // --- Rules of collectives ------------------------------------------------------------------------------------------

  void checkRule(const CollectiveRule &rule) {
    RuleInstances instances = instancesOf(rule, facts_);
    if (rule.modules && !rule.modules->holds(static_cast<int64_t>(instances.size())))
      add("modules", rule,
          llvm::formatv("pattern {0} selects {1}, expected {2}", rule.module, counted(instances.size(), "module"),
                        rule.modules->str())
              .str(),
          {}, "a layer was added or removed, or modules were renamed");
    if (instances.empty() && rule.modules == std::nullopt)
      add("modules", rule, "pattern " + rule.module + " selects no module, expected at least one", {},
          "the dump must record modules, and the pattern must match their paths");
    const RuleInstances::value_type *reference = satisfying(rule, instances);
    for (const RuleInstances::value_type &instance : instances)
      checkInstance(rule, instance, reference);
  }

  /// Returns an instance with an expected number of collectives; null if there is none.
  static const RuleInstances::value_type *satisfying(const CollectiveRule &rule, const RuleInstances &instances) {
    if (!rule.count)
      return nullptr;
    auto found = llvm::find_if(
        instances, [&](const auto &one) { return rule.count->holds(static_cast<int64_t>(one.second.size())); });
    return found == instances.end() ? nullptr : &*found;
  }

  void checkInstance(const CollectiveRule &rule, const RuleInstances::value_type &instance,
                     const RuleInstances::value_type *reference) {
    checkCount(rule, instance, reference);
    checkBytes(rule, instance);
    for (const CollectiveFacts *one : instance.second) {
      checkDTypes(rule, *one);
      checkReduction(rule, *one);
    }
  }

  void checkCount(const CollectiveRule &rule, const RuleInstances::value_type &instance,
                  const RuleInstances::value_type *reference) {
    auto count = static_cast<int64_t>(instance.second.size());
    if (!rule.count || rule.count->holds(count))
      return;
    std::string message = llvm::formatv("{0} has {1} {2}, expected {3}", subjectText(instance.first), count,
                                        selectionText(rule), rule.count->str())
                              .str();
    bool isMore = rule.count->most && count > *rule.count->most;
    std::vector<NodePlace> nodes, all;
    for (const CollectiveFacts *one : instance.second)
      all.push_back(one->place);
    if (reference)
      nodes = isMore ? surplus(instance, *reference) : surplus(*reference, instance);
    std::string repair = isMore ? "remove the additional collective, or raise the count" : "";
    if (!isMore)
      repair = reference && !nodes.empty()
                   ? "the nodes below are those of " + subjectText(reference->first) + " that this module lacks"
                   : "restore the missing collective, or lower the count";
    add("count", rule, std::move(message), nodes.empty() ? std::move(all) : std::move(nodes), std::move(repair));
  }

  void checkBytes(const CollectiveRule &rule, const RuleInstances::value_type &instance) {
    if (!rule.bytes)
      return;
    std::optional<int64_t> bytes = bytesOf(instance.second);
    if (bytes && rule.bytes->holds(*bytes))
      return;
    std::vector<NodePlace> nodes;
    for (const CollectiveFacts *one : instance.second)
      if (bytes || !one->bytes)
        nodes.push_back(one->place);
    std::string got = bytes ? std::to_string(*bytes) : "an unknown number of";
    std::string message = llvm::formatv("{0} moves {1} bytes in {2}, expected {3}", subjectText(instance.first), got,
                                        selectionText(rule), rule.bytes->str())
                              .str();
    add("bytes", rule, std::move(message), std::move(nodes),
        bytes ? "compare the sizes and dtypes of these collectives with those for which the contract was written"
              : "give values to the symbols of these collectives, or leave bytes out of the rule");
  }

  void checkDTypes(const CollectiveRule &rule, const CollectiveFacts &one) {
    if (rule.dtypes.empty())
      return;
    std::vector<std::string> expected;
    for (DType dtype : rule.dtypes)
      expected.push_back(shortName(dtype).str());
    for (DType dtype : one.dtypes)
      if (!llvm::is_contained(rule.dtypes, dtype))
        add("dtype", rule,
            llvm::formatv("{0} of {1} sends {2}, expected {3}", collectiveName(one.kind), subjectText(one.module),
                          shortName(dtype), llvm::join(expected, " or "))
                .str(),
            {one.place}, "convert the tensor before the collective, or list the dtype in the contract");
  }

  void checkReduction(const CollectiveRule &rule, const CollectiveFacts &one) {
    if (rule.reductions.empty() || !one.reduceOp || llvm::is_contained(rule.reductions, *one.reduceOp))
      return;
    std::vector<std::string> expected;
    for (ReduceOp op : rule.reductions)
      expected.push_back(reduceOpName(op).str());
    add("reduction", rule,
        llvm::formatv("{0} of {1} reduces by {2}, expected {3}", collectiveName(one.kind), subjectText(one.module),
                      reduceOpName(*one.reduceOp), llvm::join(expected, " or "))
            .str(),
        {one.place}, "use the expected reduction, or list this one in the contract");
  }

  void checkUnlisted() {
    for (const CollectiveFacts &one : facts_.collectives)
      if (llvm::none_of(contract_.collectives, [&](const CollectiveRule &rule) { return selects(rule, one); }))
        findings_.push_back({"unlisted",
                             llvm::formatv("{0} of group {1} in {2} is selected by no rule, expected none such",
                                           collectiveName(one.kind), one.group, subjectText(one.module))
                                 .str(),
                             ContractPlace(),
                             {one.place},
                             "remove the collective, add a rule for it, or write unlisted = \"allow\""});
  }

  void add(llvm::StringRef rule, const CollectiveRule &of, std::string message, std::vector<NodePlace> nodes,
           std::string repair) {
    findings_.push_back({rule.str(), std::move(message), of.place, std::move(nodes), std::move(repair)});
  }

  const Contract &contract_;
  const CommunicationFacts &facts_;
  std::vector<ContractFinding> findings_;
};

} // namespace

llvm::ArrayRef<ContractRule> contractRules() { return rules; }

std::vector<ContractFinding> checkContract(const Contract &contract, const CommunicationFacts &facts) {
  return ContractChecker(contract, facts).run();
}

void print(llvm::raw_ostream &os, const ContractFinding &finding, llvm::StringRef contractFile) {
  os << "error: " << visibleText(finding.message) << " [" << finding.rule << "]\n";
  if (!contractFile.empty() && finding.place.line > 0)
    os << "  required by " << contractFile << ":" << finding.place.line << ":" << finding.place.column << '\n';
  constexpr size_t mostNodes = 10;
  for (const NodePlace &place : llvm::makeArrayRef(finding.nodes).take_front(mostNodes))
    os << "  " << (place.graph.empty() ? "" : visibleText(place.graph) + ": ") << visibleText(place.str()) << '\n';
  if (finding.nodes.size() > mostNodes)
    os << "  and " << counted(finding.nodes.size() - mostNodes, "other") << '\n';
  if (!finding.repair.empty())
    os << "  repair: " << visibleText(finding.repair) << '\n';
}

} // namespace ccgraph
