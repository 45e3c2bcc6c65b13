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
      const int64_t size = part.sizes[dim], chunk = (size + mesh_[axis].size - 1) / mesh_[axis].size;
      const int64_t start = std::min(size, coordinatesOf(rank_, mesh_)[axis] * chunk);
      part = narrowed(part, dim, start, std::min(size, start + chunk));
    }
    return true;
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
