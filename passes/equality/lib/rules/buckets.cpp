// Buckets of collectives, as PyTorch's bucketing pass makes them (torch/_inductor/fx_passes/bucketing.py), and AdamW of
// whole lists.
#include "rules/compose.h"

namespace ccgraph::equality {
namespace {

Array flat(const Array &array) { return reshaped(array, {array.count()}); }

Array joinedFlat(Call &call, llvm::ArrayRef<Array> parts) {
  std::vector<Value> list;
  for (const Array &part : parts)
    list.emplace_back(flat(part));
  return applied(call, "aten.cat", {Value(std::move(list)), Value::ofInteger(0)});
}

// _pre_bucket_all_gather(ag_ins, group_size, dtype, out_dtype_ints, rank): the buffer of the result, with the inputs of
// this rank at their place
Value gatherBucketRule(Call &call) {
  Array mine = joinedFlat(call, call.tensors(0));
  int64_t members = call.integer(1), rank = call.integer(4);
  IntList dtypes = call.integers(3);
  call.require(llvm::all_of(dtypes, [&](int64_t dtype) { return dtype == dtypes.front(); }),
               "no rule for a bucket of several dtypes");
  call.require(members > 0 && rank >= 0 && rank < members, "a bucket of a rank outside of its group");
  if (call.failed())
    return {};
  Words words(mine.words->size() * static_cast<size_t>(members), 0);
  std::copy(mine.words->begin(), mine.words->end(), words.begin() + rank * mine.count());
  return Value(makeArray(mine.kind, {mine.count() * members}, std::move(words), mine.digits));
}

// _pre_bucket_reduce_scatter(rs_ins, group_size): for each member, its rows of each input; inputs are padded with zeros
Value scatterBucketRule(Call &call) {
  std::vector<Array> inputs = call.tensors(0);
  int64_t members = call.integer(1);
  call.require(members > 0, "a bucket of a group without members");
  if (call.failed())
    return {};
  Words words;
  unsigned digits = fullDigits;
  for (int64_t member = 0; member != members; ++member)
    for (const Array &input : inputs) {
      int64_t rows = input.sizes.empty() ? 1 : input.sizes[0], share = (rows + members - 1) / members;
      int64_t width = rows == 0 ? 0 : input.count() / rows;
      int64_t begin = std::min(rows, member * share), end = std::min(rows, begin + share);
      digits = std::min<unsigned>(digits, input.digits);
      words.insert(words.end(), input.words->begin() + begin * width, input.words->begin() + end * width);
      words.insert(words.end(), static_cast<size_t>((share - (end - begin)) * width), 0);
    }
  auto count = static_cast<int64_t>(words.size());
  return Value(makeArray(inputs.front().kind, {count}, std::move(words), digits));
}

/// The numbers of one update, as tensors without dimensions.
struct AdamNumbers {
  Array rate, beta1, beta2, decay, epsilon;
};

Array number(double value) { return filled(Kind::Float, {}, numberOfReal(value)); }
Array oneMinus(Call &call, const Array &a) { return minus(call, number(1), a); }

/// The parameter after the update; `first` and `second` are the new moments. PyTorch: torch/optim/adam.py.
Array updated(Call &call, const AdamNumbers &numbers, const Array &parameter, const Array &step, const Array &first,
              const Array &second) {
  Array power1 = applied(call, "aten.pow", {Value(numbers.beta1), Value(step)});
  Array power2 = applied(call, "aten.pow", {Value(numbers.beta2), Value(step)});
  Array root = applied(call, "aten.sqrt", {Value(second)});
  Array correction = applied(call, "aten.sqrt", {Value(oneMinus(call, power2))});
  Array below = sumOf(call, applied(call, "aten.div", {Value(root), Value(correction)}), numbers.epsilon);
  Array size = applied(call, "aten.div", {Value(numbers.rate), Value(oneMinus(call, power1))});
  Array change = times(call, size, applied(call, "aten.div", {Value(first), Value(below)}));
  Array decayed = times(call, parameter, oneMinus(call, times(call, numbers.rate, numbers.decay)));
  return minus(call, decayed, change);
}

// _fused_adamw_(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps,
// amsgrad, maximize, grad_scale, found_inf)
Value fusedAdamRule(Call &call) {
  AdamNumbers numbers{call.floats(6), call.floats(7), call.floats(8), call.floats(9), call.floats(10)};
  call.require(!call.flag(11) && !call.has(13) && !call.has(14), "no rule for this form of a fused AdamW");
  const size_t count = call.at(0).list.size();
  for (size_t list : {1, 2, 3, 5})
    call.require(call.at(list).list.size() == count, "lists of different lengths");
  for (size_t i = 0; i != count && !call.failed(); ++i) {
    auto tensorAt = [&](size_t list) { return call.at(list).list[i].tensor; };
    for (size_t list : {0, 1, 2, 3, 5})
      call.require(call.at(list).list[i].is(Value::Type::Tensor), "a list of other values than tensors");
    if (call.failed())
      return {};
    Array gradient = call.flag(12) ? negated(call, read(tensorAt(1))) : read(tensorAt(1));
    Array first = read(tensorAt(2)), second = read(tensorAt(3));
    first = sumOf(call, first, times(call, minus(call, gradient, first), oneMinus(call, numbers.beta1)));
    Array squares = applied(call, "aten.square", {Value(gradient)});
    second = sumOf(call, times(call, second, numbers.beta2), times(call, squares, oneMinus(call, numbers.beta2)));
    Array parameter = updated(call, numbers, read(tensorAt(0)), read(tensorAt(5)), first, second);
    if (call.failed())
      return {};
    write(tensorAt(0), parameter);
    write(tensorAt(2), first);
    write(tensorAt(3), second);
  }
  return {};
}

} // namespace

llvm::ArrayRef<RuleEntry> bucketRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._fused_adamw_", fusedAdamRule},
      {"bucketing._pre_bucket_all_gather", gatherBucketRule},
      {"bucketing._pre_bucket_reduce_scatter", scatterBucketRule},
  };
  return rules;
}

} // namespace ccgraph::equality
