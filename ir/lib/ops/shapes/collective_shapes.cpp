#include "ops/shapes/shape_rule.h"

#include "ccgraph/ir/dims.h"

namespace ccgraph {
namespace {

using Kind = CollectiveKind;
using DimList = llvm::SmallVector<Dim, 6>;

// Rows, the first dimension, are what ranks share out and put together. On 8 ranks and for x = f32[32, 2]:
//   all_reduce(x), broadcast(x)                f32[32, 2]
//   all_gather(x)                              f32[256, 2]
//   reduce_scatter(x)                          f32[4, 2]
//   all_to_all(x, output splits [1, 2, ...])   as many rows as the output splits add up to
// Results are contiguous, whatever the strides of x. A form on a list does so for each tensor.

/// What the shape of one tensor's result depends on.
struct Call {
  const Node &node;
  const CollectiveSpec &spec;
  std::optional<int64_t> groupSize;
};

const Type *contiguous(const Node &node, const Type &like, llvm::ArrayRef<Dim> sizes) {
  return contextOf(node).contiguousTensor(like.dtype(), sizes, like.device());
}

/// all_gather: rank r's input is rows [r * d, (r + 1) * d) of the result; a scalar counts as one row.
TypeResult gathered(const Call &call, const Type &input) {
  if (!call.groupSize)
    return nullptr;
  DimList sizes(input.sizes().begin(), input.sizes().end());
  if (sizes.empty())
    sizes.push_back(1);
  sizes[0] = multiply(contextOf(call.node), sizes[0], *call.groupSize);
  return contiguous(call.node, input, sizes);
}

/// reduce_scatter: an equal share of the rows; what is left over is dropped, which PyTorch only warns of.
TypeResult scattered(const Call &call, const Type &input) {
  if (input.sizes().empty())
    return shapeError(call.node, "the input of a reduce_scatter is 0-d; expected rows to share out",
                      "view it as [1] times the group's size");
  if (!call.groupSize || *call.groupSize <= 0)
    return nullptr;
  DimList sizes(input.sizes().begin(), input.sizes().end());
  std::optional<Dim> even = divideExactly(sizes[0], *call.groupSize);
  if (!even && !sizes[0].isStatic())
    return nullptr;
  sizes[0] = even ? *even : Dim(sizes[0].value() / *call.groupSize);
  return contiguous(call.node, input, sizes);
}

TypeResult exchanged(const Call &call, const Type &input) {
  auto splits = intsAt(call.node, call.spec.outputSplits);
  // Because legacy forms leave the splits out where all shares are equal, and then the shape stays.
  const Argument *given = argumentAt(call.node, call.spec.outputSplits);
  if (call.spec.legacy && (!given || given->is(Argument::Kind::None)))
    return contiguous(call.node, input, input.sizes());
  if (!splits || splits->empty() || input.sizes().empty())
    return nullptr;
  DimList sizes(input.sizes().begin(), input.sizes().end());
  sizes[0] = saturatingSum(*splits);
  return contiguous(call.node, input, sizes);
}

/// shard_dim_alltoall(x, gather, shard): dimension `gather` grows by the group's size, `shard` shrinks by it.
TypeResult resharded(const Call &call, const Type &input) {
  auto gather = intAt(call.node, 1);
  auto shard = intAt(call.node, 2);
  if (!call.groupSize || *call.groupSize <= 0 || !gather || !shard)
    return nullptr;
  auto gatherDim = wrapDim(*gather, input.sizes().size());
  auto shardDim = wrapDim(*shard, input.sizes().size());
  if (!gatherDim || !shardDim)
    return shapeError(call.node,
                      "dimensions " + llvm::Twine(*gather) + " and " + llvm::Twine(*shard) + " of a tensor of rank " +
                          llvm::Twine(input.sizes().size()),
                      "name dimensions that the input has");
  DimList sizes(input.sizes().begin(), input.sizes().end());
  sizes[*gatherDim] = multiply(contextOf(call.node), sizes[*gatherDim], *call.groupSize);
  std::optional<Dim> share = divideExactly(sizes[*shardDim], *call.groupSize);
  if (!share)
    return nullptr;
  sizes[*shardDim] = *share;
  return contiguous(call.node, input, sizes);
}

/// Result for one input tensor, of the forms that allocate their result.
TypeResult resultOf(const Call &call, const Type *input) {
  if (!input)
    return nullptr;
  switch (call.spec.kind) {
  case Kind::AllReduce:
  case Kind::Broadcast:
    return contiguous(call.node, *input, input->sizes());
  case Kind::AllGather:
    return gathered(call, *input);
  case Kind::ReduceScatter:
    return scattered(call, *input);
  case Kind::AllToAll:
    return exchanged(call, *input);
  case Kind::ShardDimAllToAll:
    return resharded(call, *input);
  case Kind::Scatter:
  case Kind::Send:
  case Kind::Recv:
  case Kind::BatchP2P:
  case Kind::Barrier:
    return nullptr;
  }
  return nullptr;
}

TypeResult listOf(const Call &call) {
  auto inputs = tensorsAt(call.node, call.spec.input);
  if (!inputs)
    return nullptr;
  llvm::SmallVector<const Type *, 8> results;
  for (const Type *input : *inputs) {
    TypeResult result = resultOf(call, input);
    if (!result)
      return result.takeError();
    results.push_back(*result);
  }
  return contextOf(call.node).list(results);
}

/// A send yields a tensor of no elements, which can be waited on.
const Type *tokenOf(const Node &node, const Type *sent) { return sent ? contiguous(node, *sent, {Dim(0)}) : nullptr; }

/// A batch of sends and receives yields, for each, what the single call would.
const Type *batchShape(const Node &node, const CollectiveSpec &spec) {
  const Argument *kinds = argumentAt(node, 0);
  auto tensors = tensorsAt(node, spec.input);
  if (!kinds || !tensors || kinds->elements().size() != tensors->size())
    return nullptr;
  llvm::SmallVector<const Type *, 8> results;
  for (auto [kind, tensor] : llvm::zip(kinds->elements(), *tensors)) {
    if (!kind.is(Argument::Kind::String))
      return nullptr;
    results.push_back(kind.text() == "isend" ? tokenOf(node, tensor) : tensor);
  }
  return contextOf(node).list(results);
}

/// The type of the buffers at a parameter: one tensor, or a list of them.
const Type *bufferType(const Node &node, int parameter) {
  if (const Type *single = tensorAt(node, parameter))
    return single;
  auto several = tensorsAt(node, parameter);
  return several ? contextOf(node).list(*several) : nullptr;
}

/// c10d's own forms yield (buffers, work), or the work alone.
const Type *withWork(const Node &node, const CollectiveSpec &spec) {
  const Type *buffers = bufferType(node, spec.inPlace ? spec.input : spec.output);
  return node.op()->results.size() == 2 && buffers ? contextOf(node).list({buffers, nullptr}) : nullptr;
}

} // namespace

std::optional<int64_t> groupSizeOf(const Node &node, const CollectiveCall &call) {
  if (call.groupSize)
    return call.groupSize;
  if (!call.ranks.empty())
    return static_cast<int64_t>(call.ranks.size());
  const Group *group = call.group.empty() ? nullptr : node.graph()->groups().find(call.group);
  return group ? group->size() : std::nullopt;
}

TypeResult collectiveShape(const Node &node) {
  const CollectiveSpec &spec = *collectiveOf(node);
  if (spec.synchronous && spec.legacy)
    return withWork(node, spec);
  if (spec.kind == Kind::BatchP2P)
    return batchShape(node, spec);
  if (spec.kind == Kind::Send)
    return tokenOf(node, tensorAt(node, spec.input));
  if (spec.inPlace || spec.output >= 0)
    return bufferType(node, spec.inPlace ? spec.input : spec.output);
  Call call{node, spec, groupSizeOf(node, *collectiveCall(node))};
  return spec.coalesced ? listOf(call) : resultOf(call, tensorAt(node, spec.input));
}

TypeResult waitShape(const Node &node) { return bufferType(node, 0); }

namespace {

/// How many elements a list has: by its type, else by what a collective on a list was given, since a text prints no types
/// of lists.
std::optional<size_t> numElementsOf(const Node &list) {
  if (list.type())
    return list.type()->isList() ? std::optional(list.type()->elements().size()) : std::nullopt;
  const CollectiveSpec *spec = collectiveOf(list);
  bool counts = spec && spec->coalesced && !spec->legacy && spec->kind != CollectiveKind::BatchP2P;
  const Argument *given = counts ? argumentAt(list, spec->input) : nullptr;
  // Because a node may stand for the whole list.
  bool isSpelledOut = given && given->isSequence() && !given->elements().empty();
  return isSpelledOut ? std::optional(given->elements().size()) : std::nullopt;
}

} // namespace

TypeResult getItemShape(const Node &node) {
  const Argument *index = argumentAt(node, 1);
  std::optional<size_t> elements = node.numOperands() ? numElementsOf(*node.operand(0)) : std::nullopt;
  if (!elements || !index || !index->is(Argument::Kind::Int))
    return nullptr;
  size_t count = *elements;
  std::optional<unsigned> at = wrapDim(index->integer(), count);
  if (!at)
    return shapeError(node,
                      "takes element " + llvm::Twine(index->integer()) + " of " + node.operand(0)->name().str() +
                          ", which has " + llvm::Twine(count) + " results; expected an element that is there",
                      "take an element from 0 to " + llvm::Twine(count - 1));
  const Type *list = node.operand(0)->type();
  return list ? list->elements()[*at] : nullptr;
}

} // namespace ccgraph
