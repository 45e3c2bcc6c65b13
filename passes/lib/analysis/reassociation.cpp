#include "ccgraph/passes/reassociation.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/group_nesting.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

/// Returns true for reductions that select an operand or work bit by bit.
bool picks(ReduceOp op) {
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Avg:
  case ReduceOp::Product:
    return false;
  case ReduceOp::Min:
  case ReduceOp::Max:
  case ReduceOp::Band:
  case ReduceOp::Bor:
  case ReduceOp::Bxor:
    return true;
  }
  return false;
}

bool isInexact(const Node &value) {
  const Type *type = value.type();
  return !type || !type->isTensor() || isFloat(type->dtype()) || isComplex(type->dtype());
}

/// Returns true if the call states at most two ranks, or all ranks have this fact in common. Assumed groups prove
/// nothing. The list that one rank's table gives of some ranks proves nothing either: the groups of other ranks may be
/// larger, and all ranks must merge alike.
bool hasTwoRanksAtMost(const Node &launch, const CollectiveCall &call) {
  if (call.groupSize)
    return *call.groupSize <= 2;
  const GroupTable &table = launch.graph()->groups();
  const Group *group = table.find(call.group);
  std::vector<std::vector<int64_t>> cells = sharedMembers(table, groupIdOf(launch), knownWorldSize(*launch.graph()));
  return !cells.empty() && !(group && group->assumed) &&
         llvm::all_of(cells, [](const std::vector<int64_t> &cell) { return cell.size() <= 2; });
}

} // namespace

// Floating-point sums depend on their order: in f32, (1e8 + 1) - 1e8 is 0 and (1e8 - 1e8) + 1 is 1. A sum over two
// ranks has only one result, since a + b equals b + a.
bool mayReassociate(const Node &launch) {
  CollectiveCall call = *collectiveCall(launch);
  if (call.spec->reduceOp < 0)
    return false;
  std::optional<ReduceOp> op = parseReduceOp(call.reduceOp);
  if (op && picks(*op))
    return false;
  return llvm::any_of(call.inputs, [](const Node *input) { return isInexact(*input); }) &&
         !hasTwoRanksAtMost(launch, call);
}

} // namespace ccgraph
