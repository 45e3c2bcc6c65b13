#include "ccgraph/passes/machine_fit.h"

#include "cost/collective_time.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <cmath>
#include <map>

namespace ccgraph {
namespace {

/// The factors of base, step and microseconds a byte in the time of a sample.
using FitFeatures = std::array<double, 3>;
/// Tells which of the three may differ from zero.
using FreeNumbers = llvm::ArrayRef<size_t>;

constexpr double picosecondsOfUs = 1e6;

FitFeatures featuresOf(const CollectiveSample &sample) {
  const double steps = linearSteps(sample.kind, sample.ranks);
  const double shares = sample.kind == CollectiveKind::Send ? 1 : static_cast<double>(sample.ranks);
  return {1, steps, static_cast<double>(sample.bytes) * steps / shares};
}

/// Rows whose product with the numbers is 1 where the fit is exact.
std::vector<FitFeatures> fitRowsOf(llvm::ArrayRef<CollectiveSample> samples) {
  std::vector<FitFeatures> rows;
  for (const CollectiveSample &sample : samples) {
    FitFeatures row = featuresOf(sample);
    for (double &factor : row)
      factor *= picosecondsOfUs / static_cast<double>(std::max<int64_t>(1, sample.picoseconds));
    rows.push_back(row);
  }
  return rows;
}

double errorOf(const FitFeatures &row, const FitFeatures &numbers) {
  return std::fabs(row[0] * numbers[0] + row[1] * numbers[1] + row[2] * numbers[2] - 1);
}

double errorOf(llvm::ArrayRef<FitFeatures> rows, const FitFeatures &numbers) {
  double sum = 0;
  for (const FitFeatures &row : rows)
    sum += errorOf(row, numbers);
  return sum;
}

/// Solves the normal equations by Gaussian elimination; nothing if they are singular.
std::optional<FitFeatures> solveWeighted(llvm::ArrayRef<FitFeatures> rows, llvm::ArrayRef<double> weights,
                                         FreeNumbers free) {
  const size_t n = free.size();
  std::array<std::array<double, 4>, 3> m = {};
  for (size_t r = 0; r != rows.size(); ++r)
    for (size_t i = 0; i != n; ++i) {
      for (size_t j = 0; j != n; ++j)
        m[i][j] += weights[r] * rows[r][free[i]] * rows[r][free[j]];
      m[i][n] += weights[r] * rows[r][free[i]];
    }
  for (size_t i = 0; i != n; ++i) {
    size_t pivot = i;
    for (size_t k = i + 1; k != n; ++k)
      pivot = std::fabs(m[k][i]) > std::fabs(m[pivot][i]) ? k : pivot;
    std::swap(m[i], m[pivot]);
    if (std::fabs(m[i][i]) < 1e-300)
      return std::nullopt;
    for (size_t k = 0; k != n; ++k)
      for (size_t j = n + 1; k != i && j-- > i;)
        m[k][j] -= m[k][i] / m[i][i] * m[i][j];
  }
  FitFeatures numbers = {};
  for (size_t i = 0; i != n; ++i)
    numbers[free[i]] = m[i][n] / m[i][i];
  return numbers;
}

std::optional<FitFeatures> fitFree(llvm::ArrayRef<FitFeatures> rows, FreeNumbers free) {
  constexpr int rounds = 50;
  constexpr double smallestError = 0.01;
  std::vector<double> weights(rows.size(), 1);
  std::optional<FitFeatures> best;
  for (int round = 0; round != rounds; ++round) {
    const std::optional<FitFeatures> found = solveWeighted(rows, weights, free);
    if (!found || *std::min_element(found->begin(), found->end()) < 0)
      return best;
    best = found;
    for (size_t i = 0; i != rows.size(); ++i)
      weights[i] = 1 / std::max(errorOf(rows[i], *found), smallestError);
  }
  return best;
}

/// Returns the best of the choices of numbers that are zero.
FitFeatures fitRows(llvm::ArrayRef<FitFeatures> rows, llvm::ArrayRef<FreeNumbers> choices) {
  std::optional<FitFeatures> best;
  for (FreeNumbers free : choices)
    if (std::optional<FitFeatures> found = fitFree(rows, free))
      if (!best || errorOf(rows, *found) < errorOf(rows, *best))
        best = found;
  return best.value_or(FitFeatures{});
}

class MachineFitter {
public:
  MachineFitter(std::vector<CollectiveSample> samples, Machine base) : machine_(std::move(base)) {
    machine_.rules = CollectiveRules::Linear;
    machine_.measured.clear();
    machine_.linear.clear();
    for (CollectiveSample &sample : sortedSamples(std::move(samples)))
      if (sample.ranks > 1 && sample.picoseconds > 0)
        samples_.push_back(sample);
    holdOut();
  }

