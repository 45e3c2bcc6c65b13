#include "ccgraph/ir/placement.h"

namespace ccgraph {

std::string placementText(const Placement &placement) {
  switch (placement.kind) {
  case Placement::Kind::Replicate:
    return "replicate";
  case Placement::Kind::Shard:
    return "shard(" + std::to_string(placement.dim) + ")";
  case Placement::Kind::PartialSum:
    return "partial(sum)";
  case Placement::Kind::PartialAvg:
    return "partial(avg)";
  }
  llvm_unreachable("all placements are named");
}

} // namespace ccgraph
