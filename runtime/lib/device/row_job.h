// RowJob: what is computed of each row of a tensor as a whole: a sum, a softmax, a norm.
//
// Rows are numbered by one shape, the elements of a row by another: so rows may be any dimensions of a tensor. What yields one number a
// row has a window whose strides along the row are 0.
//
// A unit is a row; its lanes take every 256th element, so that sums of many elements round less than one after the other would.
//
// Plain value. Failure: none.
#pragma once

#include "device/map_job.h"

namespace ccgraph::runtime::device {

enum class RowOp : uint8_t {
  // of any arithmetic: one number
  Sum,
  Product,
  Max,
  Min,
  All,
  Any,
  // of floats: one number
  Mean,
  Norm,      ///< sqrt(sum x^2)
  Variance,  ///< sum (x - mean)^2 / max(0, n - number)
  Deviation, ///< its root
  Distance,  ///< of x, y: sum (x - y)^2 / number
  // of floats: rows
  Softmax,
  LogSoftmax,
  SoftmaxGrad,    ///< of grad, output
  LogSoftmaxGrad, ///< of grad, output
  LayerNorm,      ///< of x, weight, bias: out, mean, 1/deviation; `number` is epsilon
  LayerNormGrad,  ///< of grad, x, weight, mean, 1/deviation
  RmsNorm,        ///< of x, weight: out, 1/root mean square
  RmsNormGrad,    ///< of grad, x, weight, 1/root mean square
  // of floats, of each column: one number
  WeightGrad, ///< of grad, x, mean (or none), 1/deviation: sum grad * (x - mean) / deviation
};

/// A tensor over both shapes; not there where it has no address.
struct Lines {
  std::byte *data = nullptr;
  Element element = Element::U8;
  int64_t rowStrides[mostDimensions] = {};
  int64_t innerStrides[mostDimensions] = {};
};

inline constexpr int mostLines = 5;
inline constexpr int mostResults = 3;

struct RowJob {
  static constexpr bool hasWhole = true;
  RowOp op = RowOp::Sum;
  Arithmetic arithmetic = Arithmetic::Single;
  Shape rows;
  Shape inner;
  Lines in[mostLines];
  Lines out[mostResults];
  double number = 0;
};

/// One row of a job, as a team sees it.
template <typename C>
struct Row {
  const RowJob &job;
  int64_t number;

  CCGRAPH_ANYWHERE int64_t place(const Lines &lines, int64_t k) const {
    return placeOf(job.rows, lines.rowStrides, number) + placeOf(job.inner, lines.innerStrides, k);
  }
  CCGRAPH_ANYWHERE C get(int input, int64_t k) const {
    const Lines &lines = job.in[input];
    return load<C>(lines.data, lines.element, place(lines, k));
  }
  /// The same, or what stands for a tensor that is not there.
  CCGRAPH_ANYWHERE C getOr(int input, int64_t k, C otherwise) const {
    return job.in[input].data ? get(input, k) : otherwise;
  }
  CCGRAPH_ANYWHERE void set(int output, int64_t k, C value) const {
    const Lines &lines = job.out[output];
    if (lines.data)
      store<C>(lines.data, lines.element, place(lines, k), value);
  }
  [[nodiscard]] CCGRAPH_ANYWHERE int64_t length() const { return job.inner.count; }
};

struct AddUp {
  template <typename C>
  CCGRAPH_ANYWHERE C operator()(C a, C b) const {
    return plus(a, b);
  }
};
struct TakeMost {
  template <typename C>
  CCGRAPH_ANYWHERE C operator()(C a, C b) const {
    return maximumOf(a, b);
  }
};
struct TakeLeast {
  template <typename C>
  CCGRAPH_ANYWHERE C operator()(C a, C b) const {
    return minimumOf(a, b);
  }
};
struct Multiply {
  template <typename C>
  CCGRAPH_ANYWHERE C operator()(C a, C b) const {
    return times(a, b);
  }
};

CCGRAPH_ANYWHERE inline void setToLeast(int64_t &value) { value = INT64_MIN; }
CCGRAPH_ANYWHERE inline void setToLeast(float &value) { value = -INFINITY; }
CCGRAPH_ANYWHERE inline void setToLeast(double &value) { value = -static_cast<double>(INFINITY); }
CCGRAPH_ANYWHERE inline int64_t opposite(int64_t least) { return ~least; }
CCGRAPH_ANYWHERE inline float opposite(float least) { return -least; }
CCGRAPH_ANYWHERE inline double opposite(double least) { return -least; }
template <typename C>
CCGRAPH_ANYWHERE C least() {
  C value;
  setToLeast(value);
  return value;
}

/// fold over value(k), from `start`.
template <typename C, typename Team, typename Value, typename Fold>
CCGRAPH_BY_TEAM C folded(int64_t length, Team &team, C start, Value value, Fold fold) {
  return team.template reduce<C>(
      [&](int lane) {
        C all = start;
        for (int64_t k = lane; k < length; k += lanes)
          all = fold(all, value(k));
        return all;
      },
      fold);
}
template <typename C, typename Team, typename Value>
CCGRAPH_BY_TEAM C summed(const Row<C> &row, Team &team, Value value) {
  return folded(row.length(), team, C(), value, AddUp());
}
template <typename C, typename Team, typename Body>
CCGRAPH_BY_TEAM void forEach(const Row<C> &row, Team &team, Body body) {
  team.each([&](int lane) {
    for (int64_t k = lane; k < row.length(); k += lanes)
      body(k);
  });
}
/// The row's one number.
template <typename C, typename Team>
CCGRAPH_BY_TEAM void yield(const Row<C> &row, Team &team, int output, C value) {
  team.each([&](int lane) {
    if (lane == 0)
      row.set(output, 0, value);
  });
}

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
    return yield(row, team, 0, folded(row.length(), team, opposite(least<C>()), x, TakeLeast()));
  case RowOp::All:
    return yield(row, team, 0, folded(row.length(), team, C(1), isSet, TakeLeast()));
  case RowOp::Any:
    return yield(row, team, 0, folded(row.length(), team, C(), isSet, TakeMost()));
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
CCGRAPH_BY_TEAM void softmaxRow(const Row<C> &row, Team &team) {
  C most = folded(
      row.length(), team, least<C>(), [&](int64_t k) { return row.get(0, k); }, TakeMost());
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

/// scale * (g - mean(g) - y * mean(g * y)) for g = grad * weight and y = (x - mean) * scale; a norm that does not subtract the mean
/// of x leaves mean(g) out.
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
/// Which arithmetic has which operators.
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
