#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/indexing.h"
#include "kernels/memory_format.h"
#include "kernels/wrapping.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

// Scatters that join several elements into one: their sum, product, mean, largest or smallest.
namespace ccgraph::runtime {
namespace {

enum class Reduction : uint8_t { Sum, Product, Mean, Largest, Smallest };

/// Argument `index`.
Reduction reductionOf(KernelArgs &args, unsigned index) {
  llvm::StringRef name = args.text(index, "");
  auto reduction = llvm::StringSwitch<std::optional<Reduction>>(name)
                       .Case("sum", Reduction::Sum)
                       .Case("prod", Reduction::Product)
                       .Case("mean", Reduction::Mean)
                       .Case("amax", Reduction::Largest)
                       .Case("amin", Reduction::Smallest)
                       .Default(std::nullopt);
  args.check(reduction.has_value(), "got reduce '" + name + "', expected sum, prod, mean, amax or amin");
  return reduction.value_or(Reduction::Sum);
}

double join(Reduction reduction, double a, double b) {
  switch (reduction) {
  case Reduction::Sum:
  case Reduction::Mean:
    return a + b;
  case Reduction::Product:
    return a * b;
  case Reduction::Largest:
    return std::isnan(a) || b <= a ? a : b; // NaN wins
  case Reduction::Smallest:
    return std::isnan(a) || b >= a ? a : b;
  }
  return a;
}
int64_t join(Reduction reduction, int64_t a, int64_t b) {
  switch (reduction) {
  case Reduction::Sum:
  case Reduction::Mean:
    return wrapAdd(a, b);
  case Reduction::Product:
    return wrapMul(a, b);
  case Reduction::Largest:
    return std::max(a, b);
  case Reduction::Smallest:
    return std::min(a, b);
  }
  return a;
}

/// A row-major tensor whose elements take others in, and how many each has taken.
class Accumulator {
public:
  Accumulator(Tensor target, Reduction reduction, bool includesSelf)
      : target_(std::move(target)), counts_(static_cast<size_t>(target_.numElements()), includesSelf ? 1 : 0),
        reduction_(reduction) {}

  /// The first element replaces one that is not included.
  void take(std::byte *at, const std::byte *from) {
    int64_t &count = counts_[static_cast<size_t>((at - target_.data()) / target_.elementSize())];
    DType dtype = target_.dtype();
    if (isFloat(dtype))
      join<double>(dtype, at, from, count);
    else
      join<int64_t>(dtype, at, from, count);
    ++count;
  }

  /// Divides sums by counts, whole numbers towards the smaller one.
  void finish() {
    if (reduction_ != Reduction::Mean)
      return;
    for (size_t i = 0; i < counts_.size(); ++i) {
      std::byte *at = target_.data() + static_cast<int64_t>(i) * target_.elementSize();
      if (counts_[i] > 1)
        divide(at, counts_[i]);
    }
  }

private:
  template <typename T>
  void join(DType dtype, std::byte *at, const std::byte *from, int64_t count) const {
    T value = readElement<T>(dtype, from);
    writeElement<T>(dtype, at, count ? runtime::join(reduction_, readElement<T>(dtype, at), value) : value);
  }
  void divide(std::byte *at, int64_t count) const {
    DType dtype = target_.dtype();
    if (isFloat(dtype))
      return writeElement<double>(dtype, at, readElement<double>(dtype, at) / static_cast<double>(count));
    auto sum = readElement<int64_t>(dtype, at);
    writeElement<int64_t>(dtype, at, sum / count - (sum % count < 0));
  }

