// LayoutCache: where the buffers of one plan lie, for each binding of its symbols that a run has had.
//
// The plan brings the layout of one binding. For another one the buffers are laid out anew (plan_layout.h) when a run first has it, and
// the plan is verified with that: windows that lie apart under one binding may overlap under another, and then no order of the
// plan's keeps them from one another. Layouts are kept, so that a run at a binding that was there before lays out nothing; of more
// than `mostKept` bindings the one that was not asked for longest goes.
//
// Ownership: borrows the plan; a layout lives as long as who holds it. Thread-safe: the ranks of one plan share a cache. Failure: a
// DiagnosticError: a size that is no number (plan.layout), or what the plan verifier finds. Cost: of a known binding a comparison with
// each that is kept; of a new one layOutFor() and verifyPlan().
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <mutex>

namespace ccgraph::runtime {

class LayoutCache {
public:
  static constexpr size_t mostKept = 16;

  explicit LayoutCache(const Plan &plan) : plan_(plan) {}
  /// `values`: one for each symbol of the plan's layout.
  [[nodiscard]] llvm::Expected<std::shared_ptr<const PlanLayout>> find(llvm::ArrayRef<int64_t> values);
  /// How many layouts were made, the plan's own not counted.
  [[nodiscard]] size_t made() const;

private:
  [[nodiscard]] llvm::Expected<std::shared_ptr<const PlanLayout>> make(llvm::ArrayRef<int64_t> values) const;

  const Plan &plan_;
  mutable std::mutex mutex_;
  /// the one that was asked for last comes first
  std::vector<std::shared_ptr<const PlanLayout>> kept_;
  size_t made_ = 0;
};

} // namespace ccgraph::runtime
