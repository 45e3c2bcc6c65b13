#include "schedule/overlap/trial_record.h"

namespace ccgraph::overlap {

TrialRecord::Key TrialRecord::keyOf(const Attempt &attempt) {
  const Policy &policy = attempt.policy;
  return {attempt.base, policy.prefetchBytes, policy.lastingBytes, policy.lead, policy.keepBack, policy.lastingFirst};
}

const TrialRecord::Recorded *TrialRecord::recorded(const Attempt &attempt) const {
  auto known = results_.find(keyOf(attempt));
  if (known == results_.end())
    return nullptr;
  for (const Recorded &it : known->second)
    if (it.budgets.contains(attempt.policy.budget))
      return &it;
  return nullptr;
}

std::optional<TrialResult> TrialRecord::find(const Attempt &attempt) const {
  const Recorded *known = recorded(attempt);
  return known ? std::optional(known->result) : std::nullopt;
}

void TrialRecord::add(const Attempt &attempt, const BudgetRange &budgets, const TrialResult &result) {
  results_[keyOf(attempt)].push_back({budgets, result});
}

const Schedule *TrialRecord::kept(const Attempt &attempt) const {
  const Recorded *known = recorded(attempt);
  return known && known == keptFor_ ? &kept_ : nullptr;
}

void TrialRecord::keep(const Attempt &attempt, const Schedule &schedule) {
  keptFor_ = recorded(attempt);
  kept_ = schedule;
}

} // namespace ccgraph::overlap
