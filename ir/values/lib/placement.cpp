#include "ccgraph/ir/placement.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

std::string placementText(const AxisPlacement &placement) {
  switch (placement.kind) {
  case AxisPlacement::Kind::Replicate:
    return "replicate";
  case AxisPlacement::Kind::Shard:
    return (placement.isHeadTail ? "head_tail(" : "shard(") + std::to_string(placement.dim) + ")";
  case AxisPlacement::Kind::PartialSum:
    return "partial(sum)";
  case AxisPlacement::Kind::PartialAvg:
    return "partial(avg)";
  case AxisPlacement::Kind::At:
    return "at(" + std::to_string(placement.coordinate) + ")";
  }
  llvm_unreachable("all placements are named");
}

std::vector<int64_t> coordinatesOf(int64_t rank, llvm::ArrayRef<NamedAxis> mesh) {
  std::vector<int64_t> coordinates(mesh.size());
  for (size_t axis = mesh.size(); axis-- > 0; rank /= mesh[axis].size)
    coordinates[axis] = rank % mesh[axis].size;
  return coordinates;
}

int64_t rankAt(llvm::ArrayRef<int64_t> coordinates, llvm::ArrayRef<NamedAxis> mesh) {
  int64_t rank = 0;
  for (size_t axis = 0; axis != mesh.size(); ++axis)
    rank = rank * mesh[axis].size + coordinates[axis];
  return rank;
}

int64_t numRanks(llvm::ArrayRef<NamedAxis> mesh) {
  int64_t ranks = 1;
  for (const NamedAxis &axis : mesh)
    ranks = saturatingMultiply(ranks, axis.size);
  return ranks;
}

std::vector<size_t> orderOfAxes(const TensorPlacement &placement) {
  std::vector<size_t> order;
  for (size_t axis = 0; axis != placement.axes.size(); ++axis)
    if (!llvm::is_contained(placement.splitOrder, axis))
      order.push_back(axis);
  order.insert(order.end(), placement.splitOrder.begin(), placement.splitOrder.end());
  return order;
}

bool needsJoining(const StepPlacements &placements) {
  return llvm::any_of(std::initializer_list{&placements.inputs, &placements.outputs}, [](const auto *list) {
    return llvm::any_of(*list, [](const TensorPlacement &tensor) {
      return tensor.microbatch ||
             llvm::any_of(tensor.axes, [](const AxisPlacement &axis) { return axis.kind == AxisPlacement::Kind::At; });
    });
  });
}

} // namespace ccgraph
