// GradientCall: one node that is being differentiated, as its rule sees it.
//
// A rule says what each operand gets: call.give(0, [&] { return call.make("aten.neg.default", {g}); }). The maker is
// asked only where somebody wants that gradient, so that no node is made for nothing.
//
// Ownership: refers to the walk that asks. Failure: fail() keeps the first reason. Cost: O(1), plus the nodes made.
#pragma once

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/dims.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph::tracer::gradient {

/// What has come together for one node.
struct Incoming {
  /// of the result; null where nobody gave any
  Node *whole = nullptr;
  /// of a result that is a list, by element
  std::vector<Node *> elements;
};

/// Who keeps gradients between the rules.
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
  /// Of the result, or of element `index` of a list; null where nobody reads it.
  [[nodiscard]] Node *gradient() const { return incoming_.whole; }
  [[nodiscard]] Node *gradient(size_t index) const {
    return index < incoming_.elements.size() ? incoming_.elements[index] : nullptr;
  }
  /// Of all elements of a list; of one that nobody reads, zeros.
  [[nodiscard]] std::vector<Node *> elementGradients();

  // --- Arguments, by their place in the schema -------------------------------------------------------------------
  /// Null where the argument is no node.
  [[nodiscard]] Node *operand(int position) const;
  /// The nodes of a list, in order; empty for anything else.
  [[nodiscard]] std::vector<Node *> operands(int position) const;
  [[nodiscard]] int64_t integer(int position, int64_t otherwise) const;
  [[nodiscard]] double number(int position, double otherwise) const;
  [[nodiscard]] bool boolean(int position, bool otherwise) const;
  /// As it is written; None where left out.
  [[nodiscard]] Actual argument(int position) const;
  /// Is given, and not None.
  [[nodiscard]] bool has(int position) const;

  // --- Shapes ----------------------------------------------------------------------------------------------------
  /// Sizes of a tensor, as numbers. Where they are not: fails, and gives none.
  [[nodiscard]] Dims sizes(const Node *tensor) { return sizesOf(tensor->type()); }
  [[nodiscard]] Dims sizesOf(const Type *type);
  [[nodiscard]] DType dtype(const Node *tensor) const { return tensor->type()->dtype(); }
  /// A dimension of a tensor of that rank, from 0.
  [[nodiscard]] static int64_t dimension(int64_t dim, size_t rank) {
    return dim < 0 ? dim + static_cast<int64_t>(rank) : dim;
  }

  // --- New nodes -------------------------------------------------------------------------------------------------
  Node *make(llvm::StringRef target, std::vector<Actual> args, std::vector<NamedActual> kwargs = {}) {
    return builder_.call(CallSpec{.target = target, .args = std::move(args), .kwargs = std::move(kwargs)});
  }
  /// So many times the tensor; the tensor itself where that is once.
  Node *scaled(Node *tensor, double factor) {
    return factor == 1.0 ? tensor : make("aten.mul.Tensor", {tensor, factor});
  }
  /// Element `index` of a list or tuple.
  Node *element(Node *list, int64_t index) { return make("operator.getitem", {list, index}); }
  /// Zeros of such a type, row-major.
  Node *zeros(const Type &like);
  /// The forward program's element `index` of the node, of which it may have one already.
  Node *resultElement(int64_t index);

  // --- Who gets what ---------------------------------------------------------------------------------------------
  [[nodiscard]] bool wants(const Node *node) const { return node != nullptr && store_.wants(node); }
  /// The mask that asks a backward operator for the gradients of these operands, each or not.
  [[nodiscard]] Actual wanted(llvm::ArrayRef<int> positions) const;
  /// Of exactly the operand's sizes and dtype.
  void give(int position, Maker maker) { give(operand(position), maker); }
  void give(Node *operand, Maker maker);
  /// Of the result's sizes and dtype: summed where the operand was repeated, cast where it was.
  void giveFitted(int position, Maker maker);
  /// Element i of what one backward operator yields to the operand at `positions[i]`; the operator is made once, if at all.
  void giveElements(llvm::ArrayRef<int> positions, Maker makeAll);

  // --- What cannot be differentiated -----------------------------------------------------------------------------
  /// Why; `what` goes on from the node's name: "reduces by max, which is not linear".
  struct Refusal {
    llvm::StringRef rule;
    std::string what;
    llvm::StringRef repair;
  };
  void fail(std::string what) {
    refuse({"gradient.no-rule", std::move(what), "write it with operators that have a rule for this"});
  }
  /// Whether the first element of the result has a gradient. The others are statistics: fails where one of them has.
  [[nodiscard]] bool readsFirstAlone();
  /// The first one; none where all went well.
  [[nodiscard]] const std::optional<Refusal> &refusal() const { return refusal_; }

private:
  void refuse(Refusal refusal) {
    if (!refusal_)
      refusal_ = std::move(refusal);
  }
  [[nodiscard]] Node *sumTo(Node *gradient, const Dims &from, const Dims &to);
  [[nodiscard]] Node *fitted(Node *gradient, const Type &from, const Type &to);

  GraphBuilder &builder_;
  GradientStore &store_;
  Node *node_;
  const Incoming &incoming_;
  std::optional<Refusal> refusal_;
};

} // namespace ccgraph::tracer::gradient
