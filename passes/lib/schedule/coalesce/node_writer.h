// NodeWriter: makes the nodes of a bucket, in order, before one position.
//
// Ownership: the graph's. Every node gets frame and provenance of a source, so that a dump still says where it comes from. Nothing fails.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

class NodeWriter {
public:
  NodeWriter(Graph &graph, Node *position) : graph_(graph), position_(position) {}

  /// Frame and provenance of the nodes to come.
  void standFor(llvm::ArrayRef<Node *> sources);
  /// target(operand, more...)
  Node *call(llvm::StringRef target, llvm::StringRef name, const Type *type, llvm::function_ref<void(ArgumentBuilder &, std::vector<Argument> &)> fill);
  Node *view(Node *value, llvm::ArrayRef<int64_t> sizes);
  /// Elements begin .. end of a dimension.
  struct Range {
    int64_t dim;
    int64_t begin;
    int64_t end;
  };
  Node *slice(Node *value, Range range);
  Node *cat(llvm::ArrayRef<Node *> values, int64_t dim);
  Node *contiguous(Node *value);
  Node *getItem(Node *value, int64_t index, const Type *type);
  Node *wait(Node *value, Node *like);
  /// Every node made so far.
  [[nodiscard]] llvm::ArrayRef<Node *> made() const { return made_; }

private:
  Graph &graph_;
  Node *position_;
  uint32_t frame_ = 0;
  const Provenance *provenance_ = nullptr;
  std::vector<Node *> made_;
};

[[nodiscard]] llvm::SmallVector<int64_t, 4> staticSizes(const Type *type);
[[nodiscard]] const Type *contiguousLike(Context &context, const Type *type, llvm::ArrayRef<int64_t> sizes);

} // namespace ccgraph
