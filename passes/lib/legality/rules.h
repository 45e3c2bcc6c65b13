// Rules: the checker's own templates of named rewrites.
//
// - inline-control-deps. Matched: a control_deps call, then (if it went) the get_attr of its
//   subgraph. Built: one call. The built call is the one call of the subgraph, with the arguments
//   of the control_deps in place of the subgraph's placeholders, and has an ordering edge or a data
//   edge from each of its dependences.
//
// A name that is not listed here is a finding: a pass cannot bring a rule of its own.
//
// Ownership: refers to the evidence. Failure: findings. Cost: the size of the calls.
#pragma once

#include "legality/checks.h"

namespace ccgraph::legality {

/// Gives each matched call the effects of the call built for it, because its own are gone with its operands.
void adoptRuleEffects(const Rewrite &rewrite, const Correspondence &correspondence, Program &before);

} // namespace ccgraph::legality
