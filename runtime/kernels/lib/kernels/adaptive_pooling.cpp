#include "kernels/families.h"
#include "kernels/pooling_windows.h"

namespace ccgraph::runtime {
namespace {

/// Output element i reads the elements from floor(i * in / out) up to ceil((i + 1) * in / out): 5 elements in 3 windows
/// are read as [0, 2), [1, 4), [3, 5).
Scratch<Reach> adapted(int64_t in, int64_t out) {
  Scratch<Reach> axis;
  for (int64_t i = 0; i < out; ++i) {
    Reach &reach = axis.emplace_back();
    for (int64_t at = i * in / out, end = ((i + 1) * in + out - 1) / out; at < end; ++at)
      reach.positions.push_back(at);
    reach.counted = static_cast<int64_t>(reach.positions.size());
  }
  return axis;
}

/// `input`: the argument that is pooled, into `output`.
Pooling adaptive(KernelArgs &args, unsigned input, IntListRef output, size_t rank) {
  Pooling p{.rank = rank};
  if (!startPooling(args, p, input))
    return p;
  IntListRef in = p.input.sizes().take_back(rank);
  bool fits = output.size() == rank && llvm::all_of(output, [](int64_t size) { return size >= 0; }) &&
              (llvm::all_of(in, [](int64_t size) { return size > 0; }) || llvm::is_contained(output, 0));
  if (!args.check(fits, "got output_size " + dimsOf(output) + " for " + typeOf(p.input)))
    return p;
  Scratch<Scratch<Reach>> axes;
  for (size_t d = 0; d < rank; ++d)
    axes.push_back(adapted(in[d], output[d]));
  setWindows(p, axes);
  return p;
}

/// (self, output_size)
Pooling forward(KernelArgs &args, size_t rank) {
  return adaptive(args, 0, perDimension(args, 1, rank, IntList(rank, 1)), rank);
}

template <size_t rank>
Value averagePool(KernelArgs &args) {
  return average(args, forward(args, rank));
}
/// (grad_output, self)
template <size_t rank>
Value averagePoolBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0);
  if (args.failed() || !args.check(grad.rank() >= static_cast<int64_t>(rank), "got grad_output " + typeOf(grad)))
    return {};
  return averageBackward(args, adaptive(args, 1, grad.sizes().take_back(rank), rank));
}

template <size_t rank>
Value maxPool(KernelArgs &args) {
  return maximaWithCells(args, forward(args, rank));
}
/// (grad_output, self, indices)
template <size_t rank>
Value maxPoolBackward(KernelArgs &args) {
  return gradientToCells(args, 2, rank);
}

/// (self, indices, output_size): each element in the cell of its plane that its index names, zeros elsewhere.
template <size_t rank>
Value unpool(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &indices = args.tensor(1);
  IntList output = args.integers(2), sizes = toIntList(self.sizes());
  bool fits = self.rank() >= static_cast<int64_t>(rank) && output.size() == rank && indices.sizes() == self.sizes() &&
              computable(self.dtype()) && !isComplex(self.dtype()) && indices.dtype() == DType::I64;
  if (args.failed() || !args.check(fits, "got self " + typeOf(self) + ", indices " + typeOf(indices) +
                                             " and output_size " + dimsOf(output)))
    return {};
  std::copy(output.begin(), output.end(), sizes.end() - rank);
  Values in = readAll(self), cells = readAll(indices), out(static_cast<size_t>(productOf(sizes)));
  int64_t plane = productOf(output), inPlane = productOf(self.sizes().take_back(rank));
  for (size_t i = 0; i < in.size(); ++i) {
    auto cell = static_cast<int64_t>(cells[i]);
    if (!args.check(cell >= 0 && cell < plane,
                    "got index " + llvm::Twine(cell) + " in a plane of " + llvm::Twine(plane)))
      return {};
    out[static_cast<size_t>(static_cast<int64_t>(i) / inPlane * plane + cell)] = in[i];
  }
  return tensorOf(out, self.dtype(), sizes, self);
}

constexpr llvm::StringLiteral forwardNames = "self,output_size";
constexpr llvm::StringLiteral averageGradNames = "grad_output,self";
constexpr llvm::StringLiteral maxGradNames = "grad_output,self,indices";

const Kernel adaptiveTable[] = {
    {"aten._adaptive_avg_pool2d.default", forwardNames, averagePool<2>},
    {"aten._adaptive_avg_pool2d_backward.default", averageGradNames, averagePoolBackward<2>},
    {"aten._adaptive_avg_pool3d.default", forwardNames, averagePool<3>},
    {"aten._adaptive_avg_pool3d_backward.default", averageGradNames, averagePoolBackward<3>},
    {"aten.adaptive_avg_pool1d.default", forwardNames, averagePool<1>},
    {"aten.adaptive_avg_pool2d.default", forwardNames, averagePool<2>},
    {"aten.adaptive_avg_pool3d.default", forwardNames, averagePool<3>},
    {"aten.adaptive_max_pool1d.default", forwardNames, maxPool<1>},
    {"aten.adaptive_max_pool2d.default", forwardNames, maxPool<2>},
    {"aten.adaptive_max_pool2d_backward.default", maxGradNames, maxPoolBackward<2>},
    {"aten.adaptive_max_pool3d.default", forwardNames, maxPool<3>},
    {"aten.adaptive_max_pool3d_backward.default", maxGradNames, maxPoolBackward<3>},
    {"aten.max_unpool2d.default", "self,indices,output_size", unpool<2>},
    {"aten.max_unpool3d.default", "self,indices,output_size,stride,padding", unpool<3>},
};

} // namespace

llvm::ArrayRef<Kernel> adaptivePoolingKernels() { return adaptiveTable; }

} // namespace ccgraph::runtime
