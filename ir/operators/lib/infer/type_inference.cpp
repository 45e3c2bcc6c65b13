#include "ccgraph/ir/type_inference.h"

#include "infer/rule.h"

namespace ccgraph {
namespace {

llvm::Expected<const Type *> answerOf(infer::Call &call) {
  const Type *type = call.node.op()->typeRule(call);
  if (call.refused)
    return makeError(std::move(*call.refused));
  return type;
}

} // namespace

bool lacksType(const Type *type) { return !type || (type->isList() && llvm::any_of(type->elements(), lacksType)); }

llvm::Expected<const Type *> certainType(const Node &node) {
  const OpDef *op = node.op();
  if (!op || !op->typeRule || !op->typeIsCertain)
    return nullptr;
  uint64_t unused = 0;
  infer::Call call{node, node.graph()->context(), unused};
  llvm::Expected<const Type *> type = answerOf(call);
  return type && call.assumed ? nullptr : std::move(type);
}

llvm::Expected<const Type *> TypeInference::typeOf(const Node &node) {
  if (!node.op() || !node.op()->typeRule)
    return nullptr;
  infer::Call call{node, node.graph()->context(), nextSymbol_};
  return answerOf(call);
}

} // namespace ccgraph
