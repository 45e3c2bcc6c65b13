// Operators that depend on more than an operand's elements: on its place in its storage, on the size of that storage,
// or on the other tensors in it. Facts from PyTorch's sources:
// - as_strided and set_ take an offset from the beginning of the storage; as_strided_scatter clones all of it;
// - view_as_complex and a view as a wider dtype refuse an offset that is no multiple of the wider element;
// - resize_ grows into the rest of the storage, and resize_storage_bytes_ frees it for all tensors in it;
// - a buffer for a result (`out=`) is resized if its size is different;
// - matrix products of packed or scaled types and fused attention load 16 bytes at once from an address that must be a
//   multiple of 16, which a fresh tensor's is.
#include "ops/knowledge.h"
#include "ops/schema.h"

namespace ccgraph {
namespace {

/// Bit i of `params` for parameter i.
struct PlaceEntry {
  llvm::StringLiteral key; ///< key or base
  uint16_t params = 0;
};

constexpr PlaceEntry entries[] = {
    {"aten._convert_weight_to_int4pack", 0xffff},
    {"aten._convert_weight_to_int4pack_for_cpu", 0xffff},
    {"aten._copy_from_and_resize", 0xffff},
    {"aten._cslt_compress", 0xffff},
    {"aten._cslt_sparse_mm", 0xffff},
    {"aten._cslt_sparse_mm_search", 0xffff},
    {"aten._cudnn_attention_backward", 0xffff},
    {"aten._cudnn_attention_forward", 0xffff},
    {"aten._cudnn_attention_forward_no_dropout_inplace", 0xffff},
    {"aten._dyn_quant_matmul_4bit", 0xffff},
    {"aten._dyn_quant_pack_4bit_weight", 0xffff},
    {"aten._efficient_attention_backward", 0xffff},
    {"aten._efficient_attention_forward", 0xffff},
    {"aten._flash_attention_backward", 0xffff},
    {"aten._flash_attention_forward", 0xffff},
    {"aten._flash_attention_forward_no_dropout_inplace", 0xffff},
    {"aten._grouped_mm", 0xffff},
    {"aten._has_same_storage_numel", 0xffff},
    {"aten._int_mm", 0xffff},
    {"aten._mixed_dtypes_linear", 0xffff},
    {"aten._native_multi_head_attention", 0xffff},
    {"aten._nested_view_from_buffer", 1},
    {"aten._nested_view_from_buffer_copy", 1},
    {"aten._new_zeros_with_same_feature_meta", 0xffff},
    {"aten._resize_output", 1},
    {"aten._resize_output_", 1},
    {"aten._scaled_dot_product_cudnn_attention", 0xffff},
    {"aten._scaled_dot_product_cudnn_attention_backward", 0xffff},
    {"aten._scaled_dot_product_efficient_attention", 0xffff},
    {"aten._scaled_dot_product_efficient_attention_backward", 0xffff},
    {"aten._scaled_dot_product_flash_attention", 0xffff},
    {"aten._scaled_dot_product_flash_attention_backward", 0xffff},
    {"aten._scaled_dot_product_fused_attention_overrideable", 0xffff},
    {"aten._scaled_dot_product_fused_attention_overrideable_backward", 0xffff},
    {"aten._scaled_grouped_mm", 0xffff},
    {"aten._scaled_grouped_mm_v2", 0xffff},
    {"aten._scaled_mm", 0xffff},
    {"aten._scaled_mm_v2", 0xffff},
    {"aten._sparse_semi_structured_addmm", 0xffff},
    {"aten._sparse_semi_structured_apply", 0xffff},
    {"aten._sparse_semi_structured_apply_dense", 0xffff},
    {"aten._sparse_semi_structured_linear", 0xffff},
    {"aten._sparse_semi_structured_mm", 0xffff},
    {"aten._sparse_semi_structured_tile", 0xffff},
    {"aten._to_sparse_semi_structured", 0xffff},
    {"aten._triton_multi_head_attention", 0xffff},
    {"aten._triton_scaled_dot_attention", 0xffff},
    {"aten._weight_int4pack_mm", 0xffff},
    {"aten._weight_int4pack_mm_for_cpu", 0xffff},
    {"aten._weight_int4pack_mm_with_scales_and_zeros", 0xffff},
    {"aten._weight_int8pack_mm", 0xffff},
    {"aten.as_strided", 1},
    {"aten.as_strided_", 1},
    {"aten.as_strided_copy", 1},
    {"aten.as_strided_scatter", 1},
    {"aten.is_set_to", 0xffff},
    {"aten.resize", 1},
    {"aten.resize_", 1},
    {"aten.resize_as", 0xffff},
    {"aten.resize_as_", 0xffff},
    {"aten.resize_as_sparse", 0xffff},
    {"aten.resize_as_sparse_", 0xffff},
    {"aten.scaled_dot_product_attention", 0xffff},
    {"aten.set", 0xffff},
    {"aten.set_", 0xffff},
    {"aten.set_data", 0xffff},
    {"aten.sparse_resize", 1},
    {"aten.sparse_resize_", 1},
    {"aten.sparse_resize_and_clear", 1},
    {"aten.sparse_resize_and_clear_", 1},
    {"aten.storage_offset", 1},
    {"aten.sym_storage_offset", 1},
    {"aten.view.dtype", 1},
    {"aten.view_as_complex", 1},
    {"aten.view_as_complex_copy", 1},
    {"aten.view_copy.dtype", 1},
    {"aten.view_copy.dtype_out", 1},
    {"higher_order.flex_attention", 0xffff},
    {"higher_order.flex_attention_backward", 0xffff},
    {"inductor._alloc_from_pool", 1},
    {"inductor._reinterpret_tensor", 1},
    {"inductor.resize_storage_bytes_", 1},
    {"mkldnn.data_ptr", 1},
    {"prims.as_strided", 1},
    {"prims.as_strided_scatter", 1},
    {"prims.resize", 1},
    {"prims.view_of_dtype", 1},
};

} // namespace

void applyPlaces(const OpDraft &draft) {
  const PlaceEntry *entry = findEntry(llvm::ArrayRef(entries), draft);
  unsigned params = entry ? entry->params : 0;
  for (size_t i = 0; i < draft.op.params.size(); ++i) {
    OpParam &param = draft.op.params[i];
    bool named = i < 16 && (params >> i & 1) != 0;
    if (holdsTensor(param.type) && (named || (param.keywordOnly && param.writes)))
      param.access = param.access | Access::Place;
  }
}

} // namespace ccgraph
