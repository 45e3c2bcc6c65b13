// Type rules: the type of a result from the types of the arguments, as PyTorch's fake tensors have it.
//
// A rule returns null if the type is unknown; it never guesses. Its answer is *certain* where it holds for every
// program. It is *assumed* where it follows from a default of PyTorch (the default dtype, a layout that a kernel
// chooses, symbolic sizes that are taken to be equal): there the rule calls assume(). Wrong arguments are refused with
// a diagnostic that states got, expected and repair. table.cpp gives rules to operators.
//
// Ownership: types are the context's, a Call lives for one node. Cost: linear in the ranks, and one look-up in the
// context a result.
#pragma once

#include "ops/arguments.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/int_list.h"

namespace ccgraph::infer {

using TypePtr = const Type *;
/// One call, with its arguments by the names of the schema.
struct Call {
  const Node &node;
  Context &context;
  uint64_t &nextSymbol;
  bool assumed = false;
  std::optional<Diagnostic> refused;

  /// Marks the answer as one that a default of PyTorch decides.
  void assume() { assumed = true; }
  /// Marks the answer so unless `certain`.
  void assumeUnless(bool certain) { assumed |= !certain; }
  /// A symbol that the graph does not use yet.
  Dim freshSymbol() { return Dim(context.symbolic("u" + std::to_string(nextSymbol++))); }
  /// States what is wrong with the arguments; the first refusal is kept.
  TypePtr refuse(const llvm::Twine &message, const llvm::Twine &repair);

  [[nodiscard]] int index(llvm::StringRef name) const { return node.op()->paramIndex(name); }
  [[nodiscard]] TypePtr tensor(llvm::StringRef name) const { return tensorAt(node, index(name)); }
  [[nodiscard]] TypePtr tensor(int parameter) const { return tensorAt(node, parameter); }
  /// Null where it is absent or None.
  [[nodiscard]] const Argument *given(llvm::StringRef name) const;
  [[nodiscard]] std::optional<int64_t> integer(llvm::StringRef name) const;
  /// A number, or the name of a size.
  [[nodiscard]] std::optional<Dim> dim(llvm::StringRef name) const;
  /// The dimension given at a parameter, counted from the front; refused if it is out of range.
  std::optional<unsigned> dimension(int parameter, size_t rank);
  /// The same of a dimension that the call names in another way.
  std::optional<unsigned> wrapped(int64_t dim, size_t rank);
  [[nodiscard]] bool flag(llvm::StringRef name) const;
  /// The requested memory format; "preserve_format" without a request.
  [[nodiscard]] llvm::StringRef memoryFormat() const;
  /// The requested `dtype`, else `otherwise`; empty if it is no literal.
  [[nodiscard]] std::optional<DType> dtypeOr(DType otherwise) const;
  /// The requested `device`; one without index, or given as a node, is the device of an earlier node.
  [[nodiscard]] Device deviceOr(Device otherwise) const;
  [[nodiscard]] bool namesDevice() const; ///< as a literal

  [[nodiscard]] TypePtr contiguous(DType dtype, DimListRef sizes, const Device &device) const {
    return context.contiguousTensor(dtype, sizes, device);
  }
  [[nodiscard]] TypePtr contiguousLike(const Type &like, DimListRef sizes) const {
    return contiguous(like.dtype(), sizes, like.device());
  }
};

} // namespace ccgraph::infer
