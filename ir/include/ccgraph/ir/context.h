// Context: what graphs share, each thing stored once.
//
// Names, symbolic expressions and types are uniqued here, so that equality is pointer equality
// across every graph of one context, and a million nodes that share a type pay for it once. A
// Context also owns the operator table, because an operator that a user declares (`--ops`) must
// mean the same in every graph.
//
// Ownership: everything returned lives as long as the Context, which must outlive its graphs;
// nothing is given back earlier, so a Context is for one job, not for a server's life. Not
// thread-safe: one Context a thread.
// Failure: none; sizes and strides of unequal number are a bug of the caller and assert. Whether a
// text is a sensible name or expression is not asked here.
// Cost: one hash look-up a call, linear in the text or type given.
#pragma once

#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <memory>

namespace ccgraph {

class Dim;
class OpTable;
class SymExpr;
class Type;

/// An interned string: eight bytes, compared by address. A default one is null and prints as "".
class Identifier {
public:
  Identifier() = default;
  explicit Identifier(const llvm::StringMapEntry<char> *entry) : entry_(entry) {}

  /// Valid as long as the Context.
  [[nodiscard]] llvm::StringRef str() const { return entry_ ? entry_->getKey() : llvm::StringRef(); }
  /// The address that stands for the text: equal for equal texts. Never order output by it.
  [[nodiscard]] const void *key() const { return entry_; }
  /// False only for the null identifier; the empty text has an identifier of its own.
  explicit operator bool() const { return entry_ != nullptr; }
  friend bool operator==(Identifier a, Identifier b) { return a.entry_ == b.entry_; }

private:
  const llvm::StringMapEntry<char> *entry_ = nullptr;
};

/// Where a tensor lives: "cpu", "cuda:0"; index -1 stands for a device printed without one.
struct Device {
  Identifier kind;
  int index = -1;
  friend bool operator==(const Device &, const Device &) = default;
};

class Context {
public:
  /// Empty, but for what is interned on demand. Cheap: the operator table is made on first use.
  Context();
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// The one Identifier of this text; the text is copied on its first appearance.
  [[nodiscard]] Identifier identifier(llvm::StringRef text);
  /// The expression with this text; texts that differ in a blank are different expressions.
  [[nodiscard]] const SymExpr *symbolic(llvm::StringRef text);

  /// A strided tensor; `strides` may be shorter than `sizes` only by being empty with `stridesKnown` false.
  struct TensorShape {
    llvm::ArrayRef<Dim> sizes;
    llvm::ArrayRef<Dim> strides;
    bool stridesKnown = true;
  };
  /// Asserts that there is a stride for each size where strides are known.
  [[nodiscard]] const Type *tensor(DType dtype, const TensorShape &shape, Device device);
  /// A contiguous (row-major) tensor; strides of symbolic sizes become products.
  [[nodiscard]] const Type *contiguousTensor(DType dtype, llvm::ArrayRef<Dim> sizes, Device device);
  /// Several results; elements may be null where unknown.
  [[nodiscard]] const Type *list(llvm::ArrayRef<const Type *> elements);
  /// A Python number computed at run time: print_readable's Sym(...).
  [[nodiscard]] const Type *symbolicScalar(const SymExpr *value);
  /// The result of a call that yields nothing.
  [[nodiscard]] const Type *noneType();

  /// The operators, made empty on first use; each is parsed when it is first looked up (op_def.h).
  [[nodiscard]] OpTable &ops();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace ccgraph

template <>
struct llvm::DenseMapInfo<ccgraph::Identifier> {
  using Entry = const llvm::StringMapEntry<char> *;
  static ccgraph::Identifier getEmptyKey() { return ccgraph::Identifier(DenseMapInfo<Entry>::getEmptyKey()); }
  static ccgraph::Identifier getTombstoneKey() { return ccgraph::Identifier(DenseMapInfo<Entry>::getTombstoneKey()); }
  static unsigned getHashValue(ccgraph::Identifier id) { return DenseMapInfo<const void *>::getHashValue(id.key()); }
  static bool isEqual(ccgraph::Identifier a, ccgraph::Identifier b) { return a == b; }
};
