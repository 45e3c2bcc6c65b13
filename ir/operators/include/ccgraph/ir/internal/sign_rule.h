// SignRule: derives the sign of an operator's result from its operands, for code that generates program inputs.
//
// An optimizer divides by 1 - beta^step and takes a root of the result. A step count above 0 is then a requirement that
// goes through a difference, a power and a sum.
//
// Failure: none; an operator without a rule determines no sign. Cost: a binary search.
#pragma once

#include "ccgraph/ir/op_def.h"

namespace ccgraph {

enum class SignRule : uint8_t {
  None,
  Product,     ///< self * other
  Negation,    ///< -self
  Exponential, ///< exp(self): below 1 for negative numbers
  OtherMinus,  ///< other - self
  MinusOther,  ///< self - other
  PowerOf      ///< self^exponent, of a number `self`: below 1 for a base below 1 and a positive exponent
};

[[nodiscard]] SignRule signRuleOf(const OpDef &op);

} // namespace ccgraph
