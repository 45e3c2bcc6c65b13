// Attention, taken apart: s = q k^T scale, masked; p = softmax(s); output = p v; logsumexp = log(sum(exp(s))).
//
// The backward uses the given output and logsumexp, as PyTorch's kernels do: p = exp(s - logsumexp), and ds = p * (dp -
// sum(grad * output)). So a form that is spread over blocks of keys, each with the output and logsumexp of all blocks,
// is equal to the single one.
//
// Dropout of p with a kept share k = 1 - rate: p' = p mask / k in the product with v, and dp' = dp mask / k. The first
// word of the state of random numbers that the forward returns chooses the mask, so the backward has the same one.
//
// Grouped queries: g heads of the query in a row share one head of key and value, as enable_gqa of
// scaled_dot_product_attention repeats the heads; the gradient of a shared head is the sum of theirs.
#include "rules/compose.h"

#include <cmath>

namespace ccgraph::equality {
namespace {

/// Where an operator has its arguments; -1: it has none.
struct Places {
  size_t query = 0;
  int mask = -1;
  size_t dropout = 3;
  size_t causal = 4;
  size_t scale = 6;
  /// Query i sees keys 0 to i, also where there are more keys or more queries. The kernels of flash attention and of
  /// cuDNN align the last query with the last key, and PyTorch calls them for equal lengths only.
  bool alignsFirst = false;
  /// the state of random numbers: a result of the forward, an argument of the backward; -1: none
  int seed = -1;
};

/// The operands as batches of matrices: [batch * heads, length, features].
struct Attention {
  Array query, key, value;
  IntList sizes;
  Array scale;
  /// heads of the query that share one head of key and value
  int64_t groupSize = 1;
};

Array asBatches(Call &call, const Array &a) {
  call.require(a.sizes.size() == 4, "attention of " + intListText(a.sizes));
  return call.failed() ? a : reshaped(a, {a.sizes[0] * a.sizes[1], a.sizes[2], a.sizes[3]});
}

Array transposedBatches(Call &call, const Array &a) {
  return applied(call, "aten.transpose", {Value(a), Value::ofInteger(1), Value::ofInteger(2)});
}
Array product(Call &call, const Array &a, const Array &b) { return applied(call, "aten.bmm", {Value(a), Value(b)}); }

/// Repeats each head of [batch, heads, length, features].
Array repeatedHeads(Call &call, const Array &a, int64_t times) {
  if (times == 1 || a.sizes.size() != 4)
    return a;
  Words heads;
  for (int64_t head = 0; head != a.sizes[1] * times; ++head)
    heads.push_back(static_cast<Word>(head / times));
  const Array indices = makeArray(Kind::Integer, {a.sizes[1] * times}, std::move(heads));
  return applied(call, "aten.index_select", {Value(a), Value::ofInteger(1), Value(indices)});
}
/// Adds the gradients of the repeated heads.
Array addedHeads(const Array &a, int64_t times) {
  if (times == 1)
    return a;
  const IntList &sizes = a.sizes;
  Array sums = lineSums(reshaped(a, {sizes[0], sizes[1] / times, times, sizes[2], sizes[3]}), 2);
  return reshaped(sums, {sizes[0], sizes[1] / times, sizes[2], sizes[3]});
}

/// Returns how many heads of the query share one head of the key; 0 if the sizes do not fit.
int64_t groupSizeOf(const Array &query, const Array &key) {
  if (query.sizes.size() != 4 || key.sizes.size() != 4 || query.sizes[0] != key.sizes[0] || key.sizes[1] == 0)
    return 0;
  return query.sizes[1] % key.sizes[1] == 0 ? query.sizes[1] / key.sizes[1] : 0;
}

Attention attentionOf(Call &call, const Places &places) {
  Attention attention;
  Array query = call.floats(places.query), key = call.floats(places.query + 1);
  attention.sizes = query.sizes;
  attention.groupSize = groupSizeOf(query, key);
  call.require(attention.groupSize > 0,
               "no rule for attention of " + intListText(query.sizes) + " and " + intListText(key.sizes));
  if (call.failed())
    return attention;
  attention.query = asBatches(call, query);
  attention.key = asBatches(call, repeatedHeads(call, key, attention.groupSize));
  attention.value = asBatches(call, repeatedHeads(call, call.floats(places.query + 2), attention.groupSize));
  if (call.failed())
    return attention;
  double usual = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, query.sizes[3])));
  attention.scale = filled(Kind::Float, {}, numberOfReal(call.real(places.scale, usual)));
  return attention;
}

