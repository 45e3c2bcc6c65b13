#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "kernels/pointwise.h"

// Inductor's custom operators that fill the buffer of a merged collective (torch/_inductor/fx_passes/bucketing.py).
namespace ccgraph::runtime {
namespace {

/// Number of a dtype in Inductor's own list; only the numbers seen in captured graphs are known.
std::optional<DType> inductorDType(int64_t number) {
  if (number == 1)
    return DType::BF16;
  return number == 16 ? std::optional(DType::F32) : std::nullopt;
}

Tensor flattened(const Tensor &tensor) { return llvm::cantFail(tensor.contiguous().view(tensor.numElements())); }

/// The window of `count` elements of `dtype` that starts `byte` bytes into a contiguous buffer.
Tensor windowAt(const Tensor &buffer, int64_t byte, DType dtype, int64_t count) {
  return buffer.reinterpret(dtype, {{count}, {1}, byte / static_cast<int64_t>(sizeInBytes(dtype))});
}

/// (ins, group_size, dtype, out_dtype_ints, rank, foreach_group_indices): returns room for every rank's part, with this
/// rank's part filled with the inputs, each converted to its own dtype. The groups only list the copies that Inductor
/// fuses.
Value preBucketAllGather(KernelArgs &args) {
  Tensors ins = args.tensors(0);
  int64_t ranks = args.integer(1);
  DType dtype = args.dtype(2, DType::F32);
  IntList numbers = args.integers(3);
  int64_t rank = args.integer(4);
  args.check(numbers.size() == ins.size() && rank >= 0 && rank < ranks,
             "got " + llvm::Twine(numbers.size()) + " dtypes for " + llvm::Twine(ins.size()) + " inputs, rank " +
                 llvm::Twine(rank) + " of " + llvm::Twine(ranks));
  llvm::SmallVector<DType, 8> types;
  int64_t bytes = 0;
  for (size_t i = 0; i < ins.size() && !args.failed(); ++i) {
    std::optional<DType> type = inductorDType(numbers[i]);
    if (!args.check(type.has_value(),
                    "got dtype number " + llvm::Twine(numbers[i]) + ", expected 1 (bf16) or 16 (f32)"))
      return {};
    types.push_back(*type);
    bytes += ins[i].numElements() * static_cast<int64_t>(sizeInBytes(*type));
  }
  int64_t size = sizeInBytes(dtype);
  if (args.failed() ||
      !args.check(bytes % size == 0, "got " + llvm::Twine(bytes) + " bytes, no multiple of " + shortName(dtype)))
    return {};
  // Parts of other dtypes must be aligned, so this is memory of its own.
  Tensor out = Tensor::zeros(dtype, {ranks * bytes / size});
  int64_t at = rank * bytes;
  for (auto [in, type] : llvm::zip(ins, types)) {
    int64_t width = sizeInBytes(type);
    if (!args.check(at % width == 0 && computable(in.dtype()),
                    "got " + typeOf(in) + " at byte " + llvm::Twine(at) + ", not aligned"))
      return {};
    windowAt(out, at, type, in.numElements()).copyFrom(flattened(in));
    at += in.numElements() * width;
  }
  return out;
}

/// (ins, group_size, unpadded_input_indices): each input as [group_size, n], side by side, flattened: one row a rank.
Value preBucketReduceScatter(KernelArgs &args) {
  Tensors ins = args.tensors(0);
  int64_t ranks = args.integer(1);
  bool padded = args.has(2) && !args.integers(2).empty();
  args.check(!padded, "got unpadded_input_indices, which is not supported (note: pad the inputs "
                      "before the operator)");
  args.check(ranks > 0 && !ins.empty(), "got no inputs or ranks");
  int64_t columns = 0;
  for (const Tensor &in : ins)
    if (args.check(!args.failed() && in.numElements() % ranks == 0,
                   "got " + typeOf(in) + ", expected a multiple of " + llvm::Twine(ranks)))
      columns += in.numElements() / ranks;
  if (args.failed())
    return {};
  Tensor result = args.result(resultType(ins), ranks * columns);
  Tensor out = llvm::cantFail(result.view({ranks, columns}));
  int64_t start = 0;
  for (const Tensor &in : ins) {
    int64_t width = in.numElements() / ranks;
    out.slice(1, start, start + width).copyFrom(llvm::cantFail(in.contiguous().view({ranks, width})));
    start += width;
  }
  return result;
}

const Kernel bucketingTable[] = {
    {"bucketing._pre_bucket_all_gather.default", "ag_ins,group_size,dtype,out_dtype_ints,rank,foreach_group_indices",
     preBucketAllGather},
    {"bucketing._pre_bucket_reduce_scatter.default", "rs_ins,group_size,unpadded_input_indices",
     preBucketReduceScatter},
};

} // namespace

llvm::ArrayRef<Kernel> bucketingKernels() { return bucketingTable; }

} // namespace ccgraph::runtime
