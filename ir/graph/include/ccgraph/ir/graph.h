// Graph: one rank's program, a list of nodes in program order with explicit data and ordering edges.
//
// SPMD: one graph serves every rank; MPMD: one graph a rank. Names are unique within a graph. The order of the list is
// the order in which the program issues its steps; passes reorder it. A graph is well formed if each definition
// precedes its uses (the verifier checks this, edits do not). Every iteration here follows program order or order of
// creation, never addresses or hashes.
//
// Ownership: a Graph owns its nodes, their provenance and its subgraphs, freed together; types, names and arguments
// belong to its Context, which must outlive it. Nodes never move and are never freed before the graph, so pointers and
// ids stay valid, also of erased nodes.
// Failure: misuse (an operand of another graph, erasing a node with users) is a bug of the caller and asserts; user
// input is checked by readers and the verifier.
// Cost: edits O(degree), isBefore O(1), find one hash look-up; a node with two operands takes about 200 bytes. Memory
// of erased nodes and of replaced lists of operands is freed only with the graph.
#pragma once

#include "ccgraph/ir/frames.h"
#include "ccgraph/ir/group_table.h"
#include "ccgraph/ir/guard.h"
#include "ccgraph/ir/index_table.h"
#include "ccgraph/ir/node.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

/// Builds argument trees in the context of a graph and collects the nodes that they mention, in order of mention.
class ArgumentBuilder {
public:
  explicit ArgumentBuilder(Graph &graph) : graph_(&graph) {}

  /// Returns a reference to `node`; each call adds one operand. Call in the order of mention.
  Argument operand(Node *node);
  /// Copies the elements into the context. `kind` is List, Tuple or Slice.
  Argument sequence(Argument::Kind kind, llvm::ArrayRef<Argument> elements);
  Argument dict(llvm::ArrayRef<NamedArgument> entries);
  /// Build lists of literals or of operands, and one text, which the Context owns.
  Argument integers(llvm::ArrayRef<int64_t> values);
  Argument nodes(llvm::ArrayRef<Node *> values);
  Argument string(llvm::StringRef text);
  /// Copies a tree of another node (of this or another graph of the same context), mapping its operands.
  Argument copy(const Argument &tree, llvm::function_ref<Node *(uint32_t operandIndex)> map);

private:
  friend class Graph;
  Graph *graph_;
  llvm::SmallVector<Node *, 8> operands_;
};

/// The properties of a new node. `name` is a preference: a suffix _1, _2, ... makes it unique.
struct NodeSpec {
  Opcode opcode = Opcode::CallFunction;
  llvm::StringRef name;
  Identifier target;
  const Type *type = nullptr;
  uint32_t frame = 0;
  const Provenance *provenance = nullptr;
};

/// The properties of a graph besides its nodes, as one value, so that a copy, a snapshot or a writer cannot omit a
/// part.
struct Surroundings {
  std::string graphName;
  GroupTable groupTable;
  /// the rank of this program; empty for one text that serves every rank
  std::optional<int64_t> rank;
  /// empty if the input does not state it
  std::optional<int64_t> worldSize;
  /// Known values of backed symbols (never of unbacked ones), in order of first appearance.
  std::vector<std::pair<Identifier, int64_t>> symbolHints;
  /// Facts that tracing turned into constants: the program is correct only where they are true (checkGuards).
  std::vector<Guard> guards;
  /// Foreign top-level keys of the file, which are written back: name, text of the value.
  std::vector<std::pair<Identifier, Identifier>> attributes;
  friend bool operator==(const Surroundings &, const Surroundings &) = default;
};

/// The ends of the program order, which the nodes link, and its length.
struct NodeChain {
  Node *first = nullptr;
  Node *last = nullptr;
  size_t size = 0;
};

