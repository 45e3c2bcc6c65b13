// Norms over groups of channels and over batches, taken apart as those over the last dimensions (norms.cpp).
#include "rules/norms.h"
#include "rules/reductions.h"

namespace ccgraph::equality {
namespace {

/// An array as [batch, groups, elements of a group].
Array asGroups(Call &call, const Array &a, int64_t batch, int64_t groups) {
  call.require(batch > 0 && groups > 0 && a.count() % (batch * groups) == 0 && a.count() > 0,
               "groups of " + intListText(a.sizes));
  return call.failed() ? a : reshaped(a, {batch, groups, a.count() / (batch * groups)});
}
/// A parameter of channels beside [batch, channels, ...].
Array besideChannels(Call &call, const Array &parameter, const Array &x) {
  IntList sizes(std::max<size_t>(x.sizes.size(), 2) - 1, 1);
  sizes[0] = parameter.count();
  call.require(x.sizes.size() >= 2 && parameter.count() == x.sizes[1], "a parameter of other sizes than the channels");
  return call.failed() ? parameter : reshaped(parameter, sizes);
}
IntList butChannelsOf(const Array &x) {
  IntList dims = allDims(static_cast<int64_t>(x.sizes.size()));
  if (dims.size() > 1)
    dims.erase(dims.begin() + 1);
  return dims;
}
Array withParameters(Call &call, Array output, const Array &x, size_t weight) {
  if (call.has(weight))
    output = times(call, output, besideChannels(call, call.floats(weight), x));
  if (call.has(weight + 1))
    output = sumOf(call, output, besideChannels(call, call.floats(weight + 1), x));
  return output;
}

/// Returns a column for each line of the last dimension of [.., n].
Array columnOf(const Array &a, IntListRef like) {
  IntList sizes = toIntList(like);
  sizes.back() = 1;
  return reshaped(a, sizes);
}

// native_group_norm(input, weight, bias, N, C, HxW, group, eps) -> (output, mean, rstd)
Value groupNormRule(Call &call) {
  Array x = call.floats(0);
  const int64_t batch = call.integer(3), groups = call.integer(6);
  Array parts = asGroups(call, x, batch, groups);
  if (call.failed())
    return {};
  Array mean = meanOver(call, parts, {2}, true);
  Array centered = minus(call, parts, mean);
  Array rstd = reciprocalRoot(call, meanOver(call, squareOf(call, centered), {2}, true), call.real(7, 1e-5));
  Array output = withParameters(call, reshaped(times(call, centered, rstd), x.sizes), x, 1);
  if (call.failed())
    return {};
  return Value(std::vector<Value>{Value(output), Value(reshaped(mean, {batch, groups})),
                                  Value(reshaped(rstd, {batch, groups}))});
}

// native_group_norm_backward(grad, input, mean, rstd, weight, N, C, HxW, group, output_mask)
Value groupNormBackwardRule(Call &call) {
  Array grad = call.floats(0), x = call.floats(1), mean = call.floats(2), rstd = call.floats(3);
  const int64_t batch = call.integer(5), groups = call.integer(8);
  Array parts = asGroups(call, x, batch, groups);
  call.require(grad.sizes == x.sizes && mean.count() == batch * groups && rstd.count() == batch * groups,
               "a gradient of other sizes");
  if (call.failed())
    return {};
  rstd = columnOf(rstd, parts.sizes);
  Array normal = times(call, minus(call, parts, columnOf(mean, parts.sizes)), rstd);
  Array scaled = call.has(4) ? times(call, grad, besideChannels(call, call.floats(4), x)) : grad;
  if (call.failed())
    return {};
  Array input = normGradient(call, {reshaped(scaled, parts.sizes), normal, rstd}, {2}, Centering::Mean);
  Array ofWeight = sumOver(times(call, grad, reshaped(normal, x.sizes)), butChannelsOf(x), false);
  return Value(std::vector<Value>{Value(reshaped(input, x.sizes)), Value(ofWeight),
                                  Value(sumOver(grad, butChannelsOf(x), false))});
}

/// The arguments of the forms of a batch norm, by name.
struct BatchNorm {
  Array x, mean, rstd;
  bool trains = true;
  double momentum = 0.1;

