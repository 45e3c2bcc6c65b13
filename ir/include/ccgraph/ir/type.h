// Type: what one node yields. Immutable, uniqued by its Context: equal types are the same pointer.
//
// A tensor type is dtype, sizes, strides (in elements) and device, spelled as print_readable spells
// it:
//   bf16[8, 4096][4096, 1]cuda:0
//   f32[][]cpu                    a 0-d tensor
//   f32[u0 + u1, 4][4, 1]cpu      sizes known at run time
//   f32[2, 3]                     strides and device not printed
// Several results are a list of types; Sym(u0) is a number known only at run time. A null `const
// Type *` means "unknown".
//
// Ownership: the Context's. Failure: parseType alone; an accessor of another kind than kind() does
// not assert but gives a neutral answer (no sizes, no elements, null), so look at the kind first.
// Cost: accessors are O(1), numElements and isContiguous linear in the dimensions; str() and
// parseType are linear in the text.
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
  /// In elements; empty if not known.
  [[nodiscard]] llvm::ArrayRef<Dim> strides() const {
    return isTensor() && stridesKnown_ ? llvm::ArrayRef<Dim>(dims_ + rank_, rank_) : llvm::ArrayRef<Dim>();
  }
  [[nodiscard]] const Device &device() const { return device_; }

  // List only. An element is null where unknown.
  [[nodiscard]] llvm::ArrayRef<const Type *> elements() const { return {elements_, isList() ? rank_ : 0U}; }
  // Symbolic only.
  [[nodiscard]] const SymExpr *symbol() const { return symbol_; }

  /// Product of the sizes; empty for a non-tensor, a symbolic size, or on overflow.
  [[nodiscard]] std::optional<int64_t> numElements() const;
  /// numElements() * bytes an element: what a contiguous copy occupies.
  [[nodiscard]] std::optional<int64_t> numBytes() const;
  /// True if known to be row-major without gaps (sizes of 0 and 1 put no demand on their stride).
  [[nodiscard]] bool isContiguous() const;
  /// The spelling above; a list is "(t1, t2)", an unknown element "-".
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

/// "-" for null, else type->str().
[[nodiscard]] std::string typeText(const Type *type);

/// Reads one type as print_readable spells it (no lists: files hold those as lists). The error is a
/// plain one of one line, `type 'TEXT', column N: expected ...` (from 1, in bytes); readers give it
/// its place in the file.
[[nodiscard]] llvm::Expected<const Type *> parseType(Context &context, llvm::StringRef text);

} // namespace ccgraph
