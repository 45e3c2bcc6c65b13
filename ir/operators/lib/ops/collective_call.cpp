#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"

namespace ccgraph {
namespace {

using Nodes = llvm::SmallVector<Node *, 2>;

/// Every node below the argument, lists of lists included: c10d.allgather_ takes Tensor[][], a list a device of the
/// rank.
void collect(const Node &node, const Argument *argument, Nodes &out) {
  if (!argument)
    return;
  if (argument->is(Argument::Kind::Operand))
    return out.push_back(node.operand(*argument));
  llvm::for_each(argument->elements(), [&](const Argument &element) { collect(node, &element, out); });
}

/// A call names its group in one of three forms: a text such as "tp"; a node that yields a process group; or the list
/// of ranks, which older operators have: all_reduce(x, "sum", "", [0, 1], 2).
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

/// Words and tensors are two lists of one length: ["isend", "irecv"] with [x, y] sends x and receives into y.
void readBatch(const Node &node, CollectiveCall &call) {
  const Argument *kinds = argumentAt(node, 0);
  const Argument *tensors = argumentAt(node, call.spec->input);
  if (!kinds || !tensors)
    return;
  for (auto [kind, tensor] : llvm::zip(kinds->elements(), tensors->elements()))
    if (kind.is(Argument::Kind::String))
      collect(node, &tensor, kind.text() == "irecv" ? call.outputs : call.inputs);
}

std::optional<int64_t> integerAt(const Node &node, int parameter) {
  const Argument *argument = argumentAt(node, parameter);
  return argument && argument->is(Argument::Kind::Int) ? std::optional<int64_t>(argument->integer()) : std::nullopt;
}

/// A number, or a list of them; empty where one is none.
std::optional<std::vector<int64_t>> integersAt(const Node &node, int parameter) {
  const Argument *argument = argumentAt(node, parameter);
  if (!argument || argument->is(Argument::Kind::None))
    return std::nullopt;
  llvm::ArrayRef<Argument> elements = argument->isSequence() ? argument->elements() : llvm::ArrayRef(*argument);
  if (!llvm::all_of(elements, [](const Argument &element) { return element.is(Argument::Kind::Int); }))
    return std::nullopt;
  std::vector<int64_t> numbers;
  for (const Argument &element : elements)
    numbers.push_back(element.integer());
  return numbers;
}

void readNumbers(const Node &node, CollectiveCall &call) {
  call.groupSize = integerAt(node, call.spec->groupSize);
  call.root = integerAt(node, call.spec->root);
  call.peers = integersAt(node, call.spec->peer).value_or(std::vector<int64_t>());
  call.inputSplits = integersAt(node, call.spec->inputSplits);
  call.outputSplits = integersAt(node, call.spec->outputSplits);
  if (isPointToPoint(call.spec->kind)) {
    bool batch = call.spec->kind == CollectiveKind::BatchP2P;
    call.tags = integersAt(node, node.op()->paramIndex(batch ? "tag_list" : "tag")).value_or(std::vector<int64_t>());
  }
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

constexpr llvm::StringLiteral reductions[] = {"sum", "avg", "product", "min", "max", "band", "bor", "bxor"};

} // namespace

llvm::StringRef reduceOpName(ReduceOp op) { return reductions[static_cast<size_t>(op)]; }

std::optional<ReduceOp> parseReduceOp(llvm::StringRef text) {
  for (size_t i = 0; i < std::size(reductions); ++i)
    if (text.equals_insensitive(reductions[i]))
      return static_cast<ReduceOp>(i);
  return std::nullopt;
}

bool isDefinedOn(ReduceOp op, DType dtype) {
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Avg:
    return true;
  case ReduceOp::Product:
  case ReduceOp::Min:
  case ReduceOp::Max:
    return !isComplex(dtype);
  case ReduceOp::Band:
  case ReduceOp::Bor:
  case ReduceOp::Bxor:
    return !isFloat(dtype) && !isComplex(dtype);
  }
  return false;
}

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
  readNumbers(node, call);
  return call;
}

std::optional<int64_t> inputBytes(const Node &collective) {
  std::optional<CollectiveCall> call = collectiveCall(collective);
  return call ? sumOfBytes(llvm::ArrayRef<Node *>(call->inputs)) : std::nullopt;
}

// The memory of the result is one of three: buffers that are arguments, the inputs (all_reduce_), or new memory, whose
// size follows from the type of the node.
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
