#include "lower/call_group.h"
#include "lower/node_operands.h"
#include "lower/staging.h"
#include "lower/steps.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::lower {
namespace {

using llvm::Twine;

/// Lowers one call of isend, irecv or batch_p2p_ops: a step for each transfer, on the stream of its channel.
class TransferLowering {
public:
  TransferLowering(Emitter &emitter, const Node &node)
      : emitter_(emitter), node_(node), spec_(*node.op()->collective) {}

  Lowered lower();

private:
  struct Transfer {
    PlanCollective call;
    TensorObject tensor;
  };
  LoweredValue token(const TensorObject &sent);
  llvm::Error checkApart(llvm::ArrayRef<Transfer> transfers);
  void emitTransfer(PlanCollective transfer, const TensorObject &tensor, Moment completion);
  [[nodiscard]] llvm::Error error(const Twine &message, const Twine &repair) const {
    return loweringError(node_, "lower.call", message, repair);
  }

  Emitter &emitter_;
  const Node &node_;
  const CollectiveSpec &spec_;
};

void TransferLowering::emitTransfer(PlanCollective transfer, const TensorObject &tensor, Moment completion) {
  bool sends = transfer.kind == CollectiveKind::Send;
  std::vector<CopyStep> copies;
  std::optional<PlanWindow> window =
      wholeWindow(emitter_, node_, {tensor}, copies, sends ? Staging::Sent : Staging::Received);
  transfer.rows.push_back(sends ? PlanRow{window, std::nullopt} : PlanRow{std::nullopt, window});
  StreamId stream = emitter_.transferStream(transfer);
  if (sends)
    for (const CopyStep &copy : copies)
      emitter_.emit(node_, Plan::computeStream, copy);
  CollectiveStep step;
  step.calls.push_back(transfer);
  emitter_.emit(node_, stream, std::move(step));
  if (!sends)
    for (const CopyStep &copy : copies)
      emitter_.emit(node_, stream, copy);
  emitter_.keepUntil(completion, {*window, *tensor});
}

/// The transfers of a batch are in flight together, so the network would decide which of them accesses common bytes
/// first.
llvm::Error TransferLowering::checkApart(llvm::ArrayRef<Transfer> transfers) {
  auto fills = [](const Transfer &transfer) { return transfer.call.kind == CollectiveKind::Recv; };
  for (size_t i = 0; i < transfers.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if ((fills(transfers[i]) || fills(transfers[j])) &&
          mayOverlap(emitter_.plan(), *transfers[i].tensor, *transfers[j].tensor))
        return error("transfers " + Twine(j) + " and " + Twine(i) + " share memory that " +
                         (fills(transfers[i]) && fills(transfers[j]) ? "both fill" : "one fills and the other sends"),
                     "give one of them a copy");
  return llvm::Error::success();
}

/// A send yields a token: a tensor without elements.
LoweredValue TransferLowering::token(const TensorObject &sent) {
  const Type *type = emitter_.context().contiguousTensor(sent->type->dtype(), {Dim(0)}, sent->type->device());
  return LoweredValue::tensor(emitter_.freshTensor(node_.name(), type));
}

Lowered TransferLowering::lower() {
  NodeOperands operands = operandsOf(emitter_, node_);
  llvm::Expected<CallGroup> group = groupOfCall(emitter_, operands.call, node_);
  if (!group)
    return group.takeError();
  llvm::Expected<std::vector<BoundTransfer>> bound = bindTransfers(operands.call, group->size);
  if (!bound)
    return bound.takeError();
  std::vector<Transfer> transfers;
  std::vector<LoweredValue> results;
  for (const BoundTransfer &transfer : *bound) {
    PlanCollective call;
    call.kind = transfer.kind;
    call.group = group->index;
    call.peer = transfer.peer;
    call.tag = transfer.tag;
    const TensorObject &tensor = operands.tensors[transfer.tensor.handle];
    transfers.push_back({call, tensor});
    results.push_back(call.kind == CollectiveKind::Send ? token(tensor) : LoweredValue::tensor(tensor));
  }
  if (llvm::Error error = checkApart(transfers))
    return error;
  Moment completion = emitter_.completesAt(node_);
  for (const Transfer &transfer : transfers)
    emitTransfer(transfer.call, transfer.tensor, completion);
  return spec_.kind == CollectiveKind::BatchP2P ? LoweredValue::list(std::move(results)) : results.front();
}

} // namespace

Lowered lowerTransfers(Emitter &emitter, const Node &node) { return TransferLowering(emitter, node).lower(); }

} // namespace ccgraph::lower