/// Iterates over nodes in program order. The current node may be moved or erased only after the iterator has advanced.
class NodeIterator {
public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Node *;
  using difference_type = std::ptrdiff_t;
  using pointer = Node *const *;
  using reference = Node *;
  explicit NodeIterator(Node *node = nullptr) : node_(node) {}
  Node *operator*() const { return node_; }
  NodeIterator &operator++() { return node_ = node_->next(), *this; }
  NodeIterator operator++(int) {
    auto old = *this;
    return ++*this, old;
  }
  friend bool operator==(NodeIterator a, NodeIterator b) { return a.node_ == b.node_; }
  friend bool operator!=(NodeIterator a, NodeIterator b) { return a.node_ != b.node_; }

private:
  Node *node_;
};

/// The program and all its parts; see above for its invariants. Its surroundings are a base class, so that one writes
/// graph.rank.
class Graph : public Surroundings {
public:
  explicit Graph(Context &context, llvm::StringRef name = "graph");
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  [[nodiscard]] Context &context() const { return *context_; }
  [[nodiscard]] llvm::StringRef name() const { return graphName; }
  void setName(llvm::StringRef name) { graphName = name.str(); }

  // --- Nodes in program order ------------------------------------------------------------------------------------
  /// Number of nodes in the order.
  [[nodiscard]] size_t size() const { return order_.size; }
  [[nodiscard]] Node *front() const { return order_.first; }
  [[nodiscard]] Node *back() const { return order_.last; }
  /// Supports `for (Node *node : graph)`, for a loop that moves and erases no node.
  [[nodiscard]] NodeIterator begin() const { return NodeIterator(front()); }
  [[nodiscard]] static NodeIterator end() { return NodeIterator(); }
  /// Returns all live nodes in program order, as a copy that edits do not change. O(n).
  [[nodiscard]] std::vector<Node *> nodes() const;
  /// Returns one more than the largest id ever given, erased nodes included: the size of a side table.
  [[nodiscard]] uint32_t idLimit() const { return static_cast<uint32_t>(byId_.size()); }
  /// Returns the node with this id, possibly erased. There is no assertion: the id must be below idLimit().
  [[nodiscard]] Node *byId(uint32_t id) const { return byId_[id]; }
  /// Returns the live node with this name; null if there is none.
  [[nodiscard]] Node *find(llvm::StringRef name) const;
  [[nodiscard]] Node *find(Identifier name) const;
  /// Returns the output node; null if there is none.
  [[nodiscard]] Node *output() const;

  /// Returns a counter of edits of the nodes or their order, here or in a subgraph, except frames and provenance. A
  /// result computed at one revision is valid as long as the revision stays the same.
  [[nodiscard]] uint64_t revision() const { return revision_; }

  // --- Edits -----------------------------------------------------------------------------------------------------
  /// Creates a node before `position` (null: at the end). `keyword` trees come from the same builder as `positional`.
  Node *create(const NodeSpec &spec, ArgumentBuilder &&builder, const Arguments &arguments, Node *position = nullptr);
  /// Replaces the argument tree (and so the data operands); ordering edges stay. All edges of the node count as new:
  /// they become the last uses of their definitions.
  void setArguments(Node *node, ArgumentBuilder &&builder, const Arguments &arguments);
  /// Redirects one data operand to another node; the tree is unchanged, since it contains indices only.
  void setOperand(Node *node, unsigned index, Node *def);
  /// Replaces the target, and with it the operator.
  void setTarget(Node *node, Identifier target);
  void setType(Node *node, const Type *type);
  void setFrame(Node *node, uint32_t frame);
  void setProvenance(Node *node, const Provenance *provenance);
  /// Renames the node. Names are unique: the caller checks with find().
  void rename(Node *node, llvm::StringRef name);
  /// Adds an edge: `node` may run only after `after`. A second edge between the same two is not added. Edges of `node`
  /// count as new, as in setArguments.
  void addOrdering(Node *node, Node *after);
  /// Has no effect if there is no such edge.
  void removeOrdering(Node *node, Node *after);
  /// Every use of `from`, ordering edges included, becomes a use of `to`. Uses by `to` itself stay.
  void replaceAllUses(Node *from, Node *to);
  /// Moves a node to another position in the order; O(log n) amortised, edges stay. The caller ensures that definitions
  /// still precede their uses.
  void moveBefore(Node *node, Node *position);
  void moveAfter(Node *node, Node *position);
  /// Removes a node without users from the order; its operands lose their uses. The node object stays readable.
  void erase(Node *node);
  /// Reorders all live nodes; `order` must be a permutation of them. O(n).
  void reorder(llvm::ArrayRef<Node *> order);

