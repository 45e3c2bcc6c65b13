// ProgramBuilder: calls appended to a graph in one line each, for tests.
//
//   ProgramBuilder b(graph);
//   Node *x = b.input("x", b.f32({4}));
//   Node *y = b.call("aten.add.Tensor", b.f32({4}), {x, 1.0});
//
// Ownership: borrows the graph. Failure: none. Cost: as Graph::create.
#pragma once

#include "ccgraph/ir/graph.h"

#include <variant>

namespace ccgraph::test {

class ProgramBuilder {
public:
  using Nodes = std::vector<Node *>;
  using Numbers = std::vector<int64_t>;
  /// One positional argument.
  using Value = std::variant<Node *, int64_t, double, llvm::StringRef, Nodes, Numbers, DType>;

  explicit ProgramBuilder(Graph &graph) : graph_(graph) {}

  [[nodiscard]] Graph &graph() const { return graph_; }
  /// Contiguous, on the CPU.
  [[nodiscard]] const Type *f32(llvm::ArrayRef<int64_t> sizes) const { return tensor(DType::F32, sizes); }
  [[nodiscard]] const Type *tensor(DType dtype, llvm::ArrayRef<int64_t> sizes) const;
  /// With strides of its own.
  [[nodiscard]] const Type *strided(const Type *like, llvm::ArrayRef<int64_t> sizes,
                                    llvm::ArrayRef<int64_t> strides) const;

  /// A placeholder. Call before the first call().
  Node *input(llvm::StringRef name, const Type *type);
  /// A get_attr of this target.
  Node *attribute(llvm::StringRef target);
  /// Named after the operator. `out` becomes the keyword argument of that name.
  Node *call(llvm::StringRef target, const Type *type, llvm::ArrayRef<Value> arguments, Node *out = nullptr);
  /// Returns a tuple. Call last.
  Node *output(const Nodes &values);
  /// Returns one value, as the bodies of higher-order operators do. Call last.
  Node *result(Node *value);

private:
  Graph &graph_;
};

} // namespace ccgraph::test
