#include "step_cost.h"

#include "ring.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/op_def.h"

#include <algorithm>
#include <map>

namespace ccgraph::equality {
namespace {

constexpr double secondsOfOperation = 1e-9, secondsOfElement = 30e-9;

int64_t elementsOf(const Type *type) {
  if (!type)
    return 0;
  int64_t count = type->isTensor() ? type->numElements().value_or(0) : 0;
  for (const Type *element : type->elements())
    count = saturatingAdd(count, elementsOf(element));
  return count;
}

/// Whether the value shares the storage of an operand.
bool sharesStorage(const Node &node) {
  return node.opcode() == Opcode::CallFunction && (node.op()->isView || node.op()->role == OpRole::Wait);
}

/// The words of one graph that are alive at once, and its time.
class GraphCost {
public:
  explicit GraphCost(const Graph &graph) : reads_(graph.idLimit(), 0) {
    for (const Node *node : graph)
      for (const Node *operand : node->dataOperands())
        ++reads_[operand->id()];
    for (const Node *node : graph)
      add(*node);
  }
  [[nodiscard]] int64_t words() const { return most_; }
  [[nodiscard]] double seconds() const { return seconds_; }

private:
  void add(const Node &node) {
    const int64_t elements = sharesStorage(node) ? 0 : elementsOf(node.type());
    live_ = saturatingAdd(live_, elements);
    most_ = std::max(most_, live_);
    if (node.opcode() != Opcode::CallFunction)
      return;
    seconds_ += static_cast<double>(elements) * secondsOfElement;
    if (node.op()->work)
      if (std::optional<Work> work = node.op()->work(node))
        seconds_ += work->flops * secondsOfOperation;
    for (const Node *operand : node.dataOperands())
      if (--reads_[operand->id()] == 0 && !sharesStorage(*operand))
        live_ -= std::min(live_, elementsOf(operand->type()));
  }

  std::vector<uint32_t> reads_;
  int64_t live_ = 0, most_ = 0;
  double seconds_ = 0;
};

} // namespace

StepCost costOf(const StepComparison &comparison) {
  std::map<const Graph *, int64_t> runs;
  if (comparison.single)
    ++runs[comparison.single];
  for (const RankStep &rank : comparison.ranks)
    ++runs[rank.graph];
  if (comparison.reference)
    for (const RankStep &rank : comparison.reference->ranks)
      ++runs[rank.graph];
  int64_t words = 0;
  StepCost cost;
  for (auto [graph, count] : runs) {
    const GraphCost one(*graph);
    words = saturatingAdd(words, saturatingMultiply(one.words(), count));
    cost.seconds += one.seconds() * static_cast<double>(count);
  }
  cost.bytes = saturatingMultiply(words, static_cast<int64_t>(sizeof(Word)));
  return cost;
}

} // namespace ccgraph::equality