/// A mask of bools keeps where it holds; one of floats is added.
Array masked(Call &call, const Array &scores, const Attention &attention, const Places &places) {
  IntList four = {attention.sizes[0], attention.sizes[1], scores.sizes[1], scores.sizes[2]};
  Array result = reshaped(scores, four);
  Array lowest = filled(Kind::Float, {}, negativeInfinity);
  if (places.mask >= 0 && call.has(static_cast<size_t>(places.mask))) {
    Array mask = call.tensor(static_cast<size_t>(places.mask));
    result = mask.kind == Kind::Bool ? applied(call, "aten.where", {Value(mask), Value(result), Value(lowest)})
                                     : sumOf(call, result, mask);
  }
  if (call.flag(places.causal)) {
    call.require(places.alignsFirst || four[2] == four[3], "no rule for causal attention of different lengths");
    Array kept = applied(call, "aten.tril", {Value(filled(Kind::Bool, {four[2], four[3]}, 1))});
    result = applied(call, "aten.where", {Value(kept), Value(result), Value(lowest)});
  }
  return call.failed() ? scores : reshaped(result, scores.sizes);
}

Array scoresOf(Call &call, const Attention &attention, const Places &places) {
  Array scores = product(call, attention.query, transposedBatches(call, attention.key));
  return call.failed() ? scores : masked(call, times(call, scores, attention.scale), attention, places);
}

/// Returns the factors of a dropout of probabilities: 0, or 1 / (1 - rate). `state` chooses them.
Array dropoutFactors(Call &call, IntListRef sizes, double rate, Word state) {
  const Word kept = rate < 1 ? call.field->inverse(numberOfReal(1 - rate)) : 0;
  Words words(static_cast<size_t>(productOf(sizes)));
  for (size_t i = 0; i != words.size(); ++i)
    words[i] = mix(mix(mix(call.field->seed(), hashText("attention")), state), i) >> 63 != 0 ? kept : 0;
  return makeArray(Kind::Float, sizes, std::move(words));
}
/// Returns the probabilities after the dropout of a forward, whose state is the number of the node among those that
/// draw.
Array dropped(Call &call, const Array &p, const Places &places) {
  const double rate = call.real(places.dropout, 0);
  if (rate == 0)
    return p;
  call.drawsRandom = true;
  return times(call, p, dropoutFactors(call, p.sizes, rate, call.ordinal));
}
/// Returns the factors of a backward.
Array droppedFactors(Call &call, IntListRef sizes, const Places &places) {
  call.require(places.seed >= 0, "no rule for the gradient of attention with dropout");
  if (call.failed())
    return filled(Kind::Float, {}, 0);
  const Array state = call.tensor(static_cast<size_t>(places.seed));
  call.require(state.kind == Kind::Integer && state.count() != 0, "no state of random numbers");
  return call.failed() ? state : dropoutFactors(call, sizes, call.real(places.dropout, 0), state[0]);
}

/// Returns [output, logsumexp], and the further results of the operator as None, but for the state of random numbers.
Value forward(Call &call, const Places &places, size_t results) {
  Attention attention = attentionOf(call, places);
  if (call.failed())
    return {};
  ShiftedLines scores = shiftedLines(call, scoresOf(call, attention, places), {2});
  Array e = exponential(call, scores.values);
  if (call.failed())
    return {};
  Array sums = lineSums(e, 2);
  Array p = applied(call, "aten.div", {Value(e), Value(sums)});
  Array output = product(call, dropped(call, p, places), attention.value);
  Array log = sumOf(call, applied(call, "aten.log", {Value(sums)}), scores.shifts);
  if (call.failed())
    return {};
  const IntList &sizes = attention.sizes;
  std::vector<Value> values(results);
  values[0] = Value(reshaped(output, {sizes[0], sizes[1], sizes[2], output.sizes[2]}));
  values[1] = Value(reshaped(log, {sizes[0], sizes[1], sizes[2]}));
  if (places.seed >= 0)
    for (size_t i : {0, 1})
      values[static_cast<size_t>(places.seed) + i] =
          Value(filled(Kind::Integer, {}, i == 0 && call.drawsRandom ? call.ordinal : 0));
  return Value(std::move(values));
}

/// Returns the gradients of query, key and value, and None for the further results. `output` is followed by logsumexp.
Value backward(Call &call, const Places &places, size_t output, size_t results) {
  Attention attention = attentionOf(call, places);
  Array grad = asBatches(call, call.floats(0)), result = asBatches(call, call.floats(output));
  Array log = call.floats(output + 1);
  if (call.failed())
    return {};
  call.require(log.count() == attention.query.sizes[0] * attention.query.sizes[1], "a logsumexp of other sizes");
  if (call.failed())
    return {};
  log = reshaped(log, {attention.query.sizes[0], attention.query.sizes[1], 1});
  Array p = exponential(call, minus(call, scoresOf(call, attention, places), log));
  Array inner = lineSums(times(call, grad, result), 2);
  Array dp = product(call, grad, transposedBatches(call, attention.value)), kept = p;
  if (call.real(places.dropout, 0) != 0) {
    const Array factors = droppedFactors(call, p.sizes, places);
    dp = times(call, dp, factors);
    kept = times(call, p, factors);
  }
  Array ds = times(call, times(call, p, minus(call, dp, inner)), attention.scale);
  Array gradients[] = {product(call, ds, attention.key), product(call, transposedBatches(call, ds), attention.query),
                       product(call, transposedBatches(call, kept), grad)};
  std::vector<Value> values(results);
  for (size_t i = 0; i != 3 && !call.failed(); ++i) {
    const IntList &sizes = gradients[i].sizes;
    Array heads = reshaped(gradients[i], {attention.sizes[0], attention.sizes[1], sizes[1], sizes[2]});
    values[i] = Value(addedHeads(heads, i == 0 ? 1 : attention.groupSize));
  }
  return Value(std::move(values));
}

