#include "ccgraph/ir/device.h"
#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/data_parallel.h"
#include "ccgraph/tracer/ops.h"
#include "tracer/mode.h"

namespace ccgraph::tracer {

SyncBatchNormResult syncBatchNorm(const Tensor &input, const Tensor &weight, const Tensor &bias, const GroupLike &group,
                                  double eps) {
  if (input.isValid() && (input.dim() < 2 || weight.numel() != input.size(1) || bias.numel() != input.size(1))) {
    Tensor failed = detail::fail(detail::problem("trace.sync-batch-norm", "syncBatchNorm",
                                                 "got the input " + input.typeText() + ", the weight " +
                                                     weight.typeText() + " and the bias " + bias.typeText(),
                                                 "the input has sizes [n, c, ...], and weight and bias have size [c]"));
    return {failed, failed, failed, failed};
  }
  int64_t channels = input.size(1), elements = channels == 0 ? 0 : input.numel() / channels;
  std::vector<int64_t> others{0}, perChannel(static_cast<size_t>(input.dim()), 1);
  for (int64_t dim = 2; dim < input.dim(); ++dim)
    others.push_back(dim);
  perChannel[1] = channels;
  Tensor own = cat({sum(input, others), sum(input * input, others),
                    full({1}, static_cast<double>(elements), input.dtype(), deviceText(input.device()))});
  Tensor all = collectives::all_reduce(own, "sum", group);
  Tensor count = slice(all, 0, 2 * channels, 2 * channels + 1);
  Tensor divisor = clamp(count, 1.0);
  Tensor mean = slice(all, 0, 0, channels) / divisor;
  Tensor variance = slice(all, 0, channels, 2 * channels) / divisor - mean * mean;
  auto spread = [&](const Tensor &tensor) { return view(tensor, perChannel); };
  Tensor output = (input - spread(mean)) * spread(rsqrt(variance + eps) * weight) + spread(bias);
  return {output, mean, variance, count};
}

} // namespace ccgraph::tracer
