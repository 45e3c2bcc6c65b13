#include "lower/tensor_state.h"

namespace ccgraph::lower {

LoweredValue LoweredValue::of(TensorObject tensor) {
  LoweredValue value;
  value.kind = Kind::Tensor;
  value.tensor = std::move(tensor);
  return value;
}

LoweredValue LoweredValue::number(SlotId slot, const Type *type) {
  LoweredValue value;
  value.kind = Kind::Number;
  value.slot = slot;
  value.numberType = type;
  return value;
}

LoweredValue LoweredValue::list(std::vector<LoweredValue> elements) {
  LoweredValue value;
  value.kind = Kind::List;
  value.elements = std::move(elements);
  return value;
}

LoweredValue LoweredValue::ofObject(Identifier text) {
  LoweredValue value;
  value.kind = Kind::Object;
  value.object = text;
  return value;
}

PlanValue LoweredValue::planned() const {
  switch (kind) {
  case Kind::None:
    return {};
  case Kind::Tensor:
    return PlanValue::tensor(*tensor);
  case Kind::Number:
    return PlanValue::number(slot, numberType);
  case Kind::Literal:
    return PlanValue::ofLiteral(literal);
  case Kind::Object:
    return PlanValue::ofObject(object);
  case Kind::List:
    break;
  }
  std::vector<PlanValue> planned;
  for (const LoweredValue &element : elements)
    planned.push_back(element.planned());
  return PlanValue::list(std::move(planned));
}

const Type *typeNow(Context &context, const LoweredValue &value) {
  switch (value.kind) {
  case LoweredValue::Kind::Tensor:
    return value.tensor->type;
  case LoweredValue::Kind::Number:
    return value.numberType;
  case LoweredValue::Kind::None:
  case LoweredValue::Kind::Literal:
  case LoweredValue::Kind::Object:
    return nullptr;
  case LoweredValue::Kind::List:
    break;
  }
  std::vector<const Type *> elements;
  for (const LoweredValue &element : value.elements)
    elements.push_back(typeNow(context, element));
  return context.list(elements);
}

void forEachTensor(const LoweredValue &value, llvm::function_ref<void(const TensorObject &)> visit) {
  if (value.isTensor())
    visit(value.tensor);
  for (const LoweredValue &element : value.elements)
    forEachTensor(element, visit);
}

} // namespace ccgraph::lower
