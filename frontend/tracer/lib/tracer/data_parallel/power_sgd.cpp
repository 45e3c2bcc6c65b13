#include "ccgraph/tracer/power_sgd.h"

#include "ccgraph/ir/device.h"
#include "ccgraph/tracer/ops.h"
#include "tracer/data_parallel/reduction.h"
#include "tracer/mode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <cmath>

namespace ccgraph::tracer {

using detail::divided;
using detail::padded;
using detail::problem;
using detail::sumOverRanks;

namespace {

Tensor joined(const std::vector<Tensor> &flat) { return flat.size() == 1 ? flat.front() : cat(flat); }

int64_t rankOf(int64_t rows, int64_t columns, const PowerSgdOptions &options) {
  return std::min({rows, columns, options.rank});
}

/// Orthonormal columns by Gram-Schmidt: each column is divided by its norm and then removed from all later columns.
Tensor orthogonalized(const Tensor &matrix, double epsilon) {
  std::vector<Tensor> columns;
  Tensor rest = matrix;
  for (int64_t left = matrix.size(1); left != 0; --left) {
    Tensor column = slice(rest, 1, 0, 1);
    Tensor norm = call("aten.linalg_vector_norm.default", {column, 2, std::vector<int64_t>{0}, true});
    column = column / (epsilon == 0 ? norm : norm + epsilon);
    columns.push_back(column);
    if (left == 1)
      break;
    Tensor later = slice(rest, 1, 1);
    rest = later - sum(column * later, {0}, true) * column;
  }
  return columns.size() == 1 ? columns.front() : cat(columns, 1);
}

/// A gradient with the strides of a channels-last parameter is no view of a matrix.
Tensor matrixOf(const Tensor &gradient, int64_t rows, int64_t columns) {
  return gradient.isContiguous() ? view(gradient, {rows, columns}) : reshape(gradient, {rows, columns});
}

/// Returns the elements of a gradient in the order that they have in the bucket.
Tensor rowOf(const GradBucket &bucket, size_t member, const Tensor &gradient) {
  bool isMoved = member < bucket.orders.size() && !bucket.orders[member].empty();
  if (!isMoved)
    return reshape(gradient, {-1});
  Tensor shaped = gradient.isContiguous() ? view(gradient, bucket.shapes[member]) : gradient;
  return reshape(call("aten.permute.default", {shaped, bucket.orders[member]}), {-1});
}

/// Splits a flat buffer into matrices of these rows and columns.
std::vector<Tensor> matricesOf(const Tensor &flat, const std::vector<std::pair<int64_t, int64_t>> &shapes) {
  std::vector<Tensor> matrices;
  int64_t offset = 0;
  for (auto [rows, columns] : shapes) {
    Tensor piece = shapes.size() == 1 ? flat : slice(flat, 0, offset, offset + rows * columns);
    matrices.push_back(view(piece, {rows, columns}));
    offset += rows * columns;
  }
  return matrices;
}

} // namespace

bool isCompressed(int64_t rows, int64_t columns, const PowerSgdOptions &options) {
  double compressed = static_cast<double>((rows + columns) * rankOf(rows, columns, options));
  return compressed * options.minRate < static_cast<double>(rows * columns);
}

/// The hook's state within one trace.
class PowerSgd::Step {
public:
  Step(Trace &trace, const PowerSgdOptions &options, int64_t iteration)
      : trace_(trace), options_(options), iteration_(iteration) {}

  Tensor run(const GradBucket &bucket) {
    if (iteration_ < options_.startIteration)
      return allReduceHook(bucket);
    if (llvm::any_of(bucket.shapes, [](const auto &shape) { return shape.empty() || shape[0] == 0; }))
      return detail::fail(problem("hook.power-sgd", "bucket " + std::to_string(bucket.index),
                                  "a gradient has no dimensions, or its first dimension is 0; expected a matrix",
                                  "exclude such parameters, or use another hook"));
    return options_.batched ? runBatched(bucket) : runByMatrix(bucket);
  }

  std::vector<State> states;
  Volume volume;

private:
  /// A compressed gradient: its position in the bucket, and its sizes as a matrix.
  struct Matrix {
    size_t member = 0;
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t rank = 0;
    Tensor value;
  };
  using Shapes = std::vector<std::pair<int64_t, int64_t>>;

