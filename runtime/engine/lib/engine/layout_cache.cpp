#include "engine/layout_cache.h"

#include "ccgraph/ir/plan_layout.h"
#include "ccgraph/ir/plan_verifier.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace ccgraph::runtime {
namespace {

bool isFor(const PlanLayout &layout, llvm::ArrayRef<int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (layout.symbols[i].second != values[i])
      return false;
  return true;
}

/// But for waits that are idle: in another layout some may be.
llvm::Error verify(const Plan &plan, const PlanLayout &layout) {
  PlanVerifyOptions options{.limit = std::numeric_limits<size_t>::max(), .layout = &layout};
  std::vector<Diagnostic> findings = verifyPlan(plan, options);
  llvm::erase_if(findings, [](const Diagnostic &finding) { return finding.rule == "plan.waits"; });
  if (findings.empty())
    return llvm::Error::success();
  findings.erase(findings.begin() + 1, findings.end());
  std::string binding;
  for (const auto &[symbol, value] : layout.symbols)
    binding += (binding.empty() ? "" : ", ") + symbol.str().str() + " = " + std::to_string(value);
  findings.front().notes.emplace_back("the plan was made for other sizes than " + binding +
                                      ": make one for these, with inputs of these sizes or hints of them");
  return makeError(std::move(findings.front()));
}

} // namespace

llvm::Expected<std::shared_ptr<const PlanLayout>> LayoutCache::find(llvm::ArrayRef<int64_t> values) {
  std::lock_guard<std::mutex> lock(mutex_);
  // It lives as long as the plan, so it needs no owner.
  if (isFor(plan_.layout, values))
    return std::shared_ptr<const PlanLayout>(std::shared_ptr<const PlanLayout>(), &plan_.layout);
  auto known = llvm::find_if(kept_, [&](const auto &layout) { return isFor(*layout, values); });
  if (known == kept_.end()) {
    auto layout = make(values);
    if (!layout)
      return layout.takeError();
    ++made_;
    if (kept_.size() == mostKept)
      kept_.pop_back();
    known = kept_.insert(kept_.end(), std::move(*layout));
  }
  std::rotate(kept_.begin(), known, known + 1);
  return kept_.front();
}

llvm::Expected<std::shared_ptr<const PlanLayout>> LayoutCache::make(llvm::ArrayRef<int64_t> values) const {
  auto symbols = plan_.layout.symbols;
  for (size_t i = 0; i < values.size(); ++i)
    symbols[i].second = values[i];
  llvm::Expected<PlanLayout> layout = layOutFor(plan_, std::move(symbols));
  if (!layout)
    return layout.takeError();
  if (llvm::Error error = verify(plan_, *layout))
    return error;
  return std::make_shared<const PlanLayout>(std::move(*layout));
}

size_t LayoutCache::made() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return made_;
}

} // namespace ccgraph::runtime
