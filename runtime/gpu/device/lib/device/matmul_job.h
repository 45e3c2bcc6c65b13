// MatmulJob: out = alpha * a b + beta * added, of each matrix of a batch.
//
// Each thread computes one element of the result, all of its products in order. A device has a library that is far
// faster for what it takes (runtime/gpu/nccl/module), which the module then calls in place of this: sums come in
// another order there.
//
// Plain value. Failure: none.
#pragma once

#include "device/lookup_job.h"

namespace ccgraph::runtime::device {

/// One for each of a batch.
struct Matrices {
  Matrix first;
  int64_t batchStride = 0;
};

struct MatmulJob {
  static constexpr bool hasWhole = true;
  Arithmetic arithmetic = Arithmetic::Single;
  int64_t batch = 1;
  /// out is [rows, columns], a [rows, depth], b [depth, columns]
  int64_t rows = 0, columns = 0, depth = 0;
  Matrices a, b, out;
  /// not there where it has no address; strides of 0 stretch it
  Matrices added;
  double alpha = 1, beta = 0;
};

/// A square of results.
inline constexpr int tileSide = 16;
static_assert(tileSide * tileSide == teamThreads);

CCGRAPH_ANYWHERE constexpr int64_t tilesOf(int64_t size) { return (size + tileSide - 1) / tileSide; }
CCGRAPH_ANYWHERE inline int64_t unitsOf(const MatmulJob &job) {
  return job.batch * tilesOf(job.rows) * tilesOf(job.columns);
}

CCGRAPH_ANYWHERE inline Matrix matrixOf(const Matrices &matrices, int64_t number, int64_t elementSize) {
  Matrix matrix = matrices.first;
  matrix.data += number * matrices.batchStride * elementSize;
  return matrix;
}
CCGRAPH_ANYWHERE constexpr int64_t sizeOf(Element element) {
  switch (element) {
  case Element::Bool:
  case Element::U8:
  case Element::I8:
    return 1;
  case Element::U16:
  case Element::I16:
  case Element::F16:
  case Element::BF16:
    return 2;
  case Element::U32:
  case Element::I32:
  case Element::F32:
    return 4;
  case Element::I64:
  case Element::F64:
    return 8;
  }
  return 1;
}
CCGRAPH_ANYWHERE inline Matrix matrixOf(const Matrices &matrices, int64_t number) {
  return matrixOf(matrices, number, sizeOf(matrices.first.element));
}

template <typename C>
CCGRAPH_ANYWHERE void matmulElement(const MatmulJob &job, int64_t number, int64_t row, int64_t column) {
  Matrix a = matrixOf(job.a, number), b = matrixOf(job.b, number);
  C sum = C();
  for (int64_t k = 0; k < job.depth; ++k)
    sum = plus(sum, times(get<C>(a, row, k), get<C>(b, k, column)));
  sum = times(static_cast<C>(job.alpha), sum);
  if (job.added.first.data)
    sum = plus(sum, times(static_cast<C>(job.beta), get<C>(matrixOf(job.added, number), row, column)));
  set(matrixOf(job.out, number), row, column, sum);
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const MatmulJob &job, int64_t unit, Team &team) {
  int64_t across = tilesOf(job.columns), down = tilesOf(job.rows);
  int64_t column = unit % across * tileSide, row = unit / across % down * tileSide, number = unit / across / down;
  team.each([&](int thread) {
    int64_t r = row + thread / tileSide, c = column + thread % tileSide;
    if (r < job.rows && c < job.columns)
      matmulElement<C>(job, number, r, c);
  });
}

} // namespace ccgraph::runtime::device