  [[nodiscard]] bool isFirst() const { return iteration_ == options_.startIteration; }
  Tensor input(llvm::StringRef name, const GradBucket &bucket, int64_t elements) {
    return trace_.input(("powersgd_" + name + "_" + llvm::Twine(bucket.index)).str(),
                        {bucket.buffer.dtype(), {elements}, deviceOf(bucket)});
  }
  static std::string deviceOf(const GradBucket &bucket);

  /// Adds the error of the previous step to what is sent.
  Tensor corrected(const GradBucket &bucket, const Tensor &sent) {
    return options_.errorFeedback && !isFirst() ? sent + input("error", bucket, sent.numel()) : sent;
  }

  /// Returns Q before the step, which is not orthogonal yet.
  Tensor startOf(const GradBucket &bucket, int64_t elements) {
    return input(options_.warmStart && !isFirst() ? "q" : "random", bucket, elements);
  }

  struct Factors {
    std::vector<Tensor> p;
    std::vector<Tensor> q;
  };
  /// Computes P and Q of all matrices.
  Factors factorize(const GradBucket &bucket, const std::vector<Tensor> &matrices, const Shapes &shapes,
                    double epsilon) {
    int64_t columns = 0;
    Shapes ofP, ofQ;
    for (size_t i = 0; i != matrices.size(); ++i) {
      int64_t rank = rankOf(matrices[i].size(0), matrices[i].size(1), options_);
      ofP.emplace_back(shapes[i].first, rank);
      ofQ.emplace_back(shapes[i].second, rank);
      columns += shapes[i].second * rank;
    }
    std::vector<Tensor> q = matricesOf(startOf(bucket, columns), ofQ), flatP, flatQ;
    for (size_t i = 0; i != matrices.size(); ++i)
      flatP.push_back(reshape(mm(matrices[i], orthogonalized(q[i], epsilon)), {-1}));
    Factors factors{matricesOf(sumOverRanks(joined(flatP), bucket), ofP), {}};
    for (size_t i = 0; i != matrices.size(); ++i) {
      factors.p[i] = orthogonalized(factors.p[i], epsilon);
      flatQ.push_back(reshape(mm(t(matrices[i]), factors.p[i]), {-1}));
    }
    factors.q = matricesOf(divided(sumOverRanks(joined(flatQ), bucket), bucket), ofQ);
    return factors;
  }

  void keep(const GradBucket &bucket, const Factors &factors, const Tensor &error) {
    auto flat = [](const std::vector<Tensor> &matrices) {
      std::vector<Tensor> pieces;
      for (const Tensor &matrix : matrices)
        pieces.push_back(reshape(matrix, {-1}));
      return pieces.empty() ? Tensor() : joined(pieces);
    };
    states.push_back({bucket.index, options_.errorFeedback ? error : Tensor(), flat(factors.p), flat(factors.q)});
  }

  std::vector<Matrix> matricesOfBucket(const GradBucket &bucket, const std::vector<Tensor> &gradients) const;
  void reduceRest(const GradBucket &bucket, const std::vector<Tensor> &gradients, std::vector<Tensor> &results);
  Tensor runByMatrix(const GradBucket &bucket);
  Tensor runBatched(const GradBucket &bucket);

