// forEachProgram tests one property on many random programs; verifies and sameValues are checks that most properties
// need.
//
// rapidcheck draws the numbers, and shrinks them if a property fails; the failing program is printed as FX text. The
// seed is fixed, so that two runs give the same result; RC_PARAMS sets another seed or number of programs, as
// rapidcheck documents. support/random_program.h generates the programs.
//
// Ownership: context and program live for one call of the property. Failure: a failed property is a failed GoogleTest
// test. Cost: some hundred programs of up to sixty steps for each property.
#pragma once

#include "support/random_program.h"

#include "ccgraph/ir/tolerance.h"
#include "ccgraph/passes/pipeline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

namespace ccgraph::test {

/// Calls the property with one program after another, until it fails or there are enough.
void forEachProgram(const std::function<void(Context &, const RandomProgram &)> &property);

/// Returns the pipeline of a level with beams of another width, where "0" means no beams. The level's own beams take
/// most of the time of such small programs, and are so wide that they discard few schedules.
Pipeline levelWithBeams(unsigned level, llvm::StringRef width);
/// A narrow beam, which discards schedules of small programs too.
inline constexpr llvm::StringLiteral narrowBeam = "8";

/// Returns true if the verifier finds no error; prints its findings into rapidcheck's log.
bool verifies(const Graph &graph);
/// Returns true if `after` computes the program's values on all its ranks, to the bit or within the tolerance; logs the
/// differences.
bool sameValues(const RandomProgram &program, const Graph &after, const Tolerance &tolerance = {});

} // namespace ccgraph::test
