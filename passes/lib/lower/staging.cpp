#include "lower/staging.h"

namespace ccgraph::lower {

Pieces piecesOf(const LoweredValue &list) {
  Pieces pieces;
  for (const LoweredValue &element : list.elements)
    if (element.isTensor())
      pieces.push_back(element.window);
  return pieces;
}

std::optional<PlanWindow> wholeWindow(Emitter &emitter, const Node &node, const Pieces &pieces,
                                      std::vector<CopyStep> &copies, Staging staging) {
  if (pieces.empty())
    return std::nullopt;
  if (pieces.size() == 1 && pieces.front()->type->isContiguous())
    return *pieces.front();
  Context &context = emitter.context();
  Dim total = 0;
  for (const TensorObject &piece : pieces)
    total = add(context, total, productOf(context, piece->type->sizes()));
  const Type &first = *pieces.front()->type;
  PlanWindow whole =
      *emitter.freshTensor(node.name(), context.contiguousTensor(first.dtype(), {total}, first.device()));
  Dim at = 0;
  for (const TensorObject &piece : pieces) {
    const Type *type = context.contiguousTensor(first.dtype(), piece->type->sizes(), first.device());
    PlanWindow part{whole.buffer, type, at};
    copies.push_back(staging == Staging::Sent ? CopyStep{*piece, part} : CopyStep{part, *piece});
    at = add(context, at, productOf(context, piece->type->sizes()));
  }
  return whole;
}

PlanWindow copiedOut(Emitter &emitter, const Node &node, const PlanWindow &window, std::vector<CopyStep> &copies) {
  PlanWindow copy = *emitter.freshTensor(node.name(), window.type);
  copies.push_back({window, copy});
  return copy;
}

bool mayOverlap(const Plan &plan, const PlanWindow &a, const PlanWindow &b) {
  if (a.buffer != b.buffer)
    return false;
  auto stated = symbolsOf(plan.layout);
  std::optional<ByteRange> first = bytesOf(a, stated), second = bytesOf(b, stated);
  bool apart = first && second && (first->end <= second->begin || second->end <= first->begin);
  return !apart;
}

} // namespace ccgraph::lower
