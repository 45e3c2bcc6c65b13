// Buckets of collectives, as PyTorch's bucketing pass makes them (torch/_inductor/fx_passes/bucketing.py).
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

} // namespace

llvm::ArrayRef<RuleEntry> bucketRules() {
  static constexpr RuleEntry rules[] = {
      {"bucketing._pre_bucket_all_gather", gatherBucketRule},
      {"bucketing._pre_bucket_reduce_scatter", scatterBucketRule},
  };
  return rules;
}

} // namespace ccgraph::equality
