#include "run_list.h"

#include <algorithm>

namespace ccgraph::numerics {
namespace {

/// Returns whether `next` continues `run`, so that both are one run. One element may count as repeated or not.
bool continues(const Run &run, const Run &next) {
  if (run.term != next.term)
    return false;
  const bool canRepeat = (run.repeats || run.length == 1) && (next.repeats || next.length == 1);
  if (canRepeat && run.start == next.start)
    return true;
  const bool canAdvance = (!run.repeats || run.length == 1) && (!next.repeats || next.length == 1);
  return canAdvance && run.start + run.length == next.start;
}

} // namespace

void RunList::push(Run run) {
  if (run.length <= 0)
    return;
  if (run.length == 1)
    run.repeats = false;
  const int64_t end = size() + run.length;
  if (runs_.empty() || !continues(runs_.back(), run)) {
    runs_.push_back(run);
    ends_.push_back(end);
    return;
  }
  Run &last = runs_.back();
  last.repeats = last.start == run.start;
  last.length += run.length;
  ends_.back() = end;
}

void RunList::append(const RunList &other) {
  for (const Run &run : other.runs_)
    push(run);
}

size_t RunList::runAt(int64_t index) const {
  return static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
}

void RunList::copyTo(RunList &to, int64_t start, int64_t length) const {
  const int64_t end = start + length;
  for (size_t i = length > 0 ? runAt(start) : runs_.size(); i < runs_.size() && start < end; ++i) {
    const int64_t begin = ends_[i] - runs_[i].length, stop = std::min(end, ends_[i]);
    to.push(runs_[i].part(start - begin, stop - start));
    start = stop;
  }
}

RunList RunList::slice(int64_t start, int64_t length) const {
  RunList part;
  copyTo(part, start, length);
  return part;
}

void RunList::replace(int64_t start, const RunList &by) {
  RunList whole;
  copyTo(whole, 0, start);
  whole.append(by);
  copyTo(whole, start + by.size(), size() - start - by.size());
  *this = std::move(whole);
}

bool sameElements(const RunList &a, const RunList &b) {
  if (a.size() != b.size())
    return false;
  size_t i = 0, j = 0;
  int64_t usedOfA = 0, usedOfB = 0;
  while (i != a.runs().size()) {
    const int64_t length = std::min(a.runs()[i].length - usedOfA, b.runs()[j].length - usedOfB);
    const Run x = a.runs()[i].part(usedOfA, length), y = b.runs()[j].part(usedOfB, length);
    if (x.term != y.term || x.start != y.start || (length > 1 && x.repeats != y.repeats))
      return false;
    usedOfA += length;
    usedOfB += length;
    if (usedOfA == a.runs()[i].length)
      ++i, usedOfA = 0;
    if (usedOfB == b.runs()[j].length)
      ++j, usedOfB = 0;
  }
  return true;
}

std::pair<TermId, int64_t> RunList::at(int64_t index) const {
  const size_t i = runAt(index);
  const Run run = runs_[i].part(index - (ends_[i] - runs_[i].length), 1);
  return {run.term, run.start};
}

} // namespace ccgraph::numerics
