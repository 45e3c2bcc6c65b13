// PickJob: elements at places that other tensors name: gather, scatter, and indexing.
//
//   Take     out[line, step] = table[line, places of step]
//   Put      table[line, places of step] = other[line, step]
//   PutSum   the same, added to what is there, and rounded at each addition as the host does
//
// Lines are independent: one thread processes a line, step by step. So two writes to one place have the host's order,
// and sums are the same in each run.
//
// Plain value. Failure: a place out of range ends the run (Team::fail()), unless the job clamps. Cost: a put has as
// many threads as lines, and the steps of a line are sequential. The parallelism is low for a gradient of an embedding,
// and full where each element has a place of its own.
#pragma once

#include "device/row.h"

namespace ccgraph::runtime::device {

enum class PickOp : uint8_t { Take, Put, PutSum };

/// A place along one dimension of the table: its size, and its stride in elements.
struct PickIndex {
  Lines index;
  int64_t size = 0;
  int64_t stride = 0;
};

inline constexpr int mostIndices = 4;

struct PickJob {
  static constexpr bool hasWhole = true;
  Arithmetic arithmetic = Arithmetic::Whole;
  PickOp op = PickOp::Take;
  Shape lines, steps;
  /// strides of 0 along what the indices name
  Lines table;
  /// where it has no address, `value` is put
  Lines other;
  Operand value;
  /// not there where it has no address; where it is unset nothing is put
  Lines mask;
  int numIndices = 0;
  PickIndex indices[mostIndices];
  /// places below 0 count from the end
  bool wraps = false;
  /// places out of range are the nearest that are not
  bool clamps = false;
};

/// One step of a line.
struct PickStep {
  const PickJob &job;
  int64_t line, step;

  CCGRAPH_ANYWHERE int64_t place(const Lines &lines) const {
    return placeOf(job.lines, lines.rowStrides, line) + placeOf(job.steps, lines.innerStrides, step);
  }
  /// Returns the offset in the table; -1 where there is none.
  CCGRAPH_ANYWHERE int64_t picked() const {
    int64_t at = place(job.table);
    for (int i = 0; i < job.numIndices; ++i) {
      const PickIndex &one = job.indices[i];
      auto index = load<int64_t>(one.index.data, one.index.element, place(one.index));
      if (job.clamps)
        index = index < -one.size ? -one.size : index >= one.size ? one.size - 1 : index;
      index += job.wraps && index < 0 ? one.size : 0;
      if (index < 0 || index >= one.size)
        return -1;
      at += index * one.stride;
    }
    return at;
  }
};

/// What is put.
template <typename C>
CCGRAPH_ANYWHERE C otherAt(const PickStep &step) {
  const Lines &other = step.job.other;
  C value = C();
  if (other.data)
    return load<C>(other.data, other.element, step.place(other));
  numberOf(step.job.value, value);
  return value;
}

template <typename C>
CCGRAPH_ANYWHERE void pickAt(const PickStep &step, int64_t at) {
  const Lines &table = step.job.table, &other = step.job.other;
  if (step.job.op == PickOp::Take)
    return store(other.data, other.element, step.place(other), load<C>(table.data, table.element, at));
  C value = otherAt<C>(step);
  if (step.job.op == PickOp::PutSum)
    value = plus(load<C>(table.data, table.element, at), value);
  store(table.data, table.element, at, value);
}

CCGRAPH_ANYWHERE inline int64_t unitsOf(const PickJob &job) { return unitsOf(job.lines.count); }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const PickJob &job, int64_t unit, Team &team) {
  team.each([&](int thread) {
    int64_t line = unit * teamThreads + thread;
    if (line >= job.lines.count)
      return;
    for (int64_t i = 0; i < job.steps.count; ++i) {
      PickStep step{job, line, i};
      if (job.mask.data && load<int64_t>(job.mask.data, job.mask.element, step.place(job.mask)) == 0)
        continue;
      int64_t at = step.picked();
      if (at < 0)
        return team.fail();
      pickAt<C>(step, at);
    }
  });
}

} // namespace ccgraph::runtime::device
