// Jobs that look up places by numbers that the device has made: an embedding, its gradient, and the loss of chosen
// classes.
//
// A number that is out of range ends the run (Team::fail()).
//
// Plain values. Cost: the gradient of an embedding has a thread for each column, which processes all indices in their
// order, so that its sums are the same in each run; each partial sum is rounded to the result's type.
#pragma once

#include "device/row_job.h"

namespace ccgraph::runtime::device {

/// A matrix: strides in elements.
struct Matrix {
  std::byte *data = nullptr;
  Element element = Element::U8;
  int64_t rowStride = 0;
  int64_t columnStride = 0;
};
template <typename C>
CCGRAPH_ANYWHERE C get(const Matrix &matrix, int64_t row, int64_t column) {
  return load<C>(matrix.data, matrix.element, row * matrix.rowStride + column * matrix.columnStride);
}
template <typename C>
CCGRAPH_ANYWHERE void set(const Matrix &matrix, int64_t row, int64_t column, C value) {
  store<C>(matrix.data, matrix.element, row * matrix.rowStride + column * matrix.columnStride, value);
}

/// out[i, :] = table[index[i], :]
struct EmbeddingJob {
  static constexpr bool hasWhole = true;
  Arithmetic arithmetic = Arithmetic::Single;
  Shape indices;
  Strided index;
  int64_t tableRows = 0;
  int64_t columns = 0;
  Matrix table;
  /// row-major
  Matrix out;
};

CCGRAPH_ANYWHERE inline int64_t unitsOf(const EmbeddingJob &job) { return job.indices.count; }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const EmbeddingJob &job, int64_t unit, Team &team) {
  auto row = loadAt<int64_t>(job.index, job.indices, unit);
  if (row < 0 || row >= job.tableRows)
    return team.fail();
  team.each([&](int thread) {
    for (int64_t column = thread; column < job.columns; column += teamThreads)
      set(job.out, unit, column, get<C>(job.table, row, column));
  });
}

/// table[index[i], :] += grad[i, :], from zeros; indices equal to `padding` are left out.
struct EmbeddingGradJob {
  static constexpr bool hasWhole = false;
  Arithmetic arithmetic = Arithmetic::Single;
  Shape indices;
  Strided index;
  int64_t tableRows = 0;
  int64_t columns = 0;
  int64_t padding = -1;
  /// row-major
  Matrix grad;
  Matrix table;
};

CCGRAPH_ANYWHERE inline int64_t unitsOf(const EmbeddingGradJob &job) { return unitsOf(job.columns); }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const EmbeddingGradJob &job, int64_t unit, Team &team) {
  team.each([&](int thread) {
    int64_t column = unit * teamThreads + thread;
    if (column >= job.columns)
      return;
    for (int64_t row = 0; row < job.tableRows; ++row)
      set(job.table, row, column, C());
    for (int64_t i = 0; i < job.indices.count; ++i) {
      auto row = loadAt<int64_t>(job.index, job.indices, i);
      if (row < 0 || row >= job.tableRows)
        return team.fail();
      if (row != job.padding)
        set(job.table, row, column, get<C>(job.table, row, column) + get<C>(job.grad, i, column));
    }
  });
}

enum class LossReduction : uint8_t { None, Mean, Sum };

/// The operands of a loss over classes and of its gradient.
struct ClassLoss {
  static constexpr bool hasWhole = false;
  Arithmetic arithmetic = Arithmetic::Single;
  LossReduction reduction = LossReduction::Mean;
  int64_t count = 0;
  int64_t classes = 0;
  int64_t ignored = -100;
  /// one row
  Matrix target;
  /// one row; not there where it has no address
  Matrix weight;
  Matrix totalWeight;
};

/// Of samples[i, :], whose class is target[i]: loss -weight * sample at the class, where the class is not `ignored`.
struct ClassLossJob : ClassLoss {
  Matrix samples;
  /// one number, or one row of a loss that is not reduced
  Matrix out;
};

/// 0 of an ignored sample.
template <typename C>
CCGRAPH_ANYWHERE C weightOf(const ClassLoss &job, int64_t label) {
  if (label == job.ignored)
    return C();
  return job.weight.data ? get<C>(job.weight, 0, label) : C(1);
}
CCGRAPH_ANYWHERE inline bool isKnown(const ClassLoss &job, int64_t label) {
  return label == job.ignored || (label >= 0 && label < job.classes);
}
template <typename C>
CCGRAPH_ANYWHERE C lossOf(const ClassLossJob &job, int64_t sample) {
  auto label = get<int64_t>(job.target, 0, sample);
  return label == job.ignored ? C() : -weightOf<C>(job, label) * get<C>(job.samples, sample, label);
}

CCGRAPH_ANYWHERE inline int64_t unitsOf(const ClassLossJob &) { return 1; }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const ClassLossJob &job, int64_t, Team &team) {
  auto labelOf = [&](int64_t i) { return get<int64_t>(job.target, 0, i); };
  auto unknown = [&](int64_t i) { return static_cast<int64_t>(!isKnown(job, labelOf(i))); };
  if (folded(job.count, team, int64_t(), unknown, AddUp()) != 0)
    return team.fail();
  if (job.reduction == LossReduction::None) {
    team.each([&](int thread) {
      for (int64_t i = thread; i < job.count; i += teamThreads)
        set(job.out, 0, i, lossOf<C>(job, i));
    });
  }
  C sum = folded(
      job.count, team, C(), [&](int64_t i) { return lossOf<C>(job, i); }, AddUp());
  C total = folded(
      job.count, team, C(), [&](int64_t i) { return weightOf<C>(job, labelOf(i)); }, AddUp());
  team.each([&](int thread) {
    if (thread != 0)
      return;
    if (job.reduction != LossReduction::None && job.out.data)
      set(job.out, 0, 0, job.reduction == LossReduction::Mean ? sum / total : sum);
    if (job.totalWeight.data)
      set(job.totalWeight, 0, 0, job.reduction == LossReduction::None ? C() : total);
  });
}

/// out[i, :] = 0, but at the class: -weight * grad, divided by the total weight where the loss is a mean.
struct ClassLossGradJob : ClassLoss {
  /// one row, with stride 0 where it is one number
  Matrix grad;
  Matrix out;
};

CCGRAPH_ANYWHERE inline int64_t unitsOf(const ClassLossGradJob &job) { return job.count; }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const ClassLossGradJob &job, int64_t unit, Team &team) {
  auto label = get<int64_t>(job.target, 0, unit);
  if (!isKnown(job, label))
    return team.fail();
  C divisor = job.reduction == LossReduction::Mean ? get<C>(job.totalWeight, 0, 0) : C(1);
  C slope = label == job.ignored ? C() : -weightOf<C>(job, label) * get<C>(job.grad, 0, unit) / divisor;
  team.each([&](int thread) {
    for (int64_t column = thread; column < job.classes; column += teamThreads)
      set(job.out, unit, column, column == label && label != job.ignored ? slope : C());
  });
}

} // namespace ccgraph::runtime::device
