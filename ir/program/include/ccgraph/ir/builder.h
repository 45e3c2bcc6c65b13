// GraphBuilder: creates nodes from values in the form of a call, and infers their types.
//
//   Context context;
//   Graph graph(context);
//   GraphBuilder b(graph);
//   Node *x = b.input("x", b.tensor(DType::F32, {4, 4}));
//   Node *ar = b.call("_c10d_functional.all_reduce.default", {x, "sum", "tp"});
//   Node *w = b.call("_c10d_functional.wait_tensor.default", {ar});
//   b.output({w});
//   if (std::optional<Diagnostic> wrong = b.firstError()) ...
//
// It is for graphs that are constructed rather than read, and for passes. A pass inserts its new nodes before a
// position and gives them the frame and provenance of the nodes that they replace (standFor). Types come from the type
// rules of the operator table, which the verifier also uses. A call may state a type instead, which is not checked
// here. Without either, the node has no type.
//
// Graph::create remains the basic interface, for readers that already have argument trees.
//
// Ownership: nodes belong to the graph. An Actual owns its texts and lists, so a call may use temporaries; pointers in
// it (nodes, literals of a Context) must belong to the graph. The builder refers to graph and position, and must not
// outlive them.
// Failure: a call whose arguments its type rule rejects is created without type, and the diagnostic is kept: call
// firstError() at the end. The verifier makes all further checks.
// Cost: Graph::create and one type rule a call.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/graph.h"

#include <concepts>
#include <variant>

namespace ccgraph {

/// One argument of a call: a node, a literal, or a list of these.
class Actual {
public:
  // Implicit conversions, so that {x, 0, "sum"} reads like the call.
  Actual(Node *node) : value_(node) {}
  Actual(std::nullptr_t) = delete;
  /// Accepts bool only: a pointer to another type is a mistake and not True.
  template <std::same_as<bool> T>
  Actual(T value) : value_(Argument::boolean(value)) {}
  Actual(int value) : value_(Argument::integer(value)) {}
  Actual(int64_t value) : value_(Argument::integer(value)) {}
  Actual(double value) : value_(Argument::floating(value)) {}
  Actual(DType value) : value_(Argument::dtype(value)) {}
  Actual(const char *text) : value_(std::string(text)) {}
  Actual(llvm::StringRef text) : value_(text.str()) {}
  Actual(std::string text) : value_(std::move(text)) {}
  Actual(llvm::ArrayRef<Node *> list) : Actual(nodes(list)) {}
  Actual(const std::vector<Node *> &list) : Actual(nodes(list)) {}
  Actual(llvm::ArrayRef<int64_t> list) : Actual(integers(list)) {}
  Actual(const std::vector<int64_t> &list) : Actual(integers(list)) {}
  static Actual nodes(llvm::ArrayRef<Node *> values) { return list(std::vector<Actual>(values.begin(), values.end())); }
  static Actual integers(llvm::ArrayRef<int64_t> values) {
    return list(std::vector<Actual>(values.begin(), values.end()));
  }
  static Actual none() { return literal(Argument::none()); }
  static Actual list(std::vector<Actual> elements) { return {Argument::Kind::List, std::move(elements)}; }
  static Actual tuple(std::vector<Actual> elements) { return {Argument::Kind::Tuple, std::move(elements)}; }
  /// "contiguous_format", ...
  static Actual memoryFormat(Context &context, llvm::StringRef name);
  /// A literal of any kind, whose texts belong to the Context; no Operand, sequence or dictionary.
  static Actual literal(Argument argument) {
    Actual actual(false);
    actual.value_ = argument;
    return actual;
  }
  /// Copies a node's own argument, with the nodes that it mentions.
  static Actual copyOf(const Node &node, const Argument &argument);

  /// Builds the tree in the builder's context; nodes are mentioned in the order in which they are written.
  [[nodiscard]] Argument build(ArgumentBuilder &builder) const;

private:
  struct Sequence {
    Argument::Kind kind;
    std::vector<Actual> elements;
  };
  struct Entries {
    std::vector<Identifier> names;
    std::vector<Actual> values;
  };
  Actual(Argument::Kind kind, std::vector<Actual> elements) : value_(Sequence{kind, std::move(elements)}) {}

  std::variant<Argument, Node *, std::string, Sequence, Entries> value_;
};

/// A keyword argument.
struct NamedActual {
  llvm::StringRef name;
  Actual value;
};

/// One call with properties beyond target and arguments.
struct CallSpec {
  llvm::StringRef target;
  std::vector<Actual> args;
  std::vector<NamedActual> kwargs = {};
  /// preferred name; derived from the operator's name if empty
  llvm::StringRef name = "";
  /// null: inferred
  const Type *type = nullptr;
};

class GraphBuilder {
public:
  /// New nodes are inserted before `position`, in the order of creation; null: at the end.
  explicit GraphBuilder(Graph &graph, Node *position = nullptr) : graph_(&graph), position_(position) {}

  [[nodiscard]] Graph &graph() const { return *graph_; }
  void setPosition(Node *position) { position_ = position; }
  /// Sets frame and provenance of later nodes: the frame of the first source, the origins of all.
  void standFor(llvm::ArrayRef<Node *> sources);

  /// Accepts assumed types of later calls too (type_inference.h), as those of symbolic sizes are.
  void assumeTypes() { assumesTypes_ = true; }

  /// Creates a placeholder of this name, or a similar one if it is taken. Placeholders precede every call.
  Node *input(llvm::StringRef name, const Type *type = nullptr);
  /// Creates a get_attr of this target, named after it.
  Node *attribute(llvm::StringRef target, const Type *type = nullptr);
  /// `target`: the full name, "aten.add.Tensor".
  Node *call(const CallSpec &call);
  Node *call(llvm::StringRef target, std::vector<Actual> args, const Type *type = nullptr) {
    return call({.target = target, .args = std::move(args), .type = type});
  }
  /// Creates the output node with a tuple of these.
  Node *output(std::vector<Actual> values) { return result(Actual::tuple(std::move(values))); }
  /// Creates the output node with one value, as in the bodies of higher-order operators.
  Node *result(const Actual &value);

  /// Returns a row-major type.
  [[nodiscard]] const Type *tensor(DType dtype, llvm::ArrayRef<int64_t> sizes, llvm::StringRef device = "cpu") const;
  /// Returns a row-major type with dtype and device of another.
  [[nodiscard]] const Type *tensorLike(const Type &like, llvm::ArrayRef<int64_t> sizes) const;

  /// Returns every call created so far, in order.
  [[nodiscard]] llvm::ArrayRef<Node *> made() const { return made_; }
  /// Returns the diagnostic of the first type rule that rejected its arguments; empty if there is none.
  [[nodiscard]] const std::optional<Diagnostic> &firstError() const { return firstError_; }

private:
  Node *create(NodeSpec spec, llvm::ArrayRef<Actual> args, llvm::ArrayRef<NamedActual> kwargs);
  void infer(Node *node);

  Graph *graph_;
  Node *position_;
  bool assumesTypes_ = false;
  uint32_t frame_ = 0;
  const Provenance *provenance_ = nullptr;
  std::vector<Node *> made_;
  std::optional<Diagnostic> firstError_;
};

} // namespace ccgraph
