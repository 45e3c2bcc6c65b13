#include "schedule/overlap/issuer.h"

#include <algorithm>
#include <cassert>

namespace ccgraph::overlap {

Issuer::Issuer(const Problem &problem, const Tasks &tasks)
    : problem_(problem), tasks_(tasks), issued_(static_cast<unsigned>(problem.steps.size())),
      missing_(problem.steps.size()), holders_(problem.storages.size()),
      alive_(static_cast<unsigned>(problem.storages.size())), found_(problem.steps.size()) {
  order_.reserve(problem.steps.size());
  for (size_t step = 0; step < problem.steps.size(); ++step)
    missing_[step] = static_cast<uint32_t>(problem.before[step].size());
  for (uint32_t storage : problem.holds.values())
    ++holders_[storage];
  for (unsigned storage = 0; storage < alive_.size(); ++storage)
    if (problem.storages[storage].fromStart) {
      alive_.set(storage);
      bytes_ += problem.storages[storage].bytes;
    }
  peak_ = recentPeak_ = bytes_;
}

void Issuer::put(uint32_t step) {
  assert(!issued(step) && ready(step));
  issued_.set(step);
  order_.push_back(step);
  for (uint32_t storage : problem_.holds[step])
    if (!alive_.test(storage)) {
      alive_.set(storage);
      bytes_ += problem_.storages[storage].bytes;
    }
  peak_ = std::max(peak_, bytes_);
  recentPeak_ = std::max(recentPeak_, bytes_);
  for (uint32_t storage : problem_.holds[step])
    if (--holders_[storage] == 0 && !problem_.storages[storage].toEnd)
      bytes_ -= problem_.storages[storage].bytes;
  for (uint32_t user : tasks_.followers(step))
    if (--missing_[user] == 0 && problem_.steps[user].kind == StepKind::Free && tasks_.taskOf(user) == none)
      following_.push(user);
}

void Issuer::follow() {
  while (!following_.empty() && following_.top() < reached_) {
    uint32_t step = following_.top();
    following_.pop();
    if (!issued(step))
      put(step);
  }
}

void Issuer::reach(uint32_t step) {
  reached_ = step;
  follow();
}

void Issuer::issue(uint32_t step) {
  put(step);
  follow();
}

void Issuer::issueInputs() {
  for (uint32_t step = 0; step < problem_.steps.size(); ++step)
    if (problem_.steps[step].input)
      put(step);
  follow();
}

// Ascending numbers are a valid order, because edges go forward in the program.
llvm::ArrayRef<uint32_t> Issuer::between(uint32_t step) {
  if (ready(step))
    return {};
  ++question_;
  between_.clear();
  open_.assign(1, step);
  while (!open_.empty()) {
    uint32_t at = open_.back();
    open_.pop_back();
    for (uint32_t from : problem_.before[at]) {
      if (issued(from) || found_[from] == question_)
        continue;
      assert(tasks_.taskOf(from) == none && "a task must be issued by the walk");
      found_[from] = question_;
      between_.push_back(from);
      open_.push_back(from);
    }
  }
  std::sort(between_.begin(), between_.end());
  return between_;
}

int64_t Issuer::takeRecentPeak() {
  int64_t peak = recentPeak_;
  recentPeak_ = bytes_;
  return peak;
}

} // namespace ccgraph::overlap
