// The plan verifier: checks whether an engine may run a plan.
//
// Lowering decides streams, events and memory together. A mistake there causes wrong numbers on some runs, or a hang.
// So this verifier trusts no part of the plan. It derives from the plan alone which memory each step accesses, which
// steps are ordered, and what each byte holds. It shares only ir with the lowering. Its rules (docs/plan-verifier.md
// lists all) form families:
//   structure    every index is valid, streams fit their steps, events are recorded before they are waited for;
//   memory       windows lie in their buffers, buffers in their arenas, and no buffer overlaps memory that the same
//                step uses;
//   kernels      operands are marked as read and written in agreement with the operator's schema;
//   collectives  counts fit the group, roots and peers are in it, reductions are defined, calls of a batch do not
//                overlap;
//   order        two accesses to the same bytes of which one writes are ordered by streams, events or the host; bytes
//                that are read still hold what was written; and each wait is necessary.
//
// Order is checked by bytes, so memory that two buffers share is included. Steps are ordered as plan.h states: by the
// order of a stream, by an event that is waited for, and by the host, which issues nothing while it runs a step itself.
// A vector clock contains for each stream the last step that has certainly ended. Two steps are ordered if the clock at
// the start of the second includes the first.
//
// A wait is necessary if without it two ordered accesses would not be ordered.
//
// Memory is checked for one layout, hence for one binding of the symbols: call again with each new layout.
//
// Ownership: reads only and keeps no reference; findings own their texts. Failure: none; any plan is accepted, however
// malformed. If the structure is malformed, the other families, which rely on it, do not run. Cost: near-linear in the
// steps times the streams; see tests/bench/plan_verifier_bench.cpp.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/ir/verifier.h"

namespace ccgraph {

struct PlanVerifyOptions {
  /// maximum number of findings
  size_t limit = 20;
  /// the places of the buffers; null: the plan's own layout
  const PlanLayout *layout = nullptr;
};

/// Returns all findings, family by family, each in the order of the steps. Empty: an engine may run the plan.
[[nodiscard]] std::vector<Diagnostic> verifyPlan(const Plan &plan, const PlanVerifyOptions &options = {});
/// Returns success if there is no finding.
[[nodiscard]] llvm::Error verifyPlanOrError(const Plan &plan, const PlanVerifyOptions &options = {});

/// Returns the rules, sorted by id.
[[nodiscard]] llvm::ArrayRef<VerifierRule> planVerifierRules();
/// Returns the text of docs/plan-verifier.md.
[[nodiscard]] std::string planVerifierMarkdown();

} // namespace ccgraph
