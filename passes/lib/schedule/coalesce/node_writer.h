// NodeWriter: makes the nodes of a bucket, in order, before one position.
//
// It keeps the rewrites readable as equations (bucket_rewrite.h), and sees to it that every new
// node has frame and origins of what it stands for, so that a dump still says where it comes from.
//
// Ownership: the graph's; the writer refers to graph and position and is gone when the bucket is
// done. Failure: none; sizes that do not fit are a bug of the caller. Cost: that of Graph::create
// for each node.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

class NodeWriter {
public:
  /// Nodes come to stand before `position`, in the order in which they are made.
  NodeWriter(Graph &graph, Node *position) : graph_(graph), position_(position) {}

  /// Frame and provenance of the nodes to come.
  void standFor(llvm::ArrayRef<Node *> sources);
  /// target(operand, more...)
  Node *call(llvm::StringRef target, llvm::StringRef name, const Type *type,
             llvm::function_ref<void(ArgumentBuilder &, std::vector<Argument> &)> fill);
  /// aten.view to a contiguous type of these sizes, which must hold as many elements.
  Node *view(Node *value, llvm::ArrayRef<int64_t> sizes);
  /// Elements begin .. end of a dimension.
  struct Range {
    int64_t dim;
    int64_t begin;
    int64_t end;
  };
  Node *slice(Node *value, Range range);
  /// aten.cat along a dimension; the values are contiguous and equal in all others.
  Node *cat(llvm::ArrayRef<Node *> values, int64_t dim);
  /// aten.clone into row-major memory.
  Node *contiguous(Node *value);
  /// One element of a list result.
  Node *getItem(Node *value, int64_t index, const Type *type);
  /// The wait that `like` is, on another value; named after it.
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

/// The sizes of a type that has no symbolic one.
[[nodiscard]] llvm::SmallVector<int64_t, 4> staticSizes(const Type *type);
/// A row-major type of these sizes with the dtype and device of another.
[[nodiscard]] const Type *contiguousLike(Context &context, const Type *type, llvm::ArrayRef<int64_t> sizes);

} // namespace ccgraph
