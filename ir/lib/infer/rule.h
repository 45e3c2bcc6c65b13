// Inference rules: the type of a result as PyTorch's fake tensors have it, defaults taken for granted.
//
// A rule answers null where it cannot tell. Ownership: types are the context's, a Call lives for one node. Failure: none.
// Cost: linear in the ranks.
#pragma once

#include "ops/shapes/shape_rule.h"

#include "ccgraph/ir/dims.h"

namespace ccgraph::infer {

using TypePtr = const Type *;
using Sizes = llvm::SmallVector<Dim, 6>;
using SizesRef = llvm::ArrayRef<Dim>;

/// Hands out symbols that the graph does not use yet.
class FreshSymbols {
public:
  explicit FreshSymbols(uint64_t next) : next_(next) {}
  Dim take(Context &context) { return Dim(context.symbolic("u" + std::to_string(next_++))); }

private:
  uint64_t next_;
};

/// One call, with its arguments by the names of the schema.
struct Call {
  const Node &node;
  Context &context;
  FreshSymbols &fresh;

  [[nodiscard]] int index(llvm::StringRef name) const { return node.op()->paramIndex(name); }
  [[nodiscard]] TypePtr tensor(llvm::StringRef name) const { return tensorAt(node, index(name)); }
  [[nodiscard]] TypePtr tensor(int parameter) const { return tensorAt(node, parameter); }
  /// Null where it is absent or None.
  [[nodiscard]] const Argument *given(llvm::StringRef name) const;
  [[nodiscard]] std::optional<int64_t> integer(llvm::StringRef name) const;
  /// A number, or the name of a size.
  [[nodiscard]] std::optional<Dim> dim(llvm::StringRef name) const;
  [[nodiscard]] bool flag(llvm::StringRef name) const;
  [[nodiscard]] DType dtypeOr(DType otherwise) const;    ///< the `dtype` asked for
  [[nodiscard]] Device deviceOr(Device otherwise) const; ///< the `device` asked for

  [[nodiscard]] TypePtr contiguous(DType dtype, SizesRef sizes, const Device &device) const {
    return context.contiguousTensor(dtype, sizes, device);
  }
  [[nodiscard]] TypePtr contiguousLike(const Type &like, SizesRef sizes) const {
    return contiguous(like.dtype(), sizes, like.device());
  }
};

using Rule = TypePtr (*)(Call &call);

/// By the key of an operator ("aten.sum.dim_IntList"), else its base; null where there is none.
[[nodiscard]] Rule findRule(llvm::StringRef target);

} // namespace ccgraph::infer