  Trace &trace_;
  PowerSgdOptions options_;
  int64_t iteration_;
};

std::string PowerSgd::Step::deviceOf(const GradBucket &bucket) { return deviceText(bucket.buffer.device()); }

/// Returns the compressed gradients, those of one shape next to one another.
std::vector<PowerSgd::Step::Matrix> PowerSgd::Step::matricesOfBucket(const GradBucket &bucket,
                                                                     const std::vector<Tensor> &gradients) const {
  std::vector<std::vector<Matrix>> byShape;
  for (size_t i = 0; i != gradients.size(); ++i) {
    int64_t rows = bucket.shapes[i][0], columns = bucket.slices[i].length / rows;
    if (!isCompressed(rows, columns, options_))
      continue;
    Matrix matrix{i, rows, columns, rankOf(rows, columns, options_), matrixOf(gradients[i], rows, columns)};
    auto known = llvm::find_if(byShape, [&](const std::vector<Matrix> &alike) {
      return alike.front().rows == rows && alike.front().columns == columns;
    });
    if (known == byShape.end())
      byShape.push_back({std::move(matrix)});
    else
      known->push_back(std::move(matrix));
  }
  std::vector<Matrix> ordered;
  for (const std::vector<Matrix> &alike : byShape)
    ordered.insert(ordered.end(), alike.begin(), alike.end());
  return ordered;
}

/// Sets the results that are absent: the means of these gradients.
void PowerSgd::Step::reduceRest(const GradBucket &bucket, const std::vector<Tensor> &gradients,
                                std::vector<Tensor> &results) {
  std::vector<size_t> members;
  std::vector<Tensor> pieces;
  std::vector<int64_t> lengths;
  for (size_t i = 0; i != gradients.size(); ++i)
    if (results[i].isAbsent()) {
      members.push_back(i);
      pieces.push_back(rowOf(bucket, i, gradients[i]));
      lengths.push_back(bucket.slices[i].length);
    }
  if (members.empty())
    return;
  Tensor mean = divided(sumOverRanks(joined(pieces), bucket), bucket);
  std::vector<BucketSlice> slices = bucketSlices(lengths);
  for (size_t i = 0; i != members.size(); ++i)
    results[members[i]] =
        members.size() == 1 ? mean : slice(mean, 0, slices[i].offset, slices[i].offset + slices[i].length);
  volume.after += mean.numel();
}

Tensor PowerSgd::Step::runByMatrix(const GradBucket &bucket) {
  Tensor sent = corrected(bucket, bucket.buffer);
  std::vector<Tensor> gradients = bucket.viewsOf(sent), results(gradients.size()), values;
  std::vector<Matrix> compressed = matricesOfBucket(bucket, gradients);
  Shapes shapes;
  for (const Matrix &matrix : compressed) {
    values.push_back(matrix.value);
    shapes.emplace_back(matrix.rows, matrix.columns);
    volume.after += (matrix.rows + matrix.columns) * matrix.rank;
  }
  volume.before += bucket.buffer.numel();
  Factors factors;
  if (!compressed.empty())
    factors = factorize(bucket, values, shapes, options_.epsilon);
  for (size_t i = 0; i != compressed.size(); ++i)
    results[compressed[i].member] = rowOf(bucket, compressed[i].member, mm(factors.p[i], t(factors.q[i])));
  reduceRest(bucket, gradients, results);
  Tensor result = joined(results);
  keep(bucket, factors, options_.errorFeedback ? sent - result : Tensor());
  return result;
}

Tensor PowerSgd::Step::runBatched(const GradBucket &bucket) {
  int64_t elements = bucket.buffer.numel();
  auto side = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(elements))));
  Tensor sent = corrected(bucket, padded(bucket.buffer, side * side));
  Factors factors = factorize(bucket, {view(sent, {side, side})}, {{side, side}}, 0);
  volume.before += elements;
  volume.after += 2 * side * rankOf(side, side, options_);
  Tensor result = reshape(mm(factors.p[0], t(factors.q[0])), {-1});
  keep(bucket, factors, options_.errorFeedback ? sent - result : Tensor());
  return slice(result, 0, 0, elements);
}

llvm::Expected<PowerSgd> PowerSgd::create(Trace &trace, const PowerSgdOptions &options, int64_t iteration) {
  if (options.rank < 1)
    return makeError(
        problem("hook.power-sgd", "PowerSGD", "got rank " + std::to_string(options.rank) + ", expected 1 or more"));
  if (options.startIteration <= 1 && (options.errorFeedback || options.warmStart))
    return makeError(problem("hook.power-sgd", "PowerSGD",
                             "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, "
                             "because PowerSGD can only be applied after the first two iterations in DDP",
                             "startIteration is " + std::to_string(options.startIteration)));
  return PowerSgd(std::make_shared<Step>(trace, options, iteration));
}

CommHook PowerSgd::hook() const {
  return [step = step_](const GradBucket &bucket) -> HookResult { return step->run(bucket); };
}

const std::vector<PowerSgd::State> &PowerSgd::states() const { return step_->states; }

PowerSgd::Volume PowerSgd::volume() const { return step_->volume; }

} // namespace ccgraph::tracer
