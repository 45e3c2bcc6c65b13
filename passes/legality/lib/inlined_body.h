// InlinedBody: compares the nodes that replace one invoke_subgraph with the nodes of its subgraph.
//
//   body(a, n): b = mul(a, n); return (b,)     y = invoke_subgraph(body, "layer", x, 2)     must have become mul(x, 2)
//
// Ownership: refers to both programs and the subgraph. Failure: none; each comparison returns the text of the first
// difference, "" for none. Cost: linear in the arguments.
#pragma once

#include "correspondence.h"

namespace ccgraph::legality {

/// An invoke_subgraph of the program before.
struct InlinedCall {
  uint32_t step = none;
  const Graph *body = nullptr;
  /// the steps before that read the call
  llvm::ArrayRef<uint32_t> readers;
};

class InlinedBody {
public:
  /// `images`: for each step before, the step after that has its value.
  InlinedBody(const Rewrite &rewrite, const InlinedCall &call, llvm::ArrayRef<uint32_t> images);

  /// Tells why no nodes can replace this call: the arguments do not fit, or the subgraph names constants or subgraphs.
  [[nodiscard]] std::string obstacle() const;
  /// Compares a node of the subgraph, apart from its ordering edges, with the step after that replaces it. Later
  /// comparisons take that step for the value of `inner`.
  [[nodiscard]] std::string compare(const Node &inner, uint32_t now);
  /// Gives the step of the program before that reads a result: a getitem of the call, or the call. Returns the step
  /// after that has the value; `none` if the value is a literal or there is no such result. Requires that all nodes
  /// were compared.
  [[nodiscard]] uint32_t valueRead(uint32_t reader) const;
  /// Returns true if the subgraph returns a list or a tuple.
  [[nodiscard]] bool returnsList() const { return result_ && result_->isSequence(); }

private:
  /// The value of a node of the subgraph: a step after, or a literal in the arguments of the call.
  struct Value {
    uint32_t step = none;
    const Argument *literal = nullptr;
  };
  void bindPlaceholders(llvm::ArrayRef<uint32_t> images);
  [[nodiscard]] const Node *resultRead(uint32_t reader) const;
  [[nodiscard]] bool sameTree(const Node &inner, const Argument &was, const Step &step, const Argument &now) const;
  [[nodiscard]] bool sameArguments(const Node &inner, const Step &step) const;
  [[nodiscard]] bool sameType(const Node &inner, const Type *now) const;
  [[nodiscard]] bool sameSource(const Node &inner, const Node &now) const;

  const Rewrite &rewrite_;
  const uint32_t call_;
  const Graph &body_;
  llvm::ArrayRef<uint32_t> readers_;
  const Argument *result_ = nullptr; ///< what the subgraph returns; null if it has no output
  llvm::SmallVector<const Node *, 8> placeholders_;
  llvm::DenseMap<const Node *, Value> values_;
};

} // namespace ccgraph::legality
