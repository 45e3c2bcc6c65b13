#include "call_reader.h"

#include "ccgraph/ir/graph.h"

namespace ccgraph::jobs {
namespace {

/// Returns "[4, s0]".
std::string sizesText(const Type &type) {
  std::string text;
  for (const Dim &size : type.sizes())
    text += (text.empty() ? "" : ", ") + size.str();
  return "[" + text + "]";
}

void addRow(Call &call, const Node &tensor) {
  const Type *type = tensor.type();
  if (!type || !type->isTensor())
    return call.rows.emplace_back(), void();
  call.rows.push_back({type->dtype(), type->numElements()});
  if (!call.rows.back().elements)
    call.symbols += sizesText(*type);
}

/// Returns the number of elements of one row of dimension 0; empty if it is symbolic.
std::optional<int64_t> elementsOfRow(const Type *type) {
  if (!type || !type->isTensor() || type->sizes().empty())
    return std::nullopt;
  int64_t product = 1;
  for (const Dim &size : type->sizes().drop_front())
    if (!size.isStatic() || __builtin_mul_overflow(product, size.value(), &product))
      return std::nullopt;
  return product;
}

/// Returns the elements of each part; empty if they are not numbers.
std::vector<int64_t> elementsOf(const std::optional<std::vector<int64_t>> &rows, const Type *type) {
  std::optional<int64_t> row = elementsOfRow(type);
  if (!rows || !row)
    return {};
  std::vector<int64_t> counts;
  for (int64_t part : *rows) {
    int64_t count = 0;
    if (__builtin_mul_overflow(part, *row, &count))
      return {};
    counts.push_back(count);
  }
  return counts;
}

bool isLeftOut(const Node &node, int parameter) {
  const Argument *argument = argumentAt(node, parameter);
  return !argument || argument->is(Argument::Kind::None) || (argument->isSequence() && argument->elements().empty());
}

void readExchange(const Node &node, const CollectiveCall &from, Call &call) {
  const CollectiveSpec &spec = *from.spec;
  const Type *input = from.inputs.size() == 1 ? from.inputs.front()->type() : nullptr;
  const Type *output = from.outputs.size() == 1 ? from.outputs.front()->type() : node.type();
  call.received = output && output->isTensor() ? output->numElements() : std::nullopt;
  call.isEven = isLeftOut(node, spec.inputSplits) && isLeftOut(node, spec.outputSplits);
  if (!call.isEven) {
    call.sends = elementsOf(from.inputSplits, input);
    call.receives = elementsOf(from.outputSplits, output);
  }
}

Call transferOf(CollectiveKind kind, const Node &tensor) {
  Call call;
  call.kind = kind;
  addRow(call, tensor);
  return call;
}

template <typename T>
T at(llvm::ArrayRef<T> list, size_t index, T missing) {
  return index < list.size() ? list[index] : missing;
}

} // namespace

Call readCall(const Node &node, const CollectiveCall &from) {
  Call call;
  call.kind = from.spec->kind;
  call.reduceOp = parseReduceOp(from.reduceOp);
  call.root = from.root;
  // All members of a scatter receive tensors of the same form, and only the root sends.
  for (const Node *tensor : call.kind == CollectiveKind::Scatter ? from.outputs : from.inputs)
    addRow(call, *tensor);
  if (call.kind == CollectiveKind::Barrier)
    call.rows.clear(); // a barrier moves nothing
  if (call.kind == CollectiveKind::AllToAll)
    readExchange(node, from, call);
  return call;
}

std::vector<TransferCall> readTransfers(const Node &node, const CollectiveCall &call) {
  std::vector<TransferCall> transfers;
  auto add = [&](bool receives, const Node &tensor) {
    size_t index = transfers.size();
    transfers.push_back({transferOf(receives ? CollectiveKind::Recv : CollectiveKind::Send, tensor),
                         at<int64_t>(call.peers, index, -1), at<int64_t>(call.tags, index, 0), receives});
  };
  if (call.spec->kind == CollectiveKind::Send && !call.inputs.empty())
    add(false, *call.inputs.front());
  if (call.spec->kind == CollectiveKind::Recv && !call.outputs.empty())
    add(true, *call.outputs.front());
  if (call.spec->kind != CollectiveKind::BatchP2P)
    return transfers;
  const Argument *words = argumentAt(node, 0);
  size_t sent = 0, received = 0;
  for (const Argument &word : words ? words->elements() : llvm::ArrayRef<Argument>()) {
    bool receives = word.is(Argument::Kind::String) && word.text() == "irecv";
    const auto &tensors = receives ? call.outputs : call.inputs;
    size_t index = receives ? received++ : sent++;
    if (index < tensors.size())
      add(receives, *tensors[index]);
  }
  return transfers;
}

} // namespace ccgraph::jobs
