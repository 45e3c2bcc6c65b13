#include "infer/families.h"

namespace ccgraph::infer {
namespace {

using Kind = CollectiveKind;

// Rows, the first dimension, are what ranks share out and put together. On 8 ranks and for x = f32[32, 2]:
//   all_reduce(x), broadcast(x)                f32[32, 2]
//   all_gather(x)                              f32[256, 2]
//   reduce_scatter(x)                          f32[4, 2]
//   all_to_all(x, output splits [1, 2, ...])   as many rows as the output splits add up to
// Results are contiguous, whatever the strides of x. A form on a list does so for each tensor.

/// The facts that determine the shape of one tensor's result.
struct Exchange {
  Call &call;
  const CollectiveSpec &spec;
  std::optional<int64_t> groupSize;
};

/// all_gather: rank r's input is rows [r * d, (r + 1) * d) of the result; a scalar counts as one row.
TypePtr gathered(const Exchange &exchange, const Type &input) {
  if (!exchange.groupSize)
    return nullptr;
  DimList sizes(input.sizes().begin(), input.sizes().end());
  if (sizes.empty())
    sizes.push_back(1);
  sizes[0] = multiply(exchange.call.context, sizes[0], *exchange.groupSize);
  return exchange.call.contiguousLike(input, sizes);
}

/// reduce_scatter: an equal share of the rows; what is left over is dropped, which PyTorch only warns of.
TypePtr scattered(const Exchange &exchange, const Type &input) {
  if (input.sizes().empty())
    return exchange.call.refuse("the input of a reduce_scatter is 0-d; expected rows to share out",
                                "view it as [1] times the group's size");
  if (!exchange.groupSize || *exchange.groupSize <= 0)
    return nullptr;
  DimList sizes(input.sizes().begin(), input.sizes().end());
  exchange.call.assumeUnless(sizes[0].isStatic());
  std::optional<Dim> share = floorDivide(exchange.call.context, sizes[0], *exchange.groupSize);
  if (!share)
    return nullptr;
  sizes[0] = *share;
  return exchange.call.contiguousLike(input, sizes);
}

TypePtr exchanged(const Exchange &exchange, const Type &input) {
  Call &call = exchange.call;
  auto splits = dimsAt(call.node, exchange.spec.outputSplits);
  // Because legacy forms leave the splits out where all shares are equal, and then the shape stays.
  const Argument *given = argumentAt(call.node, exchange.spec.outputSplits);
  if (exchange.spec.legacy && (!given || given->is(Argument::Kind::None)))
    return call.contiguousLike(input, input.sizes());
  if (!splits || splits->empty() || input.sizes().empty())
    return nullptr;
  call.assumeUnless(staticDims(*splits).has_value());
  DimList sizes(input.sizes().begin(), input.sizes().end());
  sizes[0] = Dim(0);
  for (const Dim &split : *splits)
    sizes[0] = add(call.context, sizes[0], split);
  return call.contiguousLike(input, sizes);
}

/// shard_dim_alltoall(x, gather, shard): dimension `gather` grows by the group's size, `shard` shrinks by it.
TypePtr resharded(const Exchange &exchange, const Type &input) {
  Call &call = exchange.call;
  auto gather = intAt(call.node, 1);
  auto shard = intAt(call.node, 2);
  if (!exchange.groupSize || *exchange.groupSize <= 0 || !gather || !shard)
    return nullptr;
  auto gatherDim = wrapDim(*gather, input.sizes().size());
  auto shardDim = wrapDim(*shard, input.sizes().size());
  if (!gatherDim || !shardDim)
    return call.refuse("dimensions " + llvm::Twine(*gather) + " and " + llvm::Twine(*shard) + " of a tensor of rank " +
                           llvm::Twine(input.sizes().size()),
                       "name dimensions that the input has");
  DimList sizes(input.sizes().begin(), input.sizes().end());
  sizes[*gatherDim] = multiply(call.context, sizes[*gatherDim], *exchange.groupSize);
  std::optional<Dim> share = divideExactly(call.context, sizes[*shardDim], *exchange.groupSize);
  if (!share)
    return nullptr;
  sizes[*shardDim] = *share;
  return call.contiguousLike(input, sizes);
}

/// Result for one input tensor, of the forms that allocate their result.
TypePtr resultOf(const Exchange &exchange, TypePtr input) {
  if (!input)
    return nullptr;
  switch (exchange.spec.kind) {
  case Kind::AllReduce:
  case Kind::Broadcast:
    return exchange.call.contiguousLike(*input, input->sizes());
  case Kind::AllGather:
    return gathered(exchange, *input);
  case Kind::ReduceScatter:
    return scattered(exchange, *input);
  case Kind::AllToAll:
    return exchanged(exchange, *input);
  case Kind::ShardDimAllToAll:
    return resharded(exchange, *input);
  case Kind::Scatter:
  case Kind::Send:
  case Kind::Recv:
  case Kind::BatchP2P:
  case Kind::Barrier:
    return nullptr;
  }
  return nullptr;
}

TypePtr listOf(const Exchange &exchange) {
  auto inputs = tensorsAt(exchange.call.node, exchange.spec.input);
  if (!inputs)
    return nullptr;
  llvm::SmallVector<TypePtr, 8> results;
  for (TypePtr input : *inputs)
    results.push_back(resultOf(exchange, input));
  return exchange.call.context.list(results);
}

/// A send yields a tensor of no elements, which can be waited on.
TypePtr tokenOf(const Call &call, TypePtr sent) { return sent ? call.contiguousLike(*sent, {Dim(0)}) : nullptr; }

/// A batch of sends and receives yields, for each, what the single call would.
TypePtr batchType(const Call &call, const CollectiveSpec &spec) {
  const Node &node = call.node;
  const Argument *kinds = argumentAt(node, 0);
  auto tensors = tensorsAt(node, spec.input);
  if (!kinds || !tensors || kinds->elements().size() != tensors->size())
    return nullptr;
  llvm::SmallVector<TypePtr, 8> results;
  for (auto [kind, tensor] : llvm::zip(kinds->elements(), *tensors)) {
    if (!kind.is(Argument::Kind::String))
      return nullptr;
    results.push_back(kind.text() == "isend" ? tokenOf(call, tensor) : tensor);
  }
  return contextOf(node).list(results);
}

/// The type of the buffers at a parameter: one tensor, or a list of them.
TypePtr bufferType(const Node &node, int parameter) {
  if (TypePtr single = tensorAt(node, parameter))
    return single;
  auto several = tensorsAt(node, parameter);
  return several ? contextOf(node).list(*several) : nullptr;
}

/// c10d's own forms yield (buffers, work), or the work alone.
TypePtr withWork(const Node &node, const CollectiveSpec &spec) {
  TypePtr buffers = bufferType(node, spec.inPlace ? spec.input : spec.output);
  return node.op()->results.size() == 2 && buffers ? contextOf(node).list({buffers, nullptr}) : nullptr;
}

} // namespace

TypePtr collectiveType(Call &call) {
  const Node &node = call.node;
  const CollectiveSpec &spec = *collectiveOf(node);
  if (spec.synchronous && spec.legacy)
    return withWork(node, spec);
  if (spec.kind == Kind::BatchP2P)
    return batchType(call, spec);
  if (spec.kind == Kind::Send)
    return tokenOf(call, tensorAt(node, spec.input));
  if (spec.inPlace || spec.output >= 0)
    return bufferType(node, spec.inPlace ? spec.input : spec.output);
  Exchange exchange{call, spec, groupSizeOf(node, *collectiveCall(node))};
  return spec.coalesced ? listOf(exchange) : resultOf(exchange, tensorAt(node, spec.input));
}

TypePtr waitType(Call &call) { return bufferType(call.node, 0); }

namespace {

/// How many elements a list has: by its type, else by what a collective on a list was given, since a text prints no
/// types
/// of lists.
std::optional<size_t> numElementsOf(const Node &list) {
  if (list.type())
    return list.type()->isList() ? std::optional(list.type()->elements().size()) : std::nullopt;
  const CollectiveSpec *spec = collectiveOf(list);
  bool counts = spec && spec->coalesced && !spec->legacy && spec->kind != CollectiveKind::BatchP2P;
  const Argument *given = counts ? argumentAt(list, spec->input) : nullptr;
  // A node may be the whole list, and then has no elements here.
  bool isSpelledOut = given && given->isSequence() && !given->elements().empty();
  return isSpelledOut ? std::optional(given->elements().size()) : std::nullopt;
}

} // namespace

TypePtr getItemType(Call &call) {
  const Node &node = call.node;
  const Argument *index = argumentAt(node, 1);
  std::optional<size_t> elements = node.numOperands() ? numElementsOf(*node.operand(0)) : std::nullopt;
  if (!elements || !index || !index->is(Argument::Kind::Int))
    return nullptr;
  std::optional<unsigned> at = wrapDim(index->integer(), *elements);
  if (!at)
    return call.refuse("takes element " + llvm::Twine(index->integer()) + " of " + node.operand(0)->name().str() +
                           ", which has " + llvm::Twine(*elements) + " results; expected the index of an element",
                       "take an element from 0 to " + llvm::Twine(*elements - 1));
  TypePtr list = node.operand(0)->type();
  return list ? list->elements()[*at] : nullptr;
}

namespace {

/// Elements of all tensors of a list; empty where one is not known.
std::optional<int64_t> elementsOf(const Call &call) {
  auto tensors = tensorsAt(call.node, 0);
  if (!tensors || tensors->empty())
    return std::nullopt;
  int64_t sum = 0;
  for (TypePtr type : *tensors) {
    auto count = type ? type->numElements() : std::nullopt;
    if (!count)
      return std::nullopt;
    sum = saturatingAdd(sum, *count);
  }
  return sum;
}

} // namespace

// The whole bucket, as elements of the dtype that is sent: each rank fills its part. If the bucket has several dtypes,
// the call states them as numbers. Only the number of the sent dtype is known here, so the type is unknown then.
TypePtr gatherBucket(Call &call) {
  auto count = elementsOf(call);
  auto ranks = intAt(call.node, 1);
  if (!count || !ranks || call.node.args().size() < 3 || !call.node.args()[2].is(Argument::Kind::DType))
    return nullptr;
  DType sent = call.node.args()[2].dtype();
  auto kinds = intsAt(call.node, 3);
  int64_t own = sent == DType::BF16 ? 1 : sent == DType::F32 ? 16 : -1;
  if (!kinds || llvm::any_of(*kinds, [&](int64_t kind) { return kind != own; }))
    return nullptr;
  Device device = (*tensorsAt(call.node, 0))[0]->device();
  return call.contiguous(call.node.args()[2].dtype(), {Dim(saturatingMultiply(*count, *ranks))}, device);
}

TypePtr scatterBucket(Call &call) {
  auto count = elementsOf(call);
  return count ? call.contiguousLike(*(*tensorsAt(call.node, 0))[0], {Dim(*count)}) : nullptr;
}

} // namespace ccgraph::infer
