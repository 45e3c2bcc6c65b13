// TypeInference: infers the types of nodes one by one, while a program is constructed.
//
// Each operator has at most one type rule (op_def.h). certainType() returns the result of a rule if it is valid for
// every program; GraphBuilder and the verifier use it. TypeInference also returns assumed results (see infer_types.h).
// So the author of a program gets a type for each operator that has a rule, and an error at the call that causes it.
//
// A data-dependent size gets a new symbol, u<number>.
//
// Ownership: types belong to the node's context. Failure: a diagnostic of the arguments that a rule rejects. Cost: one
// rule a node.
#pragma once

#include "ccgraph/ir/node.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// Returns true for no type, or a list in which some element has none. Operands that have types by now may determine
/// it.
[[nodiscard]] bool lacksType(const Type *type);

/// Returns the type of this call that is valid in every program; null if there is no rule, or if its result is assumed.
[[nodiscard]] llvm::Expected<const Type *> certainType(const Node &node);

class TypeInference {
public:
  /// New symbols are numbered from `firstSymbol`.
  explicit TypeInference(uint64_t firstSymbol = 0) : nextSymbol_(firstSymbol) {}

  /// Returns the type of the call's result, as FakeTensor would compute it; null if no rule determines it. `node` is a
  /// call whose operands have types.
  [[nodiscard]] llvm::Expected<const Type *> typeOf(const Node &node);

private:
  uint64_t nextSymbol_;
};

} // namespace ccgraph
