// Node: one step of a program, and its edges.
//
// Data edges come from the argument tree. Ordering edges are separate: the node must follow another node without
// reading it. Both are `Use`s, so that the users of a definition can be visited whatever the kind of edge. All edits go
// through Graph, which keeps use-lists and order consistent.
//
// Invariants: uses of one definition are listed in order of creation. An erased node keeps its name, type and arguments
// but has no operands, no users, and no place in the order (so that "before" can still be described after an edit).
//
// Ownership: a node belongs to its Graph and lives as long; a pointer to one never dangles before the graph. Failure:
// none; an index out of range, or the order of nodes of two graphs, is a bug of the caller and asserts. Cost: all
// accessors O(1), except kwarg (linear in the keywords) and hasDataUses (linear in the ordering uses).
#pragma once

#include "ccgraph/ir/argument.h"
#include "ccgraph/ir/type.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/iterator_range.h"

#include <cstdint>
#include <iterator>

namespace ccgraph {

class Graph;
class Node;
struct OpDef;

enum class Opcode : uint8_t { Placeholder, GetAttr, CallFunction, Output };
/// "placeholder", "get_attr", "call_function", "output".
[[nodiscard]] llvm::StringRef opcodeName(Opcode opcode);

/// One edge, from the node that is read (or preceded) to the node that reads (or follows).
class Use {
public:
  /// Returns the node that is read, or that comes first.
  [[nodiscard]] Node *def() const { return def_; }
  /// Returns the node that reads, or that comes later.
  [[nodiscard]] Node *user() const { return user_; }
  /// Returns true if the user must follow the definition without reading it.
  [[nodiscard]] bool isOrdering() const;
  /// Returns the next use of the same definition, in order of creation; null at the end.
  [[nodiscard]] const Use *next() const { return next_; }

private:
  friend class Graph;
  friend class Node;
  Node *def_ = nullptr;
  Node *user_ = nullptr;
  Use *next_ = nullptr;
  /// for the first use of a definition: the last one
  Use *prev_ = nullptr;
};

/// Forward iteration over a definition's uses.
class UseIterator {
public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = const Use;
  using difference_type = std::ptrdiff_t;
  using pointer = const Use *;
  using reference = const Use &;
  explicit UseIterator(const Use *use = nullptr) : use_(use) {}
  reference operator*() const { return *use_; }
  pointer operator->() const { return use_; }
  UseIterator &operator++() { return use_ = use_->next(), *this; }
  UseIterator operator++(int) {
    auto old = *this;
    return ++*this, old;
  }
  friend bool operator==(UseIterator a, UseIterator b) { return a.use_ == b.use_; }

private:
  const Use *use_;
};

/// The nodes at the other end of some edges of one node, in their order.
class DefRange {
public:
  struct ToDef {
    Node *operator()(const Use &use) const { return use.def(); }
  };
  using Iterator = llvm::mapped_iterator<const Use *, ToDef>;
  explicit DefRange(llvm::ArrayRef<Use> uses) : uses_(uses) {}
  [[nodiscard]] Iterator begin() const { return {uses_.begin(), ToDef()}; }
  [[nodiscard]] Iterator end() const { return {uses_.end(), ToDef()}; }
  [[nodiscard]] size_t size() const { return uses_.size(); }
  [[nodiscard]] bool empty() const { return uses_.empty(); }

private:
  llvm::ArrayRef<Use> uses_;
};

/// Information besides the stack frame that a pass must preserve. Immutable, shared between nodes.
struct Provenance {
  /// names of the input's nodes from which this one was created, in their order
  llvm::ArrayRef<Identifier> origins;
  /// foreign keys that a file held, value = its text (kind Python)
  llvm::ArrayRef<NamedArgument> attributes;
  /// measured picoseconds; negative if unknown
  int64_t durationPs = -1;
};

/// Created only by Graph::create. All changes go through Graph's setters.
class Node {
public:
  Node(const Node &) = delete;
  Node &operator=(const Node &) = delete;

  /// Dense from 0 in order of creation within the graph, never reused: index side tables with it.
  [[nodiscard]] uint32_t id() const { return id_; }
  /// Returns one of four opcodes, which is fixed at creation.
  [[nodiscard]] Opcode opcode() const { return opcode_; }
  /// Unique among the live nodes of its graph.
  [[nodiscard]] Identifier name() const { return name_; }
  /// "aten.mm.default"; a placeholder's or get_attr's own target; "output".
  [[nodiscard]] Identifier target() const { return target_; }
  /// Returns the operator of a call_function; null for the other opcodes.
  [[nodiscard]] const OpDef *op() const { return op_; }
  /// Returns the type of the result; null if unknown.
  [[nodiscard]] const Type *type() const { return type_; }
  /// Returns the owner.
  [[nodiscard]] Graph *graph() const { return graph_; }
  /// Returns true after Graph::erase has removed it from the order.
  [[nodiscard]] bool isErased() const { return erased_; }

