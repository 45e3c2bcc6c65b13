#include "ccgraph/ir/internal/broadcast.h"

namespace ccgraph {

std::optional<IntList> broadcastSizes(IntListRef a, IntListRef b) {
  if (a.size() < b.size())
    std::swap(a, b);
  IntList result = toIntList(a);
  size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &size = result[lead + i];
    if (size == 1)
      size = b[i];
    else if (b[i] != 1 && b[i] != size)
      return std::nullopt;
  }
  return result;
}

std::optional<Stretched> expanded(IntListRef sizes, IntListRef strides, IntListRef wanted) {
  if (wanted.size() < sizes.size())
    return std::nullopt;
  Stretched result{toIntList(wanted), IntList(wanted.size(), 0)};
  size_t lead = wanted.size() - sizes.size();
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t &size = result.sizes[i];
    if (i >= lead && size == -1)
      size = sizes[i - lead];
    if (size < 0 || (i >= lead && size != sizes[i - lead] && sizes[i - lead] != 1))
      return std::nullopt;
    if (i >= lead && size == sizes[i - lead])
      result.strides[i] = strides[i - lead];
  }
  // From the innermost dimension outwards, since each stride follows from the next inner one: f32[4][1] as [1, 1, 4]
  // has the strides [4, 4, 1].
  for (size_t i = lead; i-- > 0 && !sizes.empty();)
    if (result.sizes[i] == 1)
      result.strides[i] = saturatingMultiply(result.sizes[i + 1], result.strides[i + 1]);
  return result;
}

} // namespace ccgraph
