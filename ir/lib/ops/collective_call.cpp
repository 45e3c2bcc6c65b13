#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {
namespace {

using Nodes = llvm::SmallVector<Node *, 2>;

void collect(const Node &node, const Argument *argument, Nodes &out) {
  if (!argument)
    return;
  if (argument->is(Argument::Kind::Operand))
    return out.push_back(node.operand(*argument));
  llvm::for_each(argument->elements(), [&](const Argument &element) { collect(node, &element, out); });
}

void readGroup(const Node &node, CollectiveCall &call) {
  const Argument *group = argumentAt(node, call.spec->group);
  if (!group)
    return;
  if (group->is(Argument::Kind::String))
    call.group = group->text();
  if (group->is(Argument::Kind::Operand))
    call.groupNode = node.operand(*group);
  for (const Argument &rank : group->elements())
    if (rank.is(Argument::Kind::Int))
      call.ranks.push_back(rank.integer());
}

void readBatch(const Node &node, CollectiveCall &call) {
  const Argument *kinds = argumentAt(node, 0);
  const Argument *tensors = argumentAt(node, call.spec->input);
  if (!kinds || !tensors)
    return;
  for (auto [kind, tensor] : llvm::zip(kinds->elements(), tensors->elements()))
    if (kind.is(Argument::Kind::String))
      collect(node, &tensor, kind.text() == "irecv" ? call.outputs : call.inputs);
}

void readTensors(const Node &node, CollectiveCall &call) {
  if (call.spec->kind == CollectiveKind::BatchP2P)
    return readBatch(node, call);
  collect(node, argumentAt(node, call.spec->input), call.inputs);
  collect(node, argumentAt(node, call.spec->output), call.outputs);
}

std::optional<int64_t> sumOfBytes(llvm::ArrayRef<const Type *> types) {
  int64_t sum = 0;
  for (const Type *type : types) {
    std::optional<int64_t> bytes = type && type->isList() ? sumOfBytes(type->elements())
                                   : type                 ? type->numBytes()
                                                          : std::nullopt;
    if (!bytes || __builtin_add_overflow(sum, *bytes, &sum))
      return std::nullopt;
  }
  return sum;
}

std::optional<int64_t> sumOfBytes(llvm::ArrayRef<Node *> nodes) {
  llvm::SmallVector<const Type *, 4> types;
  for (const Node *node : nodes)
    types.push_back(node->type());
  return sumOfBytes(types);
}

} // namespace

std::optional<CollectiveCall> collectiveCall(const Node &node) {
  const CollectiveSpec *spec = collectiveOf(node);
  if (!spec)
    return std::nullopt;
  CollectiveCall call;
  call.spec = spec;
  readGroup(node, call);
  readTensors(node, call);
  const Argument *reduceOp = argumentAt(node, spec->reduceOp);
  if (reduceOp && reduceOp->is(Argument::Kind::String))
    call.reduceOp = reduceOp->text().lower();
  const Argument *size = argumentAt(node, spec->groupSize);
  if (size && size->is(Argument::Kind::Int))
    call.groupSize = size->integer();
  return call;
}

std::optional<int64_t> inputBytes(const Node &collective) {
  std::optional<CollectiveCall> call = collectiveCall(collective);
  return call ? sumOfBytes(llvm::ArrayRef<Node *>(call->inputs)) : std::nullopt;
}

std::optional<int64_t> outputBytes(const Node &collective) {
  std::optional<CollectiveCall> call = collectiveCall(collective);
  if (!call)
    return std::nullopt;
  if (!call->outputs.empty())
    return sumOfBytes(llvm::ArrayRef<Node *>(call->outputs));
  if (call->spec->inPlace)
    return sumOfBytes(llvm::ArrayRef<Node *>(call->inputs));
  return sumOfBytes(llvm::ArrayRef<const Type *>(collective.type()));
}

} // namespace ccgraph
