// Computes another layout of a plan: the places of its buffers when its symbols have other values than those for which
// it was created.
//
// Steps, streams and events of a plan are valid for every binding of its symbols; its layout is valid for one. The
// binding changes the sizes, and so the possible places. Two buffers may use the same bytes in turn only if all uses of
// one certainly end before any use of the other begins. Only the plan's streams, events and the host order uses. So the
// new layout shares less than the first layout, for whose sharing events were created; an in-place result may still
// reuse the bytes of an operand as in the plan's own layout.
//
// Example: step 3 reads a, and then step 4 on the same stream writes b for the first time. b may lie where a did,
// whatever their sizes. c is written by a collective that waits for nothing: it lies apart from both.
//
// Blocks are placed one by one, largest first, each in the lowest gap among those with which it may not share bytes.
//
// verifyPlan() checks the plan with such a layout, except for rule plan.waits: a wait that one layout requires may be
// unnecessary in another.
//
// Ownership: a value; names belong to the plan's context. Failure: a DiagnosticError of rule plan.layout, for a buffer
// whose size has no value under the binding, or is negative or too large. Cost: O(streams) for each pair of buffers;
// above 8,192 buffers none share.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// `symbols`: in the form of PlanLayout.
[[nodiscard]] llvm::Expected<PlanLayout> layOutFor(const Plan &plan,
                                                   std::vector<std::pair<Identifier, int64_t>> symbols);

} // namespace ccgraph
