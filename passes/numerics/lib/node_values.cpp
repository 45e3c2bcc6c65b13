#include "node_values.h"

#include "call_rules.h"
#include "call_text.h"
#include "exact_steps.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/internal/view_geometry.h"
#include "ccgraph/ir/strides.h"
#include "ccgraph/ir/work.h"

#include <functional>

namespace ccgraph::numerics {
namespace {

/// Sizes and strides of a tensor type, if all are numbers; row-major strides where the type has none.
struct KnownLayout {
  IntList sizes, strides;
};
std::optional<KnownLayout> layoutOf(const Type *type) {
  if (!type || !type->isTensor())
    return std::nullopt;
  std::optional<IntList> sizes = staticDims(type->sizes());
  if (!sizes)
    return std::nullopt;
  if (!type->stridesKnown())
    return KnownLayout{*sizes, contiguousStrides(*sizes)};
  std::optional<IntList> strides = staticDims(type->strides());
  return strides ? std::optional(KnownLayout{*sizes, *strides}) : std::nullopt;
}

bool sameLayout(const HeldTensor &tensor, const Type &type) {
  std::optional<KnownLayout> layout = layoutOf(&type);
  if (!layout || layout->sizes != tensor.sizes || type.dtype() != tensor.dtype)
    return false;
  for (size_t dim = 0; dim != tensor.sizes.size(); ++dim)
    if (tensor.sizes[dim] > 1 && tensor.strides[dim] != layout->strides[dim])
      return false;
  return true;
}

/// Returns a view as a tensor; empty if its place is not known.
std::optional<HeldTensor> viewOf(const Node &node, const HeldTensor &from, size_t element, const Type *type) {
  const Type *viewed = node.numOperands() == 0 ? nullptr : node.operand(0)->type();
  std::optional<KnownLayout> layout = layoutOf(type);
  if (!viewed || !viewed->isTensor() || !layout || !type->stridesKnown() || !sameLayout(from, *viewed) ||
      type->dtype() != from.dtype)
    return std::nullopt;
  std::optional<ViewOffset> offset = viewOffset(node, static_cast<unsigned>(element), *viewed);
  if (!offset || !offset->elements.isStatic())
    return std::nullopt;
  HeldTensor view{from.memory, from.dtype, layout->sizes, layout->strides,
                  offset->elements.value() + (offset->fromStorage ? 0 : from.offset)};
  return fits(view) ? std::optional(view) : std::nullopt;
}

constexpr Access anyWrite = Access::Write | Access::InFlightWrite;

} // namespace

const HeldValue *NodeValues::operandAt(const Node &node, int parameter) const {
  const Argument *argument = argumentAt(node, parameter);
  return argument && argument->is(Argument::Kind::Operand) ? &values_[node.operand(*argument)->id()] : nullptr;
}

const HeldTensor *NodeValues::tensorAt(const Node &node, int parameter) const {
  const HeldValue *value = operandAt(node, parameter);
  return value && value->isTensor() ? &value->tensor : nullptr;
}

HeldValue NodeValues::newValue(const Node &node, const Type *type, const RunList &elements) {
  std::optional<KnownLayout> layout = layoutOf(type);
  if (!layout || productOf(layout->sizes) != elements.size())
    return HeldValue::ofOpaque(table_.unknown(node));
  HeldTensor tensor = newTensor(type->dtype(), layout->sizes, elements);
  if (isContiguous(layout->sizes, layout->strides))
    return HeldValue::of(std::move(tensor));
  const Run gaps{table_.unknown(node), 0, extentOf(layout->sizes, layout->strides), false};
  tensor.memory->elements = gaps;
  tensor.strides = layout->strides;
  if (!writeElements(tensor, elements))
    return HeldValue::ofOpaque(table_.unknown(node));
  return HeldValue::of(std::move(tensor));
}

HeldValue NodeValues::input(const Node &node, const std::string &text) {
  Operation operation;
  operation.text = text;
  operation.rule = Rule::Given;
  std::optional<KnownLayout> layout = layoutOf(node.type());
  if (layout)
    operation.dtype = node.type()->dtype();
  const TermId term = table_.term({Term::Kind::Input, table_.operation(std::move(operation)), {}});
  if (!layout)
    return HeldValue::ofOpaque(term);
  HeldTensor tensor =
      newTensor(node.type()->dtype(), layout->sizes, Run{term, 0, extentOf(layout->sizes, layout->strides), false});
  tensor.strides = layout->strides;
  return HeldValue::of(std::move(tensor));
}

void NodeValues::store(const HeldValue &value, const RunList &elements) {
  if (!value.isTensor() || value.tensor.count() != elements.size())
    return stop("a tensor whose sizes are not known is written");
  if (value.tensor.memory->hasLooseViews)
    return stop("a tensor is written of which a view has an unknown place, such as one as another dtype");
  if (!writeElements(value.tensor, elements))
    stop("a write is cut into more than " + std::to_string(mostRuns) + " pieces");
}

HeldValue NodeValues::getItem(const Node &node) {
  const HeldValue &from = values_[node.operand(0)->id()];
  std::optional<int64_t> index = getItemIndex(node);
  if (index && from.kind == HeldValue::Kind::List && *index < static_cast<int64_t>(from.list.size()))
    return from.list[static_cast<size_t>(*index)];
  if (index && from.kind == HeldValue::Kind::Results)
    return elementOf(*from.results, static_cast<size_t>(*index), node.type());
  return HeldValue::ofOpaque(table_.unknown(node));
}

HeldValue NodeValues::elementOf(const ResultList &results, size_t index, const Type *type) {
  if (!results.viewed)
    return callValue(*results.node, results, "#" + std::to_string(index), type);
  if (std::optional<HeldTensor> view = viewOf(*results.node, *results.viewed, index, type))
    return HeldValue::of(*view);
  results.viewed->memory->hasLooseViews = true;
  return HeldValue::ofOpaque(table_.unknown(*results.node));
}

/// Returns the elements where the types of all are known.
HeldValue NodeValues::listOf(ResultList results) {
  const Type *type = results.node->type();
  if (!type || !type->isList() || llvm::is_contained(type->elements(), nullptr))
    return HeldValue::of(std::move(results));
  std::vector<HeldValue> list;
  for (size_t i = 0; i != type->elements().size(); ++i)
    list.push_back(elementOf(results, i, type->elements()[i]));
  return HeldValue::of(std::move(list));
}

HeldValue NodeValues::viewed(const Node &node) {
  const HeldValue &from = values_[node.operand(0)->id()];
  const bool yieldsList = node.op()->results.size() != 1 || node.op()->results.front().type != "Tensor";
  if (!from.isTensor())
    return call(node, /*isLoose=*/true);
  if (yieldsList) {
    ResultList results;
    results.node = &node;
    results.viewed = from.tensor;
    return listOf(std::move(results));
  }
  if (std::optional<HeldTensor> view = viewOf(node, from.tensor, 0, node.type()))
    return HeldValue::of(*view);
  return call(node, /*isLoose=*/true);
}

/// A wait returns what it waits for: a tensor or a list, or the tensors that it names one by one.
HeldValue NodeValues::waited(const Node &node) {
  if (!node.args().empty() && node.args().front().is(Argument::Kind::Operand))
    return values_[node.operand(node.args().front())->id()];
  std::vector<HeldValue> list;
  for (const Node *part : node.dataOperands())
    list.push_back(values_[part->id()]);
  return HeldValue::of(std::move(list));
}

HeldValue NodeValues::evaluate(const Node &node, llvm::ArrayRef<HeldValue> values) {
  values_ = values;
  if (isWait(node))
    return waited(node);
  if (isGetItem(node))
    return getItem(node);
  const Effects effects = effectsOf(node);
  if (node.op()->role == OpRole::ControlDeps || node.op()->role == OpRole::HigherOrder)
    stop("an operator with subgraphs has no rule");
  if (llvm::any_of(effects.operands, [](Access access) { return has(access, Access::Reshape); }) && !node.op()->opaque)
    stop("the shape of a tensor is changed in place");
  const bool aliases = llvm::any_of(effects.operands, [](Access access) { return has(access, Access::Alias); });
  const bool writes = llvm::any_of(effects.operands, [](Access access) { return hasAny(access, anyWrite); });
  if (aliases && !writes)
    return effects.freshResult ? call(node, /*isLoose=*/true) : viewed(node);
  std::optional<size_t> yielded = node.op()->yieldedParameter();
  std::optional<RunList> elements = computed(node);
  if (!elements)
    return call(node, /*isLoose=*/node.op()->opaque);
  if (!yielded)
    return newValue(node, node.type(), *elements);
  const HeldValue *target = operandAt(node, static_cast<int>(*yielded));
  if (!target)
    return HeldValue::ofOpaque(table_.unknown(node));
  store(*target, *elements);
  return *target;
}

std::optional<RunList> NodeValues::computed(const Node &node) {
  if (node.op()->opaque || node.op()->domain != Domain::None || node.op()->results.size() != 1 ||
      node.op()->results.front().type != "Tensor" || !layoutOf(node.type()) || statesUnbacked(node))
    return std::nullopt;
  const std::string base = pureBaseOf(node.target().str());
  if (std::optional<RunList> elements = moved(node, base))
    return elements;
  if (workFamily(*node.op()) == WorkFamily::Pointwise)
    return pointwise(node, base);
  return order_ == SumOrder::Ranks ? sumOfDims(node, base) : std::nullopt;
}

/// Returns the text of a call, and adds what it reads to the operands.
std::string NodeValues::identify(const Node &node, std::vector<RunList> &operands) {
  const Effects effects = effectsOf(node);
  std::function<std::string(const HeldValue &, Access)> textOf = [&](const HeldValue &value, Access access) {
    std::string text = "%";
    constexpr Access anyRead = Access::Read | Access::InFlightRead | Access::Place;
    switch (value.kind) {
    case HeldValue::Kind::None:
      return text + "none";
    case HeldValue::Kind::Tensor:
      text += layoutText(value.tensor.dtype, value.tensor.sizes, value.tensor.strides);
      if (hasAny(access, anyRead))
        operands.push_back(spanOf(value.tensor));
      if (has(access, Access::Place)) {
        text += "@" + std::to_string(value.tensor.offset);
        operands.push_back(value.tensor.memory->elements);
      }
      return text + (hasAny(access, anyRead) ? "" : "unread");
    case HeldValue::Kind::List:
      for (const HeldValue &element : value.list)
        text += textOf(element, access) + ";";
      return text;
    case HeldValue::Kind::Results:
      operands.push_back(Run{table_.unknown(node), 0, 1, false});
      return text + "results";
    case HeldValue::Kind::Opaque:
      operands.push_back(Run{value.opaque, 0, 1, false});
      return text + "opaque";
    }
    llvm_unreachable("all kinds of values have a text");
  };
  std::string text = callText(node, node.target().str(), [&](unsigned index) {
    return textOf(values_[node.operand(index)->id()], effects.operands[index]);
  });
  if (statesUnbacked(node))
    operands.push_back(Run{table_.unknown(node), 0, 1, false});
  if (effects.domain == Domain::Rng || effects.domain == Domain::All) {
    text += " on rank " + std::to_string(rank_) + " after " + state_;
    state_ = std::to_string(table_.operation({.text = text}));
  }
  return text;
}

HeldValue NodeValues::callValue(const Node &node, const ResultList &results, llvm::StringRef suffix, const Type *type) {
  Operation operation = ruleOfCall(node, values_);
  operation.text = results.text + suffix.str() + " -> " + typeText(type);
  std::optional<KnownLayout> layout = layoutOf(type);
  const int64_t extent = layout ? extentOf(layout->sizes, layout->strides) : 1;
  if (layout)
    operation.dtype = type->dtype();
  if (!layout || !isContiguous(layout->sizes, layout->strides))
    operation.rule = Rule::Unknown;
  RunList elements = callResult(table_, table_.operation(std::move(operation)), results.operands, extent);
  if (!layout)
    return HeldValue::ofOpaque(extent == 0 ? table_.unknown(node) : elements.runs().front().term);
  HeldTensor tensor = newTensor(type->dtype(), layout->sizes, std::move(elements));
  tensor.strides = layout->strides;
  return HeldValue::of(std::move(tensor));
}

/// Gives new elements to the operands that a call writes.
void NodeValues::writeResults(const Node &node, const ResultList &results) {
  const Effects effects = effectsOf(node);
  for (unsigned i = 0; i != node.numOperands(); ++i) {
    if (!hasAny(effects.operands[i], anyWrite))
      continue;
    const HeldValue &target = values_[node.operand(i)->id()];
    std::vector<HeldValue> targets = target.kind == HeldValue::Kind::List ? target.list : std::vector{target};
    for (size_t j = 0; j != targets.size(); ++j) {
      Operation operation;
      operation.text = results.text + " writes " + std::to_string(i) + "." + std::to_string(j);
      operation.dtype = targets[j].tensor.dtype;
      const int64_t count = targets[j].isTensor() ? targets[j].tensor.count() : 0;
      store(targets[j], callResult(table_, table_.operation(std::move(operation)), results.operands, count));
    }
  }
}

HeldValue NodeValues::call(const Node &node, bool isLoose) {
  ResultList results;
  results.node = &node;
  results.text = identify(node, results.operands);
  writeResults(node, results);
  if (isLoose)
    for (const Node *operand : node.dataOperands())
      if (const HeldValue &value = values_[operand->id()]; value.isTensor())
        value.tensor.memory->hasLooseViews = true;
  if (std::optional<size_t> yielded = node.op()->yieldedParameter())
    if (const HeldValue *target = operandAt(node, static_cast<int>(*yielded)))
      return *target;
  if (node.op()->results.size() == 1 && !llvm::StringRef(node.op()->results.front().type).contains("[]")) {
    HeldValue value = callValue(node, results, "", node.type());
    if (isLoose && value.isTensor())
      value.tensor.memory->hasLooseViews = true;
    return value;
  }
  if (isLoose)
    return HeldValue::ofOpaque(table_.unknown(node));
  return listOf(std::move(results));
}

} // namespace ccgraph::numerics
