#include "kernels/loss_reduction.h"

#include "kernels/lines.h"

namespace ccgraph::runtime {

LossReduction lossReduction(KernelArgs &args, unsigned index, int64_t otherwise) {
  int64_t number = args.integer(index, otherwise);
  args.check(number >= 0 && number <= 2,
             "got reduction " + llvm::Twine(number) + ", expected 0 (none), 1 (mean) or 2 (sum)");
  return static_cast<LossReduction>(number);
}

Value reduced(KernelArgs &args, const Tensor &elements, LossReduction reduction) {
  if (args.failed() || reduction == LossReduction::None)
    return elements;
  return foldedAll(args, elements, reduction == LossReduction::Mean);
}

} // namespace ccgraph::runtime
