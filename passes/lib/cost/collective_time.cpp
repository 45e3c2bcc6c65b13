#include "cost/collective_time.h"

#include "cost/measured_collectives.h"
#include "cost/nccl_rules.h"
#include "cost/pytorch_rules.h"

#include <algorithm>

namespace ccgraph {
namespace {

const LinearCollective *fitOf(const Machine &machine, const CollectiveShape &shape) {
  auto isIt = [&](const LinearCollective &fit) { return fit.kind == timedAs(shape.kind); };
  auto found = llvm::find_if(machine.linear, isIt);
  const bool fits = found != machine.linear.end() && shape.placement.level() == LinkLevel::Intra;
  return fits ? &*found : nullptr;
}

/// Each step costs a hop and moves a share of the bytes; a transfer between two ranks is a share of its own.
double linearMicroseconds(const Machine &machine, const CollectiveShape &shape) {
  const Link &link = machine.link(shape.placement.level());
  const LinearCollective *fit = fitOf(machine, shape);
  const double base = fit ? static_cast<double>(fit->basePs) : 0;
  const auto step = static_cast<double>(fit ? fit->stepPs : link.latencyPs);
  const auto rate = static_cast<double>(fit ? fit->bytesPerSecond : link.bytesPerSecond);
  const double steps = linearSteps(shape.kind, shape.placement.ranks);
  const double shares = isPointToPoint(shape.kind) ? 1 : static_cast<double>(shape.placement.ranks);
  const double wire = static_cast<double>(shape.bytes) * steps / shares / rate;
  return (base + steps * step) * 1e-6 + wire * 1e6;
}

} // namespace

double linearSteps(CollectiveKind kind, int64_t ranks) {
  if (isPointToPoint(kind))
    return 1;
  return static_cast<double>(ranks - 1) * (kind == CollectiveKind::AllReduce ? 2 : 1);
}

double collectiveMicroseconds(const Machine &machine, const CollectiveShape &shape) {
  if (shape.placement.ranks <= 1)
    return 0;
  if (auto measured = measuredMicroseconds(machine, shape))
    return *measured;
  switch (machine.rules) {
  case CollectiveRules::Nccl:
    return ncclMicroseconds(machine, shape);
  case CollectiveRules::PyTorch:
    return pytorchMicroseconds(machine, shape);
  case CollectiveRules::Linear:
    return linearMicroseconds(machine, shape);
  }
  llvm_unreachable("no such rules");
}

std::vector<int64_t> collectiveTimePieces(const Machine &machine, const CollectiveShape &shape) {
  std::vector<int64_t> pieces = measuredSizes(machine, shape);
  bool isMeasured = !pieces.empty();
  if (!isMeasured && machine.rules == CollectiveRules::Nccl && shape.placement.ranks > 1)
    pieces.push_back(ncclSlowerAllReduce(machine, shape));
  return pieces;
}

} // namespace ccgraph
