#include "schedule/overlap/issuer.h"

#include <algorithm>
#include <cassert>

namespace ccgraph::overlap {

Issuer::Issuer(const Problem &problem, const Tasks &tasks)
    : problem_(problem), tasks_(tasks), issued_(problem.steps.size()), missing_(problem.steps.size()),
      holders_(problem.storages.size()), alive_(problem.storages.size()), found_(problem.steps.size()) {
  order_.reserve(problem.steps.size());
  for (size_t step = 0; step < problem.steps.size(); ++step) {
    missing_[step] = static_cast<uint32_t>(problem.before[step].size());
    for (uint32_t storage : problem.holds[step])
      ++holders_[storage];
  }
  for (size_t storage = 0; storage < alive_.size(); ++storage)
    if (problem.storages[storage].fromStart) {
      alive_[storage] = true;
      bytes_ += problem.storages[storage].bytes;
    }
  peak_ = recentPeak_ = bytes_;
}

void Issuer::put(uint32_t step) {
  assert(!issued_[step] && ready(step));
  issued_[step] = true;
  order_.push_back(step);
  for (uint32_t storage : problem_.holds[step])
    if (!alive_[storage]) {
      alive_[storage] = true;
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
    if (!issued_[step])
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
std::vector<uint32_t> Issuer::between(uint32_t step) {
  ++question_;
  std::vector<uint32_t> open = {step};
  std::vector<uint32_t> found;
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    for (uint32_t from : problem_.before[at]) {
      if (issued_[from] || found_[from] == question_)
        continue;
      assert(tasks_.taskOf(from) == none && "a task must be issued by the walk");
      found_[from] = question_;
      found.push_back(from);
      open.push_back(from);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

int64_t Issuer::takeRecentPeak() {
  int64_t peak = recentPeak_;
  recentPeak_ = bytes_;
  return peak;
}

} // namespace ccgraph::overlap
