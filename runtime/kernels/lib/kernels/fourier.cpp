#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "tensor/elements.h"

#include <algorithm>
#include <cmath>

// Discrete Fourier transforms, by their definition: y[k] = sum x[n] exp(-+ 2 pi i k n / N), one dimension after the
// other.
namespace ccgraph::runtime {
namespace {

constexpr double pi = 3.14159265358979323846;

struct Transform {
  bool forward;
  double factor; ///< of the whole result
};

/// normalization is 0 (none), 1 (by the root of the number of elements) or 2 (by it).
Transform transformOf(KernelArgs &args, unsigned index, bool forward, int64_t elements) {
  int64_t normalization = args.integer(index);
  args.check(normalization >= 0 && normalization <= 2, "got normalization " + llvm::Twine(normalization));
  auto n = static_cast<double>(elements);
  return {forward, normalization == 0 ? 1 : normalization == 1 ? 1 / std::sqrt(n) : 1 / n};
}

/// One line in place.
void transformLine(llvm::MutableArrayRef<Complex> line, bool forward) {
  Scratch<Complex> in(line.begin(), line.end()), roots(line.size());
  for (size_t k = 0; k < roots.size(); ++k)
    roots[k] = std::polar(1.0, (forward ? -2 : 2) * pi * static_cast<double>(k) / static_cast<double>(line.size()));
  for (size_t k = 0; k < line.size(); ++k) {
    line[k] = 0;
    for (size_t n = 0; n < line.size(); ++n)
      line[k] += in[n] * roots[k * n % line.size()];
  }
}

/// A contiguous array of this shape along `dim`.
void transformDim(Scratch<Complex> &values, DimsRef sizes, int64_t dim, bool forward) {
  int64_t size = sizes[static_cast<size_t>(dim)], inner = productOf(sizes.drop_front(static_cast<size_t>(dim) + 1));
  Scratch<Complex> line(static_cast<size_t>(size));
  for (int64_t outer = 0; outer < productOf(sizes.take_front(static_cast<size_t>(dim))); ++outer)
    for (int64_t i = 0; i < inner; ++i) {
      auto cell = [&](int64_t n) -> Complex & { return values[static_cast<size_t>((outer * size + n) * inner + i)]; };
      for (int64_t n = 0; n < size; ++n)
        line[static_cast<size_t>(n)] = cell(n);
      transformLine({line.data(), line.size()}, forward);
      for (int64_t n = 0; n < size; ++n)
        cell(n) = line[static_cast<size_t>(n)];
    }
}

Scratch<Complex> readComplex(const Tensor &tensor) {
  Tensor flat = tensor.contiguous();
  Scratch<Complex> values(static_cast<size_t>(flat.numElements()));
  if (!values.empty())
    readRow<Complex>(flat.dtype(), {flat.data(), flat.elementSize()}, values);
  return values;
}

Tensor tensorOf(const Scratch<Complex> &values, DType dtype, DimsRef sizes) {
  Tensor result = Tensor::zeros(dtype, sizes);
  writeRow<Complex>(dtype, {result.data(), result.elementSize()}, values);
  return result;
}

/// Laid out as PyTorch's transforms do: transformed dimensions innermost, in this order, the others outside of them in
/// the order of the input's strides.
Tensor laidOut(const Tensor &plain, const Tensor &like, DimsRef transformed) {
  Dims order;
  for (int64_t dim = 0; dim < plain.rank(); ++dim)
    if (!llvm::is_contained(transformed, dim))
      order.push_back(dim);
  llvm::stable_sort(order, [&](int64_t a, int64_t b) { return like.stride(a) > like.stride(b); });
  llvm::append_range(order, transformed);
  Dims back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return plain.permute(order).cloneContiguous().permute(back);
}

/// Outermost in memory first; the last `kept` stay where they are.
Dims sortedByStride(const Tensor &like, DimsRef dims, size_t kept) {
  Dims sorted = toDims(dims);
  std::stable_sort(sorted.begin(), sorted.end() - static_cast<ptrdiff_t>(kept),
                   [&](int64_t a, int64_t b) { return like.stride(a) > like.stride(b); });
  return sorted;
}

struct Input {
  Tensor self;
  Dims dims;
  int64_t elements = 1; ///< of one transform
};

/// (self, dim, ...)
std::optional<Input> inputOf(KernelArgs &args, bool isComplexInput) {
  Input input{args.tensor(0), {}, 1};
  for (int64_t dim : args.integers(1))
    input.dims.push_back(args.wrapDim(dim, input.self.rank()));
  DType dtype = input.self.dtype();
  bool fits = computable(dtype) && (isComplexInput ? isComplex(dtype) : isFloat(dtype)) && input.self.rank() > 0;
  if (args.failed() || !args.check(fits, "got " + typeOf(input.self)))
    return std::nullopt;
  for (int64_t dim : input.dims)
    input.elements *= input.self.size(dim);
  return input;
}

void scale(Scratch<Complex> &values, double factor) {
  for (Complex &value : values)
    value *= factor;
}

/// (self, dim, normalization, forward)
Value complexToComplex(KernelArgs &args) {
  std::optional<Input> input = inputOf(args, true);
  if (!input)
    return {};
  Transform t = transformOf(args, 2, args.boolean(3, true), input->elements);
  Scratch<Complex> values = readComplex(input->self);
  for (int64_t dim : input->dims)
    transformDim(values, input->self.sizes(), dim, t.forward);
  scale(values, t.factor);
  if (args.failed())
    return {};
  return laidOut(tensorOf(values, input->self.dtype(), input->self.sizes()), input->self,
                 sortedByStride(input->self, input->dims, 0));
}

/// (self, dim, normalization, onesided): of the last of `dim` only the first half, where onesided.
Value realToComplex(KernelArgs &args) {
  std::optional<Input> input = inputOf(args, false);
  if (!input || !args.check(!input->dims.empty(), "got no dimension"))
    return {};
  Transform t = transformOf(args, 2, true, input->elements);
  Scratch<Complex> values = readComplex(input->self);
  for (int64_t dim : input->dims)
    transformDim(values, input->self.sizes(), dim, true);
  scale(values, t.factor);
  DType dtype = input->self.dtype() == DType::F64 ? DType::C128 : DType::C64;
  Tensor whole = tensorOf(values, dtype, input->self.sizes());
  int64_t last = input->dims.back();
  if (args.boolean(3, true))
    whole = whole.slice(last, 0, whole.size(last) / 2 + 1);
  return args.failed() ? Value() : Value(laidOut(whole, input->self, sortedByStride(input->self, input->dims, 1)));
}

/// (self, dim, normalization, last_dim_size): the other half of the last of `dim` is the first, conjugated.
Value complexToReal(KernelArgs &args) {
  std::optional<Input> input = inputOf(args, true);
  int64_t size = args.integer(3);
  if (!input || !args.check(!input->dims.empty() && size > 0, "got last_dim_size " + llvm::Twine(size)))
    return {};
  int64_t last = input->dims.back(), half = input->self.size(last);
  if (!args.check(half >= size / 2 + 1, "got " + typeOf(input->self) + " for " + llvm::Twine(size) + " elements"))
    return {};
  Dims sizes = toDims(input->self.sizes());
  Scratch<Complex> values = readComplex(input->self);
  for (int64_t dim : DimsRef(input->dims).drop_back())
    transformDim(values, sizes, dim, false);
  sizes[static_cast<size_t>(last)] = size;
  Transform t = transformOf(args, 2, false, input->elements / half * size);
  Scratch<Complex> whole(static_cast<size_t>(productOf(sizes)));
  int64_t inner = productOf(DimsRef(sizes).drop_front(static_cast<size_t>(last) + 1));
  for (size_t i = 0; i < whole.size(); ++i) {
    auto at = static_cast<int64_t>(i);
    int64_t outer = at / (size * inner), n = at / inner % size, from = n <= size / 2 ? n : size - n;
    Complex value = values[static_cast<size_t>((outer * half + from) * inner + at % inner)];
    // Because a real signal has real numbers there, what is imaginary is not read.
    bool real = n == 0 || 2 * n == size;
    whole[i] = real ? Complex(value.real()) : from == n ? value : std::conj(value);
  }
  transformDim(whole, sizes, last, false);
  scale(whole, t.factor);
  if (args.failed())
    return {};
  // Because the transform of the last dimension reads what that of the others laid out.
  Tensor like = input->self;
  if (input->dims.size() > 1)
    like = laidOut(like, like, sortedByStride(like, DimsRef(input->dims).drop_back(), 0));
  return laidOut(tensorOf(whole, realTypeOf(input->self.dtype()), sizes), like, last);
}

const Kernel fourierTable[] = {
    {"aten._fft_c2c.default", "self,dim,normalization,forward", complexToComplex},
    {"aten._fft_c2r.default", "self,dim,normalization,last_dim_size", complexToReal},
    {"aten._fft_r2c.default", "self,dim,normalization,onesided", realToComplex},
};

} // namespace

llvm::ArrayRef<Kernel> fourierKernels() { return fourierTable; }

} // namespace ccgraph::runtime