  Tensor target_;
  Scratch<int64_t> counts_;
  Reduction reduction_;
};

bool checkReducible(KernelArgs &args, const Tensor &self, const Tensor &source) {
  bool fits = self.dtype() == source.dtype() && computable(self.dtype()) && !isComplex(self.dtype());
  return args.check(fits, "got " + typeOf(source) + " for " + typeOf(self) + ", expected equal real dtypes") &&
         !args.failed();
}

/// (self, dim, index, src, reduce, include_self)
Tensor scatterReduced(KernelArgs &args) {
  Tensor result = args.tensor(0).cloneContiguous(), source = args.tensor(3);
  Reduction reduction = reductionOf(args, 4);
  int64_t dim = args.dim(1, result.rank());
  const Tensor &index = args.tensor(2);
  if (!checkReducible(args, result, source))
    return {};
  Accumulator accumulator(result, reduction, args.boolean(5, true));
  forEachChosen(args, {result, dim, index, source},
                [&](std::byte *chosen, std::byte *from) { accumulator.take(chosen, from); });
  accumulator.finish();
  return result;
}
Value scatterReduce(KernelArgs &args) { return scatterReduced(args); }
Value scatterReduceInPlace(KernelArgs &args) {
  Tensor result = scatterReduced(args);
  if (!args.failed())
    args.tensor(0).copyFrom(result);
  return args.at(0);
}

/// (self, dim, index, source, reduce, include_self): slices of the source join slices of self.
Value indexReduce(KernelArgs &args) {
  Tensor index = atLeastOneDim(args.tensor(2)), source = atLeastOneDim(args.tensor(3));
  int64_t dim = args.dim(1, source.rank());
  bool fits = index.rank() == 1 && source.size(dim) == index.numElements();
  if (args.failed() || !args.check(fits, "got an index " + typeOf(index) + " for " + typeOf(source) +
                                             ", expected one number for each slice of the source"))
    return {};
  IntList sizes(static_cast<size_t>(source.rank()), 1);
  sizes[dim] = index.numElements();
  Tensor wide = llvm::cantFail(llvm::cantFail(index.contiguous().view(sizes)).expand(source.sizes()));
  Tensor result = callForTensor(
      args, "aten.scatter_reduce.two",
      {atLeastOneDim(args.tensor(0)), args.at(1), wide, source, args.at(4), Value::boolean(args.boolean(5, true))});
  return args.failed() || args.tensor(0).rank() ? Value(result) : Value(result.squeeze(0));
}

// --- Elements under a mask ----------------------------------------------------------------------------------
/// Calls `body` with each element of `self` under the mask, in row-major order.
void forEachMasked(const Tensor &self, const Tensor &mask, llvm::function_ref<void(std::byte *element)> body) {
  forEachRow({self, mask}, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      if (rows[1].data[i * rows[1].step] != std::byte(0))
        body(rows[0].data + i * rows[0].step);
  });
}

/// Both arguments in their broadcast sizes.
struct Masked {
  Tensor self;
  Tensor mask;
};
Masked maskedOf(KernelArgs &args) {
  const Tensor &self = args.tensor(0), &mask = args.tensor(1);
  std::optional<IntList> sizes = broadcastSizes(self.sizes(), mask.sizes());
  bool fits = sizes && (mask.dtype() == DType::Bool || mask.dtype() == DType::U8);
  if (args.failed() || !args.check(fits, "got a mask " + typeOf(mask) + " for " + typeOf(self) +
                                             ", expected b8 of sizes that broadcast"))
    return {};
  return {args.take(self.expand(*sizes)), args.take(mask.expand(*sizes))};
}

Value maskedSelect(KernelArgs &args) {
  Masked masked = maskedOf(args);
  if (args.failed())
    return {};
  int64_t count = 0;
  forEachMasked(masked.self, masked.mask, [&](std::byte *) { ++count; });
  Tensor result = Tensor::zeros(masked.self.dtype(), count);
  std::byte *to = result.data();
  int64_t size = result.elementSize();
  forEachMasked(masked.self, masked.mask, [&](std::byte *element) { to = std::copy_n(element, size, to); });
  return result;
}

/// The elements of `source` in their order, at the places of `target` under the mask.
void scatterMasked(KernelArgs &args, const Tensor &target, const Tensor &mask) {
  Tensor source = args.tensor(2).contiguous();
  bool fits = source.dtype() == target.dtype() && mask.sizes() == target.sizes();
  if (args.failed() || !args.check(fits, "got a source " + typeOf(source) + " for " + typeOf(target)))
    return;
  const std::byte *from = source.data();
  int64_t size = target.elementSize(), left = source.numElements();
  forEachMasked(target, mask, [&](std::byte *element) {
    if (!args.check(left-- > 0,
                    "got a source " + typeOf(source) + ", expected an element for each set one of the mask"))
      return;
    std::copy_n(from, size, element);
    from += size;
  });
}

Value maskedScatter(KernelArgs &args) {
  Masked masked = maskedOf(args);
  Tensor result = args.failed() ? Tensor() : masked.self.cloneContiguous();
  scatterMasked(args, result, masked.mask);
  return result;
}
Value maskedScatterInPlace(KernelArgs &args) {
  Masked masked = maskedOf(args);
  const Tensor &self = args.tensor(0);
  scatterMasked(args, self, masked.mask);
  return self;
}

/// (grad_output, mask, sizes): the elements under the mask, then zeros, in these sizes.
Value maskedScatterBackward(KernelArgs &args) {
  Value chosen = maskedSelect(args);
  IntList sizes = args.integers(2);
  if (args.failed() || !args.check(productOf(sizes) >= chosen.tensor().numElements(), "got sizes " + dimsOf(sizes)))
    return {};
  Tensor result = args.zeroResult(chosen.tensor().dtype(), sizes);
  Tensor line = llvm::cantFail(result.view(result.numElements()));
  line.slice(0, 0, chosen.tensor().numElements()).copyFrom(chosen.tensor());
  return result;
}

// --- Slices of one number -----------------------------------------------------------------------------------
/// (self, dim, index, value)
void fillSlices(KernelArgs &args, const Tensor &self) {
  int64_t dim = args.dim(1, self.rank());
  Operand value = args.operand(3);
  const Tensor &index = args.tensor(2);
  bool fits = index.rank() <= 1 && value.tensor.numElements() == 1 && value.tensor.rank() == 0;
  if (args.failed() || !args.check(fits, "got an index " + typeOf(index) + " and a value " + typeOf(value.tensor) +
                                             ", expected at most one dimension and one number"))
    return;
  Value::List indices(static_cast<size_t>(dim));
  indices.emplace_back(atLeastOneDim(index));
  Tensor number = Tensor::zeros(self.dtype(), {});
  fill(args, number, value.tensor);
  callKernel(args, "aten.index_put_.default", {atLeastOneDim(self), Value::list(std::move(indices)), number});
}

Value indexFill(KernelArgs &args) {
  Tensor result = args.tensor(0).clone();
  fillSlices(args, result);
  return result;
}
Value indexFillInPlace(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  fillSlices(args, self);
  return self;
}

constexpr llvm::StringLiteral reduceNames = "self,dim,index,src,reduce,include_self";
constexpr llvm::StringLiteral fillNames = "self,dim,index,value";

const Kernel scatterReduceTable[] = {
    {"aten.index_fill.int_Scalar", fillNames, indexFill},
    {"aten.index_fill.int_Tensor", fillNames, indexFill},
    {"aten.index_fill_.int_Scalar", fillNames, indexFillInPlace},
    {"aten.index_fill_.int_Tensor", fillNames, indexFillInPlace},
    {"aten.index_reduce.default", "self,dim,index,source,reduce,include_self", indexReduce},
    {"aten.masked_scatter.default", "self,mask,source", maskedScatter},
    {"aten.masked_scatter_.default", "self,mask,source", maskedScatterInPlace},
    {"aten.masked_scatter_backward.default", "grad_output,mask,sizes", maskedScatterBackward},
    {"aten.masked_select.default", "self,mask", maskedSelect},
    {"aten.scatter_reduce.two", reduceNames, scatterReduce},
    {"aten.scatter_reduce_.two", reduceNames, scatterReduceInPlace},
};

} // namespace

llvm::ArrayRef<Kernel> scatterReduceKernels() { return scatterReduceTable; }

} // namespace ccgraph::runtime
