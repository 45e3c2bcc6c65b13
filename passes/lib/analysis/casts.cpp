#include "analysis/casts.h"

#include "ccgraph/ir/op_def.h"

namespace ccgraph {

std::optional<DType> castDType(const Node &node) {
  if (!node.op() || node.numOperands() != 1 || node.args().empty() || !node.args()[0].is(Argument::Kind::Operand))
    return std::nullopt;
  llvm::StringRef target = node.target().str();
  const Argument *dtype = nullptr;
  if (target == "aten._to_copy.default" && node.args().size() == 1 && node.kwargs().size() == 1 &&
      node.kwargs()[0].name.str() == "dtype")
    dtype = &node.kwargs()[0].value;
  if (target == "prims.convert_element_type.default" && node.args().size() == 2 && node.kwargs().empty())
    dtype = &node.args()[1];
  return dtype && dtype->is(Argument::Kind::DType) ? std::optional(dtype->dtype()) : std::nullopt;
}

} // namespace ccgraph