  /// Returns the argument trees; positions are the schema's.
  [[nodiscard]] const Arguments &arguments() const { return *arguments_; }
  /// Returns the positional arguments of the call; see argumentAt (op_def.h) for the argument at a schema position.
  [[nodiscard]] llvm::ArrayRef<Argument> args() const { return arguments_->positional; }
  /// Returns the keyword arguments in the order of the text.
  [[nodiscard]] llvm::ArrayRef<NamedArgument> kwargs() const { return arguments_->keyword; }
  /// Returns an argument by keyword; null if absent.
  [[nodiscard]] const Argument *kwarg(llvm::StringRef name) const;

  /// Data operands first (Argument::operandIndex counts these), then ordering edges.
  [[nodiscard]] llvm::ArrayRef<Use> operandUses() const { return {operands_, numOperands_ + numOrdering_}; }
  /// Returns the number of data operands; a node that is mentioned twice counts twice.
  [[nodiscard]] unsigned numOperands() const { return numOperands_; }
  [[nodiscard]] Node *operand(unsigned index) const {
    assert(index < numOperands_ && "a data operand");
    return operands_[index].def_;
  }
  /// Returns the number of ordering edges; each predecessor occurs once.
  [[nodiscard]] unsigned numOrdering() const { return numOrdering_; }
  [[nodiscard]] Node *ordering(unsigned index) const {
    assert(index < numOrdering_ && "an ordering edge");
    return operands_[numOperands_ + index].def_;
  }
  /// Return the same as ranges of nodes.
  [[nodiscard]] DefRange dataOperands() const { return DefRange(operandUses().take_front(numOperands_)); }
  [[nodiscard]] DefRange orderedAfter() const { return DefRange(operandUses().drop_front(numOperands_)); }
  /// Returns the node of an argument leaf.
  [[nodiscard]] Node *operand(const Argument &leaf) const { return operand(leaf.operandIndex()); }

  /// Returns the uses of this node, data and ordering edges, oldest first. A user that reads it twice appears twice.
  [[nodiscard]] llvm::iterator_range<UseIterator> uses() const { return {UseIterator(firstUse_), UseIterator()}; }
  /// Returns true if any edge, of data or ordering, leaves here: such a node cannot be erased.
  [[nodiscard]] bool hasUses() const { return firstUse_ != nullptr; }
  /// Returns true if some node reads this one (ordering edges do not count).
  [[nodiscard]] bool hasDataUses() const;

  // --- Program order ----------------------------------------------------------------------------------------------
  /// Return the neighbours in program order; null at the ends and for an erased node.
  [[nodiscard]] Node *next() const { return next_; }
  [[nodiscard]] Node *prev() const { return prev_; }
  /// Compares positions in O(1); valid after insertions and moves. Both nodes must be in the order of one graph.
  [[nodiscard]] bool isBefore(const Node *other) const { return label_ < other->label_; }

  /// Index into Graph::frames(), 0 for none.
  [[nodiscard]] uint32_t frame() const { return frame_; }
  /// Never null.
  [[nodiscard]] const Provenance &provenance() const { return *provenance_; }

private:
  friend class Graph;
  friend class OrderList;
  Node() = default;

  Graph *graph_ = nullptr;
  Identifier name_;
  Identifier target_;
  const OpDef *op_ = nullptr;
  const Type *type_ = nullptr;
  const Arguments *arguments_ = nullptr;
  const Provenance *provenance_ = nullptr;
  Use *operands_ = nullptr;
  Use *firstUse_ = nullptr;
  Node *next_ = nullptr;
  Node *prev_ = nullptr;
  uint64_t label_ = 0;
  uint32_t numOperands_ = 0;
  uint32_t numOrdering_ : 29 = 0;
  uint32_t erased_ : 1 = false;
  Opcode opcode_ : 2 = Opcode::CallFunction;
  uint32_t id_ = 0;
  uint32_t frame_ = 0;
};

// The ordering edges of a node follow its data operands in one array.
inline bool Use::isOrdering() const { return this >= user_->operandUses().data() + user_->numOperands(); }

} // namespace ccgraph
