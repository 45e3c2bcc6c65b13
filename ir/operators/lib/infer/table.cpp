#include "infer/families.h"

#include "ops/knowledge.h"

namespace ccgraph::infer {
namespace {

constexpr bool Certain = true;

struct Entry {
  llvm::StringLiteral key; ///< key, or base for all overloads
  TypeRule rule;
  /// Does the rule answer what holds of every program, but where a call takes a default? All answers of other rules are
  /// assumed.
  bool certain = false;
};

constexpr Entry entries[] = {
    {"aten._conj", operandType, Certain},
    {"aten._conj_physical", preservedSelf},
    {"aten._foreach_add", foreachType, Certain},
    {"aten._foreach_addcdiv", foreachType, Certain},
    {"aten._foreach_addcmul", foreachType, Certain},
    {"aten._foreach_div", foreachFloatType, Certain},
    {"aten._foreach_lerp", foreachType, Certain},
    {"aten._foreach_mul", foreachType, Certain},
    {"aten._foreach_neg", foreachType, Certain},
    {"aten._foreach_sqrt", foreachFloatType, Certain},
    {"aten._foreach_sub", foreachType, Certain},
    {"aten._fused_rms_norm", normForward},
    {"aten._fused_rms_norm_backward", normBackward},
    {"aten._grouped_mm", groupedMatmul},
    {"aten._local_scalar_dense", itemType},
    {"aten._log_softmax", softmaxType},
    {"aten._log_softmax_backward_data", softmaxBackward},
    {"aten._neg_view", operandType, Certain},
    {"aten._scaled_dot_product_efficient_attention", efficientAttention},
    {"aten._scaled_dot_product_efficient_attention_backward", attentionBackward},
    {"aten._scaled_dot_product_flash_attention", flashAttention},
    {"aten._scaled_dot_product_flash_attention_backward", attentionBackward},
    {"aten._scaled_dot_product_flash_attention_for_cpu", flashAttentionOnCpu},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward", attentionBackward},
    {"aten._softmax", softmaxType},
    {"aten._softmax_backward_data", softmaxBackward},
    {"aten._to_copy", copyType, Certain},
    {"aten._unsafe_index.Tensor", indexType},
    {"aten._unsafe_index_put", likeType},
    {"aten._unsafe_masked_index_put_accumulate", preservedSelf},
    {"aten._unsafe_view", viewType, Certain},
    {"aten.abs", realType, Certain},
    {"aten.acos", floatType},
    {"aten.acosh", floatType},
    {"aten.add.Scalar", arithmeticType, Certain},
    {"aten.add.Tensor", arithmeticType, Certain},
    {"aten.addcdiv", arithmeticType},
    {"aten.addcmul", arithmeticType},
    {"aten.addmm", matmulType, Certain},
    {"aten.alias", operandType, Certain},
    {"aten.all", boolReduction},
    {"aten.amax", sameReduction},
    {"aten.amin", sameReduction},
    {"aten.any", boolReduction},
    {"aten.arange", rangeType},
    {"aten.argmax", indexReduction},
    {"aten.argmin", indexReduction},
    {"aten.as_strided", asStridedType, Certain},
    {"aten.asin", floatType},
    {"aten.asinh", floatType},
    {"aten.atan", floatType},
    {"aten.atan2", floatType},
    {"aten.atanh", floatType},
    {"aten.baddbmm", matmulType, Certain},
    {"aten.binary_cross_entropy", lossType},
    {"aten.binary_cross_entropy_with_logits", lossType},
    {"aten.bitwise_and", arithmeticType, Certain},
    {"aten.bitwise_left_shift", arithmeticType},
    {"aten.bitwise_not", arithmeticType},
    {"aten.bitwise_or", arithmeticType, Certain},
    {"aten.bitwise_right_shift", arithmeticType},
    {"aten.bitwise_xor", arithmeticType},
    {"aten.bmm", matmulType, Certain},
    {"aten.broadcast_tensors", broadcastType},
    {"aten.cat", catType, Certain},
    {"aten.ceil", arithmeticType},
    {"aten.celu", arithmeticType},
    {"aten.clamp", chosenType, Certain},
    {"aten.clamp_max", chosenType, Certain},
    {"aten.clamp_min", chosenType, Certain},
    {"aten.clone", copyType, Certain},
    {"aten.constant_pad_nd", padType},
    {"aten.copy", operandType},
    {"aten.copysign", floatType},
    {"aten.cos", floatType, Certain},
    {"aten.cosh", floatType},
    {"aten.cumprod", scanType},
    {"aten.cumsum", scanType},
    {"aten.detach", operandType, Certain},
    {"aten.detach_", operandType, Certain},
    {"aten.digamma", floatType},
    {"aten.div.Scalar", floatType, Certain},
    {"aten.div.Scalar_mode", quotientType},
    {"aten.div.Tensor", floatType, Certain},
    {"aten.div.Tensor_mode", quotientType},
    {"aten.elu", arithmeticType},
    {"aten.elu_backward", arithmeticType},
    {"aten.embedding", embeddingType},
    {"aten.embedding_dense_backward", embeddingBackward},
    {"aten.empty.memory_format", createdType, Certain},
    {"aten.empty_like", likeCopyType, Certain},
    {"aten.empty_strided", stridedType},
    {"aten.eq", boolType, Certain},
    {"aten.erf", floatType, Certain},
    {"aten.erfc", floatType},
    {"aten.erfinv", floatType},
    {"aten.exp", floatType, Certain},
    {"aten.exp2", floatType},
    {"aten.expand", expandType, Certain},
    {"aten.expm1", floatType},
    {"aten.flatten.using_ints", flattenType, Certain},
    {"aten.flip", likeType},
    {"aten.floor", arithmeticType},
    {"aten.floor_divide", arithmeticType},
    {"aten.fmax", arithmeticType},
    {"aten.fmin", arithmeticType},
    {"aten.fmod", arithmeticType},
    {"aten.frac", arithmeticType},
    {"aten.full", createdType, Certain},
    {"aten.full_like", likeCopyType, Certain},
    {"aten.gather", gatherType},
    {"aten.gcd", arithmeticType},
    {"aten.ge", boolType, Certain},
    {"aten.gelu", floatType, Certain},
    {"aten.gelu_backward", floatType, Certain},
    {"aten.gt", boolType, Certain},
    {"aten.hardshrink", arithmeticType},
    {"aten.hardshrink_backward", arithmeticType},
    {"aten.hardsigmoid", floatType},
    {"aten.hardsigmoid_backward", floatType},
    {"aten.hardswish", arithmeticType},
    {"aten.hardswish_backward", arithmeticType},
    {"aten.hardtanh", chosenType},
    {"aten.hardtanh_backward", arithmeticType},
    {"aten.heaviside", arithmeticType},
    {"aten.huber_loss", lossType},
    {"aten.hypot", arithmeticType},
    {"aten.i0", floatType},
    {"aten.index.Tensor", indexType},
    {"aten.index_add", contiguousSelf},
    {"aten.index_put", likeType},
    {"aten.index_select", indexSelectType},
    {"aten.isfinite", boolType},
    {"aten.isinf", boolType},
    {"aten.isnan", boolType},
    {"aten.isneginf", boolType},
    {"aten.isposinf", boolType},
    {"aten.layer_norm", contiguousSelf},
    {"aten.lcm", arithmeticType},
    {"aten.le", boolType, Certain},
    {"aten.leaky_relu", arithmeticType},
    {"aten.leaky_relu_backward", arithmeticType},
    {"aten.lerp", arithmeticType},
    {"aten.lgamma", floatType},
    {"aten.lift_fresh_copy", copyType, Certain},
    {"aten.linalg_vector_norm", normReduction},
    {"aten.linear", linearType},
    {"aten.log", floatType, Certain},
    {"aten.log10", floatType},
    {"aten.log1p", floatType},
    {"aten.log2", floatType},
    {"aten.log_sigmoid", floatType},
    {"aten.log_sigmoid_backward", floatType},
    {"aten.log_sigmoid_forward", softplusType},
    {"aten.logaddexp", floatType},
    {"aten.logaddexp2", floatType},
    {"aten.logcumsumexp", scanType},
    {"aten.logical_and", boolType, Certain},
    {"aten.logical_not", boolType, Certain},
    {"aten.logical_or", boolType, Certain},
    {"aten.logical_xor", boolType},
    {"aten.logit", floatType},
    {"aten.logit_backward", floatType},
    {"aten.logsumexp", floatReduction},
    {"aten.lt", boolType, Certain},
    {"aten.masked_fill", filledType},
    {"aten.max", sameReduction},
    {"aten.max.dim", pairReduction},
    {"aten.maximum", arithmeticType, Certain},
    {"aten.mean", sameReduction},
    {"aten.min", sameReduction},
    {"aten.min.dim", pairReduction},
    {"aten.minimum", arithmeticType, Certain},
    {"aten.mish", floatType},
    {"aten.mish_backward", floatType},
    {"aten.mm", matmulType, Certain},
    {"aten.mse_loss", lossType},
    {"aten.mse_loss_backward", lossBackward},
    {"aten.mul.Scalar", arithmeticType, Certain},
    {"aten.mul.Tensor", arithmeticType, Certain},
    {"aten.nan_to_num", arithmeticType},
    {"aten.nansum", sumReduction},
    {"aten.native_dropout", dropoutType},
    {"aten.native_dropout_backward", dropoutBackward},
    {"aten.native_layer_norm", normForward},
    {"aten.native_layer_norm_backward", normBackward},
    {"aten.ne", boolType, Certain},
    {"aten.neg", arithmeticType, Certain},
    {"aten.new_empty", newType, Certain},
    {"aten.new_empty_strided", stridedType},
    {"aten.new_full", newType, Certain},
    {"aten.new_ones", newType, Certain},
    {"aten.new_zeros", newType, Certain},
    {"aten.nextafter", arithmeticType},
    {"aten.nll_loss_backward", nllBackward},
    {"aten.nll_loss_forward", nllForward},
    {"aten.norm.Scalar", normReduction},
    {"aten.norm.ScalarOpt_dim", normReduction},
    {"aten.ones", createdType, Certain},
    {"aten.ones_like", likeCopyType, Certain},
    {"aten.permute", permuteType, Certain},
    {"aten.pow", arithmeticType, Certain},
    {"aten.prod", sumReduction},
    {"aten.rand_like", likeCopyType},
    {"aten.randn_like", likeCopyType},
    {"aten.reciprocal", floatType, Certain},
    {"aten.relu", chosenType, Certain},
    {"aten.relu6", chosenType},
    {"aten.remainder", arithmeticType},
    {"aten.repeat_interleave", repeatType},
    {"aten.reshape", viewType, Certain},
    {"aten.round", arithmeticType},
    {"aten.rsqrt", floatType, Certain},
    {"aten.rsub", arithmeticType, Certain},
    {"aten.scalar_tensor", scalarType},
    {"aten.scatter", contiguousSelf},
    {"aten.scatter_add", contiguousSelf},
    {"aten.scatter_reduce", contiguousSelf},
    {"aten.select.int", selectType, Certain},
    {"aten.select_backward", sliceBackward},
    {"aten.select_scatter", operandType},
    {"aten.selu", arithmeticType},
    {"aten.sgn", arithmeticType},
    {"aten.sigmoid", floatType, Certain},
    {"aten.sigmoid_backward", floatType, Certain},
    {"aten.sign", arithmeticType},
    {"aten.signbit", boolType},
    {"aten.silu", floatType, Certain},
    {"aten.silu_backward", floatType, Certain},
    {"aten.sin", floatType, Certain},
    {"aten.sinc", floatType},
    {"aten.sinh", floatType},
    {"aten.slice.Tensor", sliceType, Certain},
    {"aten.slice_backward", sliceBackward},
    {"aten.slice_scatter", operandType},
    {"aten.smooth_l1_loss", lossType},
    {"aten.softplus", floatType},
    {"aten.softplus_backward", floatType},
    {"aten.softshrink", arithmeticType},
    {"aten.softshrink_backward", arithmeticType},
    {"aten.sort", sortType},
    {"aten.special_entr", floatType},
    {"aten.special_erfcx", floatType},
    {"aten.special_i0e", floatType},
    {"aten.special_i1", floatType},
    {"aten.special_i1e", floatType},
    {"aten.special_log_ndtr", floatType},
    {"aten.special_ndtri", floatType},
    {"aten.special_xlog1py", floatType},
    {"aten.split", splitType, Certain},
    {"aten.split_with_sizes", splitType, Certain},
    {"aten.sqrt", floatType, Certain},
    {"aten.square", arithmeticType},
    {"aten.squeeze", squeezeType, Certain},
    {"aten.stack", stackType},
    {"aten.sub.Scalar", arithmeticType, Certain},
    {"aten.sub.Tensor", arithmeticType, Certain},
    {"aten.sum", sumReduction},
    {"aten.sym_numel", numelType},
    {"aten.sym_size", sizeType},
    {"aten.t", transposeType, Certain},
    {"aten.tan", floatType},
    {"aten.tanh", floatType, Certain},
    {"aten.tanh_backward", floatType, Certain},
    {"aten.threshold", arithmeticType},
    {"aten.threshold_backward", chosenType, Certain},
    {"aten.topk", topkType},
    {"aten.transpose.int", transposeType, Certain},
    {"aten.tril", triangleType},
    {"aten.triu", triangleType},
    {"aten.true_divide", floatType},
    {"aten.trunc", arithmeticType},
    {"aten.unbind.int", unbindType, Certain},
    {"aten.unsafe_split.Tensor", splitType, Certain},
    {"aten.unsafe_split_with_sizes", splitType, Certain},
    {"aten.unsqueeze", unsqueezeType, Certain},
    {"aten.var_mean", momentReduction},
    {"aten.view", viewType, Certain},
    {"aten.view.dtype", bitsType, Certain},
    {"aten.view_as_complex", complexType, Certain},
    {"aten.view_as_real", realViewType, Certain},
    {"aten.where.ScalarOther", chosenByOperand},
    {"aten.where.ScalarSelf", chosenByOperand},
    {"aten.where.self", arithmeticType, Certain},
    {"aten.xlogy", floatType},
    {"aten.zeros", createdType, Certain},
    {"aten.zeros_like", likeCopyType, Certain},
    {"bucketing._pre_bucket_all_gather", gatherBucket},
    {"bucketing._pre_bucket_reduce_scatter", scatterBucket},
    {"higher_order.control_deps", controlDeps},
    {"higher_order.flex_attention", flexAttention},
    {"higher_order.flex_attention_backward", flexAttentionBackward},
    {"operator.add", numberArithmetic},
    {"operator.eq", comparedNumbers},
    {"operator.floordiv", numberArithmetic},
    {"operator.ge", comparedNumbers},
    {"operator.gt", comparedNumbers},
    {"operator.le", comparedNumbers},
    {"operator.lt", comparedNumbers},
    {"operator.mod", numberArithmetic},
    {"operator.mul", numberArithmetic},
    {"operator.ne", comparedNumbers},
    {"operator.sub", numberArithmetic},
    {"prims.convert_element_type", copyType, Certain},
    {"prims.device_put", deviceType},
    {"prims.fma", arithmeticType, Certain},
    {"prims.iota", iotaType},
    {"prims.prepare_softmax_online", onlineSoftmax},
    {"torch.sym_sum", symbolicSum},
    {"torchtitan.deterministic_scatter_add", contiguousSelf},
};

/// In-place and out= forms with one result: it is the tensor that is written.
bool yieldsWhatItWrites(const OpDef &op) {
  if (op.results.size() != 1 || op.results[0].type != "Tensor" || !op.results[0].alias)
    return false;
  return llvm::any_of(op.params,
                      [&](const OpParam &param) { return param.writes && param.alias == op.results[0].alias; });
}

/// The rule that a role, or what an operator writes, gives to an operator without entry.
TypeRule ruleByEffect(const OpDraft &draft) {
  switch (draft.op.role) {
  case OpRole::Collective:
    return collectiveType;
  case OpRole::Wait:
    return waitType;
  case OpRole::GetItem:
    return getItemType;
  case OpRole::ControlDeps:
  case OpRole::HigherOrder:
    return nullptr;
  case OpRole::Compute:
    return yieldsWhatItWrites(draft.op) && !draft.tags.contains('i') ? writtenType : nullptr;
  }
  return nullptr;
}

} // namespace

TypePtr writtenType(Call &call) {
  const OpDef &op = *call.node.op();
  for (size_t i = 0; i < op.params.size(); ++i)
    if (op.params[i].writes && op.params[i].alias == op.results[0].alias)
      return call.tensor(static_cast<int>(i));
  return nullptr;
}

} // namespace ccgraph::infer

namespace ccgraph {

// An entry of a base stands for all overloads, and some of them write: those yield what they write.
void applyTypeRules(const OpDraft &draft) {
  OpDef &op = draft.op;
  op.typeRule = infer::ruleByEffect(draft);
  op.typeIsCertain = op.typeRule != nullptr;
  const infer::Entry *entry = findEntry(llvm::ArrayRef(infer::entries), draft);
  bool isOperand = entry && entry->certain && entry->rule == infer::operandType; // detach_
  bool writes = infer::yieldsWhatItWrites(op) && !isOperand;
  bool hasOwnRule = op.role == OpRole::Collective || op.role == OpRole::Wait || op.role == OpRole::GetItem;
  if (!entry || writes || hasOwnRule)
    return;
  op.typeRule = entry->rule;
  op.typeIsCertain = entry->certain;
}

void forEachTypedKey(llvm::function_ref<void(llvm::StringRef key)> visit) {
  for (const infer::Entry &entry : infer::entries)
    visit(entry.key);
}

} // namespace ccgraph
