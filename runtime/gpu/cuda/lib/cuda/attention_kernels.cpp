#include "cuda/planner.h"

#include <cmath>

namespace ccgraph::runtime::cuda {
namespace {

using device::HeadTensor;

HeadTensor headsOf(Planner &planner, const Tensor &tensor) {
  device::Strided begun = planner.begin(tensor);
  HeadTensor heads{begun.data, begun.element};
  llvm::copy(tensor.strides(), heads.strides);
  return heads;
}
/// Absent if no node reads it.
HeadTensor headsOf(Planner &planner, const std::optional<Tensor> &tensor) {
  return tensor ? headsOf(planner, *tensor) : HeadTensor();
}
/// Of a number for each query: [batch, heads, queries].
HeadTensor numbersOf(Planner &planner, const std::optional<Tensor> &tensor) {
  return tensor && tensor->numElements() != 0 ? headsOf(planner, tensor->unsqueeze(3)) : HeadTensor();
}

/// The positions of an operator's arguments: query, key and value from `first` on.
struct Places {
  unsigned first, dropout, causal, scale;
  unsigned bias = noArgument;
};

bool isAttention(const Tensor &q, const Tensor &k, const Tensor &v) {
  return q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && isFloat(q.dtype()) && q.dtype() == k.dtype() &&
         q.dtype() == v.dtype() && q.size(0) == k.size(0) && k.size(1) > 0 && q.size(1) % k.size(1) == 0 &&
         k.sizes().take_front(3) == v.sizes().take_front(3) && q.size(3) == k.size(3);
}

/// Stretched to [batch, heads, queries, keys].
void setBias(Planner &planner, device::Attention &job, unsigned index) {
  std::optional<Tensor> bias = planner.args.optionalTensor(index);
  if (!bias || planner.args.failed())
    return;
  Tensor wide = planner.args.take(bias->expand({job.batches, job.heads, job.queries, job.keys}));
  if (!planner.args.failed() &&
      planner.args.check(isFloat(wide.dtype()), "got a bias " + typeOf(wide) + ", expected floats"))
    job.bias = headsOf(planner, wide);
}

/// Makes the same checks as our host kernel (kernels/attention.cpp).
bool begin(Planner &planner, device::Attention &job, const Places &at) {
  KernelArgs &args = planner.args;
  const Tensor &q = args.tensor(at.first), &k = args.tensor(at.first + 1), &v = args.tensor(at.first + 2);
  args.check(args.number(at.dropout, 0.0) == 0, "got dropout, expected dropout_p = 0.0");
  job.causal = args.boolean(at.causal, false);
  if (args.failed())
    return false;
  bool square = !job.causal || args.target().contains("for_cpu") || q.size(2) == k.size(2);
  if (!args.check(isAttention(q, k, v) && square, "got query " + typeOf(q) + ", key " + typeOf(k) + ", value " +
                                                      typeOf(v) +
                                                      ", expected [batch, heads, tokens, features] of one float dtype" +
                                                      (job.causal ? " and equally many queries and keys" : "")))
    return false;
  job.arithmetic = arithmeticOf(q.dtype());
  job.batches = q.size(0);
  job.heads = q.size(1);
  job.queries = q.size(2);
  job.keys = k.size(2);
  job.sharedHeads = k.size(1);
  job.features = q.size(3);
  job.valueFeatures = v.size(3);
  job.query = headsOf(planner, q);
  job.key = headsOf(planner, k);
  job.value = headsOf(planner, v);
  job.scale = args.number(at.scale, 1 / std::sqrt(static_cast<double>(q.size(3))));
  setBias(planner, job, at.bias);
  return !args.failed();
}

// --- Forward: (output, logarithms of the sums, ...) ---------------------------------------------------------

void attend(Planner &planner, const Places &at) {
  device::AttentionJob job;
  if (!begin(planner, job, at))
    return;
  job.output = headsOf(planner, planner.destination(0));
  job.logSums = numbersOf(planner, planner.destination(1));
  if (job.output.data || job.logSums.data)
    if (unitsOf(job) != 0)
      planner.add(job);
}

/// Zeroes the seed and offset that a run with dropout would have used.
void zeroSeeds(Planner &planner, llvm::ArrayRef<unsigned> results) {
  for (unsigned index : results)
    if (std::optional<Tensor> out = planner.destination(index))
      planner.fill(Planner::moved(*out), 0.0);
}

/// (query, key, value, dropout_p, is_causal, return_debug_mask, scale) -> (output, logsumexp, None, None, max_q, max_k,
/// random state, unused, debug mask)
void flash(Planner &planner) {
  planner.args.check(!planner.args.boolean(5, false), "got return_debug_mask = True, which is not supported");
  attend(planner, {0, 3, 4, 6});
  zeroSeeds(planner, {6, 7});
}

/// (query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, scale) -> (output, log_sumexp, philox_seed,
/// philox_offset): the sums have room for more queries, which stays zero.
void efficient(Planner &planner) {
  if (std::optional<Tensor> sums = planner.destination(1))
    planner.fill(*sums, 0.0);
  attend(planner, {0, 5, 6, 7, 3});
  zeroSeeds(planner, {2, 3});
}

/// (query, key, value, dropout_p, is_causal, attn_mask, scale) -> (output, logsumexp)
void flashOnCpu(Planner &planner) { attend(planner, {0, 3, 4, 6, 5}); }

// --- Backward: gradients of query, key and value ------------------------------------------------------------

template <typename Job>
Job gradJob(Planner &planner, const Places &at, unsigned outIndex) {
  Job job;
  const Tensor &grad = planner.args.tensor(0), &output = planner.args.tensor(outIndex),
               &sums = planner.args.tensor(outIndex + 1);
  if (!begin(planner, job, at))
    return job;
  IntList sizes = {job.batches, job.heads, job.queries, job.valueFeatures};
  bool fits = grad.sizes() == IntListRef(sizes) && output.sizes() == IntListRef(sizes) && sums.rank() == 3 &&
              sums.size(2) >= job.queries && sums.sizes().take_front(2) == IntListRef(sizes).take_front(2);
  if (!planner.args.check(fits, "got grad_out " + typeOf(grad) + ", out " + typeOf(output) + " and logsumexp " +
                                    typeOf(sums) + ", expected sizes " + dimsOf(sizes)))
    return job;
  job.grad = headsOf(planner, grad);
  job.output = headsOf(planner, output);
  job.logSums = numbersOf(planner, sums);
  return job;
}

/// `outIndex`: of the output, which the logarithms of the sums follow.
void attendBackward(Planner &planner, const Places &at, unsigned outIndex) {
  auto queryJob = gradJob<device::QueryGradJob>(planner, at, outIndex);
  queryJob.queryGrad = headsOf(planner, planner.destination(0));
  auto keyJob = gradJob<device::KeyGradJob>(planner, at, outIndex);
  keyJob.keyGrad = headsOf(planner, planner.destination(1));
  keyJob.valueGrad = headsOf(planner, planner.destination(2));
  if (planner.args.failed())
    return;
  if (queryJob.queryGrad.data && unitsOf(queryJob) != 0)
    planner.add(queryJob);
  if ((keyJob.keyGrad.data || keyJob.valueGrad.data) && unitsOf(keyJob) != 0)
    planner.add(keyJob);
}

/// (grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, philox_seed,
/// philox_offset, scale)
void flashBackward(Planner &planner) { attendBackward(planner, {1, 10, 11, 14}, 4); }

/// (grad_out, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p, grad_input_mask,
/// is_causal, scale)
void efficientBackward(Planner &planner) {
  planner.args.check(!planner.destination(3), "got grad_input_mask[3] = True: the gradient of a bias is not supported");
  attendBackward(planner, {1, 9, 11, 12, 4}, 5);
}

/// (grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, attn_mask, scale)
void flashOnCpuBackward(Planner &planner) { attendBackward(planner, {1, 6, 7, 9, 8}, 4); }

} // namespace

std::vector<DeviceOperator> attentionOperators() {
  return {
      {"aten._scaled_dot_product_efficient_attention.default", efficient},
      {"aten._scaled_dot_product_efficient_attention_backward.default", efficientBackward},
      {"aten._scaled_dot_product_flash_attention.default", flash, Accepted::Seeded},
      {"aten._scaled_dot_product_flash_attention_backward.default", flashBackward, Accepted::Seeded},
      {"aten._scaled_dot_product_flash_attention_for_cpu.default", flashOnCpu},
      {"aten._scaled_dot_product_flash_attention_for_cpu_backward.default", flashOnCpuBackward},
  };
}

} // namespace ccgraph::runtime::cuda