  // --- Provenance ------------------------------------------------------------------------------------------------
  /// Distinct frames; index 0 is the empty one.
  [[nodiscard]] llvm::ArrayRef<Frame> frames() const { return frames_.all(); }
  /// Index of an equal frame, added if it is new; for Node::frame().
  uint32_t addFrame(const Frame &frame);
  /// Copies the value into the arena. It is not uniqued: nodes that share it are given the same pointer.
  const Provenance *makeProvenance(const Provenance &value);
  /// Returns the provenance of a node that was created from others: their origins (or their names, if they have none)
  /// in order. Durations and foreign keys are dropped, since they describe each source alone.
  const Provenance *mergeProvenance(llvm::ArrayRef<Node *> sources);

  // --- Surroundings -------------------------------------------------------------------------------------------------
  [[nodiscard]] Surroundings &surroundings() { return *this; }
  [[nodiscard]] const Surroundings &surroundings() const { return *this; }
  [[nodiscard]] GroupTable &groups() { return groupTable; }
  [[nodiscard]] const GroupTable &groups() const { return groupTable; }
  /// Returns false only if no operator of the graph or of its subgraphs may reshape a tensor (Access::Reshape); removed
  /// operators count too.
  [[nodiscard]] bool mayReshape() const;
  /// Returns the graphs of higher-order operators, named as get_attr nodes name them, in the order of the text.
  [[nodiscard]] llvm::ArrayRef<std::pair<Identifier, std::unique_ptr<Graph>>> subgraphs() const { return subgraphs_; }
  /// Adds a new, empty subgraph after the others. Asserts that the name is free.
  Graph &addSubgraph(Identifier name);
  [[nodiscard]] Graph *subgraph(Identifier name) const;
  /// Removes the subgraph from `subgraphs()`; it stays readable, like erased nodes.
  void eraseSubgraph(Identifier name);
  /// Returns the last erased subgraph of this name; null if there was none.
  [[nodiscard]] const Graph *erasedSubgraph(Identifier name) const;

  /// Returns a deep copy with the same names, order, surroundings, frames and subgraphs, in the same context. Ids are
  /// dense in the copy; erased nodes and subgraphs are left out. O(n); definitions must precede their uses.
  [[nodiscard]] std::unique_ptr<Graph> clone() const;

private:
  // Users of a graph write name() and groups(); the fields are those of the value that surroundings() returns.
  using Surroundings::graphName;
  using Surroundings::groupTable;

  friend class ArgumentBuilder;
  template <typename T>
  llvm::MutableArrayRef<T> allocate(size_t count);
  void bindOperands(Node *node, llvm::ArrayRef<Node *> data, llvm::ArrayRef<Node *> ordering);
  void appendUse(Use &use);
  void removeUse(Use &use);
  Identifier uniqueName(llvm::StringRef wish);
  void addName(const Node *node);
  void removeName(const Node *node);
  Graph &adopt(Identifier name, std::unique_ptr<Graph> subgraph);
  void noteEdit();

  Context *context_;
  /// Begins with small blocks, because many subgraphs have only a few nodes.
  llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator, 512> arena_;
  NodeChain order_;
  std::vector<Node *> byId_;
  /// the ids of the nodes in the order, by name
  IndexTable byName_;
  llvm::DenseMap<Identifier, unsigned> nextSuffix_;
  Frames frames_;
  uint64_t revision_ = 0;
  /// the graph of which this is a subgraph; null for a graph on its own
  Graph *parent_ = nullptr;
  /// some operator of it or of its subgraphs may reshape; recorded at creation, because the query is made for every
  /// node
  bool reshapes_ = false;
  std::vector<std::pair<Identifier, std::unique_ptr<Graph>>> subgraphs_;
  std::vector<std::pair<Identifier, std::unique_ptr<Graph>>> erasedSubgraphs_;
};

} // namespace ccgraph
