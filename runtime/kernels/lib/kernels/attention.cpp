#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "kernels/memory_format.h"
#include "kernels/pointwise.h"
#include "kernels/products.h"
#include "tensor/elements.h"

#include <cmath>
#include <cstring>

// softmax(scale q k^T + bias) v and its gradients, a head at a time, with the whole matrix of scores: A. Vaswani et
// al., "Attention Is All You Need" (2017). The blocked algorithms of these operators yield the same numbers up to
// rounding.
namespace ccgraph::runtime {
namespace {

/// [batch, heads, tokens, features] each; queries and keys may differ in tokens, values in features. A head of keys may
/// serve several neighbouring heads of queries (J. Ainslie et al., "GQA", 2023).
struct Attention {
  Tensor query;
  Tensor key;
  Tensor value;
  std::optional<Tensor> bias; ///< expanded to [batch, heads, queries, keys]
  bool causal = false;        ///< query i sees keys 0..i
  double scale = 1;
};

struct Head {
  int64_t batch;
  int64_t head;
};

Tensor headOf(const Tensor &tensor, Head at) { return tensor.select(0, at.batch).select(0, at.head); }
/// The head of keys or values that serves a head of queries.
Tensor sharedHeadOf(const Tensor &tensor, const Attention &a, Head at) {
  return headOf(tensor, {at.batch, at.head * tensor.size(1) / a.query.size(1)});
}

RealMatrix read(const Tensor &matrix) {
  RealMatrix result(matrix.size(0), matrix.size(1));
  for (int64_t i = 0; i < result.rows && result.columns > 0; ++i)
    readRow<double>(matrix.dtype(), {matrix.select(0, i).data(), strideBytes(matrix, 1)},
                    {result.row(i), static_cast<size_t>(result.columns)});
  return result;
}

void write(const Tensor &matrix, const RealMatrix &values) {
  for (int64_t i = 0; i < values.rows && values.columns > 0; ++i)
    writeRow<double>(matrix.dtype(), {matrix.select(0, i).data(), strideBytes(matrix, 1)},
                     {values.row(i), static_cast<size_t>(values.columns)});
}

/// Adds to an f64 matrix.
void add(const Tensor &matrix, RealMatrix values) {
  RealMatrix there = read(matrix);
  for (size_t i = 0; i < values.values.size(); ++i)
    values.values[i] += there.values[i];
  write(matrix, values);
}

bool isAttention(const Attention &a) {
  const Tensor &q = a.query;
  const Tensor &k = a.key;
  const Tensor &v = a.value;
  return q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && isFloat(q.dtype()) && computable(q.dtype()) &&
         q.dtype() == k.dtype() && q.dtype() == v.dtype() && q.size(0) == k.size(0) && k.size(1) > 0 &&
         q.size(1) % k.size(1) == 0 && k.sizes().take_front(3) == v.sizes().take_front(3) && q.size(3) == k.size(3);
}

/// Query, key and value from argument `first` on. Dropout would need PyTorch's random numbers.
Attention attentionOf(KernelArgs &args, unsigned first, unsigned dropout, unsigned causal) {
  Attention a{args.tensor(first), args.tensor(first + 1), args.tensor(first + 2), {}, args.boolean(causal, false)};
  args.check(args.number(dropout, 0.0) == 0, "got dropout, expected dropout_p = 0.0");
  // Only the CPU's operators define which query attends to which key where their numbers differ.
  bool fits = args.failed() ||
              (isAttention(a) && (!a.causal || args.target().contains("for_cpu") || a.query.size(2) == a.key.size(2)));
  args.check(fits, "got query " + typeOf(a.query) + ", key " + typeOf(a.key) + ", value " + typeOf(a.value) +
                       ", expected [batch, heads, tokens, features] of one float dtype" +
                       (a.causal ? " and equally many queries and keys" : ""));
  return a;
}

void setScale(KernelArgs &args, Attention &a, unsigned index) {
  if (!args.failed())
    a.scale = args.number(index, 1 / std::sqrt(static_cast<double>(a.query.size(3))));
}

void setBias(KernelArgs &args, Attention &a, unsigned index) {
  std::optional<Tensor> bias = args.optionalTensor(index);
  if (!bias || args.failed())
    return;
  IntList sizes = toIntList(a.query.sizes().take_front(3));
  sizes.push_back(a.key.size(2));
  a.bias = args.take(bias->expand(sizes));
}

/// scale q k^T + bias, minus infinity where the mask hides a key.
RealMatrix scoresOf(const Attention &a, Head at) {
  RealMatrix scores = productTransposedB(read(headOf(a.query, at)), read(sharedHeadOf(a.key, a, at)));
  std::optional<RealMatrix> bias;
  if (a.bias)
    bias = read(headOf(*a.bias, at));
  for (int64_t i = 0; i < scores.rows; ++i)
    for (int64_t j = 0; j < scores.columns; ++j) {
      double &score = scores.row(i)[j];
      score = a.causal && j > i ? -INFINITY : score * a.scale + (bias ? bias->row(i)[j] : 0);
    }
  return scores;
}

/// Turns a row of scores into probabilities; returns the logarithm of the sum of their exponentials.
double normalize(double *row, int64_t count) {
  double largest = -INFINITY;
  for (int64_t j = 0; j < count; ++j)
    largest = std::max(largest, row[j]);
  double shift = std::isinf(largest) ? 0 : largest;
  double sum = 0;
  for (int64_t j = 0; j < count; ++j)
    sum += row[j] = std::exp(row[j] - shift);
  for (int64_t j = 0; j < count && sum > 0; ++j)
    row[j] /= sum;
  return shift + std::log(sum);
}

/// Turns a row of scores into exp(score - logSum), their probabilities where logSum is right.
void scaleBy(double *row, int64_t count, double logSum) {
  for (int64_t j = 0; j < count; ++j)
    row[j] = std::exp(row[j] - logSum);
}
double numberAt(const Tensor &tensor) { return readElement<double>(tensor.dtype(), tensor.data()); }

template <typename Body>
void forEachHead(const Tensor &query, Body body) {
  for (int64_t batch = 0; batch < query.size(0); ++batch)
    for (int64_t head = 0; head < query.size(1); ++head)
      body(Head{batch, head});
}

/// [batch, heads, tokens, features] in memory as [batch, tokens, heads, features], as both operators yield it.
Tensor tokenMajor(DType dtype, IntListRef sizes) {
  return Tensor::zeros(dtype, {sizes[0], sizes[2], sizes[1], sizes[3]}).permute({0, 2, 1, 3});
}

struct Attended {
  Tensor output;
  Tensor logSums; ///< [batch, heads, queries], f32 unless the query is f64
};

Attended attend(const Attention &a) {
  IntList sizes = toIntList(a.query.sizes());
  sizes[3] = a.value.size(3);
  DType sumType = a.query.dtype() == DType::F64 ? DType::F64 : DType::F32;
  Attended result{tokenMajor(a.query.dtype(), sizes), Tensor::zeros(sumType, a.query.sizes().take_front(3))};
  forEachHead(a.query, [&](Head at) {
    RealMatrix scores = scoresOf(a, at);
    Tensor sums = result.logSums.select(0, at.batch).select(0, at.head);
    for (int64_t i = 0; i < scores.rows; ++i)
      writeElement<double>(sumType, sums.data() + i * sums.elementSize(), normalize(scores.row(i), scores.columns));
    write(headOf(result.output, at), product(scores, read(sharedHeadOf(a.value, a, at))));
  });
  return result;
}

struct AttentionGradients {
  Tensor query;
  Tensor key;
  Tensor value;
};

/// With p = softmax(s) and the output's gradient g: dv = p^T g, ds = p (g v^T - rowsum(g output)), dq = scale ds k, dk
/// = scale ds^T q. `logSums` are trusted as results of the forward operator, as PyTorch's kernels trust them: ring
/// attention gives those of all blocks of keys. Only their first elements beyond the third dimension are read.
AttentionGradients attendBackward(const Attention &a, const Tensor &grad, const Tensor &output, const Tensor &logSums) {
  // The gradients of query heads that share a key head are summed, so the sums are rounded at the end.
  AttentionGradients result{tokenMajor(DType::F64, a.query.sizes()), tokenMajor(DType::F64, a.key.sizes()),
                            tokenMajor(DType::F64, a.value.sizes())};
  forEachHead(a.query, [&](Head at) {
    RealMatrix scores = scoresOf(a, at);
    RealMatrix upstream = read(headOf(grad, at));
    RealMatrix out = read(headOf(output, at));
    for (int64_t i = 0; i < scores.rows; ++i)
      scaleBy(scores.row(i), scores.columns, numberAt(headOf(logSums, at).select(0, i)));
    add(sharedHeadOf(result.value, a, at), productTransposedA(scores, upstream));
    RealMatrix slopes = productTransposedB(upstream, read(sharedHeadOf(a.value, a, at)));
    for (int64_t i = 0; i < scores.rows; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < upstream.columns; ++j)
        sum += upstream.row(i)[j] * out.row(i)[j];
      for (int64_t j = 0; j < scores.columns; ++j)
        slopes.row(i)[j] = scores.row(i)[j] * (slopes.row(i)[j] - sum) * a.scale;
    }
    write(headOf(result.query, at), product(slopes, read(sharedHeadOf(a.key, a, at))));
    add(sharedHeadOf(result.key, a, at), productTransposedA(slopes, read(headOf(a.query, at))));
  });
  DType dtype = a.query.dtype();
  return {toDType(result.query, dtype), toDType(result.key, dtype), toDType(result.value, dtype)};
}

void checkGradient(KernelArgs &args, const Attention &a, const Tensor &grad, const Tensor &output) {
  if (args.failed())
    return;
  IntList sizes = toIntList(a.query.sizes());
  sizes[3] = a.value.size(3);
  args.check(grad.sizes() == IntListRef(sizes) && output.sizes() == IntListRef(sizes) && computable(grad.dtype()) &&
                 computable(output.dtype()),
             "got grad_out " + typeOf(grad) + " and out " + typeOf(output) + ", expected sizes " + dimsOf(sizes));
}

/// The numbers of a row's queries may be padded to a multiple.
int64_t paddedQueries(int64_t queries, int64_t multiple) { return (queries + multiple - 1) / multiple * multiple; }

void checkSums(KernelArgs &args, const Attention &a, const Tensor &sums, int64_t multiple = 1) {
  if (args.failed())
    return;
  const int64_t queries = a.query.size(2);
  const bool fits = sums.rank() >= 3 && sums.sizes().take_front(2) == a.query.sizes().take_front(2) &&
                    sums.size(2) >= queries && sums.size(2) <= paddedQueries(queries, multiple) &&
                    sums.numElements() > 0 && computable(sums.dtype());
  args.check(fits, "got logsumexp " + typeOf(sums) + ", expected a number for each query of each head");
}

/// (query, key, value, dropout_p, is_causal, return_debug_mask, scale) -> (output, logsumexp, None, None, max_q, max_k,
/// random state, unused, debug mask)
Value flash(KernelArgs &args) {
  Attention a = attentionOf(args, 0, 3, 4);
  args.check(!args.boolean(5, false), "got return_debug_mask = True, which is not supported");
  setScale(args, a, 6);
  if (args.failed())
    return {};
  Attended result = attend(a);
  return Value::list({result.output,
                      result.logSums,
                      {},
                      {},
                      Value::integer(a.query.size(2)),
                      Value::integer(a.key.size(2)),
                      Tensor::zeros(DType::U64, {2}),
                      Tensor::zeros(DType::U64, {}),
                      Tensor::zeros(a.query.dtype(), {0})});
}

/// (grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, philox_seed,
/// philox_offset, scale)
Value flashBackward(KernelArgs &args) {
  Attention a = attentionOf(args, 1, 10, 11);
  setScale(args, a, 14);
  checkGradient(args, a, args.tensor(0), args.tensor(4));
  checkSums(args, a, args.tensor(5));
  if (args.failed())
    return {};
  AttentionGradients result = attendBackward(a, args.tensor(0), args.tensor(4), args.tensor(5));
  return Value::tensors({result.query, result.key, result.value});
}

/// Of the logarithms of sums, as the CUDA kernel stores them.
constexpr int64_t queriesMultiple = 32;
Tensor padded(const Tensor &logSums) {
  int64_t queries = logSums.size(2);
  Tensor result =
      Tensor::zeros(DType::F32, {logSums.size(0), logSums.size(1), paddedQueries(queries, queriesMultiple)});
  result.slice(2, 0, queries).copyFrom(logSums);
  return result;
}

/// (query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, scale) -> (output, log_sumexp, philox_seed,
/// philox_offset)
Value efficient(KernelArgs &args) {
  Attention a = attentionOf(args, 0, 5, 6);
  bool wantsSums = args.boolean(4, false);
  setScale(args, a, 7);
  setBias(args, a, 3);
  if (args.failed())
    return {};
  Attended result = attend(a);
  Tensor sums = wantsSums ? padded(result.logSums) : Tensor::zeros(DType::F32, {a.query.size(0), a.query.size(1), 0});
  return Value::tensors({result.output, sums, Tensor::zeros(DType::I64, {}), Tensor::zeros(DType::I64, {})});
}

/// (grad_out, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p, grad_input_mask,
/// is_causal, scale)
Value efficientBackward(KernelArgs &args) {
  Attention a = attentionOf(args, 1, 9, 11);
  setScale(args, a, 12);
  setBias(args, a, 4);
  checkGradient(args, a, args.tensor(0), args.tensor(5));
  checkSums(args, a, args.tensor(6), queriesMultiple);
  const Value &mask = args.at(10);
  bool wantsBias = mask.is(Value::Kind::List) && mask.list().size() == 4 && mask.list()[3].is(Value::Kind::Bool) &&
                   mask.list()[3].boolean();
  args.check(!wantsBias, "got grad_input_mask[3] = True: the gradient of a bias is not supported");
  if (args.failed())
    return {};
  AttentionGradients result = attendBackward(a, args.tensor(0), args.tensor(5), args.tensor(6));
  return Value::list({result.query, result.key, result.value, {}});
}

/// (query, key, value, dropout_p, is_causal, attn_mask, scale) -> (output, logsumexp)
Value flashOnCpu(KernelArgs &args) {
  Attention a = attentionOf(args, 0, 3, 4);
  setScale(args, a, 6);
  setBias(args, a, 5);
  if (args.failed())
    return {};
  Attended result = attend(a);
  // The CPU's operator lays out its output like the query, and the sums by tokens.
  Tensor output = emptyLike(args, a.query, a.query.dtype(), noArgument);
  Tensor sums = result.logSums.permute({0, 2, 1}).cloneContiguous().permute({0, 2, 1});
  if (!args.check(output.sizes() == result.output.sizes(), "got values of other features than the query has"))
    return {};
  output.copyFrom(result.output);
  return Value::tensors({output, sums});
}

/// (grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, attn_mask, scale)
Value flashOnCpuBackward(KernelArgs &args) {
  Attention a = attentionOf(args, 1, 6, 7);
  setScale(args, a, 9);
  setBias(args, a, 8);
  checkGradient(args, a, args.tensor(0), args.tensor(4));
  const Tensor &sums = args.tensor(5);
  checkSums(args, a, sums);
  if (args.failed())
    return {};
  AttentionGradients result = attendBackward(a, args.tensor(0), args.tensor(4), sums);
  return Value::tensors({result.query, result.key, result.value});
}

/// [tokens, features] and [heads, tokens, features] count as one batch.
Value withBatch(KernelArgs &args, unsigned index) {
  Tensor tensor = args.tensor(index);
  while (!args.failed() && tensor.rank() < 4)
    tensor = tensor.unsqueeze(0);
  return tensor;
}

/// Batches of one number, where one of the tensors has a single one that serves all.
void stretchBatches(KernelArgs &args, Value::List &operands) {
  int64_t batches = 1;
  for (size_t i = 0; i < 3 && !args.failed(); ++i)
    batches = std::max(batches, operands[i].tensor().size(0));
  for (size_t i = 0; i < 3 && !args.failed(); ++i) {
    const Tensor &tensor = operands[i].tensor();
    operands[i] = args.take(tensor.expand({batches, tensor.size(1), tensor.size(2), tensor.size(3)}));
  }
}

/// A mask of what may be seen as the bias that hides the rest.
Value biasOf(KernelArgs &args, const Value &mask) {
  if (mask.isNone() || mask.tensor().dtype() != DType::Bool)
    return mask;
  return callKernel(
      args, "aten.where.ScalarSelf",
      {mask, Value::floating(0), callKernel(args, "aten.scalar_tensor.default", {Value::floating(-INFINITY)})});
}

/// (query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
Value attention(KernelArgs &args) {
  Value::List operands{withBatch(args, 0), withBatch(args, 1), withBatch(args, 2), args.at(4), args.at(5)};
  stretchBatches(args, operands);
  operands.push_back(args.has(3) ? biasOf(args, args.tensor(3)) : Value());
  operands.push_back(args.at(6));
  Value both = callKernel(args, "aten._scaled_dot_product_flash_attention_for_cpu.default", operands);
  if (args.failed())
    return {};
  Tensor output = both.list().front().tensor();
  while (output.rank() > args.tensor(0).rank() && output.size(0) == 1)
    output = output.squeeze(0);
  // PyTorch uses the plain algorithm where features are not contiguous, and lays out its result anew.
  bool sideBySide = llvm::all_of(llvm::ArrayRef<unsigned>{0, 1, 2}, [&](unsigned i) {
    return args.tensor(i).sizes().back() == 1 || args.tensor(i).strides().back() == 1;
  });
  return sideBySide ? output : output.contiguous();
}

const Kernel attentionTable[] = {
    {"aten._scaled_dot_product_efficient_attention.default",
     "query,key,value,attn_bias,compute_log_sumexp,dropout_p,is_causal,scale", efficient},
    {"aten._scaled_dot_product_efficient_attention_backward.default",
     "grad_out_,query,key,value,attn_bias,out,logsumexp,philox_seed,philox_offset,dropout_p,grad_input_mask,is_causal,"
     "scale",
     efficientBackward},
    {"aten._scaled_dot_product_flash_attention.default", "query,key,value,dropout_p,is_causal,return_debug_mask,scale",
     flash},
    {"aten._scaled_dot_product_flash_attention_backward.default",
     "grad_out,query,key,value,out,logsumexp,cum_seq_q,cum_seq_k,max_q,max_k,dropout_p,is_causal,philox_seed,philox_"
     "offset,scale",
     flashBackward},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", "query,key,value,dropout_p,is_causal,attn_mask,scale",
     flashOnCpu},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
     "grad_out,query,key,value,out,logsumexp,dropout_p,is_causal,attn_mask,scale", flashOnCpuBackward},
    {"aten.scaled_dot_product_attention.default", "query,key,value,attn_mask,dropout_p,is_causal,scale,enable_gqa",
     attention},
};

} // namespace

llvm::ArrayRef<Kernel> attentionKernels() { return attentionTable; }

} // namespace ccgraph::runtime
