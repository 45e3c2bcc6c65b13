#include "kernels/families.h"
#include "kernels/lines.h"
#include "tensor/elements.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ccgraph::runtime {
namespace {

using Order = Scratch<int64_t>;

bool checkOrdered(KernelArgs &args, const Tensor &self) {
  return args.check(computable(self.dtype()) && !isComplex(self.dtype()), "got " + typeOf(self)) && !args.failed();
}

/// Positions in rising order, NaN after all.
template <typename T>
Order sorted(llvm::ArrayRef<T> line) {
  Order order(line.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    T x = line[static_cast<size_t>(a)], y = line[static_cast<size_t>(b)];
    return x < y || (x == x && y != y);
  });
  return order;
}

template <typename T>
bool isNaN(T value) {
  return value != value;
}

/// The lower of two in the middle (torch.median): of 1, 2, 3, 4 it is 2. NaN wins, or counts for nothing where ignored
/// (torch.nanmedian): NaN stand behind all numbers in the order, so that order[numbers] is the first of them.
template <bool ignoresNaN, typename T>
int64_t medianPlace(llvm::ArrayRef<T> line, int64_t) {
  Order order = sorted(line);
  auto nans = static_cast<size_t>(llvm::count_if(line, isNaN<T>));
  size_t numbers = line.size() - nans;
  if (nans > 0 && (!ignoresNaN || numbers == 0))
    return order[numbers];
  return order[(numbers - 1) / 2];
}

template <typename T>
int64_t kthPlace(llvm::ArrayRef<T> line, int64_t k) {
  return sorted(line)[static_cast<size_t>(k - 1)];
}

/// The last of the smallest of the most frequent elements.
template <typename T>
int64_t modePlace(llvm::ArrayRef<T> line, int64_t) {
  Order order = sorted(line);
  size_t best = 0, most = 0;
  for (size_t first = 0; first < order.size();) {
    size_t end = first;
    while (end < order.size() && line[static_cast<size_t>(order[end])] == line[static_cast<size_t>(order[first])])
      ++end;
    // Because NaN does not equal itself: it is a run of one.
    end = std::max(end, first + 1);
    if (end - first > most) {
      most = end - first;
      best = end - 1;
    }
    first = end;
  }
  return order[best];
}

template <typename T>
using Choice = int64_t (*)(llvm::ArrayRef<T> line, int64_t number);

/// The chosen element of each line, and where it stands, with size 1 where the line was.
template <typename T>
void choose(const Tensor &lines, const Tensor &values, const Tensor &places, Choice<T> choice, int64_t number) {
  Scratch<T> line;
  forEachRow({lines, values, places}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    line.resize(static_cast<size_t>(count));
    readRow<T>(lines.dtype(), rows[0], line);
    int64_t at = choice(line, number);
    writeElement<T>(values.dtype(), rows[1].data, line[static_cast<size_t>(at)]);
    writeElement<int64_t>(DType::I64, rows[2].data, at);
  });
}

/// How an operator chooses, in each wide type.
struct Chooser {
  Choice<double> real;
  Choice<int64_t> integer;
};
constexpr Chooser median{medianPlace<false, double>, medianPlace<false, int64_t>};
constexpr Chooser nanMedian{medianPlace<true, double>, medianPlace<true, int64_t>};
constexpr Chooser kth{kthPlace<double>, kthPlace<int64_t>};
constexpr Chooser mode{modePlace<double>, modePlace<int64_t>};

struct Line {
  int64_t dim;
  bool keep;
  int64_t number = 0;
};

Value along(KernelArgs &args, const Tensor &self, const Line &line, const Chooser &chooser) {
  int64_t size = self.rank() ? self.size(line.dim) : 1;
  if (!checkOrdered(args, self) || !args.check(size > 0, "got an empty dimension of " + typeOf(self)))
    return {};
  Dims sizes = reducedSizes(self.sizes(), line.dim, true);
  Tensor values = Tensor::zeros(self.dtype(), sizes), places = Tensor::zeros(DType::I64, sizes);
  Tensor lines = dimLast(self, line.dim);
  auto beside = [&](const Tensor &t) { return llvm::cantFail(dimLast(t, line.dim).expand(lines.sizes())); };
  if (isFloat(self.dtype()))
    choose<double>(lines, beside(values), beside(places), chooser.real, line.number);
  else
    choose<int64_t>(lines, beside(values), beside(places), chooser.integer, line.number);
  if (!line.keep && self.rank() > 0)
    return Value::tensors({values.squeeze(line.dim), places.squeeze(line.dim)});
  return Value::tensors({values, places});
}

/// (self, dim, keepdim)
template <const Chooser &chooser>
Value ofDim(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  return along(args, self, {args.dim(1, self.rank(), -1), args.boolean(2, false)}, chooser);
}

/// The element alone; NaN of nothing.
template <const Chooser &chooser>
Value ofAll(KernelArgs &args) {
  if (args.failed())
    return {};
  Tensor flat = args.take(args.tensor(0).contiguous().view({-1}));
  if (!args.failed() && flat.numElements() == 0) {
    Tensor result = Tensor::zeros(flat.dtype(), {});
    if (isFloat(flat.dtype()))
      writeElement<double>(flat.dtype(), result.data(), NAN);
    else
      writeElement<int64_t>(flat.dtype(), result.data(), INT64_MIN);
    return result;
  }
  Value both = along(args, flat, {0, false}, chooser);
  return args.failed() ? both : both.list().front();
}

/// (self, k, dim, keepdim)
Value kthOfDim(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  Line line{args.dim(2, self.rank(), -1), args.boolean(3, false), args.integer(1)};
  int64_t size = self.rank() ? self.size(line.dim) : 1;
  if (args.failed() || !args.check(line.number > 0 && line.number <= size,
                                   "got k = " + llvm::Twine(line.number) + " of " + typeOf(self)))
    return {};
  return along(args, self, line, kth);
}

const Kernel medianTable[] = {
    {"aten.kthvalue.default", "self,k,dim,keepdim", kthOfDim},
    {"aten.median.default", "self", ofAll<median>},
    {"aten.median.dim", "self,dim,keepdim", ofDim<median>},
    {"aten.mode.default", "self,dim,keepdim", ofDim<mode>},
    {"aten.nanmedian.default", "self", ofAll<nanMedian>},
    {"aten.nanmedian.dim", "self,dim,keepdim", ofDim<nanMedian>},
};

} // namespace

llvm::ArrayRef<Kernel> medianKernels() { return medianTable; }

} // namespace ccgraph::runtime
