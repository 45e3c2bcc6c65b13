#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/lines.h"
#include "kernels/log_sums.h"
#include "kernels/pointwise.h"
#include "kernels/wrapping.h"

#include <cmath>
#include <cstring>
#include <numeric>

namespace ccgraph::runtime {
namespace {

using Indices = Scratch<int64_t>;

/// Returns true if a precedes b. NaN counts as the largest value, as in torch.sort: [nan, 1, 2] rises as 1, 2, nan and
/// falls as nan, 2, 1. Two NaN are equal, so that this is an order that a sort may rely on.
template <typename T>
bool precedes(T a, T b, bool descending) {
  if (descending)
    std::swap(a, b);
  return a < b || (a == a && b != b);
}

/// Positions of the line's elements in sorted order, equal ones in their own order.
template <typename T>
Indices sortedOrder(llvm::ArrayRef<T> line, bool descending) {
  Indices order(line.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    return precedes(line[static_cast<size_t>(a)], line[static_cast<size_t>(b)], descending);
  });
  return order;
}

/// sortedOrder in the wide type of the row's dtype.
Indices orderOfRow(DType dtype, Row row, int64_t count, bool descending) {
  auto length = static_cast<size_t>(count);
  if (isFloat(dtype)) {
    Scratch<double> line(length);
    readRow<double>(dtype, row, line);
    return sortedOrder<double>(line, descending);
  }
  Scratch<int64_t> line(length);
  readRow<int64_t>(dtype, row, line);
  return sortedOrder<int64_t>(line, descending);
}

/// Along which dimension, from which end, and how many elements of each line are wanted.
struct Ranking {
  int64_t dim;
  bool descending;
  int64_t count;
};

/// Writes the first elements of each sorted line, and their former positions.
void rank(const Tensor &self, const Ranking &ranking, const Tensor &values, const Tensor &indices) {
  Tensor lines = dimLast(self, ranking.dim);
  // Rows of one loop must have one length, so the results take part as if they had the length of the lines; only their
  // front is written.
  auto stretched = [&](const Tensor &t) {
    Tensor last = dimLast(t, ranking.dim);
    return last.reinterpret(t.dtype(), {toIntList(lines.sizes()), toIntList(last.strides()), last.offset()});
  };
  auto size = static_cast<size_t>(self.elementSize());
  Tensor valueLines = stretched(values);
  Tensor indexLines = stretched(indices);
  if (ranking.count == 0)
    return;
  forEachRow({lines, valueLines, indexLines}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    Indices order = orderOfRow(self.dtype(), rows[0], count, ranking.descending);
    for (int64_t i = 0; i < ranking.count; ++i) {
      int64_t from = order[static_cast<size_t>(i)];
      std::memcpy(rows[1].data + i * rows[1].step, rows[0].data + from * rows[0].step, size);
      writeElement<int64_t>(DType::I64, rows[2].data + i * rows[2].step, from);
    }
  });
}

bool checkOrdered(KernelArgs &args, const Tensor &self) {
  bool ordered = computable(self.dtype()) && !isComplex(self.dtype());
  return args.check(ordered, "got " + typeOf(self) + ", expected ordered elements") && !args.failed();
}

Value sortLines(KernelArgs &args, unsigned dimIndex) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(dimIndex, self.rank(), -1);
  bool descending = args.boolean(dimIndex + 1, false);
  if (!checkOrdered(args, self))
    return {};
  Tensor values = self.clone();
  Tensor indices = Tensor::zeros(DType::I64, self.sizes(), values.strides());
  rank(self, {dim, descending, self.rank() ? self.size(dim) : 1}, values, indices);
  return Value::tensors({values, indices});
}
Value sort(KernelArgs &args) { return sortLines(args, 1); }
Value sortStable(KernelArgs &args) { return sortLines(args, 2); }

Value argsort(KernelArgs &args) {
  Value result = sortLines(args, 1);
  return args.failed() ? result : result.list()[1];
}

/// Always sorted: PyTorch leaves the order open only where `sorted` is false.
Value topk(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t count = args.integer(1);
  int64_t dim = args.dim(2, self.rank(), -1);
  bool largest = args.boolean(3, true);
  if (!checkOrdered(args, self))
    return {};
  int64_t size = self.rank() ? self.size(dim) : 1;
  if (!args.check(count >= 0 && count <= size,
                  "got k = " + llvm::Twine(count) + " on dimension " + llvm::Twine(dim) + " of " + typeOf(self)))
    return {};
  IntList sizes = toIntList(self.sizes());
  if (!sizes.empty())
    sizes[dim] = count;
  Tensor values = Tensor::zeros(self.dtype(), sizes);
  Tensor indices = Tensor::zeros(DType::I64, sizes);
  rank(self, {dim, largest, count}, values, indices);
  return Value::tensors({values, indices});
}

