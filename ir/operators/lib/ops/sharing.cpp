#include "ops/knowledge.h"
#include "ops/schema.h"
#include "ops/view_sharing.h"

namespace ccgraph {
namespace {

// Four steps determine the reads, writes and shared storages of an operator; each step may correct the one before:
//   1. The schema: `Tensor(a) self` with a result `Tensor(a)` is shared, `Tensor(a!) self` is read and written, and a
//      written parameter after the star (`*, Tensor(a!) out`) is written only.
//   2. The table below, where the schema is incomplete or too conservative: batch_norm writes its running statistics,
//      which its schema does not state; fill_ writes without reading.
//   3. Reshapes: what PyTorch tags as changing the tensor itself, and every `out`.
//   4. A parameter that is shared and not written makes the operator a view of it: aten.view, aten.t, aten.split.
// Operators that return either their operand or a copy (reshape, contiguous, to) "may" share. Their rule determines
// which of the two a call returns, if its types prove it.

/// Sets of parameters, bit i for parameter i.
struct SharingEntry {
  llvm::StringLiteral key; ///< key or base
  struct Masks {
    uint16_t views = 0;      ///< every result shares its storage, no element is read
    uint16_t may = 0;        ///< results share its storage or are copies
    uint16_t writes = 0;     ///< written, though the schema does not say so
    uint16_t overwrites = 0; ///< written without being read
    uint16_t metadata = 0;   ///< only its type is looked at
    uint16_t reshapes = 0;   ///< reshaped (Access::Reshape), though no tag says so; written by that
  } masks;
  SharingRule rule = nullptr;
};

using Masks = SharingEntry::Masks;
constexpr Masks views0 = {.views = 1};
constexpr Masks may0 = {.may = 1};
constexpr Masks type0 = {.metadata = 1};
constexpr Masks may0type1 = {.may = 1, .metadata = 2};
constexpr Masks overwrites0 = {.overwrites = 1};
/// Running statistics at parameters 3 and 4 of batch norms.
constexpr Masks writes34 = {.writes = 3 << 3};
constexpr Masks reshapes0 = {.reshapes = 1};
/// Statistics and quantisation parameters of a moving average, which the first call by channels sizes.
constexpr Masks reshapes3to6 = {.reshapes = 15 << 3};

constexpr SharingEntry entries[] = {
    {"_c10d_functional._wrap_tensor_autograd", views0},
    {"aten._autocast_to_full_precision", may0, castSharing},
    {"aten._autocast_to_reduced_precision", may0, castSharing},
    {"aten._batch_norm_impl_index", writes34},
    {"aten._cast_Byte", may0, castSharing},
    {"aten._cast_Char", may0, castSharing},
    {"aten._cast_Double", may0, castSharing},
    {"aten._cast_Float", may0, castSharing},
    {"aten._cast_Half", may0, castSharing},
    {"aten._cast_Int", may0, castSharing},
    {"aten._cast_Long", may0, castSharing},
    {"aten._cast_Short", may0, castSharing},
    {"aten._foobar", may0},
    {"aten._foreach_copy_", overwrites0},
    {"aten._foreach_zero_", overwrites0},
    {"aten._fused_moving_avg_obs_fq_helper", reshapes3to6},
    {"aten._grad_sum_to_size", may0},
    {"aten._nested_compute_contiguous_strides_offsets", may0},
    {"aten._no_grad_embedding_renorm_", {.views = 1, .writes = 1}}, // Because its schema hides both.
    {"aten._pack_sequence", {.may = 3}},
    {"aten._remove_batch_dim", views0},
    {"aten._resize_output_", reshapes0},
    {"aten._saturate_weight_to_fp16", {.may = 1, .writes = 1}},
    {"aten._to_cpu", may0},
    {"aten._unsafe_view", views0},
    {"aten.alpha_dropout", may0},
    {"aten.as_tensor", may0, castSharing},
    {"aten.atleast_1d", views0},
    {"aten.atleast_2d", views0},
    {"aten.atleast_3d", views0},
    {"aten.batch_norm", writes34},
    {"aten.batch_norm_gather_stats", writes34},
    {"aten.batch_norm_gather_stats_with_counts", writes34},
    {"aten.batch_norm_update_stats", {.writes = 6}},
    {"aten.broadcast_tensors", views0},
    {"aten.cartesian_prod", may0},
    {"aten.coalesce", may0},
    {"aten.conj_physical", may0},
    {"aten.contiguous", may0, contiguousSharing},
    {"aten.copy_", overwrites0},
    {"aten.copy_sparse_to_sparse_", reshapes0},
    {"aten.cpu", may0, castSharing},
    {"aten.cuda", may0, castSharing},
    {"aten.cudnn_batch_norm", writes34},
    {"aten.data", views0},
    {"aten.dequantize", may0},
    {"aten.detach_", views0},
    {"aten.dropout", may0},
    {"aten.einsum", {.may = 2}},
    {"aten.empty_like", type0},
    {"aten.expand_as", {.metadata = 2}},
    {"aten.fbgemm_linear_fp16_weight.out", {.reshapes = 8}},
    {"aten.fbgemm_linear_fp16_weight_fp32_activation.out", {.reshapes = 8}},
    {"aten.feature_alpha_dropout", may0},
    {"aten.feature_dropout", may0},
    {"aten.fill_", overwrites0},
    {"aten.flatten", may0, reshapeSharing},
    {"aten.full_like", type0},
    {"aten.fused_moving_avg_obs_fake_quant", reshapes3to6},
    {"aten.instance_norm", writes34},
    {"aten.lift", views0},
    {"aten.meshgrid", views0},
    {"aten.miopen_batch_norm", writes34},
    {"aten.native_batch_norm", writes34},
    {"aten.new_empty", type0},
    {"aten.new_empty_strided", type0},
    {"aten.new_full", type0},
    {"aten.new_ones", type0},
    {"aten.new_zeros", type0},
    {"aten.numel", type0},
    {"aten.ones_like", type0},
    {"aten.pin_memory", may0},
    {"aten.rand_like", type0},
    {"aten.randint_like", type0},
    {"aten.randn_like", type0},
    {"aten.ravel", may0, reshapeSharing},
    {"aten.reshape", may0, reshapeSharing},
    {"aten.reshape_as", may0type1, reshapeSharing},
    {"aten.resize_as_sparse_", reshapes0},
    {"aten.resolve_conj", may0},
    {"aten.resolve_neg", may0},
    {"aten.set.source_Tensor", {.may = 3}},
    {"aten.set_data", reshapes0}, // Because the tensor gets the other one's sizes and storage.
    {"aten.shallow_copy_data_", reshapes0},
    {"aten.size", type0},
    {"aten.sorted.Tensor", may0},
    {"aten.sparse_resize_", reshapes0},
    {"aten.sparse_resize_and_clear_", reshapes0},
    {"aten.stride", type0},
    {"aten.sum_to_size", may0},
    {"aten.sym_numel", type0},
    {"aten.sym_size", type0},
    {"aten.sym_storage_offset", type0},
    {"aten.sym_stride", type0},
    {"aten.to", may0, castSharing},
    {"aten.to.other", may0type1, castSharing},
    {"aten.to_dense", may0},
    {"aten.to_dense_backward", may0},
    {"aten.to_mkldnn_backward", may0},
    {"aten.type_as", may0type1, castSharing},
    {"aten.unsafe_chunk", views0},
    {"aten.unsafe_split", views0},
    {"aten.unsafe_split_with_sizes", views0},
    {"aten.view_as", {.metadata = 2}},
    {"aten.zero_", overwrites0},
    {"aten.zeros_like", type0},
    {"fsdp.all_gather_copy_in", {.views = 2, .writes = 2}},
    {"fsdp.copy_", overwrites0},
    {"inductor._alloc_from_pool", views0},
    {"inductor._mm_plus_mm", {.reshapes = 16}},
    {"inductor._reinterpret_tensor", views0},
    {"inductor.resize_storage_bytes_", reshapes0}, // Because its schema says nothing at all.
    {"prims.as_strided", views0},
    {"prims.copy_to", overwrites0},
    {"prims.device_put", may0, castSharing},
    {"prims.empty_like", type0},
    {"prims.full_like", type0},
    {"prims.inductor_force_stride_order", may0},
    {"prims.resize", reshapes0},
};

bool sharedByResult(const OpDef &op, const OpParam &param) {
  return param.alias && llvm::any_of(op.results, [&](const OpResult &result) { return result.alias == param.alias; });
}

/// Reads the annotations of the schema.
void readAnnotations(OpDef &op) {
  for (OpParam &param : op.params) {
    // A written parameter after the star is a buffer for the result, whose old contents are not read.
    Access access = !param.writes ? Access::Read : param.keywordOnly ? Access::Write : Access::Read | Access::Write;
    param.access = sharedByResult(op, param) ? access | Access::Alias : access;
  }
}

void applyMasks(OpDef &op, const Masks &masks) {
  for (size_t i = 0; i < op.params.size() && i < 16; ++i) {
    Access &access = op.params[i].access;
    unsigned bit = 1U << i;
    if (masks.metadata & bit)
      access = Access::Nothing;
    if (masks.may & bit)
      access = Access::Read | Access::Alias;
    if (masks.views & bit)
      access = Access::Alias;
    if (masks.writes & bit)
      access = access | Access::Read | Access::Write;
    if (masks.overwrites & bit)
      access = has(access, Access::Alias) ? Access::Write | Access::Alias : Access::Write;
  }
}

/// Does the operator change the tensor given here, and not its elements alone? Those that PyTorch tags, and any `out`,
/// which is resized where it has not the result's sizes.
bool isReshaped(const OpDraft &draft, const OpParam &param) {
  bool tagged = draft.tags.contains('i') && draft.base != "aten.detach_"; // Because that one changes only its gradient.
  return param.writes && holdsTensor(param.type) && (param.keywordOnly || tagged);
}

void applyReshapes(const OpDraft &draft, uint16_t mask) {
  for (size_t i = 0; i < draft.op.params.size(); ++i) {
    OpParam &param = draft.op.params[i];
    if (isReshaped(draft, param) || (i < 16 && (mask & (1U << i))))
      param.access = param.access | Access::Write | Access::Reshape;
  }
}

bool writes(const OpDef &op) {
  return llvm::any_of(op.params, [](const OpParam &param) { return has(param.access, Access::Write); });
}

/// A parameter that is shared and not written is what a view is of: no element of it is read.
void settleViews(OpDef &op) {
  for (OpParam &param : op.params) {
    if (!has(param.access, Access::Alias) || has(param.access, Access::Write))
      continue;
    param.access = Access::Alias;
    op.isView = true;
  }
}

bool yieldsFreshTensor(const OpDef &op) {
  return llvm::any_of(op.results, [](const OpResult &result) { return !result.alias && holdsTensor(result.type); });
}

} // namespace

void applySharing(const OpDraft &draft) {
  OpDef &op = draft.op;
  readAnnotations(op);
  const SharingEntry *entry = findEntry(llvm::ArrayRef(entries), draft);
  Masks masks = entry ? entry->masks : Masks();
  // A form with a buffer for the result copies into it, so only the plain form of a name shares.
  if (llvm::any_of(op.params, [](const OpParam &param) { return param.keywordOnly && param.writes; }))
    masks.views = masks.may = 0;
  if (!entry && draft.tags.contains('m'))
    masks.may = 0xffff;
  applyMasks(op, masks);
  applyReshapes(draft, masks.reshapes);
  op.mayAlias = masks.may != 0;
  op.sharing = op.mayAlias && entry ? entry->rule : nullptr;
  op.freshResult = op.mayAlias || (!masks.views && yieldsFreshTensor(op));
  if (!op.mayAlias && !writes(op))
    settleViews(op);
  op.keepAlways = writes(op);
}

} // namespace ccgraph
