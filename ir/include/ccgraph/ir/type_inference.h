// TypeInference: the types of nodes, one after another, as a program is made.
//
// What GraphBuilder asks are the operators' shape rules, which answer only what is certain. Here PyTorch's defaults are
// taken as well (infer_types.h says which), so that whoever writes a program gets a type for each operator that has any
// rule, and what is wrong with a call while it can still be named by its writer.
//
// A size that only data tell gets a new symbol, u<number>.
//
// Ownership: types are the node's context's. Failure: what a shape rule says of the arguments. Cost: one or two rules a
// node; the rule of an operator is looked up once.
#pragma once

#include "ccgraph/ir/node.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace ccgraph {

/// No type, or a list in which some element has none: what operands that have types by now may tell.
[[nodiscard]] bool lacksType(const Type *type);

class TypeInference {
public:
  /// New symbols are numbered from `firstSymbol`.
  explicit TypeInference(uint64_t firstSymbol = 0);
  ~TypeInference();
  TypeInference(TypeInference &&) noexcept;
  TypeInference &operator=(TypeInference &&) noexcept;

  /// What the call yields, as FakeTensor would say; null where no rule tells. `node` is a call whose operands have types.
  [[nodiscard]] llvm::Expected<const Type *> typeOf(const Node &node);
  /// The same where the shape rule has refused the arguments: what PyTorch's defaults alone tell.
  [[nodiscard]] const Type *assumedType(const Node &node);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace ccgraph
