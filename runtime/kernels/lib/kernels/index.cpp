#include "kernels/families.h"
#include "kernels/indexing.h"
#include "kernels/lines.h"
#include "kernels/memory_format.h"
#include "kernels/pointwise.h"

#include "llvm/ADT/Sequence.h"

#include <cstring>

namespace ccgraph::runtime {

Tensor atLeastOneDim(const Tensor &tensor) { return tensor.rank() ? tensor : tensor.unsqueeze(0); }

Tensor positionsOf(const Tensor &mask) {
  Tensor flags = toDType(mask, DType::Bool).contiguous();
  Scratch<int64_t> found;
  for (int64_t i = 0; i < flags.numElements(); ++i)
    if (flags.data()[i] != std::byte(0))
      found.push_back(i);
  auto count = static_cast<int64_t>(found.size());
  Tensor result = Tensor::zeros(DType::I64, {count, mask.rank()});
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = found[static_cast<size_t>(i)];
    for (int64_t dim = mask.rank(); dim-- > 0; rest /= mask.size(dim))
      writeElement<int64_t>(DType::I64, result.data() + (i * mask.rank() + dim) * 8, rest % mask.size(dim));
  }
  return result;
}

/// Masks become one index tensor a dimension; an index that is not whole numbers fails. A mask [[1, 0], [0, 1]] has the
/// positions (0, 0) and (1, 1), and so becomes the indices [0, 1] and [0, 1].
static OptionalTensors expandMasks(KernelArgs &args, const Tensor &self, OptionalTensors indices) {
  OptionalTensors result;
  for (std::optional<Tensor> &index : indices) {
    if (!index) {
      result.emplace_back();
    } else if (index->dtype() == DType::Bool || index->dtype() == DType::U8) {
      auto first = static_cast<int64_t>(result.size());
      bool fits = first + index->rank() <= self.rank() && index->rank() > 0 &&
                  index->sizes() == self.sizes().slice(first, index->rank());
      if (!args.check(fits,
                      "got a mask " + typeOf(*index) + " at dimension " + llvm::Twine(first) + " of " + typeOf(self)))
        return {};
      Tensor positions = positionsOf(*index);
      for (int64_t dim = 0; dim < index->rank(); ++dim)
        result.emplace_back(positions.select(1, dim));
    } else {
      args.check(classOf(index->dtype()) == DTypeClass::Integer && computable(index->dtype()),
                 "got an index " + typeOf(*index) + ", expected whole numbers or a mask");
      result.push_back(std::move(index));
    }
  }
  args.check(static_cast<int64_t>(result.size()) <= self.rank(),
             "got " + llvm::Twine(result.size()) + " indices for " + typeOf(self));
  return result;
}

// NumPy's rule (its manual: "Combining advanced and basic indexing"): the indices are broadcast with each other. Their
// sizes keep the place of the indices if those are adjacent; otherwise they come first. With indices of size [3], self
// [4, 5, 6] gives [4, 3] for [None, i, j], but [3, 5] for [i, None, j]. To keep the loop simple, kept_ is self without
// the indexed dimensions, and offsets_[n] is the offset in the storage of the n-th combination of indices.
AdvancedIndex::AdvancedIndex(KernelArgs &args, const Tensor &self, OptionalTensors indices, OutOfRange outOfRange)
    : outOfRange_(outOfRange) {
  OptionalTensors wanted = expandMasks(args, self, std::move(indices));
  wanted.resize(static_cast<size_t>(std::max<int64_t>(self.rank(), wanted.size())));
  IntList indexed;
  Window kept{{}, {}, self.offset()};
  for (int64_t dim = 0; dim < self.rank() && !args.failed(); ++dim)
    if (const std::optional<Tensor> &index = wanted[static_cast<size_t>(dim)]) {
      indexed.push_back(dim);
      std::optional<IntList> joined = broadcastSizes(indexSizes_, index->sizes());
      if (args.check(joined.has_value(), "got indices of sizes " + dimsOf(indexSizes_) + " and " +
                                             dimsOf(index->sizes()) + ", expected sizes that broadcast"))
        indexSizes_ = *joined;
    } else {
      kept.sizes.push_back(self.size(dim));
      kept.strides.push_back(self.stride(dim));
    }
  if (args.failed())
    return;
  bool together = !indexed.empty() && indexed.back() - indexed.front() + 1 == static_cast<int64_t>(indexed.size());
  place_ = together ? indexed.front() : 0;
  setStrides(kept, wanted);
  sizes_ = kept.sizes;
  sizes_.insert(sizes_.begin() + place_, indexSizes_.begin(), indexSizes_.end());
  kept_ = self.reinterpret(self.dtype(), std::move(kept));
  offsets_.assign(static_cast<size_t>(productOf(indexSizes_)), 0);
  for (int64_t dim : indexed)
    addOffsets(args, self, dim, *wanted[static_cast<size_t>(dim)]);
}

