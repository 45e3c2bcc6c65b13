// Layouts with symbolic sizes: the functions of strides.h for sizes that may be expressions.
//
// Each symbol is replaced by a different number above a thousand, and these numbers determine the order of the
// dimensions in memory. Strides are then computed as products of the sizes. Two sizes that are equal only for some
// values of the symbols count as different.
//
// Ownership: plain values. Failure: an empty result, or null, where sizes do not fit or an expression cannot be
// evaluated. Cost: linear in the ranks, with an evaluation for each expression.
#pragma once

#include "infer/rule.h"

namespace ccgraph::infer {

/// Numbers in place of expressions; empty where one cannot be evaluated.
[[nodiscard]] std::optional<IntList> numbersFor(DimListRef dims);

/// A tensor without gaps whose dimensions have the order in memory of `strides`, which are for numbersFor(sizes).
[[nodiscard]] TypePtr laidOut(Context &context, const Type &like, DimListRef sizes, IntListRef strides);

/// The same for strides of another tensor: dimensions lie within one another in their order, also those of one element.
[[nodiscard]] TypePtr orderedLike(Context &context, const Type &like, DimListRef sizes, IntListRef strides);

/// The sizes that all have once stretched.
[[nodiscard]] std::optional<DimList> broadcast(llvm::ArrayRef<TypePtr> tensors);

/// Row-major with the very strides that an allocation gives: dimensions of one element included.
[[nodiscard]] bool isCanonical(const Type &type);

/// The result of an elementwise operator on these tensors. It is certain where all are canonical and on one device, and
/// refused where their sizes do not fit.
[[nodiscard]] TypePtr elementwise(Call &call, DType dtype, llvm::ArrayRef<TypePtr> tensors);

/// A copy that keeps the order of the dimensions: torch.preserve_format. It is certain of a dense tensor.
[[nodiscard]] TypePtr preserved(Call &call, DType dtype, const Type &from, const Device &device);

/// A new tensor in a memory format other than preserve_format; null for channels last of symbolic sizes.
[[nodiscard]] TypePtr formatted(const Call &call, const Type &like, DimListRef sizes, llvm::StringRef format);

/// The sizes without those of `dims`, or with 1 in their place.
[[nodiscard]] DimList reduced(DimListRef sizes, llvm::ArrayRef<unsigned> dims, bool keep);

} // namespace ccgraph::infer
