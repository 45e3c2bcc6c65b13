// The computations on a row (row.h): reductions, softmax, norms.
//
// Plain functions. Failure: none.
#pragma once

#include "device/row_order.h"

namespace ccgraph::runtime::device {

template <typename C, typename Team>
CCGRAPH_BY_TEAM void reduceRow(const Row<C> &row, Team &team) {
  auto x = [&](int64_t k) { return row.get(0, k); };
  auto isSet = [&](int64_t k) { return static_cast<C>(row.get(0, k) != C()); };
  switch (row.job.op) {
  case RowOp::Sum:
    return yield(row, team, 0, summed(row, team, x));
  case RowOp::Product:
    return yield(row, team, 0, folded(row.length(), team, C(1), x, Multiply()));
  case RowOp::Max:
    return yield(row, team, 0, folded(row.length(), team, least<C>(), x, TakeMost()));
  case RowOp::Min:
    return yield(row, team, 0, folded(row.length(), team, opposite(least<C>()), x, PreferLess()));
  case RowOp::All:
    return yield(row, team, 0, folded(row.length(), team, C(1), isSet, PreferLess()));
  case RowOp::Any:
    return yield(row, team, 0, folded(row.length(), team, C(), isSet, TakeMost()));
  case RowOp::MaxPlace:
    return placeInRow(row, team, TakeMost());
  case RowOp::MinPlace:
    return placeInRow(row, team, PreferLess());
  case RowOp::Sorted:
  case RowOp::SortedDown:
    return sortRow(row, team);
  case RowOp::Lower:
  case RowOp::Upper:
    return triangleRow(row, team);
  default: // NOLINT: the rest is of floats
    return;
  }
}

/// sum (x - center)^2
template <typename C, typename Team>
CCGRAPH_BY_TEAM C squaresAbout(const Row<C> &row, Team &team, int input, C center) {
  return summed(row, team, [&](int64_t k) {
    C distance = row.get(input, k) - center;
    return distance * distance;
  });
}
template <typename C, typename Team>
CCGRAPH_BY_TEAM C meanOf(const Row<C> &row, Team &team) {
  return summed(row, team, [&](int64_t k) { return row.get(0, k); }) / static_cast<C>(row.length());
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void varianceOfRow(const Row<C> &row, Team &team) {
  C squares = squaresAbout(row, team, 0, meanOf(row, team));
  C free = static_cast<C>(row.length()) - static_cast<C>(row.job.number);
  C variance = squares / (free < C() ? C() : free);
  yield(row, team, 0, row.job.op == RowOp::Deviation ? std::sqrt(variance) : variance);
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void distanceOfRow(const Row<C> &row, Team &team) {
  C sum = summed(row, team, [&](int64_t k) {
    C difference = row.get(0, k) - row.get(1, k);
    return difference * difference;
  });
  yield(row, team, 0, sum / static_cast<C>(row.job.number));
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM C largestOf(const Row<C> &row, Team &team) {
  return folded(
      row.length(), team, least<C>(), [&](int64_t k) { return row.get(0, k); }, TakeMost());
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void softmaxSumsOfRow(const Row<C> &row, Team &team) {
  C most = largestOf(row, team);
  yield(row, team, 0, most);
  yield(row, team, 1, summed(row, team, [&](int64_t k) { return std::exp(row.get(0, k) - most); }));
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void softmaxRow(const Row<C> &row, Team &team) {
  C most = largestOf(row, team);
  C sum = summed(row, team, [&](int64_t k) { return std::exp(row.get(0, k) - most); });
  bool isLog = row.job.op == RowOp::LogSoftmax;
  C logSum = std::log(sum);
  forEach(row, team, [&](int64_t k) {
    C above = row.get(0, k) - most;
    row.set(0, k, isLog ? above - logSum : std::exp(above) / sum);
  });
}

/// grad * y - y * sum(grad * y); of the logarithm grad - exp(y) * sum(grad).
template <typename C, typename Team>
CCGRAPH_BY_TEAM void softmaxGradRow(const Row<C> &row, Team &team) {
  bool isLog = row.job.op == RowOp::LogSoftmaxGrad;
  C sum = summed(row, team, [&](int64_t k) { return isLog ? row.get(0, k) : row.get(0, k) * row.get(1, k); });
  forEach(row, team, [&](int64_t k) {
    C grad = row.get(0, k), y = row.get(1, k);
    row.set(0, k, isLog ? grad - std::exp(y) * sum : (grad - sum) * y);
  });
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void normRow(const Row<C> &row, Team &team) {
  bool centers = row.job.op == RowOp::LayerNorm;
  C mean = centers ? meanOf(row, team) : C();
  C variance = squaresAbout(row, team, 0, mean) / static_cast<C>(row.length());
  C scale = C(1) / std::sqrt(variance + static_cast<C>(row.job.number));
  forEach(row, team, [&](int64_t k) {
    row.set(0, k, (row.get(0, k) - mean) * scale * row.getOr(1, k, C(1)) + row.getOr(2, k, C()));
  });
  if (centers)
    yield(row, team, 1, mean);
  yield(row, team, centers ? 2 : 1, scale);
}

/// Computes scale * (g - mean(g) - y * mean(g * y)) for g = grad * weight and y = (x - mean) * scale. A norm that does
/// not subtract the mean of x omits mean(g).
template <typename C, typename Team>
CCGRAPH_BY_TEAM void normGradRow(const Row<C> &row, Team &team) {
  bool centers = row.job.op == RowOp::LayerNormGrad;
  C mean = centers ? row.get(3, 0) : C(), scale = row.get(centers ? 4 : 3, 0);
  auto grad = [&](int64_t k) { return row.get(0, k) * row.getOr(2, k, C(1)); };
  auto normal = [&](int64_t k) { return (row.get(1, k) - mean) * scale; };
  C count = static_cast<C>(row.length());
  C product = summed(row, team, [&](int64_t k) { return grad(k) * normal(k); }) / count;
  C shift = summed(row, team, grad) / count;
  if (!centers)
    shift = C();
  forEach(row, team, [&](int64_t k) { row.set(0, k, scale * (grad(k) - shift - normal(k) * product)); });
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void weightGradRow(const Row<C> &row, Team &team) {
  yield(row, team, 0, summed(row, team, [&](int64_t k) {
          return row.get(0, k) * (row.get(1, k) - row.getOr(2, k, C())) * row.get(3, k);
        }));
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void floatRow(const Row<C> &row, Team &team) {
  switch (row.job.op) {
  case RowOp::Mean:
    return yield(row, team, 0, meanOf(row, team));
  case RowOp::Norm:
    return yield(row, team, 0, std::sqrt(squaresAbout(row, team, 0, C())));
  case RowOp::Variance:
  case RowOp::Deviation:
    return varianceOfRow(row, team);
  case RowOp::Distance:
    return distanceOfRow(row, team);
  case RowOp::SoftmaxSums:
    return softmaxSumsOfRow(row, team);
  case RowOp::Softmax:
  case RowOp::LogSoftmax:
    return softmaxRow(row, team);
  case RowOp::SoftmaxGrad:
  case RowOp::LogSoftmaxGrad:
    return softmaxGradRow(row, team);
  case RowOp::LayerNorm:
  case RowOp::RmsNorm:
    return normRow(row, team);
  case RowOp::LayerNormGrad:
  case RowOp::RmsNormGrad:
    return normGradRow(row, team);
  case RowOp::WeightGrad:
    return weightGradRow(row, team);
  default: // NOLINT: the rest is of any arithmetic
    return reduceRow(row, team);
  }
}
/// Selects the operators of each kind of arithmetic.
template <typename Team>
CCGRAPH_BY_TEAM void computeRow(const Row<int64_t> &row, Team &team) {
  reduceRow(row, team);
}
template <typename Team>
CCGRAPH_BY_TEAM void computeRow(const Row<float> &row, Team &team) {
  floatRow(row, team);
}
template <typename Team>
CCGRAPH_BY_TEAM void computeRow(const Row<double> &row, Team &team) {
  floatRow(row, team);
}

CCGRAPH_ANYWHERE inline int64_t unitsOf(const RowJob &job) { return job.rows.count; }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const RowJob &job, int64_t unit, Team &team) {
  computeRow(Row<C>{job, unit}, team);
}

} // namespace ccgraph::runtime::device
