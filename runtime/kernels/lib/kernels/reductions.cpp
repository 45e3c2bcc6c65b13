#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/lines.h"
#include "kernels/pointwise.h"
#include "kernels/wrapping.h"

#include "llvm/ADT/Sequence.h"

#include <cmath>
#include <limits>

namespace ccgraph::runtime {

Tensor dimLast(const Tensor &tensor, int64_t dim) {
  if (tensor.rank() == 0)
    return tensor.unsqueeze(0);
  IntList order = allDims(tensor.rank());
  order.erase(order.begin() + dim);
  order.push_back(dim);
  return tensor.permute(order);
}

// Every reduction is brought to one form: a matrix whose rows are the lines to fold. A tensor [2, 3, 4] reduced over
// dimensions 0 and 2 becomes [3, 8]: row j holds the elements with middle index j, dimension 0 slowest.
Tensor dimsLast(const Tensor &tensor, IntListRef dims) {
  IntList order;
  int64_t inner = 1;
  int64_t outer = 1;
  for (int64_t dim = 0; dim < tensor.rank(); ++dim)
    if (!llvm::is_contained(dims, dim)) {
      order.push_back(dim);
      outer *= tensor.size(dim);
    }
  for (int64_t dim : dims) {
    order.push_back(dim);
    inner *= tensor.size(dim);
  }
  Tensor lines = tensor.permute(order).contiguous();
  return lines.reinterpret(lines.dtype(), {{outer, inner}, {inner, 1}, lines.offset()});
}

IntList reducedSizes(IntListRef sizes, IntListRef dims, bool keep) {
  IntList result;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      result.push_back(sizes[i]);
    else if (keep)
      result.push_back(1);
  return result;
}

/// Returns whether all numbers of `from` are numbers of `to`, with the same wide type. Then they need no conversion
/// first.
static bool widensTo(DType from, DType to) {
  if (from == to)
    return true;
  bool floats = isFloat(from) && isFloat(to) && sizeInBytes(from) < sizeInBytes(to);
  return floats || (classOf(from) <= DTypeClass::Integer && to == DType::I64);
}

/// The dimensions that a reduction keeps, or those that it folds.
static Tensor dimsOnly(const Tensor &tensor, IntListRef dims, bool folded) {
  Window window{{}, {}, tensor.offset()};
  for (int64_t dim = 0; dim < tensor.rank(); ++dim)
    if (llvm::is_contained(dims, dim) == folded) {
      window.sizes.push_back(tensor.size(dim));
      window.strides.push_back(tensor.stride(dim));
    }
  return tensor.reinterpret(tensor.dtype(), std::move(window));
}

// A line is folded in the wide type (double, int64 or complex double) from left to right and rounded once, when the
// result is stored. PyTorch sums f32 in pieces and in f32; the two agree within the tolerance of a reordered sum, and
// ours is as a rule the nearer to the exact one.
template <typename T>
void foldLines(const Tensor &out, const Tensor &self, const ReducedDims &reduction,
               llvm::function_ref<T(const Line<T> &line)> fold) {
  Tensor source = widensTo(self.dtype(), reduction.dtype) ? self : toDType(self, reduction.dtype);
  Tensor inner = dimsOnly(source, reduction.dims, true);
  LoopNest nest(inner);
  int64_t size = inner.numElements();
  std::byte *to = out.data();
  forEachStretch(dimsOnly(source, reduction.dims, false), [&](llvm::ArrayRef<Row> rows, int64_t count) {
    for (int64_t i = 0; i < count; ++i, to += out.elementSize())
      writeElement<T>(out.dtype(), to, fold({nest, source.dtype(), rows[0].data + i * rows[0].step, size}));
  });
}

template void foldLines<double>(const Tensor &, const Tensor &, const ReducedDims &,
                                llvm::function_ref<double(const Line<double> &)>);
template void foldLines<int64_t>(const Tensor &, const Tensor &, const ReducedDims &,
                                 llvm::function_ref<int64_t(const Line<int64_t> &)>);
template void foldLines<Complex>(const Tensor &, const Tensor &, const ReducedDims &,
                                 llvm::function_ref<Complex(const Line<Complex> &)>);

Tensor foldedAll(KernelArgs &args, const Tensor &elements, bool mean) {
  Tensor out = args.result(elements.dtype(), {});
  foldLines<double>(out, elements, {allDims(elements.rank()), false, elements.dtype()}, [&](const Line<double> &line) {
    double sum = 0;
    line.forEach([&](double value) { sum += value; });
    return mean ? sum / static_cast<double>(line.size()) : sum;
  });
  return out;
}

namespace {

using RealFold = llvm::function_ref<double(const Line<double> &)>;

template <typename T>
T sumOf(const Line<T> &line) {
  T sum(0);
  line.forEach([&](T value) { sum += value; });
  return sum;
}
template <typename T>
T productOf(const Line<T> &line) {
  T product(1);
  line.forEach([&](T value) { product *= value; });
  return product;
}

/// A sum past the end of int64 wraps around, as PyTorch's does; in C++ that would be undefined behaviour.
int64_t wrappingSum(const Line<int64_t> &line) {
  int64_t sum = 0;
  line.forEach([&](int64_t value) { sum = wrapAdd(sum, value); });
  return sum;
}
int64_t wrappingProduct(const Line<int64_t> &line) {
  int64_t product = 1;
  line.forEach([&](int64_t value) { product = wrapMul(product, value); });
  return product;
}

/// The mean of no elements is 0 / 0, which is NaN, as in torch.mean.
template <typename T>
T meanOf(const Line<T> &line) {
  return sumOf(line) / static_cast<double>(line.size());
}

/// Computes the mean by Welford's algorithm, element by element (B. Welford, 1962), which turns an infinity before
/// others into NaN.
double runningMean(const Line<double> &line) {
  double mean = line.size() == 0 ? NAN : 0, count = 0;
  line.forEach([&](double value) { mean += (value - mean) / ++count; });
  return mean;
}

/// Two passes: the mean, then the squares about it; their sum over n - correction.
double varianceOf(const Line<double> &line, double correction) {
  double mean = meanOf(line), squares = 0;
  line.forEach([&](double value) { squares += (value - mean) * (value - mean); });
  return squares / std::max(0.0, static_cast<double>(line.size()) - correction);
}

/// (sum |x|^p)^(1/p) and its limits, as torch.linalg.vector_norm defines them.
double normOf(const Line<double> &line, double order) {
  double result = order == -INFINITY ? INFINITY : 0;
  line.forEach([&](double value) {
    double magnitude = std::fabs(value);
    if (order == INFINITY)
      result = std::isnan(magnitude) ? magnitude : std::max(result, magnitude);
    else if (order == -INFINITY)
      result = std::isnan(magnitude) ? magnitude : std::min(result, magnitude);
    else
      result += order == 0 ? magnitude != 0 : order == 2 ? value * value : std::pow(magnitude, order);
  });
  if (std::isinf(order) || order == 0)
    return result;
  return order == 2 ? std::sqrt(result) : std::pow(result, 1 / order);
}

/// Requires a line that is not empty.
template <typename T>
T extremeOf(const Line<T> &line, bool (*better)(T, T)) {
  std::optional<T> best;
  line.forEach([&](T value) {
    if (!best || (*best == *best && (value != value || better(value, *best)))) // Because NaN wins.
      best = value;
  });
  return *best;
}

/// Argument indices of the common forms (self, dim, keepdim, dtype); noArgument for a form without.
struct Form {
  unsigned dim = 1;
  unsigned keep = 2;
  unsigned dtype = 3;
};
constexpr Form wholeForm{noArgument, noArgument, 1};

ReducedDims reductionOf(KernelArgs &args, DType otherwise, Form form = {}) {
  ReducedDims result;
  result.dims = args.dims(form.dim, args.tensor(0).rank());
  result.keep = args.boolean(form.keep, false);
  result.dtype = args.dtype(form.dtype, otherwise);
  args.check(computable(result.dtype) && computable(args.tensor(0).dtype()),
             "got " + typeOf(args.tensor(0)) + ", a dtype that it does not compute with");
  return result;
}

/// The fold of a reduction with one result.
template <typename T>
Tensor folded(KernelArgs &args, const ReducedDims &reduction, llvm::function_ref<T(const Line<T> &)> fold) {
  const Tensor &self = args.tensor(0);
  Tensor out = args.result(reduction.dtype, sizesOf(self, reduction));
  foldLines<T>(out, self, reduction, fold);
  return out;
}

bool checkReal(KernelArgs &args, const ReducedDims &reduction) {
  return args.check(isFloat(reduction.dtype), "got dtype " + shortName(reduction.dtype) + ", expected a float") &&
         !args.failed();
}

Tensor foldReal(KernelArgs &args, const ReducedDims &reduction, RealFold fold) {
  return checkReal(args, reduction) ? folded<double>(args, reduction, fold) : Tensor();
}

/// One of several results.
Tensor foldRealInto(KernelArgs &args, unsigned index, const ReducedDims &reduction, RealFold fold) {
  if (!checkReal(args, reduction))
    return {};
  const Tensor &self = args.tensor(0);
  Tensor out = args.resultOf(index, reduction.dtype, sizesOf(self, reduction));
  foldLines<double>(out, self, reduction, fold);
  return out;
}

// Sums and products of bools and integers are int64 in PyTorch (torch.sum, torch.prod): ten u8 of 200 make 2000, not
// 208.
Value sum(KernelArgs &args, Form form) {
  DType self = args.tensor(0).dtype();
  ReducedDims reduction = reductionOf(args, classOf(self) <= DTypeClass::Integer ? DType::I64 : self, form);
  if (args.failed())
    return {};
  if (isComplex(reduction.dtype))
    return folded<Complex>(args, reduction, sumOf<Complex>);
  if (isFloat(reduction.dtype))
    return folded<double>(args, reduction, sumOf<double>);
  return folded<int64_t>(args, reduction, wrappingSum);
}
Value sumAll(KernelArgs &args) { return sum(args, wholeForm); }
Value sumDims(KernelArgs &args) { return sum(args, {}); }

Value prod(KernelArgs &args, Form form) {
  DType self = args.tensor(0).dtype();
  ReducedDims reduction = reductionOf(args, classOf(self) <= DTypeClass::Integer ? DType::I64 : self, form);
  if (args.failed())
    return {};
  if (isComplex(reduction.dtype))
    return folded<Complex>(args, reduction, productOf<Complex>);
  if (isFloat(reduction.dtype))
    return folded<double>(args, reduction, productOf<double>);
  return folded<int64_t>(args, reduction, wrappingProduct);
}
Value prodAll(KernelArgs &args) { return prod(args, wholeForm); }
Value prodDim(KernelArgs &args) { return prod(args, {}); }

Value mean(KernelArgs &args, Form form) {
  ReducedDims reduction = reductionOf(args, args.tensor(0).dtype(), form);
  if (args.failed() || !isComplex(reduction.dtype))
    return foldReal(args, reduction, meanOf<double>);
  return folded<Complex>(args, reduction, meanOf<Complex>);
}
Value meanAll(KernelArgs &args) { return mean(args, wholeForm); }
Value meanDims(KernelArgs &args) { return mean(args, {}); }

template <bool largest>
Value extreme(KernelArgs &args, Form form) {
  const Tensor &self = args.tensor(0);
  ReducedDims reduction = reductionOf(args, self.dtype(), form);
  int64_t length = 1;
  for (int64_t dim : reduction.dims)
    length *= self.size(dim);
  if (args.failed() || !args.check(length > 0 && !isComplex(self.dtype()),
                                   "got " + typeOf(self) + ", expected ordered elements, at least one a line"))
    return {};
  if (isFloat(self.dtype()))
    return folded<double>(args, reduction, [](const Line<double> &line) {
      return extremeOf<double>(line, [](double a, double b) { return largest ? a > b : a < b; });
    });
  return folded<int64_t>(args, reduction, [](const Line<int64_t> &line) {
    return extremeOf<int64_t>(line, [](int64_t a, int64_t b) { return largest ? a > b : a < b; });
  });
}
template <bool largest>
Value extremeAll(KernelArgs &args) {
  return extreme<largest>(args, {noArgument, noArgument, noArgument});
}
template <bool largest>
Value extremeDims(KernelArgs &args) {
  return extreme<largest>(args, {1, 2, noArgument});
}

/// any and all of "not zero": bool, except for u8, which represented truth values before bool existed.
template <bool wantsAll>
Value truth(KernelArgs &args, Form form) {
  ReducedDims reduction = reductionOf(args, DType::Bool, form);
  if (args.failed())
    return {};
  Tensor result = folded<int64_t>(args, reduction, [](const Line<int64_t> &line) {
    bool all = true, any = false;
    line.forEach([&](int64_t value) {
      all &= value != 0;
      any |= value != 0;
    });
    return static_cast<int64_t>(wantsAll ? all : any);
  });
  return args.tensor(0).dtype() == DType::U8 ? toDType(result, DType::U8) : result;
}
template <bool wantsAll>
Value truthAll(KernelArgs &args) {
  return truth<wantsAll>(args, {noArgument, noArgument, noArgument});
}
template <bool wantsAll>
Value truthDims(KernelArgs &args) {
  return truth<wantsAll>(args, {1, 2, noArgument});
}

// --- Variance: (self, dim, correction, keepdim), n - 1 where correction is left out -----------------
constexpr Form correctionForm{1, 3, noArgument};

template <bool root>
Value variance(KernelArgs &args) {
  double correction = args.number(2, 1.0);
  ReducedDims reduction = reductionOf(args, args.tensor(0).dtype(), correctionForm);
  return foldReal(args, reduction, [&](const Line<double> &line) {
    double result = varianceOf(line, correction);
    return root ? std::sqrt(result) : result;
  });
}

Value varMean(KernelArgs &args) {
  double correction = args.number(2, 1.0);
  ReducedDims reduction = reductionOf(args, args.tensor(0).dtype(), correctionForm);
  auto variance = [&](const Line<double> &line) { return varianceOf(line, correction); };
  return Value::tensors({foldRealInto(args, 0, reduction, variance), foldRealInto(args, 1, reduction, runningMean)});
}

Value vectorNorm(KernelArgs &args) {
  double order = args.number(1, 2.0);
  if (!args.failed() && isComplex(args.tensor(0).dtype())) {
    Value dtype = args.has(4) ? Value::dtype(realTypeOf(args.dtype(4, DType::C64))) : Value();
    Tensor magnitudes = callForTensor(args, "aten.abs.default", {args.at(0)});
    return callKernel(args, args.target(), {magnitudes, args.at(1), args.at(2), args.at(3), dtype});
  }
  ReducedDims reduction = reductionOf(args, args.tensor(0).dtype(), {2, 3, 4});
  return foldReal(args, reduction, [&](const Line<double> &line) { return normOf(line, order); });
}

double largestOf(const Line<double> &line) {
  return extremeOf<double>(line, [](double a, double b) { return a > b; });
}

double sumOfExp(const Line<double> &line, double shift) {
  double sum = 0;
  line.forEach([&](double value) { sum += std::exp(value - shift); });
  return sum;
}

// log(sum exp(x)) with the largest x taken out first, so that exp never overflows: of [1000, 1000] it is 1000 + log(2).
// Where the largest is infinite it is the answer itself, because inf - inf would be NaN; and the logarithm of an empty
// sum is -inf (torch.logsumexp).
Value logSumExp(KernelArgs &args) {
  ReducedDims reduction = reductionOf(args, floatTypeOf(args.tensor(0).dtype()), {1, 2, noArgument});
  return foldReal(args, reduction, [](const Line<double> &line) {
    double shift = line.size() == 0 ? -INFINITY : largestOf(line);
    return std::isinf(shift) ? shift : shift + std::log(sumOfExp(line, shift));
  });
}

/// (largest, sum of exp(x - largest)) along one dimension, kept.
Value prepareSoftmax(KernelArgs &args) {
  ReducedDims reduction = reductionOf(args, args.tensor(0).dtype(), {1, noArgument, noArgument});
  reduction.keep = true;
  if (!args.check(args.tensor(0).numElements() > 0, "got an empty tensor"))
    return {};
  Tensor largest = foldRealInto(args, 0, reduction, largestOf);
  Tensor sum =
      foldRealInto(args, 1, reduction, [](const Line<double> &line) { return sumOfExp(line, largestOf(line)); });
  return Value::tensors({largest, sum});
}

const Kernel reductionTable[] = {
    {"aten.all.default", "self", truthAll<true>},
    {"aten.all.dim", "self,dim,keepdim", truthDims<true>},
    {"aten.all.dims", "self,dim,keepdim", truthDims<true>},
    {"aten.amax.default", "self,dim,keepdim", extremeDims<true>},
    {"aten.amin.default", "self,dim,keepdim", extremeDims<false>},
    {"aten.any.default", "self", truthAll<false>},
    {"aten.any.dim", "self,dim,keepdim", truthDims<false>},
    {"aten.any.dims", "self,dim,keepdim", truthDims<false>},
    {"aten.linalg_vector_norm.default", "self,ord,dim,keepdim,dtype", vectorNorm},
    {"aten.logsumexp.default", "self,dim,keepdim", logSumExp},
    {"aten.max.default", "self", extremeAll<true>},
    {"aten.mean.default", "self,dtype", meanAll},
    {"aten.mean.dim", "self,dim,keepdim,dtype", meanDims},
    {"aten.min.default", "self", extremeAll<false>},
    {"aten.prod.default", "self,dtype", prodAll},
    {"aten.prod.dim_int", "self,dim,keepdim,dtype", prodDim},
    {"aten.std.correction", "self,dim,correction,keepdim", variance<true>},
    {"aten.sum", "self,dim,keepdim,dtype", sumDims},
    {"aten.sum.default", "self,dtype", sumAll},
    {"aten.sum.dim_IntList", "self,dim,keepdim,dtype", sumDims},
    {"aten.var.correction", "self,dim,correction,keepdim", variance<false>},
    {"aten.var_mean.correction", "self,dim,correction,keepdim", varMean},
    {"prims.prepare_softmax_online.default", "a,dim", prepareSoftmax},
};

} // namespace

llvm::ArrayRef<Kernel> reductionKernels() { return reductionTable; }

} // namespace ccgraph::runtime
