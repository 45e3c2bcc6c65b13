#include "ops/knowledge.h"
#include "ops/shapes/shape_families.h"

namespace ccgraph {
namespace {

struct ShapeEntry {
  llvm::StringLiteral key; ///< key or base
  ShapeRule rule;
};

constexpr ShapeEntry entries[] = {
    {"aten._conj", sameShape},
    {"aten._foreach_add.Scalar", foreachShape},
    {"aten._foreach_div.Scalar", foreachShape},
    {"aten._foreach_mul.Scalar", foreachShape},
    {"aten._foreach_neg", foreachShape},
    {"aten._foreach_sqrt", foreachShape},
    {"aten._foreach_sub.Scalar", foreachShape},
    {"aten._neg_view", sameShape},
    {"aten._to_copy", copyShape},
    {"aten._unsafe_view", viewShape},
    {"aten.abs", absShape},
    {"aten.add.Scalar", arithmeticShape},
    {"aten.add.Tensor", arithmeticShape},
    {"aten.addmm", matmulShape},
    {"aten.alias", sameShape},
    {"aten.as_strided", asStridedShape},
    {"aten.baddbmm", matmulShape},
    {"aten.bitwise_and.Tensor", arithmeticShape},
    {"aten.bitwise_or.Tensor", arithmeticShape},
    {"aten.bmm", matmulShape},
    {"aten.cat", catShape},
    {"aten.clamp", arithmeticShape},
    {"aten.clamp_max", arithmeticShape},
    {"aten.clamp_min", arithmeticShape},
    {"aten.clone", copyShape},
    {"aten.cos", floatShape},
    {"aten.detach", sameShape},
    {"aten.detach_", sameShape},
    {"aten.div.Scalar", floatShape},
    {"aten.div.Tensor", floatShape},
    {"aten.empty.memory_format", createShape},
    {"aten.empty_like", likeShape},
    {"aten.eq", compareShape},
    {"aten.erf", floatShape},
    {"aten.exp", floatShape},
    {"aten.expand", expandShape},
    {"aten.flatten.using_ints", flattenShape},
    {"aten.full", createShape},
    {"aten.full_like", likeShape},
    {"aten.ge", compareShape},
    {"aten.gelu", floatShape},
    {"aten.gelu_backward", floatShape},
    {"aten.gt", compareShape},
    {"aten.le", compareShape},
    {"aten.lift_fresh_copy", copyShape},
    {"aten.log", floatShape},
    {"aten.logical_and", compareShape},
    {"aten.logical_not", compareShape},
    {"aten.logical_or", compareShape},
    {"aten.lt", compareShape},
    {"aten.maximum", arithmeticShape},
    {"aten.minimum", arithmeticShape},
    {"aten.mm", matmulShape},
    {"aten.mul.Scalar", arithmeticShape},
    {"aten.mul.Tensor", arithmeticShape},
    {"aten.ne", compareShape},
    {"aten.neg", arithmeticShape},
    {"aten.new_empty", newShape},
    {"aten.new_full", newShape},
    {"aten.new_ones", newShape},
    {"aten.new_zeros", newShape},
    {"aten.ones", createShape},
    {"aten.ones_like", likeShape},
    {"aten.permute", permuteShape},
    {"aten.pow.Tensor_Scalar", floatShape},
    {"aten.reciprocal", floatShape},
    {"aten.relu", arithmeticShape},
    {"aten.reshape", viewShape},
    {"aten.rsqrt", floatShape},
    {"aten.rsub.Scalar", arithmeticShape},
    {"aten.select.int", selectShape},
    {"aten.sigmoid", floatShape},
    {"aten.sigmoid_backward", floatShape},
    {"aten.silu", floatShape},
    {"aten.silu_backward", floatShape},
    {"aten.sin", floatShape},
    {"aten.slice.Tensor", sliceShape},
    {"aten.split.Tensor", splitShape},
    {"aten.split_with_sizes", splitShape},
    {"aten.sqrt", floatShape},
    {"aten.squeeze", squeezeShape},
    {"aten.sub.Scalar", arithmeticShape},
    {"aten.sub.Tensor", arithmeticShape},
    {"aten.t", transposeShape},
    {"aten.tanh", floatShape},
    {"aten.tanh_backward", floatShape},
    {"aten.threshold_backward", arithmeticShape},
    {"aten.transpose.int", transposeShape},
    {"aten.unbind.int", unbindShape},
    {"aten.unsafe_split.Tensor", splitShape},
    {"aten.unsafe_split_with_sizes", splitShape},
    {"aten.unsqueeze", unsqueezeShape},
    {"aten.view", viewShape},
    {"aten.view.dtype", viewDTypeShape},
    {"aten.view_as_complex", viewAsComplexShape},
    {"aten.view_as_real", viewAsRealShape},
    {"aten.where.self", arithmeticShape},
    {"aten.zeros", createShape},
    {"aten.zeros_like", likeShape},
    {"prims.convert_element_type", copyShape},
    {"prims.fma", arithmeticShape},
};

/// In-place and out= forms with one result: it is the tensor that is written.
bool yieldsWhatItWrites(const OpDef &op) {
  if (op.results.size() != 1 || op.results[0].type != "Tensor" || !op.results[0].alias)
    return false;
  return llvm::any_of(op.params,
                      [&](const OpParam &param) { return param.writes && param.alias == op.results[0].alias; });
}

ShapeRule ruleOf(const OpDraft &draft) {
  switch (draft.op.role) {
  case OpRole::Collective:
    return collectiveShape;
  case OpRole::Wait:
    return waitShape;
  case OpRole::GetItem:
    return getItemShape;
  case OpRole::ControlDeps:
  case OpRole::HigherOrder:
    return nullptr;
  case OpRole::Compute:
    break;
  }
  // Because a base stands for all overloads, and some of them write: those yield what they write.
  const ShapeEntry *entry = findEntry(llvm::ArrayRef(entries), draft);
  bool writes = yieldsWhatItWrites(draft.op);
  if (entry && (!writes || entry->rule == sameShape))
    return entry->rule;
  return writes && !draft.tags.contains('i') ? writtenShape : nullptr;
}

} // namespace

void applyShapes(const OpDraft &draft) { draft.op.shape = ruleOf(draft); }

void forEachShapeKey(llvm::function_ref<void(llvm::StringRef key)> visit) {
  for (const ShapeEntry &entry : entries)
    visit(entry.key);
}

} // namespace ccgraph
