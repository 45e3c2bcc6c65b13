#include "ops/knowledge.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/node.h"

namespace ccgraph {
namespace {

using Kind = CollectiveKind;

/// The meaning of the elements of a list of tensors.
enum class ListOf : uint8_t { Calls, Devices };

struct CollectiveEntry {
  llvm::StringLiteral key;
  CollectiveSpec spec;
  ListOf list = ListOf::Calls;
};

// Positions are those of the schemas in op_schemas.inc: of all_reduce(Tensor input, reduce_op, group_name), the
// reduction is parameter 1 and the group is 2. Positions are used, and not names, because PyTorch renamed parameters
// between releases and left their places alone.
constexpr CollectiveSpec allReduce = {.kind = Kind::AllReduce, .copiesAtLaunch = true, .reduceOp = 1, .group = 2};
constexpr CollectiveSpec allReduceList = {
    .kind = Kind::AllReduce, .coalesced = true, .copiesAtLaunch = true, .reduceOp = 1, .group = 2};
constexpr CollectiveSpec allReduceInPlace = {.kind = Kind::AllReduce, .inPlace = true, .reduceOp = 1, .group = 2};
constexpr CollectiveSpec allReduceListInPlace = {
    .kind = Kind::AllReduce, .coalesced = true, .inPlace = true, .reduceOp = 1, .group = 2};
constexpr CollectiveSpec allGather = {.kind = Kind::AllGather, .groupSize = 1, .group = 2};
constexpr CollectiveSpec allGatherList = {.kind = Kind::AllGather, .coalesced = true, .groupSize = 1, .group = 2};
constexpr CollectiveSpec allGatherOut = {.kind = Kind::AllGather, .output = 3, .groupSize = 1, .group = 2};
constexpr CollectiveSpec reduceScatter = {.kind = Kind::ReduceScatter, .reduceOp = 1, .groupSize = 2, .group = 3};
constexpr CollectiveSpec reduceScatterList = {
    .kind = Kind::ReduceScatter, .coalesced = true, .waitsRewriteAll = true, .reduceOp = 1, .groupSize = 2, .group = 3};
constexpr CollectiveSpec reduceScatterOut = {
    .kind = Kind::ReduceScatter, .output = 4, .reduceOp = 1, .groupSize = 2, .group = 3};
constexpr CollectiveSpec allToAll = {.kind = Kind::AllToAll, .group = 3, .outputSplits = 1, .inputSplits = 2};
constexpr CollectiveSpec broadcast = {.kind = Kind::Broadcast, .copiesAtLaunch = true, .group = 2, .root = 1};
constexpr CollectiveSpec broadcastInPlace = {.kind = Kind::Broadcast, .inPlace = true, .group = 2, .root = 1};
constexpr CollectiveSpec batchP2P = {
    .kind = Kind::BatchP2P, .coalesced = true, .input = 3, .output = 3, .group = 4, .peer = 1};
constexpr CollectiveSpec irecv = {.kind = Kind::Recv, .input = -1, .output = 0, .group = 3, .peer = 1};
constexpr CollectiveSpec isend = {.kind = Kind::Send, .group = 3, .peer = 1};
constexpr CollectiveSpec shardDim = {.kind = Kind::ShardDimAllToAll, .synchronous = true, .group = 3};

/// `tag, ranks, group_size` where newer forms have the group's name.
constexpr CollectiveSpec withRanks(CollectiveSpec spec, int8_t ranks) {
  spec.legacy = true;
  spec.group = ranks;
  spec.groupSize = static_cast<int8_t>(ranks + 1);
  return spec;
}

/// c10d's own forms: buffers first, then the process group as an object; finished on return, as they are traced without
/// their Work.
struct Buffers {
  int8_t output = -1;
  int8_t input = 0;
  int8_t reduceOp = -1;
  int8_t root = -1;
  bool lists = true;
};
constexpr CollectiveSpec c10d(Kind kind, Buffers buffers) {
  CollectiveSpec spec;
  spec.kind = kind;
  spec.coalesced = buffers.lists;
  spec.inPlace = buffers.output < 0 && (kind == Kind::AllReduce || kind == Kind::Broadcast);
  spec.synchronous = spec.legacy = true;
  spec.input = buffers.input;
  spec.output = buffers.output;
  spec.reduceOp = buffers.reduceOp;
  spec.group = static_cast<int8_t>(std::max(buffers.input, buffers.output) + 1);
  spec.root = buffers.root;
  return spec;
}

/// c10d's own forms of which the tensors that they yield are known to be the buffers that they fill.
constexpr CollectiveSpec yieldingBuffers(CollectiveSpec spec) {
  spec.yieldsBuffers = true;
  return spec;
}

constexpr CollectiveSpec c10dAllToAllSingle() {
  CollectiveSpec spec = c10d(Kind::AllToAll, {.output = 0, .input = 1, .lists = false});
  spec.outputSplits = 3;
  spec.inputSplits = 4;
  return spec;
}

constexpr CollectiveSpec c10dPointToPoint(Kind kind) {
  CollectiveSpec spec = c10d(kind, kind == Kind::Send ? Buffers{.input = 0} : Buffers{.output = 0, .input = -1});
  spec.peer = 2;
  return spec;
}

constexpr CollectiveEntry entries[] = {
    {"_c10d_functional.all_gather_into_tensor", allGather},
    {"_c10d_functional.all_gather_into_tensor_coalesced", allGatherList},
    {"_c10d_functional.all_gather_into_tensor_out", allGatherOut},
    {"_c10d_functional.all_reduce", allReduce},
    {"_c10d_functional.all_reduce_", allReduceInPlace},
    {"_c10d_functional.all_reduce_coalesced", allReduceList},
    {"_c10d_functional.all_reduce_coalesced_", allReduceListInPlace},
    {"_c10d_functional.all_to_all_single", allToAll},
    {"_c10d_functional.batch_p2p_ops", batchP2P},
    {"_c10d_functional.broadcast", broadcast},
    {"_c10d_functional.broadcast_", broadcastInPlace},
    {"_c10d_functional.irecv", irecv},
    {"_c10d_functional.isend", isend},
    {"_c10d_functional.reduce_scatter_tensor", reduceScatter},
    {"_c10d_functional.reduce_scatter_tensor_coalesced", reduceScatterList},
    {"_c10d_functional.reduce_scatter_tensor_out", reduceScatterOut},
    {"_c10d_functional_autograd.all_gather_into_tensor", allGather},
    {"_c10d_functional_autograd.all_to_all_single", allToAll},
    {"_c10d_functional_autograd.reduce_scatter_tensor", reduceScatter},
    {"_dtensor.shard_dim_alltoall", shardDim},
    {"c10d._allgather_base_", yieldingBuffers(c10d(Kind::AllGather, {.output = 0, .input = 1, .lists = false}))},
    {"c10d._reduce_scatter_base_",
     yieldingBuffers(c10d(Kind::ReduceScatter, {.output = 0, .input = 1, .reduceOp = 3, .lists = false}))},
    {"c10d.allgather_", yieldingBuffers(c10d(Kind::AllGather, {.output = 0, .input = 1})), ListOf::Devices},
    {"c10d.allgather_coalesced_", c10d(Kind::AllGather, {.output = 0, .input = 1})},
    {"c10d.allgather_into_tensor_coalesced_", c10d(Kind::AllGather, {.output = 0, .input = 1})},
    {"c10d.allreduce_", yieldingBuffers(c10d(Kind::AllReduce, {.reduceOp = 2})), ListOf::Devices},
    {"c10d.allreduce_coalesced_", c10d(Kind::AllReduce, {.reduceOp = 2})},
    {"c10d.alltoall_", yieldingBuffers(c10d(Kind::AllToAll, {.output = 0, .input = 1}))},
    {"c10d.alltoall_base_", c10dAllToAllSingle()},
    {"c10d.barrier", c10d(Kind::Barrier, {.lists = false})},
    {"c10d.broadcast_", yieldingBuffers(c10d(Kind::Broadcast, {.root = 2})), ListOf::Devices},
    {"c10d.recv_", c10dPointToPoint(Kind::Recv)},
    {"c10d.reduce_scatter_", yieldingBuffers(c10d(Kind::ReduceScatter, {.output = 0, .input = 1, .reduceOp = 3})),
     ListOf::Devices},
    {"c10d.reduce_scatter_tensor_coalesced_", c10d(Kind::ReduceScatter, {.output = 0, .input = 1, .reduceOp = 3})},
    {"c10d.scatter_", c10d(Kind::Scatter, {.output = 0, .input = 1, .root = 3}), ListOf::Devices},
    {"c10d.send", c10dPointToPoint(Kind::Send)},
    {"c10d_functional.all_gather_into_tensor", withRanks(allGather, 2)},
    {"c10d_functional.all_gather_into_tensor_coalesced", withRanks(allGatherList, 2)},
    {"c10d_functional.all_reduce", withRanks(allReduce, 3)},
    {"c10d_functional.all_reduce_coalesced", withRanks(allReduceList, 3)},
    {"c10d_functional.all_to_all_single", withRanks(allToAll, 4)},
    {"c10d_functional.batch_p2p_ops", batchP2P},
    {"c10d_functional.broadcast", withRanks(broadcast, 3)},
    {"c10d_functional.irecv", irecv},
    {"c10d_functional.isend", isend},
    {"c10d_functional.reduce_scatter_tensor", withRanks(reduceScatter, 3)},
    {"c10d_functional.reduce_scatter_tensor_coalesced", withRanks(reduceScatterList, 3)},
};

struct RoleEntry {
  llvm::StringLiteral key;
  OpRole role;
};

constexpr RoleEntry roles[] = {
    {"_c10d_functional.wait_tensor", OpRole::Wait},
    {"_c10d_functional.wait_tensors", OpRole::Wait},
    {"ao.offload", OpRole::HostCopy},
    {"ao.reload", OpRole::HostCopy},
    {"ao.wait_tensor", OpRole::Wait},
    {"c10d_functional.wait_tensor", OpRole::Wait},
    {"higher_order.control_deps", OpRole::ControlDeps},
    {"operator.getitem", OpRole::GetItem},
    // Both pass on what is finished: c10d's own forms are so when they return.
    {"torch.distributed._spmd.comm_tensor._wait_comm", OpRole::Wait},
    {"torch.distributed._spmd.comm_tensor._wrap_comm_result", OpRole::Wait},
};

void setAccess(OpDef &op, int index, Access access) {
  if (index >= 0)
    op.params[index].access = access;
}

/// When the tensors are read and written. A synchronous call is an ordinary step: it reads and writes when it is
/// issued. An asynchronous one holds its tensors to the wait, unless it has copied them: all_reduce clones its input at
/// launch, so that x may be overwritten right after c = all_reduce(x), where all_gather still reads x from the
/// transfer.
void applyAccesses(OpDef &op, const CollectiveSpec &spec) {
  constexpr Access readsWrites = Access::Read | Access::Write | Access::Alias;
  constexpr Access inFlightBoth = Access::InFlightRead | Access::InFlightWrite | Access::Alias;
  for (OpParam &param : op.params)
    param.access = Access::Read;
  if (spec.synchronous) {
    setAccess(op, spec.input, spec.inPlace ? readsWrites : Access::Read);
    setAccess(op, spec.output, Access::Write | Access::Alias);
    return;
  }
  setAccess(op, spec.input, spec.inPlace ? inFlightBoth : spec.copiesAtLaunch ? Access::Read : Access::InFlightRead);
  setAccess(op, spec.output, Access::InFlightWrite | Access::Alias);
  // Because it depends on the entry whether a tensor is sent or received, the operator as a whole does both.
  if (spec.kind == Kind::BatchP2P)
    setAccess(op, spec.output, inFlightBoth);
}

/// A copy reads its operand until the wait on its result (torch/_functorch/_activation_offloading/offload_ops.py: both
/// copies are issued with non_blocking = True). The result of an offload is pinned memory of the host.
void applyHostCopy(OpDef &op) {
  op.params[0].access = Access::InFlightRead;
  op.keepAlways = true;
  op.hostResult = op.paramIndex("device") < 0;
}

/// ao.wait_tensor also resizes the storage of `keepalive` to 0 bytes, which is a write for every other access to it.
void applyWait(OpDef &op) {
  op.params[0].access = Access::Alias | Access::Complete;
  op.freshResult = op.isView = false;
  op.keepAlways = true;
  op.frees = static_cast<int8_t>(op.paramIndex("keepalive"));
  setAccess(op, op.frees, Access::Write);
}

void applyRole(OpDef &op, OpRole role) {
  op.role = role;
  if (role == OpRole::HostCopy)
    applyHostCopy(op);
  if (role == OpRole::Wait)
    applyWait(op);
}

} // namespace

void applyCollectives(const OpDraft &draft) {
  OpDef &op = draft.op;
  if (const RoleEntry *entry = findEntry(llvm::ArrayRef(roles), draft.key))
    return applyRole(op, entry->role);
  if (draft.key.split('.').first == "higher_order")
    op.role = OpRole::HigherOrder;
  const CollectiveEntry *entry = findEntry(llvm::ArrayRef(entries), draft.key);
  if (!entry)
    return;
  op.role = OpRole::Collective;
  op.collective = entry->spec;
  op.domain = Domain::Comm;
  op.keepAlways = true;
  op.isView = op.mayAlias = false;
  op.freshResult = entry->spec.kind == Kind::BatchP2P || (!entry->spec.inPlace && entry->spec.output < 0);
  applyAccesses(op, entry->spec);
}

std::optional<size_t> numDevices(const Node &node) {
  llvm::StringRef key = node.target().str();
  key.consume_back(".default");
  const CollectiveEntry *entry = findEntry(llvm::ArrayRef(entries), key);
  if (!entry || entry->list != ListOf::Devices)
    return std::nullopt;
  bool isOfInputs = entry->spec.inPlace || entry->spec.kind == Kind::AllGather;
  const Argument *list = argumentAt(node, isOfInputs ? entry->spec.input : entry->spec.output);
  return list && list->isSequence() ? std::optional(list->elements().size()) : std::nullopt;
}

void forEachCollectiveKey(llvm::function_ref<void(llvm::StringRef key)> visit) {
  for (const CollectiveEntry &entry : entries)
    visit(entry.key);
  for (const RoleEntry &entry : roles)
    visit(entry.key);
}

namespace {

// In the order of the kinds.
constexpr CollectiveTraits traits[] = {
    {Kind::AllReduce, "all_reduce", false, true, "_c10d_functional.all_reduce.default",
     "_c10d_functional.all_reduce_coalesced.default"},
    {Kind::AllGather, "all_gather", false, true, "_c10d_functional.all_gather_into_tensor.default",
     "_c10d_functional.all_gather_into_tensor_coalesced.default"},
    {Kind::ReduceScatter, "reduce_scatter", false, true, "_c10d_functional.reduce_scatter_tensor.default",
     "_c10d_functional.reduce_scatter_tensor_coalesced.default"},
    {Kind::AllToAll, "all_to_all", false, true, "_c10d_functional.all_to_all_single.default", ""},
    {Kind::Broadcast, "broadcast", false, true, "_c10d_functional.broadcast.default", ""},
    {Kind::Scatter, "scatter", false, true, "", ""},
    {Kind::Send, "send", true, false, "", ""},
    {Kind::Recv, "recv", true, false, "", ""},
    {Kind::BatchP2P, "batch_p2p", true, false, "", ""},
    {Kind::ShardDimAllToAll, "shard_dim_alltoall", false, true, "", ""},
    {Kind::Barrier, "barrier", false, false, "", ""},
};

constexpr bool areInOrder() {
  for (size_t i = 0; i != std::size(traits); ++i)
    if (traits[i].kind != static_cast<Kind>(i))
      return false;
  return std::size(traits) == static_cast<size_t>(Kind::Barrier) + 1;
}
static_assert(areInOrder());

} // namespace

const CollectiveTraits &traitsOf(CollectiveKind kind) { return traits[static_cast<size_t>(kind)]; }

// Tried form by form and dtype by dtype on PyTorch 2.15's gloo (tests/evidence/list-forms does it). The single forms
// view a complex tensor as a real one of twice the size, the forms on a list hand it to the backend as it is, which has
// no such type (all_gather: "Invalid scalar type"), or divide it, which complex half cannot
// (torch/csrc/distributed/c10d/Functional.cpp, ProcessGroupGloo.cpp).
bool listFormTakes(CollectiveKind kind, llvm::StringRef reduceOp, DType dtype) {
  if (kind == Kind::AllGather)
    return !isComplex(dtype);
  std::optional<ReduceOp> op = parseReduceOp(reduceOp);
  if (kind == Kind::AllReduce || kind == Kind::ReduceScatter)
    return dtype != DType::C32 || (op && *op != ReduceOp::Avg); // because an object may mean avg
  return true;
}

} // namespace ccgraph