/// Position of the first of the largest (or smallest) elements; the first NaN wins.
template <typename T>
int64_t extremePlace(llvm::ArrayRef<T> line, bool largest) {
  size_t best = 0;
  for (size_t i = 1; i < line.size() && line[best] == line[best]; ++i)
    if (line[i] != line[i] || (largest ? line[i] > line[best] : line[i] < line[best]))
      best = i;
  return static_cast<int64_t>(best);
}

template <typename T, typename Place>
void writePlaces(const Tensor &lines, const Tensor &places, Place place) {
  Scratch<T> line;
  forEachRow({lines, places}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    line.resize(static_cast<size_t>(count));
    readRow<T>(lines.dtype(), rows[0], line);
    writeElement<int64_t>(DType::I64, rows[1].data, place(llvm::ArrayRef<T>(line)));
  });
}

/// The element of each line at the position that `place` returns for it, with size 1 where the line was, and these
/// positions.
template <typename Place>
std::pair<Tensor, Tensor> chosenAlong(KernelArgs &args, const Tensor &self, int64_t dim, Place place) {
  int64_t size = self.rank() ? self.size(dim) : 1;
  if (!checkOrdered(args, self) || !args.check(size > 0, "got an empty dimension"))
    return {};
  Tensor indices = Tensor::zeros(DType::I64, reducedSizes(self.sizes(), dim, true));
  Tensor lines = dimLast(self, dim), places = llvm::cantFail(dimLast(indices, dim).expand(lines.sizes()));
  if (isFloat(self.dtype()))
    writePlaces<double>(lines, places, place);
  else
    writePlaces<int64_t>(lines, places, place);
  return {callForTensor(args, "aten.gather.default", {self, Value::integer(dim), indices}), indices};
}

std::pair<Tensor, Tensor> extremeAlong(KernelArgs &args, const Tensor &self, int64_t dim, bool largest) {
  return chosenAlong(args, self, dim, [&](auto line) { return extremePlace(line, largest); });
}

Value chosenPair(KernelArgs &args, std::pair<Tensor, Tensor> chosen, int64_t dim, bool keep) {
  auto &[values, indices] = chosen;
  if (args.failed())
    return {};
  if (!keep && values.rank() > 0) {
    values = values.squeeze(dim);
    indices = indices.squeeze(dim);
  }
  return Value::tensors({values, indices});
}

template <bool largest>
Value extremeOfDim(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  bool keep = args.boolean(2, false);
  return chosenPair(args, extremeAlong(args, self, dim, largest), dim, keep);
}

/// The lower one of the middle elements in order. A NaN is the median of its line, unless NaN are left out.
template <bool withoutNan>
int64_t medianPlace(llvm::ArrayRef<double> line) {
  auto count = static_cast<size_t>(llvm::count_if(line, [](double value) { return value != value; }));
  const size_t numbers = line.size() - count;
  const size_t place = count != 0 && !withoutNan ? numbers : numbers == 0 ? 0 : (numbers - 1) / 2;
  return sortedOrder(line, false)[place];
}
template <bool withoutNan>
int64_t medianPlace(llvm::ArrayRef<int64_t> line) {
  return sortedOrder(line, false)[(line.size() - 1) / 2];
}

template <bool withoutNan>
Value medianOfDim(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  bool keep = args.boolean(2, false);
  auto place = [](auto line) { return medianPlace<withoutNan>(line); };
  return chosenPair(args, chosenAlong(args, self, dim, place), dim, keep);
}

template <bool withoutNan>
Value medianOfAll(KernelArgs &args) {
  Tensor line = llvm::cantFail(args.tensor(0).contiguous().view(-1));
  Tensor median = chosenAlong(args, line, 0, [](auto all) { return medianPlace<withoutNan>(all); }).first;
  return args.failed() ? Value() : Value(median.squeeze(0));
}

/// Without a dimension: the position in the flattened tensor, 0-d.
template <bool largest>
Value argExtreme(KernelArgs &args) {
  Tensor self = args.tensor(0);
  bool whole = !args.has(1);
  bool keep = args.boolean(2, false);
  int64_t dim = whole ? 0 : args.dim(1, self.rank());
  if (whole && !args.failed())
    self = llvm::cantFail(self.contiguous().view(-1));
  Tensor indices = extremeAlong(args, self, dim, largest).second;
  if (args.failed() || (keep && !whole) || self.rank() == 0)
    return indices;
  return indices.squeeze(dim);
}

/// The first total is `step(start, first)`, or the first element itself where there is no start.
template <typename T>
void scan(const Tensor &out, const Tensor &self, T (*step)(T, T), std::optional<T> start) {
  Scratch<T> line;
  forEachRow({out, self}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    line.resize(static_cast<size_t>(count));
    readRow<T>(self.dtype(), rows[1], line);
    std::optional<T> total = start;
    for (T &value : line)
      total = value = total ? step(*total, value) : value;
    writeRow<T>(out.dtype(), rows[0], line);
  });
}

