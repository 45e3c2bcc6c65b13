#include "ccgraph/ir/placement.h"

namespace ccgraph {

std::string placementText(const AxisPlacement &placement) {
  switch (placement.kind) {
  case AxisPlacement::Kind::Replicate:
    return "replicate";
  case AxisPlacement::Kind::Shard:
    return "shard(" + std::to_string(placement.dim) + ")";
  case AxisPlacement::Kind::PartialSum:
    return "partial(sum)";
  case AxisPlacement::Kind::PartialAvg:
    return "partial(avg)";
  }
  llvm_unreachable("all placements are named");
}

} // namespace ccgraph
