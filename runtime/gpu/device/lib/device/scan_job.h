// ScanJob: running sums along a line of a tensor.
//
// One thread processes a line, so all sums have one order. The running sum is rounded where it is stored, but the
// unrounded one is carried on.
//
// Plain value. Failure: none. Cost: the steps of a line are sequential.
#pragma once

#include "device/row.h"

namespace ccgraph::runtime::device {

struct ScanJob {
  static constexpr bool hasWhole = true;
  Arithmetic arithmetic = Arithmetic::Single;
  Shape lines, steps;
  Lines in, out;
};

CCGRAPH_ANYWHERE inline int64_t unitsOf(const ScanJob &job) { return unitsOf(job.lines.count); }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const ScanJob &job, int64_t unit, Team &team) {
  team.each([&](int thread) {
    int64_t line = unit * teamThreads + thread;
    if (line >= job.lines.count)
      return;
    auto place = [&](const Lines &lines, int64_t step) {
      return placeOf(job.lines, lines.rowStrides, line) + placeOf(job.steps, lines.innerStrides, step);
    };
    C sum = C();
    for (int64_t step = 0; step < job.steps.count; ++step) {
      sum = plus(sum, load<C>(job.in.data, job.in.element, place(job.in, step)));
      store(job.out.data, job.out.element, place(job.out, step), sum);
    }
  });
}

} // namespace ccgraph::runtime::device