  FittedMachine run() {
    std::map<CollectiveKind, std::vector<CollectiveSample>> inside;
    std::vector<CollectiveSample> across;
    for (const CollectiveSample &sample : fitted_)
      (sample.nodes > 1 ? across : inside[sample.kind]).push_back(sample);
    for (const auto &[kind, samples] : inside)
      fitKind(kind, samples);
    if (!across.empty())
      fitLink(across);
    for (FittedCollectives &line : lines_) {
      line.fitted = errorsOf(fitted_, line);
      line.heldOut = errorsOf(heldOut_, line);
    }
    return {std::move(machine_), std::move(lines_)};
  }

private:
  /// Samples are sorted by kind, ranks, nodes and bytes.
  void holdOut() {
    constexpr size_t fewest = 3;
    std::map<std::tuple<CollectiveKind, int64_t, int64_t>, std::vector<CollectiveSample>> sizes;
    for (const CollectiveSample &sample : samples_)
      sizes[{sample.kind, sample.ranks, sample.nodes}].push_back(sample);
    for (const auto &[key, samples] : sizes)
      for (size_t i = 0; i != samples.size(); ++i)
        (samples.size() >= fewest && i % 2 == 1 ? heldOut_ : fitted_).push_back(samples[i]);
  }

  static int64_t bytesPerSecond(double usPerByte) {
    constexpr double most = 1e15, usPerSecond = 1e6;
    return static_cast<int64_t>(usPerByte * most < usPerSecond ? most : usPerSecond / usPerByte);
  }

  void fitKind(CollectiveKind kind, llvm::ArrayRef<CollectiveSample> samples) {
    static constexpr size_t byte[] = {2}, base[] = {0, 2}, step[] = {1, 2}, all[] = {0, 1, 2};
    const FitFeatures numbers = fitRows(fitRowsOf(samples), {byte, base, step, all});
    const int64_t rate = bytesPerSecond(numbers[2]);
    machine_.linear.push_back(
        {kind, std::llround(numbers[0] * picosecondsOfUs), std::llround(numbers[1] * picosecondsOfUs), rate});
    lines_.push_back({kind, LinkLevel::Intra, numbers[0], numbers[1], rate});
  }

  void fitLink(llvm::ArrayRef<CollectiveSample> samples) {
    static constexpr size_t byte[] = {2}, step[] = {1, 2};
    const FitFeatures numbers = fitRows(fitRowsOf(samples), {byte, step});
    machine_.inter.bytesPerSecond = bytesPerSecond(numbers[2]);
    machine_.inter.latencyPs = std::llround(numbers[1] * picosecondsOfUs);
    lines_.push_back({std::nullopt, LinkLevel::Inter, 0, numbers[1], machine_.inter.bytesPerSecond});
  }

  [[nodiscard]] FitErrors errorsOf(llvm::ArrayRef<CollectiveSample> samples, const FittedCollectives &line) const {
    std::vector<double> errors;
    for (const CollectiveSample &it : samples) {
      const Placement placement{it.ranks, it.nodes};
      if (placement.level() != line.level || (line.kind && *line.kind != it.kind))
        continue;
      const double time = static_cast<double>(it.picoseconds) / picosecondsOfUs;
      errors.push_back(std::fabs(collectiveMicroseconds(machine_, {it.kind, it.bytes, placement}) / time - 1));
    }
    llvm::sort(errors);
    if (errors.empty())
      return {};
    return {errors.size(), errors[errors.size() / 2], errors[errors.size() * 9 / 10]};
  }

  Machine machine_;
  std::vector<CollectiveSample> samples_;
  std::vector<CollectiveSample> fitted_;
  std::vector<CollectiveSample> heldOut_;
  std::vector<FittedCollectives> lines_;
};

} // namespace

FittedMachine fitMachine(std::vector<CollectiveSample> samples, Machine base) {
  return MachineFitter(std::move(samples), std::move(base)).run();
}

} // namespace ccgraph
