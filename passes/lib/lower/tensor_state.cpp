#include "lower/tensor_state.h"

namespace ccgraph::lower {

LoweredValue freshValue(const PlanWindow &window) { return LoweredValue::tensor(std::make_shared<PlanWindow>(window)); }

PlanValue planned(const LoweredValue &value) {
  switch (value.kind) {
  case LoweredValue::Kind::None:
    return {};
  case LoweredValue::Kind::Tensor:
    return PlanValue::tensor(*value.window);
  case LoweredValue::Kind::Number:
    return PlanValue::number(value.slot, value.numberType);
  case LoweredValue::Kind::Literal:
    return PlanValue::ofLiteral(value.literal);
  case LoweredValue::Kind::Object:
    return PlanValue::ofObject(value.object);
  case LoweredValue::Kind::List:
    break;
  }
  std::vector<PlanValue> elements;
  for (const LoweredValue &element : value.elements)
    elements.push_back(planned(element));
  return PlanValue::list(std::move(elements));
}

const Type *typeNow(Context &context, const LoweredValue &value) {
  switch (value.kind) {
  case LoweredValue::Kind::Tensor:
    return value.window->type;
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
    visit(value.window);
  for (const LoweredValue &element : value.elements)
    forEachTensor(element, visit);
}

} // namespace ccgraph::lower
