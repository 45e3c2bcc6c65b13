#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "kernels/lines.h"
#include "kernels/pointwise.h"

#include "ccgraph/ir/strides.h"

#include <cmath>

// Discrete Fourier transforms, one dimension after the other.
namespace ccgraph::runtime {
namespace {

using Signal = Scratch<Complex>;

int64_t smallestFactor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0)
      return p;
  return n;
}

/// The sums of x[k] w^(jk) for each j, w the first of n roots of one, with decimation in time for each factor of n
/// (J. Cooley, J. Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series", 1965). Element k of x is
/// x[k * step], and root k is roots[k * step].
Signal transformed(llvm::ArrayRef<Complex> x, llvm::ArrayRef<Complex> roots, int64_t n, int64_t step) {
  if (n == 1)
    return {x[0]};
  int64_t p = smallestFactor(n), m = n / p;
  Scratch<Signal> parts;
  for (int64_t r = 0; r < p; ++r)
    parts.push_back(transformed(x.drop_front(static_cast<size_t>(r * step)), roots, m, step * p));
  Signal result(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j)
    for (int64_t r = 0; r < p; ++r)
      result[static_cast<size_t>(j)] +=
          parts[static_cast<size_t>(r)][static_cast<size_t>(j % m)] * roots[static_cast<size_t>(j * r % n * step)];
  return result;
}

/// `sign`: -1 forward, 1 backward.
Signal rootsOfOne(int64_t n, int sign) {
  Signal roots;
  for (int64_t k = 0; k < n; ++k)
    roots.push_back(
        std::polar(1.0, sign * 2 * 3.14159265358979323846 * static_cast<double>(k) / static_cast<double>(n)));
  return roots;
}

/// Transforms one dimension of a c128 tensor in place.
void transformDim(const Tensor &self, int64_t dim, int sign) {
  int64_t size = self.size(dim);
  Signal roots = rootsOfOne(size, sign), line(static_cast<size_t>(size));
  forEachRow(dimLast(self, dim), [&](llvm::ArrayRef<Row> rows, int64_t) {
    readRow<Complex>(DType::C128, rows[0], line);
    writeRow<Complex>(DType::C128, rows[0], transformed(line, roots, size, 1));
  });
}

/// What an operator transforms: its operand, the dimensions, and the factor of the result.
struct Transform {
  Tensor self;
  IntList dims;
  double scale = 1;
};

enum class Normalization : uint8_t { None, ByRoot, ByCount };

/// `count`: the elements that one result sums.
double scaleOf(KernelArgs &args, int64_t count) {
  int64_t normalization = args.integer(2);
  args.check(normalization >= 0 && normalization <= 2, "got normalization " + llvm::Twine(normalization));
  auto n = static_cast<double>(count);
  switch (static_cast<Normalization>(normalization)) {
  case Normalization::None:
    return 1;
  case Normalization::ByRoot:
    return 1 / std::sqrt(n);
  case Normalization::ByCount:
    return 1 / n;
  }
  return 1;
}

/// (self, dim, normalization, ...); the operand has numbers of this kind, and every dimension has elements.
Transform transformOf(KernelArgs &args, bool isComplexOperand) {
  Transform t{args.tensor(0), args.integers(1)};
  for (int64_t &dim : t.dims)
    dim = args.wrapDim(dim, t.self.rank());
  DType dtype = t.self.dtype();
  bool known = isComplexOperand ? isComplex(dtype) : isFloat(dtype) && sizeInBytes(dtype) >= 4;
  args.check(known && computable(dtype),
             "got " + typeOf(t.self) + ", expected " + (isComplexOperand ? "complex numbers" : "f32 or f64"));
  for (int64_t dim : t.dims)
    args.check(args.failed() || (t.self.rank() > 0 && t.self.size(dim) > 0), "got an empty dimension");
  return t;
}

int64_t countOf(IntListRef sizes, IntListRef dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= sizes[static_cast<size_t>(dim)];
  return count;
}

Tensor scaled(KernelArgs &args, const Tensor &wide, const Transform &t, const Tensor &out) {
  constexpr static PointwiseOp multiply{.complex = [](const Complex *x) { return x[0] * x[1]; }};
  pointwiseInto(args, wide, {{wide}, numberOperand(t.scale)}, multiply);
  if (!args.failed())
    out.copyFrom(wide);
  return out;
}

Tensor widened(const Tensor &self) {
  Tensor wide = Tensor::zeros(DType::C128, self.sizes());
  copyElements(wide, self);
  return wide;
}

