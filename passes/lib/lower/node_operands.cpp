#include "lower/node_operands.h"

#include "ccgraph/ir/internal/view_geometry.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::lower {
namespace {

/// Evaluates the arguments of one node.
class Evaluation {
public:
  Evaluation(const Emitter &emitter, const Node &node, std::vector<TensorObject> &tensors)
      : emitter_(emitter), node_(node), tensors_(tensors) {}

  CallOperand operand(const Argument &argument) {
    if (std::optional<Dim> number = numberOf(node_, argument))
      return CallOperand::ofNumber(*number);
    if (argument.is(Argument::Kind::Operand))
      return operand(emitter_.valueOf(node_, argument));
    if (!argument.isSequence())
      return literal(argument);
    CallOperand list;
    list.kind = CallOperand::Kind::List;
    for (const Argument &element : argument.elements())
      list.elements.push_back(operand(element));
    return list;
  }

private:
  static CallOperand literal(const Argument &argument) {
    if (argument.is(Argument::Kind::Int))
      return CallOperand::ofNumber(Dim(argument.integer()));
    if (argument.is(Argument::Kind::String))
      return CallOperand::ofText(CallOperand::Kind::String, argument.text().str());
    CallOperand other;
    other.kind = argument.is(Argument::Kind::None) ? CallOperand::Kind::Absent : CallOperand::Kind::Other;
    return other;
  }

  CallOperand operand(const LoweredValue &value) {
    CallOperand operand;
    switch (value.kind) {
    case LoweredValue::Kind::Tensor:
      tensors_.push_back(value.window);
      return CallOperand::ofTensor(
          {tensors_.size() - 1, value.window->type->dtype(), llvm::to_vector<6>(value.window->type->sizes())});
    case LoweredValue::Kind::Object:
      return CallOperand::ofText(CallOperand::Kind::Object, value.object.str().str());
    case LoweredValue::Kind::Literal:
      return literal(value.literal);
    case LoweredValue::Kind::List:
      operand.kind = CallOperand::Kind::List;
      for (const LoweredValue &element : value.elements)
        operand.elements.push_back(this->operand(element));
      return operand;
    case LoweredValue::Kind::None:
      return operand;
    case LoweredValue::Kind::Number:
      break;
    }
    operand.kind = CallOperand::Kind::Other;
    return operand;
  }

  const Emitter &emitter_;
  const Node &node_;
  std::vector<TensorObject> &tensors_;
};

} // namespace

NodeOperands operandsOf(const Emitter &emitter, const Node &node) {
  NodeOperands operands;
  operands.call.op = node.op();
  operands.call.objects = &emitter.objects();
  operands.call.error = [&node](const llvm::Twine &message, const llvm::Twine &repair) {
    return loweringError(node, "lower.call", message, repair);
  };
  Evaluation evaluation(emitter, node, operands.tensors);
  for (size_t parameter = 0; parameter < node.op()->params.size(); ++parameter) {
    const Argument *argument = argumentAt(node, static_cast<int>(parameter));
    operands.call.arguments.push_back(argument ? evaluation.operand(*argument) : CallOperand());
  }
  return operands;
}

} // namespace ccgraph::lower
