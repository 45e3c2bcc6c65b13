// Type: the type of one node's result. Immutable, uniqued by its Context: equal types are the same pointer.
//
// A tensor type is dtype, sizes, strides (in elements) and device, in the form of print_readable:
//   bf16[8, 4096][4096, 1]cuda:0
//   f32[][]cpu                    a 0-d tensor
//   f32[u0 + u1, 4][4, 1]cpu      sizes known at run time
//   f32[2, 3]                     strides and device not printed
// Several results are a list of types; Sym(u0) is a number known only at run time. A null `const Type *` means
// "unknown".
//
// Ownership: the Context owns types. Failure: parseType alone. An accessor of another kind than kind() does not assert
// but returns a neutral value (no sizes, no elements, null), so check the kind first.
// Cost: accessors are O(1), numElements and isContiguous linear in the dimensions; str() and parseType are linear in
// the text.
#pragma once

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/symbol.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace ccgraph {

class Type {
public:
  enum class Kind : uint8_t { Tensor, List, Symbolic, None };

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool isTensor() const { return kind_ == Kind::Tensor; }
  [[nodiscard]] bool isList() const { return kind_ == Kind::List; }

  // Tensor only.
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] llvm::ArrayRef<Dim> sizes() const { return {dims_, isTensor() ? rank_ : 0U}; }
  [[nodiscard]] bool stridesKnown() const { return stridesKnown_; }
  /// Returns the strides in elements; empty if unknown.
  [[nodiscard]] llvm::ArrayRef<Dim> strides() const {
    return isTensor() && stridesKnown_ ? llvm::ArrayRef<Dim>(dims_ + rank_, rank_) : llvm::ArrayRef<Dim>();
  }
  [[nodiscard]] const Device &device() const { return device_; }

  // List only. An element is null if unknown.
  [[nodiscard]] llvm::ArrayRef<const Type *> elements() const { return {elements_, isList() ? rank_ : 0U}; }
  // Symbolic only.
  [[nodiscard]] const SymExpr *symbol() const { return symbol_; }

  /// Returns the product of the sizes; empty for a non-tensor, a symbolic size, or on overflow.
  [[nodiscard]] std::optional<int64_t> numElements() const;
  /// Returns numElements() * bytes an element: the size of a contiguous copy.
  [[nodiscard]] std::optional<int64_t> numBytes() const;
  /// Returns true if known to be row-major without gaps (sizes of 0 and 1 may have any stride).
  [[nodiscard]] bool isContiguous() const;
  /// Returns the form above; a list is "(t1, t2)", an unknown element "-".
  [[nodiscard]] std::string str() const;

private:
  friend class Context;
  Type() = default;
  Kind kind_ = Kind::None;
  DType dtype_ = DType::F32;
  bool stridesKnown_ = false;
  unsigned rank_ = 0;
  Device device_;
  const Dim *dims_ = nullptr;
  const Type *const *elements_ = nullptr;
  const SymExpr *symbol_ = nullptr;
};

/// Returns "-" for null, else type->str().
[[nodiscard]] std::string typeText(const Type *type);

/// Reads one type in the form of print_readable (no lists: files store those as lists). The error is a plain one of one
/// line, `type 'TEXT', column N: expected ...` (from 1, in bytes); readers add its place in the file.
[[nodiscard]] llvm::Expected<const Type *> parseType(Context &context, llvm::StringRef text);

} // namespace ccgraph
