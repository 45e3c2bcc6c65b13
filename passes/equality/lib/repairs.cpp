#include "repairs.h"

#include "distribute.h"
#include "form_run.h"
#include "sizes/step_cost.h"

#include "ccgraph/ir/collective.h"

#include "llvm/ADT/Sequence.h"

#include <tuple>

namespace ccgraph::equality {
namespace {

/// A change of the value of a node: its sum over the ranks of an axis, or itself, times a factor.
struct Change {
  /// index of the axis; empty: no sum
  std::optional<size_t> axis;
  Word factor = 0;
};

class RepairSearch {
public:
  RepairSearch(const StepComparison &comparison, Trial &trial, NodeMatches &matches, const Suspicion &suspicion)
      : comparison_(comparison), trial_(trial), matches_(matches), suspicion_(suspicion) {
    const NamedAxisRef mesh = comparison.placements.mesh;
    addFactor(numRanks(mesh));
    addFactor(2);
    for (const NamedAxis &axis : mesh)
      addFactor(axis.size);
    runsLeft_ = mostRuns();
    mayReuse_ = writesNothing() && !trial.drawsRandom();
  }

  const Node *run(llvm::ArrayRef<const Node *> likely) {
    std::vector<const Node *> found;
    size_t most = 1;
    for (const Node *node : candidates(likely)) {
      const size_t wrong = suspicion_.numWrongFrom(*node);
      if (wrong < most || runsLeft_ == 0 || matches_.correspondsExactly(*node) || !isRepaired(*node))
        continue;
      if (wrong > most)
        found.clear();
      most = wrong;
      found.push_back(node);
    }
    auto rankOf = [](const Node *node) { return !isCollectiveNode(*node) && !isScaleByNumber(*node); };
    llvm::sort(found, [&](const Node *a, const Node *b) {
      return rankOf(a) == rankOf(b) ? a->isBefore(b) : rankOf(a) < rankOf(b);
    });
    return found.empty() ? nullptr : found.front();
  }

private:
  using NamedAxisRef = llvm::ArrayRef<NamedAxis>;

  void addFactor(int64_t ranks) {
    if (ranks < 2 || llvm::is_contained(factors_, numberOfInteger(ranks)))
      return;
    factors_.push_back(numberOfInteger(ranks));
    factors_.push_back(trial_.evaluator.field().inverse(numberOfInteger(ranks)));
  }
  /// How many evaluations take about a second.
  [[nodiscard]] size_t mostRuns() const {
    constexpr double mostSeconds = 1, secondsOfNode = 4e-6;
    constexpr size_t most = 150;
    size_t nodes = 0;
    for (const RankStep &rank : comparison_.ranks)
      nodes += rank.graph->size();
    const double seconds = costOf(comparison_).seconds + static_cast<double>(nodes) * secondsOfNode;
    return static_cast<size_t>(std::min<double>(most, mostSeconds / seconds));
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
  /// A float of all ranks that no operator writes, and no view, which is changed with its operand.
  [[nodiscard]] bool canChange(const Node &node) const {
    if (node.opcode() != Opcode::CallFunction || !matches_.isFloatValue(node) || isViewOrWait(node))
      return false;
    for (const Use &use : node.uses())
      if (use.user()->opcode() == Opcode::CallFunction &&
          llvm::any_of(use.user()->op()->params, [](const OpParam &parameter) { return parameter.writes; }))
        return false;
    return llvm::none_of(llvm::seq<size_t>(0, comparison_.ranks.size()), [&](size_t rank) {
      const Node *mine = matches_.alignment().on(rank, node);
      return !mine || !trial_.ranks[rank].values[mine->id()].is(Value::Type::Tensor);
    });
  }

  [[nodiscard]] std::vector<Array> valuesOf(const Node &node) const {
    std::vector<Array> values;
    for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank)
      values.push_back(read(trial_.ranks[rank].values[matches_.alignment().on(rank, node)->id()].tensor));
    return values;
  }

