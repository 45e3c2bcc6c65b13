#include "map.h"

namespace ccgraph::equality {

IntList broadcastSizes(Call &call, llvm::ArrayRef<Array> operands) {
  size_t rank = 0;
  for (const Array &operand : operands)
    rank = std::max(rank, operand.sizes.size());
  IntList sizes(rank, 1);
  for (const Array &operand : operands)
    for (size_t i = 0; i != operand.sizes.size(); ++i) {
      int64_t size = operand.sizes[i];
      int64_t &common = sizes[rank - operand.sizes.size() + i];
      if (size == 1 || size == common)
        continue;
      call.require(common == 1, "sizes " + intListText(operand.sizes) + " do not broadcast to " + intListText(sizes));
      common = size;
    }
  return sizes;
}

Array expandedTo(const Array &array, IntListRef sizes) {
  if (IntListRef(array.sizes) == sizes)
    return array;
  Tensor tensor(array);
  IntList strides(sizes.size(), 0);
  const size_t first = sizes.size() - array.sizes.size();
  for (size_t i = 0; i != array.sizes.size(); ++i)
    strides[first + i] = array.sizes[i] == 1 ? 0 : tensor.strides[i];
  tensor.sizes = toIntList(sizes);
  tensor.strides = strides;
  return read(tensor);
}

Array sumOf(Call &call, const Array &a, const Array &b) {
  if (a.kind != Kind::Float)
    return zipWords(call, a, b, a.kind, std::plus<Word>());
  Array sum = zipWords(call, a, b, a.kind, add);
  if ((a.companion || b.companion) && !call.failed())
    sum.companion = zipWords(call, unityOf(a), unityOf(b), Kind::Float, multiply).words;
  return sum;
}

Array negated(Call &call, const Array &a) {
  if (a.kind != Kind::Float)
    return mapWords(a, a.kind, std::negate<Word>());
  Array result = mapWords(a, a.kind, negate);
  if (a.companion)
    result.companion = mapWords(unityOf(a), Kind::Float, [&](Word word) { return call.field->inverse(word); }).words;
  return result;
}

} // namespace ccgraph::equality
