#include "ccgraph/runtime/kernels.h"

#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "process/memory_limit.h"

namespace ccgraph::runtime {

static std::vector<Kernel> joinFamilies() {
  std::vector<Kernel> kernels;
  for (llvm::ArrayRef<Kernel> family :
       {arithmeticKernels(),    mathKernels(),         activationKernels(),    specialFunctionKernels(),
        selectionKernels(),     viewKernels(),         metadataKernels(),      creationKernels(),
        copyKernels(),          rearrangingKernels(),  reductionKernels(),     orderKernels(),
        indexKernels(),         scatterKernels(),      embeddingBagKernels(),  scatterReduceKernels(),
        searchKernels(),        matmulKernels(),       scaledProductKernels(), distanceKernels(),
        factorizationKernels(), linearSolverKernels(), attentionKernels(),     lossKernels(),
        classLossKernels(),     ctcLossKernels(),      normKernels(),          elementLossKernels(),
        channelNormKernels(),   convolutionKernels(),  poolingKernels(),       adaptivePoolingKernels(),
        resamplingKernels(),    fourierKernels(),      gridSamplerKernels(),   windowKernels(),
        foldingKernels(),       paddingKernels(),      compositeKernels(),     shortKernels(),
        formulaKernels(),       foreachKernels(),      optimizerKernels(),     bucketingKernels(),
        hostKernels()})
    kernels.insert(kernels.end(), family.begin(), family.end());
  std::vector<Kernel> derived = derivedKernels(kernels);
  kernels.insert(kernels.end(), derived.begin(), derived.end());
  llvm::sort(kernels, [](const Kernel &a, const Kernel &b) { return a.target < b.target; });
  return kernels;
}

llvm::ArrayRef<Kernel> allKernels() {
  static const std::vector<Kernel> kernels = joinFamilies();
  return kernels;
}

static const Kernel *findExactly(llvm::StringRef target) {
  llvm::ArrayRef<Kernel> all = allKernels();
  const auto *at =
      llvm::lower_bound(all, target, [](const Kernel &kernel, llvm::StringRef name) { return kernel.target < name; });
  return at != all.end() && at->target == target ? at : nullptr;
}

/// Returns "operator.le" for every form of a Python builtin, "torch.sym_sum" for "<function sym_sum at 0x7f...>". It
/// does not allocate, because kernels that call others use it in each step.
static llvm::SmallString<96> canonicalTarget(llvm::StringRef target) {
  llvm::SmallString<96> name;
  target.consume_front("torch.ops.");
  if (target.consume_front("<built-in function ") || target.consume_front("_operator.")) {
    name = "operator.";
    target = target.take_until([](char c) { return c == '>'; });
  } else if (target.consume_front("<function ")) {
    name = "torch.";
    target = target.take_until([](char c) { return c == ' ' || c == '>'; });
  }
  name += target;
  return name;
}

const Kernel *findKernel(llvm::StringRef target) {
  llvm::SmallString<96> name = canonicalTarget(target);
  size_t length = name.size();
  // torch resolves an operator without overload by its arguments, and these overloads have the arguments of the bare
  // name.
  for (llvm::StringRef overload : {"", ".default", ".Tensor", ".int", ".self", ".dim_IntList"}) {
    name.resize(length);
    name += overload;
    if (const Kernel *kernel = findExactly(name))
      return kernel;
  }
  return nullptr;
}

llvm::Expected<Value> runKernel(const Kernel &kernel, KernelCall call) {
  return withinMemory<Value>([&] { return callWithinRun(kernel, std::move(call)); },
                             [&](const std::string &asked) {
                               return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                                              kernel.target + ": needs " + asked);
                             });
}

llvm::Expected<Value> callWithinRun(const Kernel &kernel, KernelCall call, Destinations destinations) {
  KernelArgs args(kernel, std::move(call), destinations);
  Value result;
  if (!args.failed())
    result = kernel.compute(args);
  if (llvm::Error error = args.error())
    return error;
  return result;
}

} // namespace ccgraph::runtime
