#include "kernels/families.h"
#include "kernels/pooling_windows.h"

namespace ccgraph::runtime {
namespace {

/// The positions of the arguments in a schema; absent ones read as left out.
struct Form {
  unsigned input = 0;
  unsigned kernel = 1;
  unsigned stride = 2;
  unsigned padding = 3;
  unsigned dilation = noArgument;
  unsigned ceil = noArgument;
  unsigned countPadding = noArgument;
  unsigned divisor = noArgument;
};
constexpr Form maxForm{.dilation = 4, .ceil = 5};
constexpr Form averageForm{.ceil = 4, .countPadding = 5, .divisor = 6};

/// One dimension of a sliding window.
struct Slide {
  int64_t kernel, stride, padding, dilation;
  bool ceil, countPadding;
};

/// A last window that would start in the padding after the input is left out (torch.nn.MaxPool2d, ceil_mode). Size 5
/// with kernel 2 and stride 2 has 2 windows, or 3 with `ceil`, the last with one element. Size 5 with kernel 1 and
/// stride 3 would have a third at position 6, where nothing is, and so has 2 either way.
int64_t slides(int64_t size, const Slide &s) {
  int64_t free = size + 2 * s.padding - s.dilation * (s.kernel - 1) - 1;
  int64_t count = (free + (s.ceil ? s.stride - 1 : 0)) / s.stride + 1;
  return free < 0 && !s.ceil ? 0 : s.ceil && (count - 1) * s.stride >= size + s.padding ? count - 1 : count;
}

Reach reachOf(int64_t out, int64_t size, const Slide &s) {
  Reach reach;
  int64_t start = out * s.stride - s.padding;
  for (int64_t k = 0; k < s.kernel; ++k)
    if (int64_t at = start + k * s.dilation; at >= 0 && at < size)
      reach.positions.push_back(at);
  int64_t padded = std::min(start + s.kernel, size + s.padding) - start;
  reach.counted = s.countPadding ? padded : static_cast<int64_t>(reach.positions.size());
  return reach;
}

Pooling sliding(KernelArgs &args, const Form &form, size_t rank) {
  Pooling p{.rank = rank};
  if (!startPooling(args, p, form.input))
    return p;
  IntList kernel = perDimension(args, form.kernel, rank, {});
  IntList stride = perDimension(args, form.stride, rank, kernel);
  IntList padding = perDimension(args, form.padding, rank, IntList(rank, 0));
  IntList dilation = perDimension(args, form.dilation, rank, IntList(rank, 1));
  bool ceil = args.boolean(form.ceil, false), countPadding = args.boolean(form.countPadding, true);
  Scratch<Scratch<Reach>> axes(rank);
  for (size_t d = 0; d < rank && !args.failed(); ++d) {
    int64_t size = p.input.sizes().take_back(rank)[d];
    bool fits = kernel[d] > 0 && stride[d] > 0 && dilation[d] > 0 && padding[d] >= 0 && 2 * padding[d] <= kernel[d];
    if (!args.check(fits, "got kernel " + dimsOf(kernel) + ", stride " + dimsOf(stride) + ", padding " +
                              dimsOf(padding) + ", expected them positive, and padding at most half the kernel"))
      break;
    Slide slide{kernel[d], stride[d], padding[d], dilation[d], ceil, countPadding};
    for (int64_t out = 0, count = slides(size, slide); out < count; ++out)
      axes[d].push_back(reachOf(out, size, slide));
  }
  if (!args.failed())
    setWindows(p, axes);
  if (!args.failed() && args.has(form.divisor))
    for (PoolWindow &window : p.windows)
      window.divisor = args.number(form.divisor);
  return p;
}
template <size_t rank>
Value averagePool(KernelArgs &args) {
  return average(args, sliding(args, averageForm, rank));
}
/// (grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
template <size_t rank>
Value averagePoolBackward(KernelArgs &args) {
  return averageBackward(
      args,
      sliding(args, {.input = 1, .kernel = 2, .stride = 3, .padding = 4, .ceil = 5, .countPadding = 6, .divisor = 7},
              rank));
}

template <size_t rank>
Value maxPoolWithIndices(KernelArgs &args) {
  return maximaWithCells(args, sliding(args, maxForm, rank));
}
template <size_t rank>
Value maxPool(KernelArgs &args) {
  Value both = maxPoolWithIndices<rank>(args);
  return args.failed() ? both : both.list().front();
}

/// (grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices)
template <size_t rank>
Value maxPoolBackward(KernelArgs &args) {
  return gradientToCells(args, 7, rank);
}

// --- Inductor's form, which keeps each maximum's place in its unclipped window, in i8 ----------------
constexpr Form offsetForm{.dilation = 4, .ceil = 5};

/// Kernel, stride, padding and dilation of a pooling whose input is not at hand.
struct Grid {
  IntList kernel, stride, padding, dilation;
};

/// The cell of a place in the window of output element `out`, and back.
int64_t cellOf(const Grid &g, IntListRef input, IntList out, int64_t place) {
  int64_t cell = 0, step = 1;
  for (size_t d = input.size(); d-- > 0;) {
    int64_t k = place % g.kernel[d];
    place /= g.kernel[d];
    cell += (out[d] * g.stride[d] - g.padding[d] + k * g.dilation[d]) * step;
    step *= input[d];
  }
  return cell;
}

Grid gridOf(KernelArgs &args, unsigned first, size_t rank) {
  Grid g;
  g.kernel = perDimension(args, first, rank, {});
  g.stride = perDimension(args, first + 1, rank, g.kernel);
  g.padding = perDimension(args, first + 2, rank, IntList(rank, 0));
  g.dilation = perDimension(args, first + 3, rank, IntList(rank, 1));
  return g;
}

/// Position of flat element `i` in the last dimensions of `sizes`.
IntList positionOf(int64_t i, IntListRef sizes) {
  IntList at(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; i /= sizes[d])
    at[d] = i % sizes[d];
  return at;
}

/// (self, kernel_size, stride, padding, dilation, ceil_mode) -> (values, offsets)
Value maxPoolWithOffsets(KernelArgs &args) {
  size_t rank = args.has(1) && !args.failed() ? args.integers(1).size() : 0;
  Pooling p = sliding(args, offsetForm, rank);
  Grid grid = gridOf(args, 1, rank);
  if (args.failed())
    return {};
  Maxima maxima = maximaOf(p);
  IntListRef input = p.input.sizes().take_back(rank), output = IntListRef(p.outputSizes).take_back(rank);
  int64_t places = productOf(grid.kernel);
  for (size_t i = 0; i < maxima.cells.size(); ++i) {
    IntList out = positionOf(static_cast<int64_t>(i) % productOf(output), output);
    int64_t place = 0;
    while (place < places && cellOf(grid, input, out, place) != maxima.cells[i])
      ++place;
    maxima.orders[i] = place;
  }
  return Value::tensors(
      {tensorOf(maxima.values, p.input.dtype(), p.outputSizes, p.input), placesOf(p, maxima.orders, DType::I8)});
}

/// (offsets, kernel_size, input_size, stride, padding, dilation) -> indices
Value offsetsToIndices(KernelArgs &args) {
  const Tensor &offsets = args.tensor(0);
  IntList kernel = args.integers(1), input = args.integers(2);
  size_t rank = kernel.size();
  Grid grid{kernel, perDimension(args, 3, rank, kernel), perDimension(args, 4, rank, IntList(rank, 0)),
            perDimension(args, 5, rank, IntList(rank, 1))};
  if (args.failed() || !args.check(input.size() == rank && offsets.rank() >= static_cast<int64_t>(rank),
                                   "got offsets " + typeOf(offsets) + " and input_size " + dimsOf(input)))
    return {};
  Values places = readAll(offsets);
  Scratch<int64_t> cells;
  IntListRef output = offsets.sizes().take_back(rank);
  for (size_t i = 0; i < places.size(); ++i)
    cells.push_back(cellOf(grid, input, positionOf(static_cast<int64_t>(i) % productOf(output), output),
                           static_cast<int64_t>(places[i])));
  Tensor result = Tensor::zeros(DType::I64, offsets.sizes());
  writeRow<int64_t>(DType::I64, {result.data(), result.elementSize()}, cells);
  return result;
}

constexpr llvm::StringLiteral maxNames = "self,kernel_size,stride,padding,dilation,ceil_mode";
constexpr llvm::StringLiteral maxGradNames = "grad_output,self,kernel_size,stride,padding,dilation,ceil_mode,indices";
constexpr llvm::StringLiteral averageNames =
    "self,kernel_size,stride,padding,ceil_mode,count_include_pad,divisor_override";
constexpr llvm::StringLiteral averageGradNames =
    "grad_output,self,kernel_size,stride,padding,ceil_mode,count_include_pad,divisor_override";

const Kernel poolingTable[] = {
    {"aten.avg_pool1d.default", "self,kernel_size,stride,padding,ceil_mode,count_include_pad", averagePool<1>},
    {"aten.avg_pool2d.default", averageNames, averagePool<2>},
    {"aten.avg_pool2d_backward.default", averageGradNames, averagePoolBackward<2>},
    {"aten.avg_pool3d.default", averageNames, averagePool<3>},
    {"aten.avg_pool3d_backward.default", averageGradNames, averagePoolBackward<3>},
    {"aten.max_pool1d.default", maxNames, maxPool<1>},
    {"aten.max_pool1d_with_indices.default", maxNames, maxPoolWithIndices<1>},
    {"aten.max_pool2d.default", maxNames, maxPool<2>},
    {"aten.max_pool2d_with_indices.default", maxNames, maxPoolWithIndices<2>},
    {"aten.max_pool2d_with_indices_backward.default", maxGradNames, maxPoolBackward<2>},
    {"aten.max_pool3d.default", maxNames, maxPool<3>},
    {"aten.max_pool3d_with_indices.default", maxNames, maxPoolWithIndices<3>},
    {"aten.max_pool3d_with_indices_backward.default", maxGradNames, maxPoolBackward<3>},
    {"prims._low_memory_max_pool_offsets_to_indices.default", "self,kernel_size,input_size,stride,padding,dilation",
     offsetsToIndices},
    {"prims._low_memory_max_pool_with_offsets.default", maxNames, maxPoolWithOffsets},
};

} // namespace

llvm::ArrayRef<Kernel> poolingKernels() { return poolingTable; }

} // namespace ccgraph::runtime
