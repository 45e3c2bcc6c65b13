#include "repair_scope.h"

#include "sizes/step_cost.h"
#include "suspicion.h"

#include "ccgraph/ir/collective.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::equality {

static size_t numMarked(const std::vector<std::vector<bool>> &marks) {
  size_t count = 0;
  for (const std::vector<bool> &ofRank : marks)
    count += static_cast<size_t>(llvm::count(ofRank, true));
  return count;
}

RepairScope::RepairScope(const StepComparison &comparison, const Trial &trial, const Alignment &alignment)
    : comparison_(comparison), trial_(trial), alignment_(alignment) {
  for (size_t rank = 0; rank != comparison.ranks.size(); ++rank) {
    const Graph &graph = *comparison.ranks[rank].graph;
    numNodes_ += graph.size();
    firsts_.emplace_back(graph.idLimit(), nullptr);
    for (const Node *first : *comparison.ranks.front().graph)
      if (const Node *there = alignment.on(rank, *first))
        firsts_[rank][there->id()] = first;
  }
  seconds_ = costOf(comparison).seconds;
  mayReuse_ = writesNothing() && !trial.drawsRandom();
  constexpr size_t mostOutputs = 8;
  for (size_t i = 0; i != trial.wrong.size() && mayReuse_ && sought_.size() != mostOutputs; ++i)
    if (trial.wrong[i])
      addSought(i);
  llvm::stable_sort(sought_, [](const Sought &a, const Sought &b) { return a.count < b.count; });
}

void RepairScope::addSought(size_t output) {
  Marks needed = noMarks();
  for (size_t rank = 0; rank != needed.size(); ++rank)
    if (const Node *node = outputNode(rank, output))
      needed[rank][node->id()] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t rank = 0; rank != needed.size(); ++rank)
      grows |= spreadBackward(rank, needed);
  }
  const size_t count = numMarked(needed);
  sought_.push_back({output, std::move(needed), count});
}

const Node *RepairScope::outputNode(size_t rank, size_t output) const {
  return Suspicion::outputNode(*comparison_.ranks[rank].graph, comparison_.placements.outputs[output].position);
}

RepairScope::Marks RepairScope::noMarks() const {
  Marks marks;
  for (const RankStep &rank : comparison_.ranks)
    marks.emplace_back(rank.graph->idLimit(), false);
  return marks;
}

std::vector<ForcedValue> RepairScope::dependentsOf(const Node &node) const {
  Marks marks = noMarks();
  for (size_t rank = 0; rank != marks.size(); ++rank)
    marks[rank][alignment_.on(rank, node)->id()] = true;
  for (bool grows = mayReuse_; grows;) {
    grows = false;
    for (size_t rank = 0; rank != marks.size(); ++rank)
      grows |= spreadForward(rank, marks);
  }
  std::vector<ForcedValue> forced(marks.size());
  for (size_t rank = 0; rank != marks.size(); ++rank)
    forced[rank] = {alignment_.on(rank, node), {}, mayReuse_ ? &trial_.ranks[rank] : nullptr, std::move(marks[rank])};
  return forced;
}

bool RepairScope::spreadForward(size_t rank, Marks &marks) const {
  std::vector<bool> &ofRank = marks[rank];
  bool grows = false;
  for (const Node *node : *comparison_.ranks[rank].graph) {
    const bool reads = llvm::any_of(node->dataOperands(), [&](const Node *of) { return ofRank[of->id()]; });
    if (!ofRank[node->id()] && (reads || isMarkedElsewhere(rank, *node, marks)))
      ofRank[node->id()] = grows = true;
  }
  return grows;
}

bool RepairScope::spreadBackward(size_t rank, Marks &marks) const {
  std::vector<bool> &ofRank = marks[rank];
  const std::vector<Node *> nodes = comparison_.ranks[rank].graph->nodes();
  bool grows = false;
  for (const Node *node : llvm::reverse(nodes)) {
    if (!ofRank[node->id()] && isMarkedElsewhere(rank, *node, marks))
      ofRank[node->id()] = grows = true;
    if (!ofRank[node->id()])
      continue;
    for (const Node *operand : node->dataOperands())
      if (!ofRank[operand->id()])
        ofRank[operand->id()] = grows = true;
  }
  return grows;
}

bool RepairScope::isMarkedElsewhere(size_t rank, const Node &node, const Marks &marks) const {
  const Node *first = isCollectiveNode(node) ? firsts_[rank][node.id()] : nullptr;
  for (size_t other = 0; first && other != marks.size(); ++other)
    if (const Node *there = alignment_.on(other, *first); there && marks[other][there->id()])
      return true;
  return false;
}

std::optional<size_t> RepairScope::outputToCheck(llvm::ArrayRef<ForcedValue> forced) const {
  for (const Sought &sought : sought_)
    for (size_t rank = 0; rank != forced.size(); ++rank)
      if (const Node *node = outputNode(rank, sought.output); node && forced[rank].isAffected[node->id()])
        return sought.output;
  return std::nullopt;
}

std::vector<ForcedValue> RepairScope::towards(size_t output, std::vector<ForcedValue> forced) const {
  const auto sought = llvm::find_if(sought_, [&](const Sought &some) { return some.output == output; });
  for (size_t rank = 0; rank != forced.size(); ++rank)
    for (size_t id = 0; id != forced[rank].isAffected.size(); ++id)
      if (!sought->needed[rank][id])
        forced[rank].isAffected[id] = false;
  return forced;
}

double RepairScope::secondsOfRun(llvm::ArrayRef<ForcedValue> forced) const {
  constexpr double secondsOfNode = 0.3e-6, secondsOfAffected = 1e-6, shareOfCost = 0.33;
  size_t affected = 0;
  for (const ForcedValue &rank : forced)
    affected += static_cast<size_t>(llvm::count(rank.isAffected, true));
  const double share = mayReuse_ ? static_cast<double>(affected) / static_cast<double>(numNodes_) : 1;
  return static_cast<double>(numNodes_) * (secondsOfNode + share * secondsOfAffected) + share * shareOfCost * seconds_;
}

static bool writes(const Node &node) {
  std::optional<CollectiveCall> call = isCollectiveNode(node) ? collectiveCall(node) : std::nullopt;
  return (call && (isPointToPoint(call->spec->kind) || call->spec->inPlace || !call->outputs.empty())) ||
         llvm::any_of(node.op()->params, [](const OpParam &parameter) { return parameter.writes; });
}

bool RepairScope::writesNothing() const {
  for (const RankStep &rank : comparison_.ranks)
    for (const Node *node : *rank.graph)
      if (node->opcode() == Opcode::CallFunction && writes(*node))
        return false;
  return true;
}

} // namespace ccgraph::equality