/// The result of an elementwise operator on the part that stays, which does not move along the indices' dimensions, and
/// on the indices, which do not move along the others.
void AdvancedIndex::setStrides(const Window &kept, llvm::ArrayRef<std::optional<Tensor>> indices) {
  IntList sizes = kept.sizes, still(kept.sizes.size(), 0);
  sizes.insert(sizes.begin() + place_, indexSizes_.begin(), indexSizes_.end());
  auto placed = [&](IntList strides, IntListRef ofIndex) {
    strides.insert(strides.begin() + place_, ofIndex.begin(), ofIndex.end());
    return strides;
  };
  llvm::SmallVector<IntList, 4> all{placed(kept.strides, IntList(indexSizes_.size(), 0))};
  for (const std::optional<Tensor> &index : indices)
    if (index)
      all.push_back(placed(still, llvm::cantFail(index->expand(indexSizes_)).strides()));
  strides_ = denseStridesLike(sizes, llvm::SmallVector<IntListRef, 4>(all.begin(), all.end()));
}

void AdvancedIndex::addOffsets(KernelArgs &args, const Tensor &self, int64_t dim, const Tensor &index) {
  int64_t size = self.size(dim);
  size_t at = 0;
  Scratch<int64_t> line;
  forEachRow(llvm::cantFail(index.expand(indexSizes_)), [&](llvm::ArrayRef<Row> rows, int64_t n) {
    line.resize(static_cast<size_t>(n));
    readRow<int64_t>(index.dtype(), rows[0], line);
    for (int64_t i : line) {
      if (outOfRange_ == OutOfRange::Clamp)
        i = std::clamp(i, -size, std::max<int64_t>(size - 1, 0));
      args.check(i >= -size && i < size,
                 "got index " + llvm::Twine(i) + " on dimension " + llvm::Twine(dim) + " of " + typeOf(self));
      offsets_[at++] += (i < 0 ? i + size : i) * self.stride(dim);
    }
  });
}

Tensor AdvancedIndex::part(int64_t i) const {
  return kept_.reinterpret(kept_.dtype(), {toIntList(kept_.sizes()), toIntList(kept_.strides()),
                                           kept_.offset() + offsets_[static_cast<size_t>(i)]});
}

Tensor AdvancedIndex::partOfResult(const Tensor &result, int64_t i) const {
  Tensor part = result;
  for (int64_t dim = static_cast<int64_t>(indexSizes_.size()); dim-- > 0;) {
    part = part.select(place_ + dim, i % indexSizes_[dim]);
    i /= indexSizes_[dim];
  }
  return part;
}

/// Returns a view of `tensor` with index's sizes; along `dim` it has stride 0 where `still` is set.
static Tensor cutTo(const Tensor &tensor, const Tensor &index, int64_t dim, bool still) {
  Window window{toIntList(index.sizes()), toIntList(tensor.strides()), tensor.offset()};
  if (still)
    window.strides[dim] = 0;
  return tensor.reinterpret(tensor.dtype(), std::move(window));
}

