// ProgramBuilder is a GraphBuilder whose calls state their types, for tests that state what they mean.
//
//   ProgramBuilder b(graph);
//   Node *x = b.input("x", b.f32({4}));
//   Node *y = b.call("aten.add.Tensor", b.f32({4}), {x, 1.0});
//
// Ownership: borrows the graph. Failure: none. Cost: that of GraphBuilder.
#pragma once

#include "ccgraph/ir/builder.h"

namespace ccgraph::test {

class ProgramBuilder {
public:
  using Nodes = std::vector<Node *>;
  using Numbers = std::vector<int64_t>;
  /// One positional argument.

  explicit ProgramBuilder(Graph &graph) : builder_(graph) {}

  [[nodiscard]] Graph &graph() const { return builder_.graph(); }
  /// Returns a contiguous tensor type on the CPU.
  [[nodiscard]] const Type *f32(llvm::ArrayRef<int64_t> sizes) const { return tensor(DType::F32, sizes); }
  [[nodiscard]] const Type *tensor(DType dtype, llvm::ArrayRef<int64_t> sizes) const {
    return builder_.tensor(dtype, sizes);
  }
  /// Returns a type with explicit strides.
  [[nodiscard]] const Type *strided(const Type *like, llvm::ArrayRef<int64_t> sizes,
                                    llvm::ArrayRef<int64_t> strides) const {
    std::vector<Dim> sizeDims(sizes.begin(), sizes.end()), strideDims(strides.begin(), strides.end());
    return graph().context().tensor(like->dtype(), {sizeDims, strideDims, true}, like->device());
  }

  /// Adds a placeholder. It must be called before the first call().
  Node *input(llvm::StringRef name, const Type *type) { return builder_.input(name, type); }
  /// Adds a get_attr with this target.
  Node *attribute(llvm::StringRef target) { return builder_.attribute(target); }
  /// Adds a call, named after the operator. A null type is unknown. `out` is the keyword argument of that name.
  Node *call(llvm::StringRef target, const Type *type, std::vector<Actual> arguments, Node *out = nullptr) {
    CallSpec spec{.target = target, .args = std::move(arguments), .type = type};
    spec.name = target.split('.').second.split('.').first;
    if (out != nullptr)
      spec.kwargs.push_back({"out", out});
    Node *node = builder_.call(spec);
    graph().setType(node, type);
    return node;
  }
  /// Returns a tuple from the graph. It must be the last call.
  Node *output(const Nodes &values) { return builder_.output({values.begin(), values.end()}); }
  /// Returns one value from the graph, as the bodies of higher-order operators do. It must be the last call.
  Node *result(Node *value) { return builder_.result(value); }

private:
  GraphBuilder builder_;
};

} // namespace ccgraph::test
