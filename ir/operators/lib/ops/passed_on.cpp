#include "ccgraph/ir/internal/passed_on.h"

#include "ops/knowledge.h"

namespace ccgraph {
namespace {

struct Entry {
  llvm::StringLiteral key; ///< base
};

/// From aten/src/ATen/native: Dropout.cpp, TensorConversions.cpp, TensorProperties.cpp, TensorShape.cpp,
/// TensorTransformations.cpp, UnaryOps.cpp. Each was seen to do so on PyTorch 2.15.
constexpr Entry entries[] = {
    {"aten._autocast_to_full_precision"},
    {"aten._autocast_to_reduced_precision"},
    {"aten._cast_Byte"},
    {"aten._cast_Char"},
    {"aten._cast_Double"},
    {"aten._cast_Float"},
    {"aten._cast_Half"},
    {"aten._cast_Int"},
    {"aten._cast_Long"},
    {"aten._cast_Short"},
    {"aten.alpha_dropout"},
    {"aten.atleast_1d"},
    {"aten.atleast_2d"},
    {"aten.atleast_3d"},
    {"aten.broadcast_tensors"},
    {"aten.conj"},
    {"aten.conj_physical"},
    {"aten.contiguous"},
    {"aten.cpu"},
    {"aten.dropout"},
    {"aten.feature_alpha_dropout"},
    {"aten.feature_dropout"},
    {"aten.flatten"},
    {"aten.lift"},
    {"aten.lift_fresh"},
    {"aten.positive"},
    {"aten.real"},
    {"aten.resolve_conj"},
    {"aten.resolve_neg"},
    {"aten.sum_to_size"},
    {"aten.to"},
    {"aten.type_as"},
    {"prims.device_put"},
};

} // namespace

bool isPassedOn(const OpDef &op, const Type &from, const Type &to) {
  if (!from.isTensor() || !from.stridesKnown() || &from != &to)
    return false;
  // The conjugate of complex numbers is another tensor, although its type is the same.
  llvm::StringRef base = baseOfTarget(op.target.str());
  bool conjugates = isComplex(from.dtype()) && base.startswith("aten.conj");
  return !conjugates && findEntry(llvm::ArrayRef(entries), base) != nullptr;
}

} // namespace ccgraph
