#include "cuda/apart.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <map>

namespace ccgraph::runtime::cuda {
namespace {

/// How often a stride may be taken on the way from an element of the one window to one of the other.
struct Steps {
  int64_t stride = 0;
  int64_t least = 0;
  int64_t most = 0;
};

/// Both windows' dimensions, largest stride first. In bytes.
llvm::SmallVector<Steps, 8> stepsBetween(const Tensor &a, const Tensor &b) {
  std::map<int64_t, Steps, std::greater<>> byStride;
  auto add = [&](const Tensor &tensor, bool isTarget) {
    for (int64_t dim = 0; dim < tensor.rank(); ++dim) {
      int64_t stride = tensor.stride(dim) * tensor.elementSize(), last = tensor.size(dim) - 1;
      if (stride == 0 || last == 0)
        continue;
      Steps &steps = byStride.try_emplace(stride, Steps{stride}).first->second;
      (isTarget ? steps.most : steps.least) += isTarget ? last : -last;
    }
  };
  add(a, false);
  add(b, true);
  llvm::SmallVector<Steps, 8> all;
  for (const auto &[stride, steps] : byStride)
    all.push_back(steps);
  return all;
}

/// Searches steps whose sum is the distance in bytes between two elements, up to less than an element.
class Search {
public:
  Search(int64_t bytesOfA, int64_t bytesOfB) : bytesOfA_(bytesOfA), bytesOfB_(bytesOfB) {}
  [[nodiscard]] bool reaches(int64_t distance, llvm::ArrayRef<Steps> steps) {
    if (--left_ < 0)
      return true;
    if (steps.empty())
      return -bytesOfA_ < distance && distance < bytesOfB_;
    int64_t below = 1 - bytesOfA_, above = bytesOfB_ - 1;
    for (const Steps &inner : steps.drop_front()) {
      below += inner.least * inner.stride;
      above += inner.most * inner.stride;
    }
    const Steps &outer = steps.front();
    int64_t first = std::max(outer.least, ceilOf(distance - above, outer.stride));
    int64_t last = std::min(outer.most, floorOf(distance - below, outer.stride));
    for (int64_t taken = first; taken <= last; ++taken)
      if (reaches(distance - taken * outer.stride, steps.drop_front()))
        return true;
    return false;
  }

private:
  static int64_t floorOf(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
  static int64_t ceilOf(int64_t a, int64_t b) { return -floorOf(-a, b); }
  int64_t bytesOfA_, bytesOfB_;
  /// so that no strides, however odd, take long
  int left_ = 4096;
};

} // namespace

bool areApart(const Tensor &a, const Tensor &b) {
  if (a.numElements() == 0 || b.numElements() == 0)
    return true;
  Search search(a.elementSize(), b.elementSize());
  return !search.reaches(a.data() - b.data(), stepsBetween(a, b));
}

} // namespace ccgraph::runtime::cuda
