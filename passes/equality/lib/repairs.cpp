#include "repairs.h"

#include "distribute.h"
#include "form_run.h"
#include "repair_changes.h"
#include "repair_scope.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <tuple>

namespace ccgraph::equality {
namespace {

class RepairSearch {
public:
  RepairSearch(const StepComparison &comparison, Trial &trial, NodeMatches &matches, const Suspicion &suspicion)
      : comparison_(comparison), trial_(trial), matches_(matches), suspicion_(suspicion),
        scope_(comparison, trial, matches.alignment()), changes_(comparison, trial, matches) {}

  std::vector<const Node *> run(llvm::ArrayRef<const Node *> likely) {
    std::vector<Repair> found;
    size_t most = 1;
    for (const Node *node : candidates(likely)) {
      const size_t wrong = suspicion_.numWrongFrom(*node);
      if (wrong < most)
        continue;
      const std::optional<Change> change = repairOf(*node);
      if (!change)
        continue;
      if (wrong > most)
        found.clear();
      most = wrong;
      found.push_back({node, *change});
    }
    return inOrder(std::move(found));
  }

private:
  struct Repair {
    const Node *node = nullptr;
    Change change;
  };

  /// 0: the repair undoes the scale or the average that the node is; 1: a collective or a scale; 2: any other node.
  [[nodiscard]] unsigned rankOf(const Repair &repair) const {
    if (changes_.undoes(*repair.node, repair.change))
      return 0;
    return isCollectiveNode(*repair.node) || isScaleByNumber(*repair.node) ? 1 : 2;
  }
  /// Returns the nodes in order; of those that are neither collective nor scale, some, since other evidence follows.
  [[nodiscard]] std::vector<const Node *> inOrder(std::vector<Repair> found) const {
    llvm::sort(found, [](const Repair &a, const Repair &b) { return a.node->isBefore(b.node); });
    // A missing sum is nearest to its reader after all that is computed of the parts.
    auto isSum = [&](const Repair &repair) { return repair.change.axis && rankOf(repair) == 2; };
    const auto others = std::stable_partition(found.begin(), found.end(), isSum);
    std::reverse(found.begin(), others);
    llvm::stable_sort(found, [&](const Repair &a, const Repair &b) { return rankOf(a) < rankOf(b); });
    constexpr size_t mostOthers = 2;
    std::vector<const Node *> nodes;
    size_t numOthers = 0;
    for (const Repair &repair : found)
      if (rankOf(repair) < 2 || numOthers++ < mostOthers)
        addWithIndex(*repair.node, nodes);
    return nodes;
  }

  /// Adds a node, and the index by which it selects a part: one of them is wrong.
  static void addWithIndex(const Node &node, std::vector<const Node *> &nodes) {
    nodes.push_back(&node);
    if (shortTarget(node) == "index_select" && node.numOperands() == 2 &&
        node.operand(1)->opcode() == Opcode::CallFunction)
      nodes.push_back(node.operand(1));
  }

  /// Returns the nodes from which wrong outputs alone are computed, those of the most wrong outputs first.
  [[nodiscard]] std::vector<const Node *> candidates(llvm::ArrayRef<const Node *> likely) const {
    std::vector<const Node *> nodes;
    for (const Node *node : *comparison_.ranks.front().graph)
      if (suspicion_.levelOf(*node) < 2 && canChange(*node))
        nodes.push_back(node);
    auto rankOf = [&](const Node *node) {
      return std::tuple(llvm::is_contained(likely, node) ? 0 : 1, -static_cast<int64_t>(suspicion_.numWrongFrom(*node)),
                        isCollectiveNode(*node) || isScaleByNumber(*node) ? 0 : 1);
    };
    llvm::stable_sort(nodes, [&](const Node *a, const Node *b) { return rankOf(a) < rankOf(b); });
    return nodes;
  }
  /// A value of all ranks that no operator writes, and no view of the same elements, which is changed with its operand.
  [[nodiscard]] bool canChange(const Node &node) const {
    const bool isPart = node.op() && (node.op()->role == OpRole::GetItem ||
                                      isOneOfWords(shortTarget(node), {"clone", "slice", "select"}));
    if (node.opcode() != Opcode::CallFunction || (isViewOrWait(node) && !isPart))
      return false;
    for (const Use &use : node.uses())
      if (use.user()->opcode() == Opcode::CallFunction &&
          llvm::any_of(use.user()->op()->params, [](const OpParam &parameter) { return parameter.writes; }))
        return false;
    return changes_.mayChange(node);
  }

