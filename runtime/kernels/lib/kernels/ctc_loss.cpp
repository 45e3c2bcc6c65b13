#include "kernels/dense_values.h"
#include "kernels/families.h"

#include <cmath>

// Connectionist temporal classification (A. Graves et al., 2006): the probability of a target, summed over all ways to
// spread it, with blanks between its labels, over the steps of a sequence. Equation numbers are that paper's.
namespace ccgraph::runtime {
namespace {

/// log(sum of exp) of a few numbers, without overflow.
double sumInLog(std::initializer_list<double> logs) {
  double largest = std::max(logs);
  if (largest == -INFINITY)
    return -INFINITY;
  double sum = 0;
  for (double log : logs)
    sum += std::exp(log - largest);
  return largest + std::log(sum);
}

/// A batch of sequences. A target of n labels has 2 n + 1 states: a blank before, between and after its labels.
struct Batch {
  Tensor logProbs; ///< [steps, samples, classes]
  Values values;
  int64_t steps = 0, samples = 0, classes = 0, blank = 0;
  IntList stepsOf, labelsOf;         ///< by sample
  Scratch<Scratch<int64_t>> targets; ///< by sample
  int64_t states = 0;                ///< of the longest target

  [[nodiscard]] size_t at(int64_t t, int64_t n, int64_t c) const {
    return static_cast<size_t>((t * samples + n) * classes + c);
  }
  [[nodiscard]] int64_t label(int64_t n, int64_t state) const {
    return state % 2 ? targets[static_cast<size_t>(n)][static_cast<size_t>(state / 2)] : blank;
  }
  /// May a way pass from `state` to the one after the next? Not over a blank between equal labels.
  [[nodiscard]] bool skips(int64_t n, int64_t state) const {
    return state + 2 < 2 * labelsOf[n] + 1 && label(n, state) != label(n, state + 2);
  }
  [[nodiscard]] double logProb(int64_t t, int64_t n, int64_t state) const { return values[at(t, n, label(n, state))]; }
};

/// Argument `index` as numbers, given as a list or as a tensor.
IntList lengthsOf(KernelArgs &args, unsigned index) {
  if (!args.at(index).is(Value::Kind::Tensor))
    return args.integers(index);
  IntList result;
  for (double length : readAll(args.tensor(index)))
    result.push_back(static_cast<int64_t>(length));
  return result;
}

/// Targets are rows of a matrix, or one after the other.
void setTargets(KernelArgs &args, Batch &b, const Tensor &targets) {
  Values labels = readAll(targets);
  size_t start = 0;
  for (int64_t n = 0; n < b.samples; ++n) {
    if (targets.rank() == 2)
      start = static_cast<size_t>(n * targets.size(1));
    Scratch<int64_t> &target = b.targets.emplace_back();
    bool fits = b.labelsOf[n] >= 0 && start + static_cast<size_t>(b.labelsOf[n]) <= labels.size() &&
                b.stepsOf[n] >= 0 && b.stepsOf[n] <= b.steps;
    if (!args.check(fits, "got lengths " + llvm::Twine(b.stepsOf[n]) + " and " + llvm::Twine(b.labelsOf[n]) + " for " +
                              typeOf(b.logProbs) + " and targets " + typeOf(targets)))
      return;
    for (int64_t i = 0; i < b.labelsOf[n]; ++i) {
      target.push_back(static_cast<int64_t>(labels[start++]));
      args.check(target.back() >= 0 && target.back() < b.classes,
                 "got class " + llvm::Twine(target.back()) + " of " + llvm::Twine(b.classes));
    }
    b.states = std::max(b.states, 2 * b.labelsOf[n] + 1);
  }
}

/// `first`: the arguments log_probs, targets, input_lengths, target_lengths; `blank`: its index.
Batch batchOf(KernelArgs &args, unsigned first, unsigned blank) {
  Batch b{.logProbs = args.tensor(first), .blank = args.integer(blank, 0)};
  const Tensor &targets = args.tensor(first + 1);
  b.stepsOf = lengthsOf(args, first + 2);
  b.labelsOf = lengthsOf(args, first + 3);
  bool fits = b.logProbs.rank() == 3 && isFloat(b.logProbs.dtype()) && computable(b.logProbs.dtype()) &&
              classOf(targets.dtype()) == DTypeClass::Integer && (targets.rank() == 1 || targets.rank() == 2) &&
              static_cast<int64_t>(b.stepsOf.size()) == b.logProbs.size(1) && b.labelsOf.size() == b.stepsOf.size() &&
              b.blank >= 0 && b.blank < b.logProbs.size(2);
  if (args.failed() || !args.check(fits, "got log_probs " + typeOf(b.logProbs) + " and targets " + typeOf(targets) +
                                             ", expected floats [T, N, C] and one length for each of N"))
    return b;
  b.steps = b.logProbs.size(0);
  b.samples = b.logProbs.size(1);
  b.classes = b.logProbs.size(2);
  b.values = readAll(b.logProbs);
  setTargets(args, b, targets);
  return b;
}

/// Logarithms of the probabilities of all ways to a state at a step, [steps][states].
using Table = Scratch<Scratch<double>>;
Table emptyTable(const Batch &b) {
  return Table(static_cast<size_t>(b.steps), Scratch<double>(static_cast<size_t>(b.states), -INFINITY));
}

/// From the first step on (equations 6 and 7).
Table forwardTable(const Batch &b, int64_t n) {
  Table alpha = emptyTable(b);
  int64_t states = 2 * b.labelsOf[n] + 1;
  for (int64_t t = 0; t < b.stepsOf[n]; ++t)
    for (int64_t s = 0; s < states; ++s) {
      auto before = [&](int64_t state) { return alpha[static_cast<size_t>(t - 1)][static_cast<size_t>(state)]; };
      double ways = t == 0 ? (s <= 1 ? 0 : -INFINITY)
                    : s == 0
                        ? before(0)
                        : sumInLog({before(s), before(s - 1), s > 1 && b.skips(n, s - 2) ? before(s - 2) : -INFINITY});
      alpha[static_cast<size_t>(t)][static_cast<size_t>(s)] = ways + b.logProb(t, n, s);
    }
  return alpha;
}

/// To the last step (equations 10 and 11).
Table backwardTable(const Batch &b, int64_t n) {
  Table beta = emptyTable(b);
  int64_t last = 2 * b.labelsOf[n], end = b.stepsOf[n] - 1;
  for (int64_t t = end; t >= 0; --t)
    for (int64_t s = last; s >= 0; --s) {
      auto after = [&](int64_t state) { return beta[static_cast<size_t>(t + 1)][static_cast<size_t>(state)]; };
      double ways = t == end    ? (s >= last - 1 ? 0 : -INFINITY)
                    : s == last ? after(last)
                                : sumInLog({after(s), after(s + 1), b.skips(n, s) ? after(s + 2) : -INFINITY});
      beta[static_cast<size_t>(t)][static_cast<size_t>(s)] = ways + b.logProb(t, n, s);
    }
  return beta;
}

/// Equation 8; no steps give the empty target alone.
double logLikelihood(const Batch &b, int64_t n, const Table &alpha) {
  if (b.stepsOf[n] == 0)
    return b.labelsOf[n] == 0 ? 0 : -INFINITY;
  const Scratch<double> &last = alpha[static_cast<size_t>(b.stepsOf[n] - 1)];
  auto end = static_cast<size_t>(2 * b.labelsOf[n]);
  return sumInLog({last[end], end ? last[end - 1] : -INFINITY});
}

/// (log_probs, targets, input_lengths, target_lengths, blank, zero_infinity) -> (neg_log_likelihood, log_alpha)
Value forward(KernelArgs &args) {
  Batch b = batchOf(args, 0, 4);
  bool zeroInfinity = args.boolean(5, false);
  if (args.failed())
    return {};
  Values losses, alphas;
  for (int64_t n = 0; n < b.samples; ++n) {
    Table alpha = forwardTable(b, n);
    double loss = -logLikelihood(b, n, alpha);
    losses.push_back(zeroInfinity && std::isinf(loss) ? 0 : loss);
    for (const Scratch<double> &row : alpha)
      alphas.insert(alphas.end(), row.begin(), row.end());
  }
  DType dtype = b.logProbs.dtype();
  return Value::tensors({tensorOf(losses, dtype, b.samples), tensorOf(alphas, dtype, {b.samples, b.steps, b.states})});
}

/// Equation 16, of one sample: the sum over the states of each label, in logarithms, [steps][classes].
Table stateSums(const Batch &b, int64_t n, const Table &alpha) {
  Table beta = backwardTable(b, n),
        sums(static_cast<size_t>(b.steps), Scratch<double>(static_cast<size_t>(b.classes), -INFINITY));
  for (size_t t = 0; t < static_cast<size_t>(b.stepsOf[n]); ++t)
    for (int64_t s = 0; s < 2 * b.labelsOf[n] + 1; ++s) {
      double &sum = sums[t][static_cast<size_t>(b.label(n, s))];
      sum = sumInLog({sum, alpha[t][static_cast<size_t>(s)] + beta[t][static_cast<size_t>(s)]});
    }
  return sums;
}

/// (grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, zero_infinity)
Value backward(KernelArgs &args) {
  Batch b = batchOf(args, 1, 7);
  bool zeroInfinity = args.boolean(8, false);
  const Tensor &grad = args.tensor(0);
  if (args.failed() || !args.check(grad.numElements() == b.samples, "got grad " + typeOf(grad)))
    return {};
  Values upstream = readAll(grad), result(b.values.size());
  for (int64_t n = 0; n < b.samples; ++n) {
    Table alpha = forwardTable(b, n), sums = stateSums(b, n, alpha);
    double loss = -logLikelihood(b, n, alpha);
    if (zeroInfinity && std::isinf(loss))
      continue;
    for (int64_t t = 0; t < b.stepsOf[n]; ++t)
      for (int64_t c = 0; c < b.classes; ++c) {
        double log = b.values[b.at(t, n, c)], sum = sums[static_cast<size_t>(t)][static_cast<size_t>(c)];
        result[b.at(t, n, c)] = (std::exp(log) - std::exp(sum + loss - log)) * upstream[static_cast<size_t>(n)];
      }
  }
  return tensorOf(result, b.logProbs.dtype(), b.logProbs.sizes());
}

constexpr llvm::StringLiteral names = "log_probs,targets,input_lengths,target_lengths,blank,zero_infinity";
constexpr llvm::StringLiteral gradNames =
    "grad,log_probs,targets,input_lengths,target_lengths,neg_log_likelihood,log_alpha,blank,zero_infinity";

const Kernel ctcTable[] = {
    {"aten._ctc_loss.Tensor", names, forward},
    {"aten._ctc_loss.default", names, forward},
    {"aten._ctc_loss_backward.Tensor", gradNames, backward},
    {"aten._ctc_loss_backward.default", gradNames, backward},
};

} // namespace

llvm::ArrayRef<Kernel> ctcLossKernels() { return ctcTable; }

} // namespace ccgraph::runtime
