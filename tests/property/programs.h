// forEachProgram: one property over many random programs, and the two questions that most properties ask.
//
// rapidcheck draws the numbers, and shrinks them where a property fails; the program that fails is printed as FX text. RC_PARAMS
// chooses seed and count, as rapidcheck documents.
//
// Ownership: context and program live for one call of the property. Failure: a failed property is a failed GoogleTest test.
// Cost: some hundred programs of up to sixty steps a property.
#pragma once

#include "support/random_program.h"

#include <rapidcheck/gtest.h>

namespace ccgraph::test {

void forEachProgram(const std::function<void(Context &, const RandomProgram &)> &property);

/// True if the verifier finds no error; prints what it finds into rapidcheck's log.
bool verifies(const Graph &graph);
/// True if `after` computes what the program computes, on all its ranks; logs the differences.
bool sameValues(const RandomProgram &program, const Graph &after);

} // namespace ccgraph::test