/// The update of a running total, and its initial value; absent: the first element.
struct Scan {
  double (*real)(double, double);
  int64_t (*integer)(int64_t, int64_t);
  Complex (*complex)(Complex, Complex);
  std::optional<int64_t> start = std::nullopt;

  template <typename T>
  [[nodiscard]] constexpr std::optional<T> startAs() const {
    return start ? std::optional(static_cast<T>(*start)) : std::nullopt;
  }
};
/// Sums start at 0, as PyTorch's do, so a first element of -0 becomes 0.
constexpr Scan sums{[](double a, double b) { return a + b; }, wrapAdd, [](Complex a, Complex b) { return a + b; }, 0};
constexpr Scan products{[](double a, double b) { return a * b; }, wrapMul, [](Complex a, Complex b) { return a * b; }};

/// NaN stays, whichever of the two it is.
constexpr Scan logSums{[](double a, double b) { return std::isnan(b) ? b : addInLog(a, b); }, nullptr, nullptr};

template <const Scan &op>
Value cumulate(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  bool whole = classOf(self.dtype()) <= DTypeClass::Integer;
  DType dtype = args.dtype(2, whole ? DType::I64 : self.dtype());
  bool known = computable(self.dtype()) && computable(dtype) && (op.complex != nullptr || !isComplex(dtype));
  if (args.failed() || !args.check(known, "got " + typeOf(self)))
    return {};
  Tensor source = toDType(self, dtype);
  Tensor result = Tensor::zeros(dtype, self.sizes());
  if (isComplex(dtype))
    scan<Complex>(dimLast(result, dim), dimLast(source, dim), op.complex, op.startAs<Complex>());
  else if (isFloat(dtype))
    scan<double>(dimLast(result, dim), dimLast(source, dim), op.real, op.startAs<double>());
  else if (args.check(op.integer != nullptr, "got " + typeOf(self) + ", expected floats"))
    scan<int64_t>(dimLast(result, dim), dimLast(source, dim), op.integer, op.startAs<int64_t>());
  return result;
}

/// The last of the largest (or smallest) elements so far, and its position; NaN wins for good.
template <bool largest>
void extremesSoFar(llvm::MutableArrayRef<double> line, llvm::MutableArrayRef<int64_t> at) {
  for (size_t i = 0; i < line.size(); ++i) {
    at[i] = static_cast<int64_t>(i);
    bool keeps = i > 0 && line[i] == line[i] && !(largest ? line[i] >= line[i - 1] : line[i] <= line[i - 1]);
    if (!keeps)
      continue;
    line[i] = line[i - 1];
    at[i] = at[i - 1];
  }
}

template <bool largest>
Value cumulateExtreme(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  if (!checkOrdered(args, self))
    return {};
  Tensor values = self.cloneContiguous(), indices = Tensor::zeros(DType::I64, self.sizes());
  Scratch<double> line;
  Scratch<int64_t> at;
  forEachRow({dimLast(values, dim), dimLast(indices, dim)}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    line.resize(static_cast<size_t>(count));
    at.resize(line.size());
    readRow<double>(self.dtype(), rows[0], line);
    extremesSoFar<largest>({line.data(), line.size()}, {at.data(), at.size()});
    writeRow<double>(self.dtype(), rows[0], line);
    writeRow<int64_t>(DType::I64, rows[1], at);
  });
  return Value::tensors({values, indices});
}

const Kernel orderTable[] = {
    {"aten.argmax.default", "self,dim,keepdim", argExtreme<true>},
    {"aten.argmin.default", "self,dim,keepdim", argExtreme<false>},
    {"aten.argsort.default", "self,dim,descending", argsort},
    {"aten.cummax.default", "self,dim", cumulateExtreme<true>},
    {"aten.cummin.default", "self,dim", cumulateExtreme<false>},
    {"aten.cumprod.default", "self,dim,dtype", cumulate<products>},
    {"aten.cumsum.default", "self,dim,dtype", cumulate<sums>},
    {"aten.logcumsumexp.default", "self,dim", cumulate<logSums>},
    {"aten.max.dim", "self,dim,keepdim", extremeOfDim<true>},
    {"aten.median.default", "self", medianOfAll<false>},
    {"aten.median.dim", "self,dim,keepdim", medianOfDim<false>},
    {"aten.min.dim", "self,dim,keepdim", extremeOfDim<false>},
    {"aten.nanmedian.default", "self", medianOfAll<true>},
    {"aten.nanmedian.dim", "self,dim,keepdim", medianOfDim<true>},
    {"aten.sort.default", "self,dim,descending", sort},
    {"aten.sort.stable", "self,stable,dim,descending", sortStable},
    {"aten.topk.default", "self,k,dim,largest,sorted", topk},
};

} // namespace

llvm::ArrayRef<Kernel> orderKernels() { return orderTable; }

} // namespace ccgraph::runtime