/// (self, dim, normalization, forward)
Value complexToComplex(KernelArgs &args) {
  Transform t = transformOf(args, true);
  t.scale = args.failed() ? 1 : scaleOf(args, countOf(t.self.sizes(), t.dims));
  bool forward = args.boolean(3, true);
  if (args.failed())
    return {};
  if (t.dims.empty())
    return t.self.clone();
  Tensor wide = widened(t.self);
  for (int64_t dim : t.dims)
    transformDim(wide, dim, forward ? -1 : 1);
  return scaled(
      args, wide, t,
      args.result(t.self.dtype(), t.self.sizes(), transformStrides(t.self.sizes(), t.self.strides(), t.dims, false)));
}

/// The sums of a real signal with the weights 1 and 1, -1, ... are real; their imaginary parts are 0 and not -0.
void clearImaginaryEnds(const Tensor &spectrum, int64_t dim) {
  const int64_t size = spectrum.size(dim);
  for (int64_t k = 0; 2 * k <= size; k += size % 2 == 0 ? size / 2 : size)
    forEachRow({spectrum.select(dim, k)}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        std::byte *at = rows[0].data + i * rows[0].step;
        writeElement<Complex>(DType::C128, at, readElement<Complex>(DType::C128, at).real());
      }
    });
}

DType complexOf(DType dtype) { return dtype == DType::F64 ? DType::C128 : DType::C64; }

/// (self, dim, normalization, onesided): with onesided, the first half of the last dimension and its middle.
Value realToComplex(KernelArgs &args) {
  Transform t = transformOf(args, false);
  t.scale = args.failed() ? 1 : scaleOf(args, countOf(t.self.sizes(), t.dims));
  bool half = args.boolean(3, false);
  if (args.failed() || !args.check(!t.dims.empty(), "got no dimensions"))
    return {};
  Tensor wide = widened(t.self);
  for (int64_t dim : t.dims)
    transformDim(wide, dim, -1);
  int64_t last = t.dims.back();
  if (t.dims.size() == 1)
    clearImaginaryEnds(wide, last);
  if (half)
    wide = wide.slice(last, 0, wide.size(last) / 2 + 1);
  return scaled(args, wide, t,
                args.result(complexOf(t.self.dtype()), wide.sizes(),
                            transformStrides(wide.sizes(), t.self.strides(), t.dims, true)));
}

/// Of a signal of `size` elements whose transform is symmetric, from the half that is stored: element k of the
/// other half is the conjugate of element size - k. Imaginary parts of the ends count as 0.
Tensor mirrored(const Tensor &half, int64_t dim, int64_t size) {
  IntList sizes = toIntList(half.sizes());
  sizes[dim] = size;
  Tensor whole = Tensor::zeros(DType::C128, sizes);
  for (int64_t k = 0; k < size; ++k) {
    int64_t from = std::min(k, size - k);
    bool isEnd = k == 0 || 2 * k == size;
    if (from >= half.size(dim))
      continue;
    forEachRow({whole.select(dim, k), half.select(dim, from)}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        auto value = readElement<Complex>(DType::C128, rows[1].data + i * rows[1].step);
        writeElement<Complex>(DType::C128, rows[0].data + i * rows[0].step,
                              isEnd       ? value.real()
                              : from == k ? value
                                          : std::conj(value));
      }
    });
  }
  return whole;
}

/// (self, dim, normalization, last_dim_size)
Value complexToReal(KernelArgs &args) {
  Transform t = transformOf(args, true);
  int64_t size = args.integer(3);
  if (args.failed() || !args.check(!t.dims.empty() && size > 0, "got a size " + llvm::Twine(size)))
    return {};
  int64_t last = t.dims.back();
  IntList sizes = toIntList(t.self.sizes()), others = toIntList(IntListRef(t.dims).drop_back());
  sizes[last] = size;
  t.scale = scaleOf(args, countOf(sizes, t.dims));
  Tensor wide = widened(t.self);
  for (int64_t dim : others)
    transformDim(wide, dim, 1);
  Tensor whole = mirrored(wide, last, size);
  transformDim(whole, last, 1);
  // The other dimensions are transformed first, into a tensor with strides of its own.
  Tensor like = others.empty() ? t.self
                               : Tensor::zeros(DType::Bool, t.self.sizes(),
                                               transformStrides(t.self.sizes(), t.self.strides(), others, false));
  return scaled(args, whole, t,
                args.result(realTypeOf(t.self.dtype()), sizes, transformStrides(sizes, like.strides(), last, false)));
}

const Kernel fourierTable[] = {
    {"aten._fft_c2c.default", "self,dim,normalization,forward", complexToComplex},
    {"aten._fft_c2r.default", "self,dim,normalization,last_dim_size", complexToReal},
    {"aten._fft_r2c.default", "self,dim,normalization,onesided", realToComplex},
};

} // namespace

llvm::ArrayRef<Kernel> fourierKernels() { return fourierTable; }

} // namespace ccgraph::runtime
