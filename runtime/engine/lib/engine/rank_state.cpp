#include "engine/rank_state.h"

#include "tensor/arguments.h"

namespace ccgraph::runtime {

void RankState::begin() {
  std::fill(slots.begin(), slots.end(), Value());
  symbols.clear();
  numbers = Numbers(0);
}

llvm::Expected<Value> RankState::valueOf(const PlanValue &value, const StepPlace &place, Look look) const {
  switch (value.kind) {
  case PlanValue::Kind::None:
    return Value();
  case PlanValue::Kind::Tensor: {
    llvm::Expected<Tensor> tensor = look == Look::Sizes ? memory.shapeOf(value.window, symbols, place)
                                                        : memory.tensorOf(value.window, symbols, place);
    return tensor ? llvm::Expected<Value>(Value(std::move(*tensor))) : tensor.takeError();
  }
  case PlanValue::Kind::Number:
    if (slots[value.slot].isNone())
      return place.error("run.not-computed", "reads number " + std::to_string(value.slot) + ", which has no value yet",
                         "the step that makes it must have ended before");
    return slots[value.slot];
  case PlanValue::Kind::List: {
    Value::List elements;
    for (const PlanValue &element : value.elements) {
      llvm::Expected<Value> one = valueOf(element, place, look);
      if (!one)
        return one.takeError();
      elements.push_back(std::move(*one));
    }
    return Value::list(std::move(elements));
  }
  case PlanValue::Kind::Literal:
    return valueOf(value.literal, {}, place);
  case PlanValue::Kind::Object:
    return Value::opaque(value.object.str().str());
  }
  return Value();
}

bool RankState::isFixed(const PlanValue &value) const {
  if (value.kind == PlanValue::Kind::Tensor)
    return memory.isFixed(value.window);
  if (value.kind == PlanValue::Kind::Literal)
    return isFixed(value.literal, {});
  return value.kind != PlanValue::Kind::Number &&
         llvm::all_of(value.elements, [&](const PlanValue &element) { return isFixed(element); });
}

llvm::Expected<Value> RankState::valueOf(const Argument &tree, llvm::ArrayRef<PlanOperand> operands,
                                         const StepPlace &place) const {
  auto operand = [&](const Argument &leaf) {
    const PlanOperand &given = operands[leaf.operandIndex()];
    return valueOf(given.value, place, given.reads || given.writes ? Look::Elements : Look::Sizes);
  };
  auto fail = [&](llvm::StringRef rule, const std::string &message, std::string repair) {
    return place.error(rule, message, std::move(repair));
  };
  return evaluate(tree, {symbols, operand, fail});
}

bool RankState::isFixed(const Argument &tree, llvm::ArrayRef<PlanOperand> operands) const {
  if (tree.is(Argument::Kind::Operand))
    return isFixed(operands[tree.operandIndex()].value);
  return !tree.is(Argument::Kind::Symbolic) &&
         llvm::all_of(tree.elements(), [&](const Argument &element) { return isFixed(element, operands); });
}

} // namespace ccgraph::runtime
