#include "cut_candidates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace ccgraph {
namespace {

using Kind = AxisPlacement::Kind;

class CutSearch {
public:
  CutSearch(llvm::ArrayRef<NamedAxis> mesh, IntListRef whole, llvm::ArrayRef<IntList> ofRanks)
      : mesh_(mesh), whole_(whole.begin(), whole.end()), ofRanks_(ofRanks) {}

  std::vector<TensorPlacement> run() {
    for (const IntList &sizes : ofRanks_)
      if (sizes.size() != whole_.size())
        return {};
    choose(std::vector<AxisPlacement>());
    return std::move(found_);
  }

private:
  void choose(std::vector<AxisPlacement> axes) {
    if (axes.size() == mesh_.size())
      return addOrders(axes);
    axes.emplace_back();
    choose(axes);
    if (mesh_[axes.size() - 1].size == 1)
      return;
    for (size_t dim = 0; dim != whole_.size(); ++dim)
      if (ofRanks_.front()[dim] < whole_[dim]) {
        axes.back() = {Kind::Shard, static_cast<int64_t>(dim)};
        choose(axes);
      }
  }

  /// Adds the placement for each order of the axes that share a dimension.
  void addOrders(const std::vector<AxisPlacement> &axes) {
    TensorPlacement placement;
    placement.axes = axes;
    for (size_t axis = 0; axis != axes.size(); ++axis)
      if (axes[axis].kind == Kind::Shard &&
          llvm::count_if(axes, [&](const AxisPlacement &other) { return other == axes[axis]; }) > 1)
        placement.splitOrder.push_back(axis);
    do
      if (fits(placement))
        found_.push_back(placement);
    while (std::next_permutation(placement.splitOrder.begin(), placement.splitOrder.end()));
  }

  [[nodiscard]] bool fits(const TensorPlacement &placement) const {
    for (size_t rank = 0; rank != ofRanks_.size(); ++rank)
      if (sizesOn(static_cast<int64_t>(rank), placement) != ofRanks_[rank])
        return false;
    return true;
  }

  /// Returns the sizes of the chunks of torch.chunk.
  [[nodiscard]] IntList sizesOn(int64_t rank, const TensorPlacement &placement) const {
    std::vector<int64_t> coordinates(mesh_.size());
    for (size_t axis = mesh_.size(); axis-- > 0; rank /= mesh_[axis].size)
      coordinates[axis] = rank % mesh_[axis].size;
    IntList sizes = whole_;
    auto cut = [&](size_t axis) {
      if (placement.axes[axis].kind != Kind::Shard)
        return;
      int64_t &size = sizes[static_cast<size_t>(placement.axes[axis].dim)];
      const int64_t chunk = (size + mesh_[axis].size - 1) / mesh_[axis].size;
      const int64_t start = std::min(size, coordinates[axis] * chunk);
      size = std::min(size, start + chunk) - start;
    };
    for (size_t axis = 0; axis != mesh_.size(); ++axis)
      if (!llvm::is_contained(placement.splitOrder, axis))
        cut(axis);
    for (size_t axis : placement.splitOrder)
      cut(axis);
    return sizes;
  }

  llvm::ArrayRef<NamedAxis> mesh_;
  IntList whole_;
  llvm::ArrayRef<IntList> ofRanks_;
  std::vector<TensorPlacement> found_;
};

} // namespace

std::vector<TensorPlacement> cutCandidates(llvm::ArrayRef<NamedAxis> mesh, IntListRef whole,
                                           llvm::ArrayRef<IntList> ofRanks) {
  return CutSearch(mesh, whole, ofRanks).run();
}

std::string cutText(const TensorPlacement &placement, llvm::ArrayRef<NamedAxis> mesh) {
  std::vector<std::string> texts;
  for (size_t axis = 0; axis != mesh.size(); ++axis)
    if (placement.axes[axis].kind != Kind::Replicate)
      texts.push_back(placementText(placement.axes[axis]) + " over " + mesh[axis].name);
  if (texts.empty())
    return "replicate";
  std::string text = llvm::join(texts, " and ");
  if (placement.splitOrder.size() > 1)
    text += ", " + mesh[placement.splitOrder.front()].name + " first";
  return text;
}

std::optional<IntList> knownSizes(const Node *node) {
  return node && node->type() && node->type()->isTensor() ? staticDims(node->type()->sizes()) : std::nullopt;
}

} // namespace ccgraph