Value cpuRule(Call &call) { return forward(call, {.mask = 5, .alignsFirst = true}, 2); }
Value cpuBackwardRule(Call &call) {
  return backward(call, {.query = 1, .mask = 8, .dropout = 6, .causal = 7, .scale = 9, .alignsFirst = true}, 4, 3);
}
Value flashRule(Call &call) { return forward(call, {.seed = 6}, 9); }
Value flashBackwardRule(Call &call) {
  return backward(call, {.query = 1, .dropout = 10, .causal = 11, .scale = 14, .seed = 12}, 4, 3);
}
Value cudnnRule(Call &call) { return forward(call, {.mask = 3, .dropout = 5, .causal = 6, .scale = 8, .seed = 6}, 9); }
// (grad_out, query, key, value, out, logsumexp, philox_seed, philox_offset, attn_bias, cum_seq_q, cum_seq_k, max_q,
// max_k, dropout_p, is_causal, scale)
Value cudnnBackwardRule(Call &call) {
  return backward(call, {.query = 1, .mask = 8, .dropout = 13, .causal = 14, .scale = 15, .seed = 6}, 4, 3);
}
Value efficientRule(Call &call) {
  return forward(call, {.mask = 3, .dropout = 5, .causal = 6, .scale = 7, .alignsFirst = true, .seed = 2}, 4);
}
Value efficientBackwardRule(Call &call) {
  return backward(
      call, {.query = 1, .mask = 4, .dropout = 9, .causal = 11, .scale = 12, .alignsFirst = true, .seed = 7}, 5, 4);
}
/// Returns the tensor with the missing dimensions of [batch, heads, length, features] in front.
Array fourDimensional(const Array &a) {
  IntList sizes = a.sizes;
  while (sizes.size() < 4)
    sizes.insert(sizes.begin() + (sizes.size() == 3 ? 1 : 0), 1);
  return reshaped(a, sizes);
}
// scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa): one result, of
// two, three or four dimensions.
Value composedRule(Call &call) {
  IntList sizes = call.view(0).sizes;
  call.require(sizes.size() >= 2 && sizes.size() <= 4, "no rule for attention of " + intListText(sizes));
  for (size_t i = 0; i != 4 && !call.failed() && sizes.size() != 4; ++i)
    if (call.has(i))
      call.arguments[i] = Value(fourDimensional(call.tensor(i)));
  Value values = forward(call, {.mask = 3, .dropout = 4, .causal = 5, .scale = 6, .alignsFirst = true}, 2);
  if (call.failed())
    return {};
  const Array output = read(values.list.front().tensor);
  sizes.back() = output.sizes.back();
  return Value(reshaped(output, sizes));
}
// The forms of devices that are no CUDA devices.
Value overrideableRule(Call &call) {
  return forward(call, {.mask = 3, .dropout = 4, .causal = 5, .scale = 7, .seed = 6}, 9);
}
Value overrideableBackwardRule(Call &call) {
  return backward(call, {.query = 1, .mask = 4, .dropout = 12, .causal = 13, .scale = 16, .seed = 14}, 6, 4);
}

} // namespace

llvm::ArrayRef<RuleEntry> attentionRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._scaled_dot_product_cudnn_attention", cudnnRule},
      {"aten._scaled_dot_product_cudnn_attention_backward", cudnnBackwardRule},
      {"aten._scaled_dot_product_efficient_attention", efficientRule},
      {"aten._scaled_dot_product_efficient_attention_backward", efficientBackwardRule},
      {"aten._scaled_dot_product_flash_attention", flashRule},
      {"aten._scaled_dot_product_flash_attention_backward", flashBackwardRule},
      {"aten._scaled_dot_product_flash_attention_for_cpu", cpuRule},
      {"aten._scaled_dot_product_flash_attention_for_cpu_backward", cpuBackwardRule},
      {"aten._scaled_dot_product_fused_attention_overrideable", overrideableRule},
      {"aten._scaled_dot_product_fused_attention_overrideable_backward", overrideableBackwardRule},
      {"aten.scaled_dot_product_attention", composedRule},
  };
  return rules;
}

} // namespace ccgraph::equality