  /// Returns the change of the node that makes the outputs right.
  std::optional<Change> repairOf(const Node &node) {
    const std::vector<Change> changes = changes_.changesOf(node);
    if (changes.empty())
      return std::nullopt;
    std::vector<ForcedValue> forced = scope_.dependentsOf(node);
    const std::optional<size_t> output = scope_.outputToCheck(forced);
    std::vector<ForcedValue> first = output ? scope_.towards(*output, forced) : forced;
    const double seconds = scope_.secondsOfRun(first), secondsOfAll = scope_.secondsOfRun(forced);
    for (const Change &change : changes) {
      if (!spend(seconds))
        return std::nullopt;
      const std::vector<Array> values = changes_.changed(node, change);
      if (output &&
          !makesRight(values, first, [&](auto before) { return isRight(*output) || isSame(*output, before); }))
        continue;
      if (output && !spend(secondsOfAll))
        return std::nullopt;
      if (makesRight(values, forced, [&](auto) { return hasRightOutputs(suspicion_.numWrongFrom(node)); }))
        return change;
    }
    return std::nullopt;
  }
  /// Takes the time of an evaluation from what is left; returns false if that is not enough.
  bool spend(double seconds) {
    if (secondsLeft_ < seconds)
      return false;
    secondsLeft_ -= seconds;
    return true;
  }
  /// Evaluates the ranks with the changed values; returns what the check of the outputs returns. It gets the values
  /// that the ranks had before.
  bool makesRight(llvm::ArrayRef<Array> values, std::vector<ForcedValue> &forced,
                  llvm::function_ref<bool(llvm::ArrayRef<RankValues>)> areRight) {
    for (size_t rank = 0; rank != forced.size(); ++rank)
      forced[rank].value = Value(values[rank]);
    std::vector<RankValues> results;
    FormRun run{&trial_.evaluator, trial_.whole, true, false, forced, nullptr};
    llvm::Expected<std::optional<Problem>> problem = runForm(comparison_.ranks, comparison_.placements, run, results);
    if (!problem)
      return llvm::consumeError(problem.takeError()), false;
    if (*problem)
      return false;
    trial_.ranks.swap(results);
    const bool isRepaired = areRight(results);
    trial_.ranks.swap(results);
    return isRepaired;
  }

  /// Returns whether at least so many wrong outputs are right, and no right one is wrong.
  [[nodiscard]] bool hasRightOutputs(size_t wanted) const {
    size_t repaired = 0, wrong = 0;
    for (const std::optional<WrongOutput> &output : trial_.wrong)
      wrong += output.has_value();
    for (bool ofWrong : {true, false})
      for (size_t i = 0; i != trial_.wrong.size(); ++i) {
        if (trial_.wrong[i].has_value() != ofWrong)
          continue;
        const bool isRightOne = isRight(i);
        repaired += ofWrong && isRightOne;
        wrong -= ofWrong;
        if (repaired + wrong < wanted || (!ofWrong && !isRightOne))
          return false;
      }
    return true;
  }
  [[nodiscard]] bool isRight(size_t output) const {
    llvm::Expected<std::optional<WrongOutput>> wrong =
        checkOutput(comparison_, trial_, comparison_.placements.outputs[output]);
    if (!wrong)
      return llvm::consumeError(wrong.takeError()), false;
    return !*wrong;
  }

  /// Returns whether all ranks have the same output as before. The other tensors of a bucket are such.
  [[nodiscard]] bool isSame(size_t output, llvm::ArrayRef<RankValues> before) const {
    const size_t position = comparison_.placements.outputs[output].position;
    for (size_t rank = 0; rank != before.size(); ++rank) {
      const Value &now = trial_.ranks[rank].outputs[position], &was = before[rank].outputs[position];
      if (!now.is(Value::Type::Tensor) || !was.is(Value::Type::Tensor) ||
          !sameWords(read(now.tensor), read(was.tensor)))
        return false;
    }
    return true;
  }

  const StepComparison &comparison_;
  Trial &trial_;
  NodeMatches &matches_;
  const Suspicion &suspicion_;
  RepairScope scope_;
  RepairChanges changes_;
  double secondsLeft_ = 1;
};

} // namespace

std::vector<const Node *> repairableNodes(const StepComparison &comparison, Trial &trial, NodeMatches &matches,
                                          const Suspicion &suspicion, llvm::ArrayRef<const Node *> likely) {
  if (comparison.reference)
    return {};
  return RepairSearch(comparison, trial, matches, suspicion).run(likely);
}

} // namespace ccgraph::equality
