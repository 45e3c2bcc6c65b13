#include "models/partition.h"

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/verifier.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph::models {
namespace {

/// A program cannot return a list, so its elements are returned; they are extracted where the list is made.
void takeListsApart(Graph &graph, Node *boundary) {
  llvm::DenseSet<const Node *> forward;
  for (Node *node = graph.front(); node != boundary->next(); node = node->next())
    forward.insert(node);
  for (Node *node : graph.nodes())
    if (!forward.contains(node) && node->op() && node->op()->role == OpRole::GetItem &&
        forward.contains(node->operand(0)))
      graph.moveBefore(node, boundary);
}

class Cut {
public:
  Cut(Graph &graph, Node *boundary) : graph_(graph), output_(graph.output()) {
    bool isForward = true;
    for (Node *node : graph.nodes()) {
      if (isForward)
        forward_.push_back(node);
      isForward = isForward && node != boundary;
    }
    forwardSet_.insert(forward_.begin(), forward_.end());
  }

  /// Returns the values of the forward pass that the backward pass reads, in their order, without the first result.
  [[nodiscard]] std::vector<Node *> handedOver() const {
    std::vector<Node *> nodes;
    for (Node *node : forward_)
      if (llvm::any_of(node->uses(), [&](const Use &use) { return leavesForward(use); }))
        nodes.push_back(node);
    return nodes;
  }
  [[nodiscard]] std::vector<Node *> results() const {
    return {output_->dataOperands().begin(), output_->dataOperands().end()};
  }
  void replaceOutput(llvm::ArrayRef<Node *> results) {
    graph_.erase(output_);
    std::vector<Actual> values(results.begin(), results.end());
    output_ = GraphBuilder(graph_).output(std::move(values));
  }
  void eraseBackward() {
    for (Node *node = output_->prev(); !forwardSet_.contains(node);) {
      Node *before = node->prev();
      graph_.erase(node);
      node = before;
    }
  }
  void eraseForward() {
    for (Node *node : llvm::reverse(forward_))
      graph_.erase(node);
  }

private:
  [[nodiscard]] bool leavesForward(const Use &use) const {
    if (use.user() != output_)
      return !forwardSet_.contains(use.user());
    return output_->operand(0) != use.def() || llvm::count(output_->dataOperands(), use.def()) != 1;
  }

  Graph &graph_;
  Node *output_;
  std::vector<Node *> forward_;
  llvm::DenseSet<const Node *> forwardSet_;
};

llvm::Expected<std::unique_ptr<Graph>> verified(std::unique_ptr<Graph> graph) {
  if (llvm::Error error = verifyOrError(*graph))
    return error;
  return graph;
}

} // namespace

llvm::Expected<std::unique_ptr<Graph>> forwardPart(std::unique_ptr<Graph> joint, Node *boundary) {
  takeListsApart(*joint, boundary);
  Cut cut(*joint, boundary);
  std::vector<Node *> results = {cut.results().front()};
  for (Node *node : cut.handedOver())
    results.push_back(node);
  cut.replaceOutput(results);
  cut.eraseBackward();
  return verified(std::move(joint));
}

llvm::Expected<std::unique_ptr<Graph>> backwardPart(std::unique_ptr<Graph> joint, Node *boundary) {
  takeListsApart(*joint, boundary);
  Cut cut(*joint, boundary);
  std::vector<Node *> results = cut.results();
  cut.replaceOutput(llvm::ArrayRef(results).drop_front());
  std::vector<std::pair<Node *, std::string>> inputs;
  GraphBuilder builder(*joint, joint->front());
  for (Node *node : cut.handedOver()) {
    inputs.emplace_back(builder.input("handed_over", node->type()), node->name().str().str());
    joint->replaceAllUses(node, inputs.back().first);
  }
  cut.eraseForward();
  for (auto &[input, name] : inputs)
    joint->rename(input, name);
  return verified(std::move(joint));
}

} // namespace ccgraph::models