  bool isRepaired(const Node &node) {
    const std::vector<Array> values = valuesOf(node);
    if (values.front().kind != Kind::Float)
      return false;
    for (const Change &change : changesOf(values)) {
      if (runsLeft_ == 0)
        return false;
      --runsLeft_;
      if (isRepairedBy(node, values, change))
        return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<Change> changesOf(llvm::ArrayRef<Array> values) const {
    std::vector<Change> changes;
    const Word one = fromPlain(1);
    for (size_t axis = 0; axis != comparison_.placements.mesh.size(); ++axis)
      if (canAdd(values, axis))
        changes.push_back({axis, one});
    for (Word factor : factors_)
      changes.push_back({std::nullopt, factor});
    for (size_t axis = 0; axis != comparison_.placements.mesh.size(); ++axis)
      if (canAdd(values, axis))
        changes.push_back(
            {axis, trial_.evaluator.field().inverse(numberOfInteger(comparison_.placements.mesh[axis].size))});
    return changes;
  }
  [[nodiscard]] std::vector<size_t> lineOf(size_t rank, size_t axis) const {
    std::vector<int64_t> coordinates = coordinatesOf(static_cast<int64_t>(rank), comparison_.placements.mesh);
    std::vector<size_t> line;
    for (coordinates[axis] = 0; coordinates[axis] != comparison_.placements.mesh[axis].size; ++coordinates[axis])
      line.push_back(static_cast<size_t>(rankAt(coordinates, comparison_.placements.mesh)));
    return line;
  }
  /// Returns whether the values have equal sizes, and differ on some line of the axis.
  [[nodiscard]] bool canAdd(llvm::ArrayRef<Array> values, size_t axis) const {
    bool differ = false;
    for (size_t rank = 0; rank != values.size(); ++rank)
      for (size_t other : lineOf(rank, axis)) {
        if (values[other].sizes != values[rank].sizes)
          return false;
        differ |= !sameWords(values[other], values[rank]);
      }
    return differ;
  }
  [[nodiscard]] Array changed(llvm::ArrayRef<Array> values, size_t rank, const Change &change) const {
    if (!change.axis)
      return scaledArray(values[rank], change.factor);
    std::vector<Array> line;
    for (size_t other : lineOf(rank, *change.axis))
      line.push_back(values[other]);
    return scaledArray(combinedArrays(line, add), change.factor);
  }

  /// Evaluates all ranks with the changed value.
  bool isRepairedBy(const Node &node, llvm::ArrayRef<Array> values, const Change &change) {
    std::vector<ForcedValue> forced = forcedValues(node);
    for (size_t rank = 0; rank != values.size(); ++rank)
      forced[rank].value = Value(changed(values, rank, change));
    std::vector<RankValues> results;
    FormRun run{&trial_.evaluator, trial_.whole, true, false, forced, nullptr};
    llvm::Expected<std::optional<Problem>> problem = runForm(comparison_.ranks, comparison_.placements, run, results);
    if (!problem)
      return llvm::consumeError(problem.takeError()), false;
    if (*problem)
      return false;
    trial_.ranks.swap(results);
    const bool isRepaired = hasRightOutputs(suspicion_.numWrongFrom(node));
    trial_.ranks.swap(results);
    return isRepaired;
  }

  /// Returns the node on each rank, with the nodes that depend on it.
  [[nodiscard]] std::vector<ForcedValue> forcedValues(const Node &node) const {
    std::vector<ForcedValue> forced(comparison_.ranks.size());
    for (size_t rank = 0; rank != forced.size(); ++rank) {
      forced[rank].node = matches_.alignment().on(rank, node);
      forced[rank].known = mayReuse_ ? &trial_.ranks[rank] : nullptr;
      forced[rank].isAffected.assign(comparison_.ranks[rank].graph->idLimit(), false);
      forced[rank].isAffected[forced[rank].node->id()] = true;
    }
    for (bool grows = mayReuse_; grows;) {
      grows = false;
      for (size_t rank = 0; rank != forced.size(); ++rank)
        grows |= spread(rank, forced);
    }
    return forced;
  }
  /// Marks the nodes of a rank that read what is affected, and collectives that are affected on another rank; returns
  /// whether there are more than before.
  bool spread(size_t rank, std::vector<ForcedValue> &forced) const {
    std::vector<bool> &isAffected = forced[rank].isAffected;
    bool grows = false;
    for (const Node *node : *comparison_.ranks[rank].graph) {
      const bool reads = llvm::any_of(node->dataOperands(), [&](const Node *of) { return isAffected[of->id()]; });
      if (isAffected[node->id()] || !(reads || isAffectedElsewhere(rank, *node, forced)))
        continue;
      isAffected[node->id()] = grows = true;
    }
    return grows;
  }
  [[nodiscard]] bool isAffectedElsewhere(size_t rank, const Node &node, llvm::ArrayRef<ForcedValue> forced) const {
    const Node *first = isCollectiveNode(node) ? matches_.alignment().onFirst(rank, node) : nullptr;
    for (size_t other = 0; first && other != forced.size(); ++other)
      if (const Node *there = matches_.alignment().on(other, *first); there && forced[other].isAffected[there->id()])
        return true;
    return false;
  }
  /// Returns whether no operator writes to a tensor, so that values may be shared between runs.
  [[nodiscard]] bool writesNothing() const {
    for (const RankStep &rank : comparison_.ranks)
      for (const Node *node : *rank.graph)
        if (node->opcode() == Opcode::CallFunction && writes(*node))
          return false;
    return true;
  }
  [[nodiscard]] static bool writes(const Node &node) {
    std::optional<CollectiveCall> call = isCollectiveNode(node) ? collectiveCall(node) : std::nullopt;
    return (call && (isPointToPoint(call->spec->kind) || call->spec->inPlace || !call->outputs.empty())) ||
           llvm::any_of(node.op()->params, [](const OpParam &parameter) { return parameter.writes; });
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

  const StepComparison &comparison_;
  Trial &trial_;
  NodeMatches &matches_;
  const Suspicion &suspicion_;
  std::vector<Word> factors_;
  size_t runsLeft_ = 0;
  bool mayReuse_ = false;
};

} // namespace

const Node *repairableNode(const StepComparison &comparison, Trial &trial, NodeMatches &matches,
                           const Suspicion &suspicion, llvm::ArrayRef<const Node *> likely) {
  if (comparison.reference)
    return nullptr;
  return RepairSearch(comparison, trial, matches, suspicion).run(likely);
}

} // namespace ccgraph::equality
