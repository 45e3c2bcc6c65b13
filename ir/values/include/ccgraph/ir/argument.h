// Argument: one literal or node reference in the argument list of a node, possibly nested.
//
// An argument tree does not store the nodes that it mentions. A leaf of kind Operand is an index into the node's
// operand list, in the order of first mention (positional arguments, then keyword arguments; a node mentioned twice is
// two operands). So the tree is immutable and shareable, and replacing a use is O(1) at any nesting depth.
//
// Ownership: an Argument is a 16-byte view; elements, entries, texts and symbols live in the Context of its Graph (see
// ArgumentBuilder in graph.h). Copying an Argument copies no tree.
// Failure: none; reading another kind than the one held is a bug of the caller. The verifier checks whether a call has
// the arguments that its schema requires (structure.arguments).
// Cost: every reader and sameWords O(1); sameArgument linear in the tree.
#pragma once

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/symbol.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"

#include <cassert>
#include <cstdint>

namespace ccgraph {

struct NamedArgument;

class Argument {
public:
  enum class Kind : uint8_t {
    None,
    Bool,
    Int,
    Float,
    String,
    /// a symbolic number written in the text, not a node
    Symbolic,
    DType,
    Device,
    /// "strided", "sparse_coo", ...
    Layout,
    /// "contiguous_format", "preserve_format", "channels_last", ...
    MemoryFormat,
    Operand,
    List,
    Tuple,
    /// string keys
    Dict,
    /// three elements: start, stop, step, as in x[1:2]
    Slice,
    /// any other Python expression without nodes in it, kept as its text
    Python,
  };

  // --- Makers ----------------------------------------------------------------------------------
  // Literals own nothing; trees must be built by ArgumentBuilder, which stores them in the Context.

  /// None.
  Argument() = default;
  static Argument none() { return {}; }
  /// Python's True and False; a bool is not an Int here.
  static Argument boolean(bool value) { return Argument(Kind::Bool, 0, Payload{.integer = value}); }
  static Argument integer(int64_t value) { return Argument(Kind::Int, 0, Payload{.integer = value}); }
  /// Any double, NaN and infinities included; stored bitwise.
  static Argument floating(double value) { return Argument(Kind::Float, 0, Payload{.real = value}); }
  /// Text in quotes: a reduce op, a group name.
  static Argument string(Identifier text) { return Argument(Kind::String, 0, Payload{.text = text}); }
  /// Makes a size that is written in the text: 2*s0, u0 + 1. The Context owns the expression.
  static Argument symbolic(const SymExpr *value) { return Argument(Kind::Symbolic, 0, Payload{.symbol = value}); }
  static Argument dtype(DType value) {
    return Argument(Kind::DType, 0, Payload{.integer = static_cast<int64_t>(value)});
  }
  /// Kind and index share the argument's two words.
  static Argument device(const Device &d) {
    return Argument(Kind::Device, static_cast<uint32_t>(d.index), Payload{.text = d.kind});
  }
  /// Layout, MemoryFormat or Python.
  static Argument word(Kind kind, Identifier text) { return Argument(kind, 0, Payload{.text = text}); }
  /// Refers to the node's operand of this index; ArgumentBuilder::operand returns indices in order of mention.
  static Argument operand(uint32_t index) { return Argument(Kind::Operand, index, Payload{.integer = 0}); }
  /// List, Tuple or Slice; the elements must outlive the argument (Context::arguments stores them).
  static Argument sequence(Kind kind, llvm::ArrayRef<Argument> elements) {
    return Argument(kind, static_cast<uint32_t>(elements.size()), Payload{.elements = elements.data()});
  }
  /// Entries keep their order, which is the order of the text.
  static Argument dict(llvm::ArrayRef<NamedArgument> entries);

