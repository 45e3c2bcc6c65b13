// Another layout of a plan: where its buffers lie when its symbols have other values than those for which it was made.
//
// Steps, streams and events of a plan hold for every binding of its symbols; its layout holds for one. Sizes change with the binding,
// and so does what fits where. Two buffers may take turns on the same bytes only if all uses of the one surely end before any use of
// the other begins, and what orders uses is what the plan has: streams, events and the host. So the new layout shares less than
// the first one where that made its events for what it shares; a result may still take the bytes of an operand where it does in the
// plan's own layout.
//
// Example: a is read by step 3, after which step 4 on the same stream writes b for the first time. b may lie where a did,
// whatever their sizes. c is written by a collective that waits for nothing: it lies apart from both.
//
// Blocks are placed one by one, largest first, each in the lowest gap among those that it may not share bytes with.
//
// verifyPlan() judges the plan with such a layout, but for rule plan.waits: a wait that served what one layout shares may be idle in
// another.
//
// Ownership: a value; names belong to the plan's context. Failure: a DiagnosticError of rule plan.layout: a buffer whose size has no value
// under the binding, or is negative or too large. Cost: O(streams) for each pair of buffers; above 8,192 buffers none share.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// `symbols`: as PlanLayout has them.
[[nodiscard]] llvm::Expected<PlanLayout> layOutFor(const Plan &plan,
                                                   std::vector<std::pair<Identifier, int64_t>> symbols);

} // namespace ccgraph
