#include "ops/view_strides.h"

#include "ccgraph/ir/node.h"
#include "ops/saturate.h"

namespace ccgraph {
namespace {

using Dims = llvm::SmallVector<int64_t, 6>;

/// The walk from the last dimension to the first, chunk by chunk.
class StrideWalk {
public:
  StrideWalk(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> to)
      : sizes_(sizes), strides_(strides), to_(to), result_(to.size()), next_(static_cast<int>(to.size()) - 1) {}

  std::optional<Dims> run() {
    size_t last = sizes_.size();
    for (size_t dim = sizes_.size(); dim-- > 0;) {
      if (dim > 0 && continues(dim, last))
        continue;
      if (!fill(dim, last))
        return std::nullopt;
      last = dim;
    }
    if (next_ >= 0)
      return std::nullopt;
    return result_;
  }

private:
  int64_t chunkElements(size_t begin, size_t end) const { return saturatingProduct(sizes_.slice(begin, end - begin)); }

  /// Does dimension `dim - 1` belong to the chunk [dim, end)?
  bool continues(size_t dim, size_t end) const {
    return sizes_[dim - 1] == 1 || strides_[dim - 1] == saturatingMultiply(chunkElements(dim, end), strides_[end - 1]);
  }

  bool fill(size_t begin, size_t end) {
    int64_t wanted = chunkElements(begin, end);
    int64_t filled = 1;
    while (next_ >= 0 && (filled < wanted || to_[next_] == 1)) {
      result_[next_] = saturatingMultiply(filled, strides_[end - 1]);
      filled = saturatingMultiply(filled, to_[next_--]);
    }
    return filled == wanted;
  }

  llvm::ArrayRef<int64_t> sizes_;
  llvm::ArrayRef<int64_t> strides_;
  llvm::ArrayRef<int64_t> to_;
  Dims result_;
  int next_;
};

Dims contiguousStrides(llvm::ArrayRef<int64_t> sizes) {
  Dims strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step = saturatingMultiply(step, std::max<int64_t>(sizes[i], 1));
  }
  return strides;
}

const Type *tensorOperand(const Node &node) {
  const Type *type = node.numOperands() ? node.operand(0)->type() : nullptr;
  return type && type->isTensor() ? type : nullptr;
}

const Type *tensorResult(const Node &node) { return node.type() && node.type()->isTensor() ? node.type() : nullptr; }

} // namespace

std::optional<Dims> staticDims(llvm::ArrayRef<Dim> dims) {
  Dims values;
  for (const Dim &dim : dims) {
    if (!dim.isStatic())
      return std::nullopt;
    values.push_back(dim.value());
  }
  return values;
}

std::optional<Dims> viewStrides(const Type &from, llvm::ArrayRef<int64_t> to) {
  auto sizes = staticDims(from.sizes());
  auto strides = staticDims(from.strides());
  if (!sizes || !strides || !from.stridesKnown())
    return std::nullopt;
  bool empty = llvm::is_contained(*sizes, 0);
  if (empty && llvm::ArrayRef<int64_t>(*sizes) == to)
    return strides;
  if (empty || sizes->empty())
    return contiguousStrides(to);
  return StrideWalk(*sizes, *strides, to).run();
}

Sharing reshapeSharing(const Node &node) {
  const Type *from = tensorOperand(node);
  if (!from || !from->stridesKnown())
    return Sharing::Unknown;
  if (from->isContiguous())
    return Sharing::View;
  const Type *to = tensorResult(node);
  auto sizes = to ? staticDims(to->sizes()) : std::nullopt;
  if (!sizes || !staticDims(from->sizes()) || !staticDims(from->strides()))
    return Sharing::Unknown;
  return viewStrides(*from, *sizes) ? Sharing::View : Sharing::Copy;
}

Sharing contiguousSharing(const Node &node) {
  const Type *from = tensorOperand(node);
  const Argument *format = argumentAt(node, node.op()->paramIndex("memory_format"));
  bool rowMajor = !format || (format->is(Argument::Kind::MemoryFormat) && format->text() == "contiguous_format");
  if (!from || !from->stridesKnown() || !rowMajor)
    return Sharing::Unknown;
  if (from->isContiguous())
    return Sharing::View;
  return staticDims(from->sizes()) && staticDims(from->strides()) ? Sharing::Copy : Sharing::Unknown;
}

Sharing castSharing(const Node &node) {
  const Type *from = tensorOperand(node);
  const Type *to = tensorResult(node);
  if (!from || !to)
    return Sharing::Unknown;
  const Argument *copy = argumentAt(node, node.op()->paramIndex("copy"));
  bool copies = copy && copy->is(Argument::Kind::Bool) && copy->boolean();
  bool deviceKnown = from->device().kind && to->device().kind;
  if (copies || from->dtype() != to->dtype() || (deviceKnown && from->device() != to->device()))
    return Sharing::Copy;
  bool decided = deviceKnown && (!copy || copy->is(Argument::Kind::Bool));
  return decided && from->stridesKnown() && from == to ? Sharing::View : Sharing::Unknown;
}

} // namespace ccgraph
