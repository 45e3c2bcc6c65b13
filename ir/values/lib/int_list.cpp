#include "ccgraph/ir/int_list.h"

#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

namespace ccgraph {

using Limits = std::numeric_limits<int64_t>;

// Sizes come from files, which may state any number. A result that does not fit becomes the largest number (or the
// smallest) instead of a wrong one. So "more than 2^40 bytes" still has the right answer, and no behavior is undefined.
int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t result = 0;
  if (!llvm::MulOverflow(a, b, result))
    return result;
  return (a < 0) == (b < 0) ? Limits::max() : Limits::min();
}

int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t result = 0;
  if (!llvm::AddOverflow(a, b, result))
    return result;
  return a > 0 ? Limits::max() : Limits::min();
}

int64_t saturatingSum(IntListRef values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0}, saturatingAdd);
}

int64_t productOf(IntListRef sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, saturatingMultiply);
}

IntList allDims(int64_t rank) {
  IntList dims(static_cast<size_t>(rank));
  std::iota(dims.begin(), dims.end(), int64_t{0});
  return dims;
}

std::optional<IntList> staticDims(llvm::ArrayRef<Dim> dims) {
  IntList values;
  for (const Dim &dim : dims) {
    if (!dim.isStatic())
      return std::nullopt;
    values.push_back(dim.value());
  }
  return values;
}

std::string intListText(IntListRef dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

} // namespace ccgraph
