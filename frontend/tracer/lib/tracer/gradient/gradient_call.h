// GradientCall: one node that is being differentiated, as its rule sees it.
//
// A rule gives each operand its gradient: call.give(0, [&] { return call.make("aten.neg.default", {g}); }). The maker
// is called only where that gradient is requested, so no unused node is made.
//
// Ownership: refers to the calling walk. Failure: fail() keeps the first reason. Cost: O(1), plus the nodes made.
#pragma once

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph::tracer::gradient {

/// The gradients that were collected for one node.
struct Incoming {
  /// of the result; null where it has none
  Node *whole = nullptr;
  /// of a result that is a list, by element
  std::vector<Node *> elements;
};

/// The store of gradients between the rules.
class GradientStore {
public:
  virtual ~GradientStore() = default;
  [[nodiscard]] virtual bool wants(const Node *node) const = 0;
  virtual void add(Node *node, Node *gradient) = 0;
};

class GradientCall {
public:
  using Maker = llvm::function_ref<Node *()>;

  GradientCall(GraphBuilder &builder, GradientStore &store, Node *node, const Incoming &incoming)
      : builder_(builder), store_(store), node_(node), incoming_(incoming) {}

  [[nodiscard]] Node *node() const { return node_; }
  /// Returns the gradient of the result, or of element `index` of a list; null where it has no reader.
  [[nodiscard]] Node *gradient() const { return incoming_.whole; }
  [[nodiscard]] Node *gradient(size_t index) const {
    return index < incoming_.elements.size() ? incoming_.elements[index] : nullptr;
  }
  /// Returns the gradients of all elements of a list; zeros for an element without a reader.
  [[nodiscard]] std::vector<Node *> elementGradients();

  // --- Arguments, by their place in the schema -------------------------------------------------------------------
  /// Returns null where the argument is not a node.
  [[nodiscard]] Node *operand(int position) const;
  /// Returns the nodes of a list, in order; empty for anything else.
  [[nodiscard]] std::vector<Node *> operands(int position) const;
  [[nodiscard]] int64_t integer(int position, int64_t otherwise) const;
  [[nodiscard]] double number(int position, double otherwise) const;
  [[nodiscard]] bool boolean(int position, bool otherwise) const;
  /// Returns the argument as it is written; None where left out.
  [[nodiscard]] Actual argument(int position) const;
  /// Returns whether the argument is given, and not None.
  [[nodiscard]] bool has(int position) const;

  // --- Shapes ----------------------------------------------------------------------------------------------------
  /// Returns the sizes of a tensor as numbers. Where they are not numbers, fails and returns none.
  [[nodiscard]] IntList sizes(const Node *tensor) { return sizesOf(tensor->type()); }
  [[nodiscard]] IntList sizesOf(const Type *type);
  [[nodiscard]] DType dtype(const Node *tensor) const { return tensor->type()->dtype(); }
  /// Returns a dimension of a tensor of that rank, counted from 0.
  [[nodiscard]] static int64_t dimension(int64_t dim, size_t rank) {
    return dim < 0 ? dim + static_cast<int64_t>(rank) : dim;
  }

  // --- New nodes -------------------------------------------------------------------------------------------------
  Node *make(llvm::StringRef target, std::vector<Actual> args, std::vector<NamedActual> kwargs = {}) {
    return builder_.call(CallSpec{.target = target, .args = std::move(args), .kwargs = std::move(kwargs)});
  }
  /// Returns the tensor times the factor; the tensor itself where the factor is 1.
  Node *scaled(Node *tensor, double factor) {
    return factor == 1.0 ? tensor : make("aten.mul.Tensor", {tensor, factor});
  }
  /// Returns element `index` of a list or tuple.
  Node *element(Node *list, int64_t index) { return make("operator.getitem", {list, index}); }
  /// Returns zeros of this type, row-major.
  Node *zeros(const Type &like);
  /// Returns element `index` of the node in the forward graph, and reuses an existing one.
  Node *resultElement(int64_t index);

  // --- Gradients of operands -----------------------------------------------------------------------------------------
  [[nodiscard]] bool wants(const Node *node) const { return node != nullptr && store_.wants(node); }
  /// Returns the mask by which a backward operator computes the gradients of these operands, each or not.
  [[nodiscard]] Actual wanted(llvm::ArrayRef<int> positions) const;
  /// Gives a gradient with exactly the operand's sizes and dtype.
  void give(int position, Maker maker) { give(operand(position), maker); }
  void give(Node *operand, Maker maker);
  /// Gives a gradient with the result's sizes and dtype: it is summed where the operand was repeated, and cast where it
  /// was cast.
  void giveFitted(int position, Maker maker);
  /// Gives element i of one backward operator's result to the operand at `positions[i]`; the operator is made once, or
  /// not where no gradient is requested.
  void giveElements(llvm::ArrayRef<int> positions, Maker makeAll);

  // --- What cannot be differentiated -----------------------------------------------------------------------------
  /// The reason of a failure; `what` continues the sentence after the node's name: "reduces by max, which is not
  /// linear".
  struct Refusal {
    llvm::StringRef rule;
    std::string what;
    llvm::StringRef repair;
  };
  void fail(std::string what) {
    refuse({"gradient.no-rule", std::move(what), "write it with operators that have a rule for this"});
  }
  /// Returns whether the first element of the result has a gradient. The others are statistics: fails where one of them
  /// has a gradient.
  [[nodiscard]] bool readsFirstAlone();
  /// The first failure; empty where there was none.
  [[nodiscard]] const std::optional<Refusal> &refusal() const { return refusal_; }

private:
  void refuse(Refusal refusal) {
    if (!refusal_)
      refusal_ = std::move(refusal);
  }
  [[nodiscard]] Node *sumTo(Node *gradient, const IntList &from, const IntList &to);
  [[nodiscard]] Node *fitted(Node *gradient, const Type &from, const Type &to);

  GraphBuilder &builder_;
  GradientStore &store_;
  Node *node_;
  const Incoming &incoming_;
  std::optional<Refusal> refusal_;
};

} // namespace ccgraph::tracer::gradient
