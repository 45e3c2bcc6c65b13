#include "report/time_texts.h"

#include "ccgraph/toolkit/text.h"

namespace ccgraph::report {

namespace {

/// Returns "8.3 % less", or "reached".
std::string lessText(int64_t bound, int64_t total) {
  return bound >= total ? "reached" : shareText(total - bound, total) + " less";
}

} // namespace

std::string timeWithShare(int64_t part, int64_t whole) { return timeText(part) + " (" + shareText(part, whole) + ")"; }

std::string boundText(const StepBounds &bounds, int64_t total) {
  const int64_t free = bounds.anyMerging.picoseconds;
  std::string text = timeText(free) + " in any order with any merging (" + lessText(free, total) + ")";
  if (bounds.within && timeText(bounds.within->anyMerging.picoseconds) != timeText(free))
    text += ", " + timeText(bounds.within->anyMerging.picoseconds) + " within the memory budget (" +
            lessText(bounds.within->anyMerging.picoseconds, total) + ")";
  if (bounds.anyChange && bounds.anyChange->picoseconds < free)
    text += ", " + timeText(bounds.anyChange->picoseconds) + " with any kept gathers and pieces (" +
            lessText(bounds.anyChange->picoseconds, total) + ")";
  if (bounds.anyOrder.picoseconds > bounds.anyMerging.picoseconds)
    text += ", " + timeText(bounds.anyOrder.picoseconds) + " without merging";
  return text + "; held by " + (bounds.anyMerging.group.empty() ? "computation" : "group " + bounds.anyMerging.group);
}

} // namespace ccgraph::report
