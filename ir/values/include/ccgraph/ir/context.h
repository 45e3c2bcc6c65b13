// Context: owns what graphs share, each item stored once.
//
// Names, symbolic expressions, types and argument trees are uniqued here. So equality is pointer equality across all
// graphs of one context, and a type or a tree that a million nodes share is stored once. A Context also owns the
// operator table, because an operator that a user declares (`--ops`) must have the same meaning in every graph.
//
// Ownership: every returned object lives as long as the Context, which must outlive its graphs. Nothing is freed
// earlier, so a Context is for one job, not for the life of a server. One thread at a time, except while an object of
// Context::Sharing exists. What was returned never changes, so reading it needs no lock.
// Failure: none; sizes and strides of unequal number are a bug of the caller and assert. Texts are not checked for
// being sensible names or expressions.
// Cost: one hash look-up a call, linear in the text or type given.
#pragma once

#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <mutex>

namespace ccgraph {

struct Arguments;
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
  /// Returns the address that identifies the text: equal for equal texts. Never order output by it.
  [[nodiscard]] const void *key() const { return entry_; }
  /// Returns false only for the null identifier; the empty text has an identifier of its own.
  explicit operator bool() const { return entry_ != nullptr; }
  friend bool operator==(Identifier a, Identifier b) { return a.entry_ == b.entry_; }

private:
  const llvm::StringMapEntry<char> *entry_ = nullptr;
};

/// The location of a tensor: "cpu", "cuda:0"; index -1 means a device that is printed without index.
struct Device {
  Identifier kind;
  int index = -1;
  friend bool operator==(const Device &, const Device &) = default;
};

class Context {
public:
  /// Creates an empty context. This is cheap: the operator table is created on first use.
  Context();
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// Returns the only Identifier of this text; the text is copied on its first appearance.
  [[nodiscard]] Identifier identifier(llvm::StringRef text);
  /// Returns the expression with this text; texts that differ in a blank are different expressions.
  [[nodiscard]] const SymExpr *symbolic(llvm::StringRef text);

  /// A strided tensor; `strides` may be shorter than `sizes` only by being empty with `stridesKnown` false.
  struct TensorShape {
    llvm::ArrayRef<Dim> sizes;
    llvm::ArrayRef<Dim> strides;
    bool stridesKnown = true;
  };
  /// Requires a stride for each size if strides are known (asserted).
  [[nodiscard]] const Type *tensor(DType dtype, const TensorShape &shape, Device device);
  /// Returns a contiguous (row-major) tensor; strides of symbolic sizes become products.
  [[nodiscard]] const Type *contiguousTensor(DType dtype, llvm::ArrayRef<Dim> sizes, Device device);
  /// Several results; elements may be null where unknown.
  [[nodiscard]] const Type *list(llvm::ArrayRef<const Type *> elements);
  /// Returns the type of a Python number computed at run time: print_readable's Sym(...).
  [[nodiscard]] const Type *symbolicScalar(const SymExpr *value);
  /// Returns the type of a call without result.
  [[nodiscard]] const Type *noneType();

  /// Returns the only copy of these arguments: equal ones, also of other nodes and graphs, have one address. Elements
  /// and entries of nested trees must have been returned by this function.
  [[nodiscard]] const Arguments *arguments(const Arguments &given);

  /// Returns the operators. The table is created empty on first use; each operator is parsed at its first look-up
  /// (op_def.h).
  [[nodiscard]] OpTable &ops();

  /// While it exists, several threads may use the context and look up operators, each for graphs of its own. The
  /// constructor and the destructor are called while only one thread uses the context; objects may be nested.
  class Sharing {
  public:
    explicit Sharing(Context &context);
    ~Sharing();
    Sharing(const Sharing &) = delete;
    Sharing &operator=(const Sharing &) = delete;

  private:
    Context &context_;
  };

private:
  friend class OpTable;
  using Lock = std::unique_lock<std::recursive_mutex>;
  /// Returns a lock of all tables while the context is shared, else one that locks nothing.
  [[nodiscard]] Lock lock() const;

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
