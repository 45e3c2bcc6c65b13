// The plan verifier: may an engine run this plan as it stands?
//
// Lowering decides a lot at once: streams, events, places in memory. A mistake there shows as a wrong number on some
// runs, or as a hang. So this verifier believes nothing: it works out from the plan alone what each step touches, which
// steps are ordered, and what each byte holds, and shares no code with the lowering but ir. Its rules
// (docs/plan-verifier.md lists all) come in families:
//   structure    every index names something, streams fit their steps, events are recorded before they are waited for;
//   memory       windows lie in their buffers, buffers in their arenas, and nothing is laid over what a step itself uses;
//   kernels      operands are marked as read and written as the operator's schema says;
//   collectives  counts fit the group, roots and peers are in it, reductions are defined, calls of a batch stand apart;
//   order        two accesses to the same bytes of which one writes are ordered by streams, events or the host; what is
//                read is still what was written; and each wait is needed.
//
// Order is judged by bytes, so memory that two buffers share counts too. What orders steps is what plan.h says: the
// order of a stream, an event that is waited for, and the host, which issues nothing while it runs a step itself. A
// vector clock has for each stream the last step that has surely ended; two steps are ordered if the clock at the
// beginning of the second knows of the first.
//
// A wait is needed if without it two accesses that are ordered would not be.
//
// Memory is judged for one layout, hence for one binding of the symbols: call again with each new layout.
//
// Ownership: reads only and keeps nothing; findings own their texts. Failure: none of its own; a plan may be as broken
// as it likes. If the structure is broken, the other families, which rely on it, say nothing. Cost: near-linear in the
// steps times the streams; see tests/bench/plan_verifier_bench.cpp.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/ir/verifier.h"

namespace ccgraph {

struct PlanVerifyOptions {
  /// findings kept
  size_t limit = 20;
  /// where the buffers lie; null: as the plan's own layout says
  const PlanLayout *layout = nullptr;
};

/// All findings, family by family, each in the order of the steps. Empty: an engine may run the plan.
[[nodiscard]] std::vector<Diagnostic> verifyPlan(const Plan &plan, const PlanVerifyOptions &options = {});
/// Success if there is no finding.
[[nodiscard]] llvm::Error verifyPlanOrError(const Plan &plan, const PlanVerifyOptions &options = {});

/// The rules, sorted by id.
[[nodiscard]] llvm::ArrayRef<VerifierRule> planVerifierRules();
/// docs/plan-verifier.md.
[[nodiscard]] std::string planVerifierMarkdown();

} // namespace ccgraph
