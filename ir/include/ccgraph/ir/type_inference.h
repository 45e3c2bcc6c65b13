// TypeInference: infers the types of nodes one by one, while a program is constructed.
//
// Each operator has at most one type rule (op_def.h). certainType() returns what a rule answers for every program:
// GraphBuilder and the verifier ask it. TypeInference returns what a rule assumes as well (infer_types.h says what),
// so that whoever writes a program gets a type for each operator that has a rule, and what is wrong with a call while
// its writer can still name it.
//
// A data-dependent size gets a new symbol, u<number>.
//
// Ownership: types are the node's context's. Failure: a diagnostic of what a rule refuses in the arguments. Cost: one
// rule a node.
#pragma once

#include "ccgraph/ir/node.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// Returns true for no type, or a list in which some element has none. Operands that have types by now may determine
/// it.
[[nodiscard]] bool lacksType(const Type *type);

/// The type that every program gives to this call; null where no rule tells, or where the answer is assumed.
[[nodiscard]] llvm::Expected<const Type *> certainType(const Node &node);

class TypeInference {
public:
  /// New symbols are numbered from `firstSymbol`.
  explicit TypeInference(uint64_t firstSymbol = 0) : nextSymbol_(firstSymbol) {}

  /// What the call yields, as FakeTensor has it; null where no rule tells. `node` is a call whose operands have types.
  [[nodiscard]] llvm::Expected<const Type *> typeOf(const Node &node);

private:
  uint64_t nextSymbol_;
};

} // namespace ccgraph
