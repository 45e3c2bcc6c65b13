#include "kernels/dense_values.h"

#include "kernels/memory_format.h"

namespace ccgraph::runtime {

Tensor tensorOf(const Values &values, DType dtype, IntListRef sizes) {
  Tensor result = Tensor::zeros(dtype, sizes);
  writeRow<double>(dtype, {result.data(), result.elementSize()}, values);
  return result;
}

Tensor tensorOf(llvm::ArrayRef<int64_t> values, DType dtype, IntListRef sizes) {
  Tensor result = Tensor::zeros(dtype, sizes);
  writeRow<int64_t>(dtype, {result.data(), result.elementSize()}, values);
  return result;
}

Tensor tensorOf(const Values &values, DType dtype, IntListRef sizes, llvm::ArrayRef<Tensor> likes) {
  Tensor plain = tensorOf(values, dtype, sizes);
  IntList strides = suggestedStrides(sizes, likes);
  if (plain.strides() == IntListRef(strides))
    return plain;
  Tensor result = Tensor::zeros(dtype, sizes, strides);
  result.copyFrom(plain);
  return result;
}

IntList perDimension(KernelArgs &args, unsigned index, size_t rank, IntListRef otherwise) {
  IntList given = args.has(index) ? args.integers(index) : IntList();
  if (given.empty())
    return toIntList(otherwise);
  if (given.size() == 1)
    given.assign(rank, given[0]);
  if (!args.check(given.size() == rank, "got " + dimsOf(given) + " for " + llvm::Twine(rank) + " dimensions"))
    return IntList(rank, 1);
  return given;
}

} // namespace ccgraph::runtime
