// The families of shape rules beside collectives: what shape_table.cpp gives to which operator.
//
// Every rule holds to shape_rule.h: the type that PyTorch infers, or null. Ownership, failure and
// cost are stated there.
#pragma once

#include "ops/shapes/shape_rule.h"

namespace ccgraph {

// Views: sizes and strides of the operand, rearranged.
[[nodiscard]] TypeResult sameShape(const Node &node); ///< alias, detach, conj: the operand's own type
[[nodiscard]] TypeResult
viewShape(const Node &node); ///< view, _unsafe_view, reshape: a view where strides allow, else contiguous
[[nodiscard]] TypeResult flattenShape(const Node &node);
[[nodiscard]] TypeResult transposeShape(const Node &node); ///< transpose.int, and t, whose dimensions are 0 and 1
[[nodiscard]] TypeResult permuteShape(const Node &node);
[[nodiscard]] TypeResult expandShape(const Node &node);
[[nodiscard]] TypeResult unsqueezeShape(const Node &node);
[[nodiscard]] TypeResult squeezeShape(const Node &node);
[[nodiscard]] TypeResult selectShape(const Node &node);
[[nodiscard]] TypeResult sliceShape(const Node &node);
[[nodiscard]] TypeResult splitShape(const Node &node); ///< split.Tensor and split_with_sizes
[[nodiscard]] TypeResult unbindShape(const Node &node);
[[nodiscard]] TypeResult asStridedShape(const Node &node);
[[nodiscard]] TypeResult viewDTypeShape(const Node &node);
[[nodiscard]] TypeResult viewAsComplexShape(const Node &node);
[[nodiscard]] TypeResult viewAsRealShape(const Node &node);

// Copies and new tensors.
[[nodiscard]] TypeResult
copyShape(const Node &node); ///< clone, _to_copy, convert_element_type: dtype, device and memory format as asked
[[nodiscard]] TypeResult createShape(const Node &node); ///< empty, zeros, ones, full
[[nodiscard]] TypeResult
newShape(const Node &node); ///< new_empty, new_zeros, ...: like the operand where nothing is said
[[nodiscard]] TypeResult likeShape(const Node &node); ///< empty_like, zeros_like, ...
[[nodiscard]] TypeResult catShape(const Node &node);
[[nodiscard]] TypeResult writtenShape(const Node &node); ///< in-place and out= forms: the type of what is written

// Arithmetic.
[[nodiscard]] TypeResult arithmeticShape(const Node &node); ///< broadcast and promoted
[[nodiscard]] TypeResult absShape(const Node &node);        ///< of complex numbers: their parts' dtype
[[nodiscard]] TypeResult floatShape(const Node &node);      ///< the same where integers would become floats
[[nodiscard]] TypeResult foreachShape(const Node &node);    ///< of a list of floats, each by itself or with one number
[[nodiscard]] TypeResult compareShape(const Node &node);    ///< the same, yielding bool
[[nodiscard]] TypeResult matmulShape(const Node &node); ///< mm, bmm, and addmm, baddbmm, whose first operand is added

} // namespace ccgraph
