// TypeInference: infers the types of nodes one by one, while a program is constructed.
//
// GraphBuilder uses the operators' shape rules, which return only certain types. Here PyTorch's defaults are used as
// well (see infer_types.h). So the author of a program gets a type for each operator that has any rule, and an error at
// the call that causes it.
//
// A data-dependent size gets a new symbol, u<number>.
//
// Ownership: types belong to the node's context. Failure: the shape rule's error about the arguments. Cost: one or two
// rules a node; the rule of an operator is looked up once.
#pragma once

#include "ccgraph/ir/node.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace ccgraph {

/// Returns true for no type, or a list in which some element has none. Operands that have types by now may determine
/// it.
[[nodiscard]] bool lacksType(const Type *type);

class TypeInference {
public:
  /// New symbols are numbered from `firstSymbol`.
  explicit TypeInference(uint64_t firstSymbol = 0);
  ~TypeInference();
  TypeInference(TypeInference &&) noexcept;
  TypeInference &operator=(TypeInference &&) noexcept;

  /// Returns the type of the call's result, as FakeTensor would compute it; null if no rule determines it. `node` is a
  /// call whose operands have types.
  [[nodiscard]] llvm::Expected<const Type *> typeOf(const Node &node);
  /// The same after the shape rule has rejected the arguments: returns the type that follows from PyTorch's defaults
  /// alone.
  [[nodiscard]] const Type *assumedType(const Node &node);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace ccgraph
