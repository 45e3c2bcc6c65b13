// forEachProgram: one property over many random programs, and the two questions that most
// properties ask.
//
// rapidcheck draws the numbers, and shrinks them where a property fails; the program that fails is
// printed as FX text. The seed is fixed, so that two runs say the same; RC_PARAMS chooses another
// one, or another count, as rapidcheck documents. The programs themselves are those of
// support/random_program.h.
//
// Ownership: context and program live for one call of the property. Failure: a failed property is a
// failed GoogleTest test. Cost: some hundred programs of up to sixty steps a property.
#pragma once

#include "support/random_program.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ccgraph::test {

/// Calls the property with one program after another, until it fails or there are enough.
void forEachProgram(const std::function<void(Context &, const RandomProgram &)> &property);

/// True if the verifier finds no error; prints what it finds into rapidcheck's log.
bool verifies(const Graph &graph);
/// True if `after` computes what the program computes, on all its ranks; logs the differences.
bool sameValues(const RandomProgram &program, const Graph &after);

} // namespace ccgraph::test