  // --- Readers ---------------------------------------------------------------------------------
  // A reader for another kind than kind() is a bug of the caller and asserts.

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is(Kind kind) const { return kind_ == kind; }
  /// Returns true for the kinds whose children are elements(); a Dict has entries() instead.
  [[nodiscard]] bool isSequence() const { return kind_ == Kind::List || kind_ == Kind::Tuple || kind_ == Kind::Slice; }
  [[nodiscard]] bool boolean() const { return check(Kind::Bool), payload_.integer != 0; }
  [[nodiscard]] int64_t integer() const { return check(Kind::Int), payload_.integer; }
  [[nodiscard]] double floating() const { return check(Kind::Float), payload_.real; }
  /// Returns the text of a String, Layout, MemoryFormat or Python argument, valid as long as the Context.
  [[nodiscard]] llvm::StringRef text() const {
    assert((is(Kind::String) || is(Kind::Layout) || is(Kind::MemoryFormat) || is(Kind::Python)) && "no text");
    return payload_.text.str();
  }
  [[nodiscard]] const SymExpr *symbolic() const { return check(Kind::Symbolic), payload_.symbol; }
  [[nodiscard]] DType dtype() const { return check(Kind::DType), static_cast<DType>(payload_.integer); }
  /// Returns the device; its index is -1 if none was given.
  [[nodiscard]] Device device() const { return check(Kind::Device), Device{payload_.text, static_cast<int>(size_)}; }
  /// Returns the index for Node::operand.
  [[nodiscard]] uint32_t operandIndex() const { return check(Kind::Operand), size_; }
  /// Returns the elements of a List, Tuple or Slice; empty for any other kind, so that loops need no test.
  [[nodiscard]] llvm::ArrayRef<Argument> elements() const {
    return isSequence() ? llvm::ArrayRef<Argument>(payload_.elements, size_) : llvm::ArrayRef<Argument>();
  }
  /// Returns the entries of a Dict; empty for any other kind.
  [[nodiscard]] llvm::ArrayRef<NamedArgument> entries() const;

  /// Returns true if both arguments are the same literal (bitwise) or operand index, or refer to the same elements or
  /// entries, compared by address.
  friend bool sameWords(const Argument &a, const Argument &b) {
    return a.kind_ == b.kind_ && a.size_ == b.size_ && a.payloadBits() == b.payloadBits();
  }
  /// Returns a hash that is equal for arguments with sameWords.
  [[nodiscard]] uint64_t hashOfWords() const {
    constexpr uint64_t factor = 0x9E3779B97F4A7C15; // 2^64 divided by the golden ratio
    return (((uint64_t{size_} << 8 | static_cast<uint64_t>(kind_)) * factor) ^ payloadBits()) * factor;
  }

private:
  union Payload {
    int64_t integer;
    double real;
    Identifier text;
    const SymExpr *symbol;
    const Argument *elements;
    const NamedArgument *entries;
  };
  Argument(Kind kind, uint32_t size, Payload payload) : kind_(kind), size_(size), payload_(payload) {}
  [[nodiscard]] uint64_t payloadBits() const { return llvm::bit_cast<uint64_t>(payload_); }
  void check([[maybe_unused]] Kind kind) const { assert(kind_ == kind && "argument of another kind"); }

  Kind kind_ = Kind::None;
  uint32_t size_ = 0;
  Payload payload_ = {.integer = 0};
};

/// A keyword argument or dictionary entry.
struct NamedArgument {
  Identifier name;
  Argument value;
};

inline Argument Argument::dict(llvm::ArrayRef<NamedArgument> entries) {
  return Argument(Kind::Dict, static_cast<uint32_t>(entries.size()), Payload{.entries = entries.data()});
}
inline llvm::ArrayRef<NamedArgument> Argument::entries() const {
  return kind_ == Kind::Dict ? llvm::ArrayRef<NamedArgument>(payload_.entries, size_) : llvm::ArrayRef<NamedArgument>();
}

/// The arguments of a call, or the elements of a sequence or dictionary; immutable. The trees that Context::arguments
/// stores are equal only if their addresses are.
struct Arguments {
  llvm::ArrayRef<Argument> positional;
  llvm::ArrayRef<NamedArgument> keyword;
};

/// Returns true for equal trees: kinds, literals (floats bitwise, so a NaN equals itself and 0.0 is not -0.0) and
/// operand indices. It does not compare the nodes behind the indices.
[[nodiscard]] bool sameArgument(const Argument &a, const Argument &b);

} // namespace ccgraph
