// SignRule: how the sign of an operator's result follows from its operands, for those who make up inputs on which a program runs.
//
// An optimizer divides by 1 - beta^step and takes a root of what comes of it; a step count above 0 is then a demand that goes through a
// difference, a power and a sum.
//
// Failure: none; an operator without a rule says nothing of signs. Cost: a binary search.
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
