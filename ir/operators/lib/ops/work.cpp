#include "ccgraph/ir/work.h"

#include "ops/arguments.h"
#include "ops/knowledge.h"

namespace ccgraph {
namespace {

using Result = std::optional<Work>;

/// Bytes of a value with all its elements; empty where unknown.
std::optional<double> bytesOf(const Type *type) {
  if (!type)
    return std::nullopt;
  if (!type->isList()) {
    std::optional<int64_t> bytes = type->isTensor() ? type->numBytes() : std::optional<int64_t>(0);
    return bytes ? std::optional<double>(static_cast<double>(*bytes)) : std::nullopt;
  }
  double sum = 0;
  for (const Type *element : type->elements()) {
    std::optional<double> bytes = bytesOf(element);
    if (!bytes)
      return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

/// Elements of the largest tensor of a value; empty where unknown.
std::optional<int64_t> elementsOf(const Type *type) {
  if (!type)
    return std::nullopt;
  if (!type->isList())
    return type->isTensor() ? type->numElements() : std::optional<int64_t>(0);
  int64_t most = 0;
  for (const Type *element : type->elements()) {
    std::optional<int64_t> count = elementsOf(element);
    if (!count)
      return std::nullopt;
    most = std::max(most, *count);
  }
  return most;
}

/// Every operand that is read once or written once, and the result where it is new.
std::optional<double> trafficOf(const Node &node) {
  Effects effects = effectsOf(node);
  double sum = 0;
  for (unsigned i = 0; i < node.numOperands(); ++i) {
    int times = has(effects.operands[i], Access::Read) + has(effects.operands[i], Access::Write);
    std::optional<double> bytes = times ? bytesOf(node.operand(i)->type()) : 0.0;
    if (!bytes)
      return std::nullopt;
    sum += times * *bytes;
  }
  if (!effects.freshResult)
    return sum;
  std::optional<double> result = bytesOf(node.type());
  return result ? std::optional<double>(sum + *result) : std::nullopt;
}

/// Operators that move bytes, listed below: what they read and write, and no operation, since no element of the result
/// is computed.
Result trafficWork(const Node &node) {
  std::optional<double> bytes = trafficOf(node);
  return bytes ? Result(Work{0, *bytes}) : std::nullopt;
}

/// One operation an element of the result.
Result pointwiseWork(const Node &node) {
  Result work = trafficWork(node);
  std::optional<int64_t> count = node.type() ? node.type()->numElements() : std::nullopt;
  if (work && count)
    work->flops = static_cast<double>(*count);
  return work;
}

/// One operation at least for each element that is read or made.
Result largestWork(const Node &node) {
  Result work = trafficWork(node);
  std::optional<int64_t> most = node.type() ? elementsOf(node.type()) : std::nullopt;
  for (unsigned i = 0; i < node.numOperands() && most; ++i) {
    std::optional<int64_t> count = elementsOf(node.operand(i)->type());
    most = count ? std::optional<int64_t>(std::max(*most, *count)) : std::nullopt;
  }
  if (!work || !most)
    return std::nullopt;
  work->flops = static_cast<double>(*most);
  return work;
}

/// Work of operators that are neither listed nor pointwise: sorts, scatters, steps of an optimizer.
Result elementWork(const Node &node) { return largestWork(node); }

/// Sums, means, norms.
Result reductionWork(const Node &node) { return largestWork(node); }

/// Views, allocations, and what only looks at types.
Result noWork(const Node &) { return Work{}; }

/// Selecting rows reads as much as it yields, not its whole table.
Result lookupWork(const Node &node) {
  std::optional<double> result = bytesOf(node.type());
  return result ? Result(Work{0, 2 * *result}) : std::nullopt;
}

Result withFlops(const Node &node, double flops) {
  Result work = trafficWork(node);
  if (work)
    work->flops = flops;
  return work;
}

/// Bytes of the tensors of a value whose sizes are known.
double knownBytes(const Type *type) {
  if (!type || !type->isList())
    return bytesOf(type).value_or(0);
  double sum = 0;
  for (const Type *element : type->elements())
    sum += knownBytes(element);
  return sum;
}

/// For operators with lists of results. Dumps often print no type for some or all of these, so only bytes of known
/// types are counted; the operations determine the time.
Result withFlopsOfList(const Node &node, double flops) {
  double bytes = knownBytes(node.type());
  for (const Node *operand : node.dataOperands())
    bytes += knownBytes(operand->type());
  return Work{flops, bytes};
}

/// An element of float4_e2m1fn_x2 is a pair of numbers along the inner dimension of a product.
double numbersOfElement(const Type &type) { return type.dtype() == DType::F4E2M1FNX2 ? 2 : 1; }

/// 2 * rows * inner * columns, for each of the batch: mm of f32[64, 32] and f32[32, 16] has 65,536 operations and moves
/// 14,336 bytes. Its result has rows * columns elements, so only the inner size is read off an operand.
Result matmulWork(const Node &node) {
  int left = node.op()->paramIndex("mat2") == 2 || node.op()->paramIndex("batch2") == 2 ? 1 : 0;
  const Type *a = tensorAt(node, left);
  const Type *result = node.type() && node.type()->isTensor() ? node.type() : nullptr;
  if (!a || !result || a->sizes().empty() || !a->sizes().back().isStatic() || !result->numElements())
    return std::nullopt;
  const double inner = static_cast<double>(a->sizes().back().value()) * numbersOfElement(*a);
  return withFlops(node, 2.0 * inner * static_cast<double>(*result->numElements()));
}

/// linear(x, w): each row of x by w, which is [out, in].
Result linearWork(const Node &node) {
  const Type *weight = tensorAt(node, 1);
  const Type *result = node.type() && node.type()->isTensor() ? node.type() : nullptr;
  if (!weight || !result || weight->sizes().empty() || !weight->sizes().back().isStatic() || !result->numElements())
    return std::nullopt;
  return withFlops(node, 2.0 * static_cast<double>(weight->sizes().back().value()) *
                             static_cast<double>(*result->numElements()));
}

/// _grouped_mm: rows of `a` are shared out to the experts of `b`; every row meets one of them. With two matrices the
/// groups split the inner dimension, and the work is that of the whole product.
Result groupedMatmulWork(const Node &node) {
  const Type *a = tensorAt(node, 0);
  const Type *b = tensorAt(node, 1);
  if (!a || !b || !a->numElements() || b->sizes().empty() || !b->sizes().back().isStatic())
    return std::nullopt;
  const double numbers = static_cast<double>(*a->numElements()) * numbersOfElement(*a);
  return withFlops(node, 2.0 * numbers * static_cast<double>(b->sizes().back().value()));
}

/// Two matrix products of queries [.., Sq, D] with keys [.., Sk, D], as torch.utils.flop_counter counts them: no credit
/// for a causal mask.
std::optional<double> attentionFlops(const Type *query, const Type *key, const Type *value) {
  if (!query || !key || !value || key->sizes().size() < 2 || value->sizes().empty())
    return std::nullopt;
  const Dim &keys = key->sizes()[key->sizes().size() - 2];
  const Dim &depth = value->sizes().back();
  const Dim &queryDepth = query->sizes().back();
  if (!query->numElements() || !keys.isStatic() || !depth.isStatic() || !queryDepth.isStatic() ||
      queryDepth.value() == 0)
    return std::nullopt;
  double rows = static_cast<double>(*query->numElements()) / static_cast<double>(queryDepth.value());
  return 2.0 * rows * static_cast<double>(keys.value()) * static_cast<double>(queryDepth.value() + depth.value());
}

Result attentionWork(const Node &node) {
  std::optional<double> flops = attentionFlops(tensorAt(node, 0), tensorAt(node, 1), tensorAt(node, 2));
  return flops ? withFlopsOfList(node, *flops) : std::nullopt;
}

/// The backward pass computes five products, the forward pass two. `queries`: the index of the parameter of queries,
/// which those of keys and values follow. All pairs count, as in torch.utils.flop_counter, which ignores masks by
/// default.
template <int queries>
Result attentionBackwardWork(const Node &node) {
  std::optional<double> flops =
      attentionFlops(tensorAt(node, queries), tensorAt(node, queries + 1), tensorAt(node, queries + 2));
  return flops ? withFlopsOfList(node, 2.5 * *flops) : std::nullopt;
}

/// Sizes that are numbers; empty where one is not.
std::optional<double> productOfSizes(llvm::ArrayRef<Dim> sizes) {
  double product = 1;
  for (const Dim &size : sizes) {
    if (!size.isStatic())
      return std::nullopt;
    product *= static_cast<double>(size.value());
  }
  return product;
}

/// Each element on the side of the output meets a kernel of [channels in / groups, window...]: 2 * elements of the
/// output
/// * elements of the weight / channels out. Transposed, input and output change places.
std::optional<double> convolutionFlops(const Type *input, const Type *weight, const Type *output, bool transposed) {
  const Type *side = transposed ? input : output;
  if (!side || !weight || !side->numElements() || !weight->isTensor() || weight->sizes().empty())
    return std::nullopt;
  const auto kernel = productOfSizes(weight->sizes().drop_front());
  return kernel ? std::optional<double>(2.0 * static_cast<double>(*side->numElements()) * *kernel) : std::nullopt;
}

bool flagAt(const Node &node, llvm::StringRef name) {
  const Argument *flag = argumentAt(node, node.op()->paramIndex(name));
  return flag && flag->kind() == Argument::Kind::Bool && flag->boolean();
}

/// Returns the type if it is a tensor's: a backward pass yields only those results that its mask requests.
const Type *tensorOf(const Type *type) { return type && type->isTensor() ? type : nullptr; }

Result convolutionWork(const Node &node) {
  const auto flops =
      convolutionFlops(tensorAt(node, 0), tensorAt(node, 1), tensorOf(node.type()), flagAt(node, "transposed"));
  return flops ? withFlops(node, *flops) : std::nullopt;
}

/// The gradients of input and of weight each take as much as the forward pass.
Result convolutionBackwardWork(const Node &node) {
  const auto flops =
      convolutionFlops(tensorAt(node, 1), tensorAt(node, 2), tensorAt(node, 0), flagAt(node, "transposed"));
  return flops ? withFlopsOfList(node, 2 * *flops) : std::nullopt;
}

struct WorkEntry {
  llvm::StringLiteral key; ///< key or base
  WorkRule rule;
};

constexpr WorkEntry entries[] = {
    {"aten._grouped_mm", groupedMatmulWork},
    {"aten._scaled_dot_product_cudnn_attention", attentionWork},
    {"aten._scaled_dot_product_cudnn_attention_backward", attentionBackwardWork<1>},
    {"aten._scaled_dot_product_efficient_attention", attentionWork},
    {"aten._scaled_dot_product_efficient_attention_backward", attentionBackwardWork<1>},
    {"aten._scaled_dot_product_flash_attention", attentionWork},
    {"aten._scaled_dot_product_flash_attention_backward", attentionBackwardWork<1>},
    {"aten._scaled_dot_product_flash_attention_for_cpu", attentionWork},
    {"aten._scaled_grouped_mm", groupedMatmulWork},
    {"aten._scaled_grouped_mm_v2", groupedMatmulWork},
    {"aten._scaled_mm", matmulWork},
    {"aten._scaled_mm_v2", matmulWork},
    {"aten.addmm", matmulWork},
    {"aten.baddbmm", matmulWork},
    {"aten.bmm", matmulWork},
    {"aten.convolution", convolutionWork},
    {"aten.convolution_backward", convolutionBackwardWork},
    {"aten.embedding", lookupWork},
    {"aten.gather", lookupWork},
    {"aten.index.Tensor", lookupWork},
    {"aten.index_select", lookupWork},
    {"aten.linear", linearWork},
    {"aten.mm", matmulWork},
    {"aten.scaled_dot_product_attention", attentionWork},
    {"higher_order.flex_attention", attentionWork},
    {"higher_order.flex_attention_backward", attentionBackwardWork<0>},
    {"prims.fma", pointwiseWork},
};

/// Tables below list keys or bases.
struct Listed {
  llvm::StringLiteral key;
};

/// The memory is there, and nothing is written into it.
constexpr Listed allocations[] = {
    {"aten.empty"},         {"aten.empty_like"},      {"aten.empty_permuted"},
    {"aten.empty_strided"}, {"aten.new_empty"},       {"aten.new_empty_strided"},
    {"prims.empty"},        {"prims.empty_permuted"}, {"prims.empty_strided"},
};

/// Operators that compilers fuse into one kernel with the elementwise operators before and after them.
constexpr Listed reductions[] = {
    {"aten._fused_rms_norm"},
    {"aten._fused_rms_norm_backward"},
    {"aten._log_softmax"},
    {"aten._log_softmax_backward_data"},
    {"aten._softmax"},
    {"aten._softmax_backward_data"},
    {"aten.all"},
    {"aten.amax"},
    {"aten.amin"},
    {"aten.aminmax"},
    {"aten.any"},
    {"aten.argmax"},
    {"aten.argmin"},
    {"aten.linalg_vector_norm"},
    {"aten.logsumexp"},
    {"aten.max"},
    {"aten.mean"},
    {"aten.min"},
    {"aten.native_batch_norm"},
    {"aten.native_batch_norm_backward"},
    {"aten.native_group_norm"},
    {"aten.native_group_norm_backward"},
    {"aten.native_layer_norm"},
    {"aten.native_layer_norm_backward"},
    {"aten.nll_loss_backward"},
    {"aten.nll_loss_forward"},
    {"aten.norm"},
    {"aten.prod"},
    {"aten.std"},
    {"aten.std_mean"},
    {"aten.sum"},
    {"aten.var"},
    {"aten.var_mean"},
    {"prims.amax"},
    {"prims.amin"},
    {"prims.sum"},
    {"prims.var"},
};

/// Each element of a result is an element of an operand, possibly converted, or a constant, or uninitialized.
constexpr Listed movements[] = {
    {"aten._chunk_cat"},
    {"aten._reshape_copy"},
    {"aten._to_copy"},
    {"aten.alias_copy"},
    {"aten.as_strided_copy"},
    {"aten.as_strided_scatter"},
    {"aten.cat"},
    {"aten.channel_shuffle"},
    {"aten.clone"},
    {"aten.concat"},
    {"aten.concatenate"},
    {"aten.constant_pad_nd"},
    {"aten.contiguous"},
    {"aten.copy"},
    {"aten.copy_"},
    {"aten.detach_copy"},
    {"aten.diag_embed"},
    {"aten.diagonal_copy"},
    {"aten.diagonal_scatter"},
    {"aten.expand_copy"},
    {"aten.eye"},
    {"aten.fill"},
    {"aten.fill_"},
    {"aten.flip"},
    {"aten.full"},
    {"aten.full_like"},
    {"aten.hstack"},
    {"aten.im2col"},
    {"aten.index_fill"},
    {"aten.lift_fresh_copy"},
    {"aten.narrow_copy"},
    {"aten.new_full"},
    {"aten.new_ones"},
    {"aten.new_zeros"},
    {"aten.ones"},
    {"aten.ones_like"},
    {"aten.permute_copy"},
    {"aten.pixel_shuffle"},
    {"aten.pixel_unshuffle"},
    {"aten.reflection_pad1d"},
    {"aten.reflection_pad2d"},
    {"aten.reflection_pad3d"},
    {"aten.repeat"},
    {"aten.replication_pad1d"},
    {"aten.replication_pad2d"},
    {"aten.replication_pad3d"},
    {"aten.reshape"},
    {"aten.roll"},
    {"aten.rot90"},
    {"aten.scalar_tensor"},
    {"aten.select_copy"},
    {"aten.select_scatter"},
    {"aten.slice_copy"},
    {"aten.slice_scatter"},
    {"aten.split_copy"},
    {"aten.split_with_sizes_copy"},
    {"aten.squeeze_copy"},
    {"aten.stack"},
    {"aten.t_copy"},
    {"aten.to"},
    {"aten.transpose_copy"},
    {"aten.type_as"},
    {"aten.unbind_copy"},
    {"aten.unfold_copy"},
    {"aten.unsqueeze_copy"},
    {"aten.upsample_nearest1d"},
    {"aten.upsample_nearest2d"},
    {"aten.upsample_nearest3d"},
    {"aten.view_copy"},
    {"aten.vstack"},
    {"aten.zero"},
    {"aten.zero_"},
    {"aten.zeros"},
    {"aten.zeros_like"},
    {"fsdp.chunk_cat"},
    {"prims.cat"},
    {"prims.clone"},
    {"prims.convert_element_type"},
    {"prims.copy_strided"},
    {"prims.copy_to"},
    {"prims.device_put"},
    {"prims.fill"},
    {"prims.full"},
    {"prims.full_like"},
    {"prims.rev"},
    {"prims.scalar_tensor"},
};

} // namespace

void applyWork(const OpDraft &draft) {
  OpDef &op = draft.op;
  bool computes = op.role == OpRole::Compute && op.domain != Domain::All;
  const WorkEntry *entry = findEntry(llvm::ArrayRef(entries), draft);
  if (op.isView || op.role == OpRole::Wait || op.role == OpRole::GetItem)
    op.work = noWork;
  else if (entry)
    op.work = entry->rule;
  else if (computes && findEntry(llvm::ArrayRef(allocations), draft))
    op.work = noWork;
  else if (computes && findEntry(llvm::ArrayRef(movements), draft))
    op.work = trafficWork;
  else if (computes && draft.tags.contains('p'))
    op.work = pointwiseWork;
  else if (computes)
    op.work = findEntry(llvm::ArrayRef(reductions), draft) ? reductionWork : elementWork;
  op.movesBytes = op.work == noWork || op.work == trafficWork || op.work == lookupWork;
}

WorkFamily workFamily(const OpDef &op) {
  constexpr std::pair<WorkRule, WorkFamily> families[] = {
      {noWork, WorkFamily::None},
      {trafficWork, WorkFamily::Movement},
      {lookupWork, WorkFamily::Lookup},
      {pointwiseWork, WorkFamily::Pointwise},
      {reductionWork, WorkFamily::Reduction},
      {matmulWork, WorkFamily::MatMul},
      {linearWork, WorkFamily::MatMul},
      {groupedMatmulWork, WorkFamily::MatMul},
      {convolutionWork, WorkFamily::Convolution},
      {convolutionBackwardWork, WorkFamily::Convolution},
      {attentionWork, WorkFamily::Attention},
      {attentionBackwardWork<1>, WorkFamily::Attention},
      {attentionBackwardWork<0>, WorkFamily::Attention},
      {elementWork, WorkFamily::Other},
  };
  for (const auto &[rule, family] : families)
    if (op.work == rule)
      return family;
  return WorkFamily::Uncounted;
}

void forEachWorkKey(llvm::function_ref<void(llvm::StringRef key)> visit) {
  for (const WorkEntry &entry : entries)
    visit(entry.key);
}

} // namespace ccgraph