  static size_t at(const Call &call, std::initializer_list<llvm::StringLiteral> names) {
    for (llvm::StringLiteral name : names)
      if (int index = call.op->paramIndex(name); index >= 0)
        return static_cast<size_t>(index);
    return call.arguments.size();
  }
  static size_t running(const Call &call) { return at(call, {"running_mean"}); }
};

/// Writes (1 - momentum) old + momentum new; of a variance, new is the unbiased one.
Array runningValue(Call &call, const Array &old, const Array &now, double momentum) {
  Word share = numberOfReal(momentum);
  return zipWords(call, old, now, Kind::Float, [share](Word a, Word b) {
    return add(multiply(subtract(fromPlain(1), share), a), multiply(share, b));
  });
}

/// Returns the new running mean and variance of a training step.
std::pair<Array, Array> runningStatistics(Call &call, const BatchNorm &norm, const Array &variance) {
  const size_t at = BatchNorm::running(call);
  const int64_t channels = norm.x.sizes[1], count = norm.x.count() / std::max<int64_t>(1, channels);
  Word unbiased = call.field->divide(numberOfInteger(count), numberOfInteger(std::max<int64_t>(1, count - 1)));
  Array spread =
      mapWords(reshaped(variance, {channels}), Kind::Float, [unbiased](Word word) { return multiply(word, unbiased); });
  return {runningValue(call, call.floats(at), reshaped(norm.mean, {channels}), norm.momentum),
          runningValue(call, call.floats(at + 1), spread, norm.momentum)};
}

// (input, weight, bias, [running_mean, running_var, training], momentum, eps) -> (output, mean, rstd, more...)
Value batchNormRule(Call &call) {
  BatchNorm norm;
  norm.x = call.floats(0);
  call.require(norm.x.sizes.size() >= 2 && norm.x.count() > 0, "a batch of " + intListText(norm.x.sizes));
  if (call.failed())
    return {};
  const size_t running = BatchNorm::running(call), training = BatchNorm::at(call, {"training"});
  norm.trains = training < call.arguments.size() ? call.flag(training) : call.base == "aten._native_batch_norm_legit";
  norm.momentum = call.real(BatchNorm::at(call, {"momentum", "exponential_average_factor"}), 0.1);
  const double epsilon = call.real(BatchNorm::at(call, {"eps", "epsilon"}), 1e-5);
  IntList dims = butChannelsOf(norm.x);
  Array variance;
  if (norm.trains) {
    norm.mean = meanOver(call, norm.x, dims, true);
    variance = meanOver(call, squareOf(call, minus(call, norm.x, norm.mean)), dims, true);
  } else {
    norm.mean = besideChannels(call, call.floats(running), norm.x);
    variance = besideChannels(call, call.floats(running + 1), norm.x);
  }
  norm.rstd = reciprocalRoot(call, variance, epsilon);
  Array output = withParameters(call, times(call, minus(call, norm.x, norm.mean), norm.rstd), norm.x, 1);
  if (call.failed())
    return {};
  const int64_t channels = norm.x.sizes[1];
  Array none = filled(Kind::Float, {0}, 0);
  std::vector<Value> values = {Value(output), Value(norm.trains ? reshaped(norm.mean, {channels}) : none),
                               Value(norm.trains ? reshaped(norm.rstd, {channels}) : none)};
  if (call.base == "aten.cudnn_batch_norm")
    values.emplace_back(none);
  if (call.base == "aten._native_batch_norm_legit_functional")
    for (size_t i : {running, running + 1})
      values.push_back(call.at(i));
  if (norm.trains && running < call.arguments.size() && call.has(running)) {
    auto [mean, spread] = runningStatistics(call, norm, variance);
    if (call.failed())
      return {};
    if (values.size() == 5) {
      values[3] = Value(mean);
      values[4] = Value(spread);
    } else {
      write(call.view(running), mean);
      write(call.view(running + 1), spread);
    }
  }
  return Value(std::move(values));
}

// native_batch_norm_backward(grad, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, mask)
Value batchNormBackwardRule(Call &call) {
  const bool isCudnn = call.base == "aten.cudnn_batch_norm_backward";
  Array grad = call.floats(isCudnn ? 1 : 0), x = call.floats(isCudnn ? 0 : 1);
  call.require(x.sizes.size() >= 2 && x.sizes == grad.sizes, "a gradient of other sizes");
  if (call.failed())
    return {};
  const bool trains = isCudnn || call.flag(7);
  Array mean = besideChannels(call, call.floats(trains ? 5 : 3), x);
  Array rstd = besideChannels(call, call.floats(trains ? 6 : 4), x);
  if (!trains)
    rstd = reciprocalRoot(call, rstd, call.real(8, 1e-5));
  Array normal = times(call, minus(call, x, mean), rstd);
  Array scaled = call.has(2) ? times(call, grad, besideChannels(call, call.floats(2), x)) : grad;
  if (call.failed())
    return {};
  IntList dims = butChannelsOf(x);
  Array input = trains ? normGradient(call, {scaled, normal, rstd}, dims, Centering::Mean) : times(call, scaled, rstd);
  return Value(std::vector<Value>{Value(input), Value(sumOver(times(call, grad, normal), dims, false)),
                                  Value(sumOver(grad, dims, false))});
}

} // namespace

llvm::ArrayRef<RuleEntry> groupNormRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._native_batch_norm_legit", batchNormRule},
      {"aten._native_batch_norm_legit_functional", batchNormRule},
      {"aten._native_batch_norm_legit_no_training", batchNormRule},
      {"aten.cudnn_batch_norm", batchNormRule},
      {"aten.cudnn_batch_norm_backward", batchNormBackwardRule},
      {"aten.native_batch_norm", batchNormRule},
      {"aten.native_batch_norm_backward", batchNormBackwardRule},
      {"aten.native_group_norm", groupNormRule},
      {"aten.native_group_norm_backward", groupNormBackwardRule},
  };
  return rules;
}

} // namespace ccgraph::equality