static bool checkChoice(KernelArgs &args, const Choice &choice) {
  const Tensor &index = choice.index;
  bool whole = classOf(index.dtype()) == DTypeClass::Integer && computable(index.dtype());
  args.check(whole, "got an index " + typeOf(index) + ", expected whole numbers");
  bool fits = index.rank() == choice.self.rank() && index.rank() == choice.other.rank();
  for (int64_t dim = 0; fits && dim < index.rank(); ++dim)
    fits = index.size(dim) <= choice.other.size(dim) && (dim == choice.dim || index.size(dim) <= choice.self.size(dim));
  return args.check(fits || index.numElements() == 0, "got an index " + typeOf(index) + " for " + typeOf(choice.self) +
                                                          " and " + typeOf(choice.other) +
                                                          ", expected equal ranks and no larger sizes") &&
         !args.failed();
}

void forEachChosen(KernelArgs &args, Choice choice,
                   llvm::function_ref<void(std::byte *chosen, std::byte *other)> body) {
  if (args.failed())
    return;
  for (Tensor *tensor : {&choice.self, &choice.index, &choice.other})
    if (tensor->rank() == 0)
      *tensor = tensor->unsqueeze(0);
  if (!checkChoice(args, choice) || choice.index.numElements() == 0)
    return;
  int64_t size = choice.self.size(choice.dim);
  int64_t step = strideBytes(choice.self, choice.dim);
  Tensor lines[] = {dimLast(choice.index, choice.dim),
                    dimLast(cutTo(choice.self, choice.index, choice.dim, true), choice.dim),
                    dimLast(cutTo(choice.other, choice.index, choice.dim, false), choice.dim)};
  Scratch<int64_t> line;
  forEachRow(lines, [&](llvm::ArrayRef<Row> rows, int64_t count) {
    line.resize(static_cast<size_t>(count));
    readRow<int64_t>(choice.index.dtype(), rows[0], line);
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = line[static_cast<size_t>(i)];
      // gather and scatter, unlike indexing, do not count from the end.
      if (args.check(at >= 0 && at < size, "got index " + llvm::Twine(at) + " on dimension " + llvm::Twine(choice.dim) +
                                               " of " + typeOf(choice.self)))
        body(rows[1].data + at * step, rows[2].data + i * rows[2].step);
    }
  });
}

