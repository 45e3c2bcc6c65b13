#include "placed_parts.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::numerics {
namespace {

class PartCutter {
public:
  PartCutter(const TensorPlacement &placement, llvm::ArrayRef<NamedAxis> mesh, int64_t rank)
      : placement_(placement), mesh_(mesh), rank_(rank) {}

  std::optional<HeldTensor> run(HeldTensor part) {
    if (placement_.as.empty())
      return cutAll(part, [](size_t) { return true; }) ? std::optional(part) : std::nullopt;
    if (productOf(placement_.as) != part.count() || placement_.as.size() < 2)
      return std::nullopt;
    auto isFirst = [&](size_t axis) {
      return placement_.asAxes.empty() || llvm::is_contained(placement_.asAxes, axis);
    };
    std::optional<HeldTensor> seen = reshaped(part, placement_.as);
    if (!seen || !cutAll(*seen, isFirst))
      return std::nullopt;
    IntList sizes(seen->sizes.begin() + 1, seen->sizes.end());
    sizes.front() *= seen->sizes.front();
    seen = reshaped(*seen, sizes);
    if (!seen || !cutAll(*seen, [&](size_t axis) { return !isFirst(axis); }))
      return std::nullopt;
    return seen;
  }

private:
  static std::optional<HeldTensor> reshaped(const HeldTensor &tensor, IntListRef sizes) {
    std::optional<RunList> elements = readElements(tensor);
    return elements ? std::optional(newTensor(tensor.dtype, sizes, std::move(*elements))) : std::nullopt;
  }

  template <class Select>
  bool cutAll(HeldTensor &part, Select isSelected) {
    for (size_t axis : orderOfAxes(placement_)) {
      if (!isSelected(axis) || placement_.axes[axis].kind != AxisPlacement::Kind::Shard)
        continue;
      const auto dim = static_cast<size_t>(placement_.axes[axis].dim);
      if (dim >= part.sizes.size())
        return false;
      const int64_t index = coordinatesOf(rank_, mesh_)[axis];
      if (!placement_.axes[axis].isHeadTail)
        part = chunkOf(part, dim, index, mesh_[axis].size);
      else if (!takeHeadAndTail(part, dim, index, mesh_[axis].size))
        return false;
    }
    return true;
  }

  /// The chunk of torch.chunk.
  static HeldTensor chunkOf(const HeldTensor &tensor, size_t dim, int64_t index, int64_t ranks) {
    const int64_t size = tensor.sizes[dim], chunk = (size + ranks - 1) / ranks;
    const int64_t start = std::min(size, index * chunk);
    return narrowed(tensor, dim, start, std::min(size, start + chunk));
  }

  /// Replaces a tensor by its chunks `index` and 2 `ranks` - 1 - `index`, joined.
  static bool takeHeadAndTail(HeldTensor &part, size_t dim, int64_t index, int64_t ranks) {
    if (part.sizes[dim] % (2 * ranks) != 0)
      return false;
    std::optional<RunList> head = readElements(chunkOf(part, dim, index, 2 * ranks));
    std::optional<RunList> tail = readElements(chunkOf(part, dim, 2 * ranks - 1 - index, 2 * ranks));
    const HeldTensor shape = chunkOf(part, dim, 0, ranks);
    std::optional<RunList> both = readElements(shape);
    if (!head || !tail || !both)
      return false;
    part = newTensor(part.dtype, shape.sizes, std::move(*both));
    return writeElements(chunkOf(part, dim, 0, 2), *head) && writeElements(chunkOf(part, dim, 1, 2), *tail);
  }

  const TensorPlacement &placement_;
  llvm::ArrayRef<NamedAxis> mesh_;
  int64_t rank_;
};

} // namespace

std::optional<HeldTensor> placedPart(const HeldTensor &whole, const TensorPlacement &placement,
                                     llvm::ArrayRef<NamedAxis> mesh, int64_t rank) {
  std::optional<HeldTensor> part = PartCutter(placement, mesh, rank).run(whole);
  std::optional<RunList> elements = part ? readElements(*part) : std::nullopt;
  return elements ? std::optional(newTensor(whole.dtype, part->sizes, std::move(*elements))) : std::nullopt;
}

bool isPartialSum(const TensorPlacement &placement) {
  return llvm::any_of(placement.axes, [](const AxisPlacement &axis) {
    return axis.kind == AxisPlacement::Kind::PartialSum || axis.kind == AxisPlacement::Kind::PartialAvg;
  });
}

} // namespace ccgraph::numerics
