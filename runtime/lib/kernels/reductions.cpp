#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/lines.h"
#include "kernels/pointwise.h"
#include "kernels/wrapping.h"

#include "llvm/ADT/Sequence.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace ccgraph::runtime {

Tensor dimLast(const Tensor &tensor, int64_t dim) {
  if (tensor.rank() == 0)
    return tensor.unsqueeze(0);
  Dims order = allDims(tensor.rank());
  order.erase(order.begin() + dim);
  order.push_back(dim);
  return tensor.permute(order);
}

// Every reduction is brought to one form: a matrix whose rows are the lines to fold. A tensor [2, 3, 4] reduced over
// dimensions 0 and 2 becomes [3, 8]: row j holds the elements with middle index j, dimension 0 slowest.
Tensor dimsLast(const Tensor &tensor, DimsRef dims) {
  Dims order;
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

Dims reducedSizes(DimsRef sizes, DimsRef dims, bool keep) {
  Dims result;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      result.push_back(sizes[i]);
    else if (keep)
      result.push_back(1);
  return result;
}

// A line is folded in the wide type (double, int64 or complex double) from left to right and rounded once, when the
// result is stored. PyTorch sums f32 in pieces and in f32; the two agree within the tolerance of a reordered sum, and
// ours is as a rule the nearer to the exact one.
template <typename T>
Tensor foldLines(const Tensor &self, const Reduction &reduction, llvm::function_ref<T(llvm::ArrayRef<T> line)> fold) {
  Tensor lines = dimsLast(toDType(self, reduction.dtype), reduction.dims);
  Tensor result = Tensor::zeros(reduction.dtype, reducedSizes(self.sizes(), reduction.dims, reduction.keep));
  int64_t step = lines.elementSize();
  Scratch<T> line(static_cast<size_t>(lines.size(1)));
  for (int64_t i = 0; i < lines.size(0); ++i) {
    readRow<T>(lines.dtype(), {lines.data() + i * lines.size(1) * step, step}, line);
    writeElement<T>(result.dtype(), result.data() + i * step, fold(line));
  }
  return result;
}

template Tensor foldLines<double>(const Tensor &, const Reduction &,
                                  llvm::function_ref<double(llvm::ArrayRef<double>)>);
template Tensor foldLines<int64_t>(const Tensor &, const Reduction &,
                                   llvm::function_ref<int64_t(llvm::ArrayRef<int64_t>)>);
template Tensor foldLines<Complex>(const Tensor &, const Reduction &,
                                   llvm::function_ref<Complex(llvm::ArrayRef<Complex>)>);

namespace {

using RealFold = llvm::function_ref<double(llvm::ArrayRef<double>)>;

template <typename T>
T sumOf(llvm::ArrayRef<T> line) {
  return std::accumulate(line.begin(), line.end(), T(0));
}

/// Past the end of int64 a sum goes on from the other end, as PyTorch's does; in C++ that would be undefined behaviour.
int64_t wrappingSum(llvm::ArrayRef<int64_t> line) {
  return std::accumulate(line.begin(), line.end(), int64_t{0}, wrapAdd);
}

/// Of nothing: 0 / 0, which is NaN, as torch.mean gives.
double meanOf(llvm::ArrayRef<double> line) { return sumOf(line) / static_cast<double>(line.size()); }

/// The mean as Welford's algorithm goes on to the next element (B. Welford, 1962), which makes NaN of an infinity
/// before others.
double runningMean(llvm::ArrayRef<double> line) {
  double mean = line.empty() ? NAN : 0;
  for (size_t i = 0; i < line.size(); ++i)
    mean += (line[i] - mean) / static_cast<double>(i + 1);
  return mean;
}

/// Two passes: the mean, then the squares about it; their sum over n - correction.
double varianceOf(llvm::ArrayRef<double> line, double correction) {
  double mean = meanOf(line);
  double squares = 0;
  for (double value : line)
    squares += (value - mean) * (value - mean);
  return squares / std::max(0.0, static_cast<double>(line.size()) - correction);
}

/// (sum |x|^p)^(1/p) and its limits, as torch.linalg.vector_norm defines them.
double normOf(llvm::ArrayRef<double> line, double order) {
  double result = order == -INFINITY ? INFINITY : 0;
  for (double value : line) {
    double magnitude = std::fabs(value);
    if (order == INFINITY)
      result = std::isnan(magnitude) ? magnitude : std::max(result, magnitude);
    else if (order == -INFINITY)
      result = std::isnan(magnitude) ? magnitude : std::min(result, magnitude);
    else
      result += order == 0 ? magnitude != 0 : order == 2 ? value * value : std::pow(magnitude, order);
  }
  if (std::isinf(order) || order == 0)
    return result;
  return order == 2 ? std::sqrt(result) : std::pow(result, 1 / order);
}

template <typename T>
T extremeOf(llvm::ArrayRef<T> line, bool (*better)(T, T)) {
  T best = line.front();
  for (T value : line)
    if (best == best && (value != value || better(value, best))) // Because NaN wins.
      best = value;
  return best;
}

/// Argument indices of the common forms (self, dim, keepdim, dtype); noArgument for a form without.
struct Form {
  unsigned dim = 1;
  unsigned keep = 2;
  unsigned dtype = 3;
};
constexpr Form wholeForm{noArgument, noArgument, 1};

Reduction reductionOf(KernelArgs &args, DType otherwise, Form form = {}) {
  Reduction result;
  result.dims = args.dims(form.dim, args.tensor(0).rank());
  result.keep = args.boolean(form.keep, false);
  result.dtype = args.dtype(form.dtype, otherwise);
  args.check(computable(result.dtype) && computable(args.tensor(0).dtype()),
             "got " + args.tensor(0).typeText() + ", a dtype that it does not compute with");
  return result;
}

Tensor foldReal(KernelArgs &args, const Reduction &reduction, RealFold fold) {
  args.check(isFloat(reduction.dtype), "got dtype " + shortName(reduction.dtype) + ", expected a float");
  return args.failed() ? Tensor() : foldLines<double>(args.tensor(0), reduction, fold);
}

// Because sums and products of bools and integers are int64 in PyTorch (torch.sum, torch.prod): ten u8 of 200 make
// 2000, not 208.
Value sum(KernelArgs &args, Form form) {
  DType self = args.tensor(0).dtype();
  Reduction reduction = reductionOf(args, classOf(self) <= DTypeClass::Integer ? DType::I64 : self, form);
  if (args.failed())
    return {};
  if (isComplex(reduction.dtype))
    return foldLines<Complex>(args.tensor(0), reduction, sumOf<Complex>);
  if (isFloat(reduction.dtype))
    return foldLines<double>(args.tensor(0), reduction, sumOf<double>);
  return foldLines<int64_t>(args.tensor(0), reduction, wrappingSum);
}
Value sumAll(KernelArgs &args) { return sum(args, wholeForm); }
Value sumDims(KernelArgs &args) { return sum(args, {}); }

Value prod(KernelArgs &args, Form form) {
  DType self = args.tensor(0).dtype();
  Reduction reduction = reductionOf(args, classOf(self) <= DTypeClass::Integer ? DType::I64 : self, form);
  if (args.failed())
    return {};
  if (isComplex(reduction.dtype))
    return foldLines<Complex>(args.tensor(0), reduction, [](llvm::ArrayRef<Complex> line) {
      return std::accumulate(line.begin(), line.end(), Complex(1), std::multiplies<>());
    });
  if (isFloat(reduction.dtype))
    return foldLines<double>(args.tensor(0), reduction, [](llvm::ArrayRef<double> line) {
      return std::accumulate(line.begin(), line.end(), 1.0, std::multiplies<>());
    });
  return foldLines<int64_t>(args.tensor(0), reduction, [](llvm::ArrayRef<int64_t> line) {
    return std::accumulate(line.begin(), line.end(), int64_t{1}, wrapMul);
  });
}
Value prodAll(KernelArgs &args) { return prod(args, wholeForm); }
Value prodDim(KernelArgs &args) { return prod(args, {}); }

Value mean(KernelArgs &args, Form form) {
  Reduction reduction = reductionOf(args, args.tensor(0).dtype(), form);
  if (args.failed() || !isComplex(reduction.dtype))
    return foldReal(args, reduction, meanOf);
  return foldLines<Complex>(args.tensor(0), reduction, [](llvm::ArrayRef<Complex> line) {
    return sumOf(line) / static_cast<double>(line.size());
  });
}
Value meanAll(KernelArgs &args) { return mean(args, wholeForm); }
Value meanDims(KernelArgs &args) { return mean(args, {}); }

template <bool largest>
Value extreme(KernelArgs &args, Form form) {
  const Tensor &self = args.tensor(0);
  Reduction reduction = reductionOf(args, self.dtype(), form);
  int64_t length = 1;
  for (int64_t dim : reduction.dims)
    length *= self.size(dim);
  if (args.failed() || !args.check(length > 0 && !isComplex(self.dtype()),
                                   "got " + self.typeText() + ", expected ordered elements, at least one a line"))
    return {};
  if (isFloat(self.dtype()))
    return foldLines<double>(self, reduction, [](llvm::ArrayRef<double> line) {
      return extremeOf<double>(line, [](double a, double b) { return largest ? a > b : a < b; });
    });
  return foldLines<int64_t>(self, reduction, [](llvm::ArrayRef<int64_t> line) {
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

/// any and all of "not zero": bool, but for u8, which was the dtype of truth before there was bool.
template <bool wantsAll>
Value truth(KernelArgs &args, Form form) {
  Reduction reduction = reductionOf(args, DType::Bool, form);
  if (args.failed())
    return {};
  Tensor result = foldLines<int64_t>(args.tensor(0), reduction, [](llvm::ArrayRef<int64_t> line) {
    auto isSet = [](int64_t value) { return value != 0; };
    return static_cast<int64_t>(wantsAll ? llvm::all_of(line, isSet) : llvm::any_of(line, isSet));
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

Tensor variance(KernelArgs &args, bool root) {
  double correction = args.number(2, 1.0);
  Reduction reduction = reductionOf(args, args.tensor(0).dtype(), correctionForm);
  return foldReal(args, reduction, [&](llvm::ArrayRef<double> line) {
    double result = varianceOf(line, correction);
    return root ? std::sqrt(result) : result;
  });
}
Value var(KernelArgs &args) { return variance(args, false); }
Value std(KernelArgs &args) { return variance(args, true); }

Value varMean(KernelArgs &args) {
  Reduction reduction = reductionOf(args, args.tensor(0).dtype(), correctionForm);
  return Value::tensors({variance(args, false), foldReal(args, reduction, runningMean)});
}

Value vectorNorm(KernelArgs &args) {
  double order = args.number(1, 2.0);
  if (!args.failed() && isComplex(args.tensor(0).dtype())) {
    Value dtype = args.has(4) ? Value::dtype(realTypeOf(args.dtype(4, DType::C64))) : Value();
    Tensor magnitudes = callForTensor(args, "aten.abs.default", {args.at(0)});
    return callKernel(args, args.target(), {magnitudes, args.at(1), args.at(2), args.at(3), dtype});
  }
  Reduction reduction = reductionOf(args, args.tensor(0).dtype(), {2, 3, 4});
  return foldReal(args, reduction, [&](llvm::ArrayRef<double> line) { return normOf(line, order); });
}

double largestOf(llvm::ArrayRef<double> line) {
  return extremeOf<double>(line, [](double a, double b) { return a > b; });
}

double sumOfExp(llvm::ArrayRef<double> line, double shift) {
  double sum = 0;
  for (double value : line)
    sum += std::exp(value - shift);
  return sum;
}

// log(sum exp(x)) with the largest x taken out first, so that exp never overflows: of [1000, 1000] it is 1000 + log(2).
// Where the largest is infinite it is the answer itself, because inf - inf would be NaN; and the logarithm of an empty
// sum is -inf (torch.logsumexp).
Value logSumExp(KernelArgs &args) {
  Reduction reduction = reductionOf(args, floatTypeOf(args.tensor(0).dtype()), {1, 2, noArgument});
  return foldReal(args, reduction, [](llvm::ArrayRef<double> line) {
    double shift = line.empty() ? -INFINITY : largestOf(line);
    return std::isinf(shift) ? shift : shift + std::log(sumOfExp(line, shift));
  });
}

/// (largest, sum of exp(x - largest)) along one dimension, kept.
Value prepareSoftmax(KernelArgs &args) {
  Reduction reduction = reductionOf(args, args.tensor(0).dtype(), {1, noArgument, noArgument});
  reduction.keep = true;
  if (!args.check(args.tensor(0).numElements() > 0, "got an empty tensor"))
    return {};
  Tensor largest = foldReal(args, reduction, largestOf);
  Tensor sum = foldReal(args, reduction, [](llvm::ArrayRef<double> line) { return sumOfExp(line, largestOf(line)); });
  return Value::tensors({largest, sum});
}

const Kernel kernels[] = {
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
    {"aten.std.correction", "self,dim,correction,keepdim", std},
    {"aten.sum", "self,dim,keepdim,dtype", sumDims},
    {"aten.sum.default", "self,dtype", sumAll},
    {"aten.sum.dim_IntList", "self,dim,keepdim,dtype", sumDims},
    {"aten.var.correction", "self,dim,correction,keepdim", var},
    {"aten.var_mean.correction", "self,dim,correction,keepdim", varMean},
    {"prims.prepare_softmax_online.default", "a,dim", prepareSoftmax},
};

} // namespace

llvm::ArrayRef<Kernel> reductionKernels() { return kernels; }

} // namespace ccgraph::runtime