namespace {

Value readIndexed(KernelArgs &args, const Tensor &self, const AdvancedIndex &index, IntListRef strides) {
  if (args.failed())
    return {};
  Tensor result = args.result(self.dtype(), index.sizes(), strides);
  for (int64_t i = 0; i < index.count(); ++i)
    copyElements(index.partOfResult(result, i), index.part(i));
  return result;
}

Value index(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  AdvancedIndex index(args, self, args.optionalTensors(1));
  return readIndexed(args, self, index, index.strides());
}

/// Elements where the mask is unset are `fill`, and their index may be anything.
Value maskedIndex(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  const Tensor &mask = args.tensor(1);
  AdvancedIndex index(args, self, args.optionalTensors(2), OutOfRange::Clamp);
  Value read = readIndexed(args, self, index, index.strides());
  if (args.failed())
    return {};
  constexpr static PointwiseOp choose{.real = [](const double *x) { return x[2] != 0 ? x[0] : x[1]; },
                                      .integer = [](const int64_t *x) { return x[2] != 0 ? x[0] : x[1]; },
                                      .promoting = 1};
  return pointwise(args, {{read.tensor()}, args.operand(3), {mask}}, choose);
}

Value indexSelect(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  const Tensor &index = args.tensor(2);
  if (args.failed() || !args.check(index.rank() <= 1,
                                   "got an index " + typeOf(index) + " for " + typeOf(self) + ", expected 1 dimension"))
    return {};
  OptionalTensors indices(static_cast<size_t>(dim));
  indices.emplace_back(atLeastOneDim(index));
  Tensor whole = atLeastOneDim(self);
  AdvancedIndex places(args, whole, indices);
  Value result = readIndexed(args, whole, places, contiguousStrides(places.sizes()));
  bool scalar = !args.failed() && self.rank() == 0 && index.numElements() == 1;
  return scalar ? Value(result.tensor().squeeze(0)) : result;
}

Value embedding(KernelArgs &args) {
  const Tensor &weight = args.tensor(0);
  args.check(weight.rank() == 2, "got a weight " + typeOf(weight) + ", expected 2 dimensions");
  AdvancedIndex index(args, weight, {args.tensor(1)});
  return readIndexed(args, weight, index, contiguousStrides(index.sizes()));
}

Value gather(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t dim = args.dim(1, self.rank());
  const Tensor &index = args.tensor(2);
  if (args.failed())
    return {};
  Tensor result = args.result(self.dtype(), index.sizes());
  auto size = static_cast<size_t>(self.elementSize());
  forEachChosen(args, {self, dim, index, result},
                [&](std::byte *chosen, std::byte *out) { std::memcpy(out, chosen, size); });
  return result;
}

/// One dimension's positions side by side.
Value nonzero(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  bool known = args.check(computable(self.dtype()), "got " + typeOf(self));
  if (!known || args.failed())
    return {};
  return positionsOf(self).permute({1, 0}).cloneContiguous().permute({1, 0});
}

/// The first `size` positions; rows that are left over hold the fill value.
Value nonzeroStatic(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t size = args.integer(1), fill = args.integer(2, -1);
  if (args.failed() || !args.check(computable(self.dtype()), "got " + typeOf(self)) ||
      !args.check(size >= 0, "got size = " + llvm::Twine(size) + ", expected 0 or more"))
    return {};
  Tensor found = positionsOf(self), result = Tensor::zeros(DType::I64, {size, self.rank()});
  const int64_t known = std::min(result.numElements(), found.numElements());
  std::copy_n(found.data(), known * 8, result.data());
  for (int64_t i = known; i != result.numElements(); ++i)
    writeElement<int64_t>(DType::I64, result.data() + i * 8, fill);
  return result;
}

/// i repeated repeats[i] times, for each i.
Value repeatInterleave(KernelArgs &args) {
  const Tensor &repeats = args.tensor(0);
  if (args.failed() || !args.check(repeats.rank() == 1 && computable(repeats.dtype()),
                                   "got " + typeOf(repeats) + ", expected 1 dimension"))
    return {};
  Scratch<int64_t> times(static_cast<size_t>(repeats.size(0)));
  readRow<int64_t>(repeats.dtype(), {repeats.data(), strideBytes(repeats, 0)}, times);
  Scratch<int64_t> result;
  for (size_t i = 0; i < times.size(); ++i) {
    if (!args.check(times[i] >= 0, "got a negative repeat at " + llvm::Twine(i)))
      return {};
    result.insert(result.end(), static_cast<size_t>(times[i]), static_cast<int64_t>(i));
  }
  auto length = static_cast<int64_t>(result.size());
  args.check(args.integer(1, length) == length,
             "got an output_size other than the sum of repeats, " + llvm::Twine(length));
  Tensor out = Tensor::zeros(repeats.dtype(), length);
  writeRow<int64_t>(out.dtype(), {out.data(), out.elementSize()}, result);
  return out;
}

const Kernel indexTable[] = {
    {"aten._unsafe_index.Tensor", "self,indices", index},
    {"aten._unsafe_masked_index.default", "self,mask,indices,fill", maskedIndex},
    {"aten.embedding.default", "weight,indices,padding_idx,scale_grad_by_freq,sparse", embedding},
    {"aten.gather.default", "self,dim,index,sparse_grad", gather},
    {"aten.index.Tensor", "self,indices", index},
    {"aten.index_select.default", "self,dim,index", indexSelect},
    {"aten.nonzero.default", "self", nonzero},
    {"aten.nonzero_static.default", "self,size,fill_value", nonzeroStatic},
    {"aten.repeat_interleave.Tensor", "repeats,output_size", repeatInterleave},
};

} // namespace

llvm::ArrayRef<Kernel> indexKernels() { return indexTable; }

} // namespace ccgraph::runtime
