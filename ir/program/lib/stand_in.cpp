#include "ccgraph/ir/internal/stand_in.h"

#include "ccgraph/ir/argument_copy.h"

namespace ccgraph {

StandIn::StandIn(const Node &call, llvm::ArrayRef<const Type *> types)
    : graph_(std::make_unique<Graph>(call.graph()->context(), "stand_in")) {
  Context &context = graph_->context();
  std::vector<Node *> operands;
  for (unsigned i = 0; i < types.size(); ++i) {
    NodeSpec spec{.opcode = Opcode::Placeholder, .name = call.operand(i)->name().str(), .type = types[i]};
    spec.target = context.identifier(spec.name);
    operands.push_back(graph_->create(spec, ArgumentBuilder(*graph_), {}));
  }
  ArgumentBuilder builder(*graph_);
  auto operandAt = [&](uint32_t index) { return operands[index]; };
  const ArgumentCopy arguments = copyArguments(builder, call, operandAt);
  NodeSpec spec{.name = call.name().str(), .target = call.target(), .type = call.type()};
  call_ = graph_->create(spec, std::move(builder), arguments.view());
}

} // namespace ccgraph
