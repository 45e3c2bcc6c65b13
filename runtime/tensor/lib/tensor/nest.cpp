#include "tensor/nest.h"

#include "llvm/ADT/Sequence.h"

namespace ccgraph::runtime {

// Of f32[2, 3][3, 1] beside itself both dimensions are one of 6; beside f32[2, 3][1, 2] they stay two, because the rows
// of that do not follow one another.
LoopNest::LoopNest(llvm::ArrayRef<Tensor> all) : tensors(all.size()) {
  const Tensor &first = all.front();
  for (int64_t dim = 0; dim < first.rank(); ++dim) {
    int64_t size = first.size(dim);
    if (size == 1)
      continue;
    auto joins = [&](size_t i) { return steps[steps.size() - tensors + i] == strideBytes(all[i], dim) * size; };
    if (!sizes.empty() && llvm::all_of(llvm::seq<size_t>(0, tensors), joins)) {
      sizes.back() *= size;
      steps.resize(steps.size() - tensors);
    } else {
      sizes.push_back(size);
    }
    for (const Tensor &tensor : all)
      steps.push_back(strideBytes(tensor, dim));
  }
  if (sizes.empty()) {
    sizes.push_back(1);
    steps.assign(tensors, 0);
  }
}

} // namespace ccgraph::runtime
