// LayoutCache: the memory layouts of one plan, one for each binding of its symbols in a run.
//
// The plan contains the layout of one binding. For another binding, the buffers are laid out anew (plan_layout.h) at
// its first run, and the plan is verified with that layout: windows that are disjoint under one binding may overlap
// under another, where the plan does not order their uses. Layouts are kept, so a run with a known binding lays out
// nothing. Beyond `mostKept` bindings, the least recently used one is dropped.
//
// Ownership: borrows the plan; a layout lives as long as its users. Thread-safe: the ranks of one plan share a cache.
// Failure: a DiagnosticError: a size that is not a number (plan.layout), or an error of the plan verifier. Cost: for a
// known binding, a comparison with each kept one; for a new one, layOutFor() and verifyPlan().
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
  /// the most recently used one first
  std::vector<std::shared_ptr<const PlanLayout>> kept_;
  size_t made_ = 0;
};

} // namespace ccgraph::runtime
