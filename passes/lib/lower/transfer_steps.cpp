#include "lower/call_group.h"
#include "lower/staging.h"
#include "lower/steps.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::lower {
namespace {

using llvm::Twine;

/// One call of isend, irecv or batch_p2p_ops: a step for each transfer, on the stream of its channel.
class TransferLowering {
public:
  TransferLowering(Emitter &emitter, const Node &node)
      : emitter_(emitter), node_(node), op_(*node.op()), spec_(*node.op()->collective) {}

  Lowered lower();

private:
  struct Transfer {
    PlanCollective call;
    TensorObject tensor;
  };
  llvm::Error checkApart(llvm::ArrayRef<Transfer> transfers);
  void emitTransfer(PlanCollective transfer, const TensorObject &tensor, Moment landing);
  [[nodiscard]] llvm::Error error(const Twine &message, const Twine &repair) const {
    return loweringError(node_, "lower.call", message, repair);
  }

  Emitter &emitter_;
  const Node &node_;
  const OpDef &op_;
  const CollectiveSpec &spec_;
};

void TransferLowering::emitTransfer(PlanCollective transfer, const TensorObject &tensor, Moment landing) {
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
  emitter_.keepUntil(landing, {*window, *tensor});
}

/// Because the transfers of a batch fly at once: which of them touches the common bytes first hangs on the network.
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

Lowered TransferLowering::lower() {
  llvm::Expected<CallGroup> group = groupOfCall(emitter_, node_);
  if (!group)
    return group.takeError();
  bool batch = spec_.kind == CollectiveKind::BatchP2P;
  auto listAt = [&](int parameter) -> std::vector<LoweredValue> {
    const Argument *argument = argumentAt(node_, parameter);
    LoweredValue value = argument ? emitter_.valueOf(node_, *argument) : LoweredValue();
    return value.kind == LoweredValue::Kind::List ? value.elements : std::vector<LoweredValue>{value};
  };
  auto integer = [](const LoweredValue &value) -> std::optional<int64_t> {
    bool is = value.kind == LoweredValue::Kind::Literal && value.literal.is(Argument::Kind::Int);
    return is ? std::optional(value.literal.integer()) : std::nullopt;
  };
  std::vector<LoweredValue> tensors = listAt(spec_.input >= 0 ? spec_.input : spec_.output), peers = listAt(spec_.peer);
  int tagParameter = op_.paramIndex(batch ? "tag_list" : "tag");
  bool tagged = argumentAt(node_, tagParameter) != nullptr;
  std::vector<LoweredValue> tags = listAt(tagParameter), words = batch ? listAt(op_.paramIndex("op_list")) : tensors;
  if (peers.size() != tensors.size() || (tagged && tags.size() != tensors.size()) || words.size() != tensors.size())
    return error("got " + Twine(tensors.size()) + " tensors, " + Twine(peers.size()) + " peers and " +
                     Twine(tags.size()) + " tags",
                 "give one of each a transfer");
  std::vector<Transfer> transfers;
  std::vector<LoweredValue> results;
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::optional<int64_t> peer = integer(peers[i]), tag = tagged ? integer(tags[i]) : std::optional<int64_t>(0);
    if (!tensors[i].isTensor() || !peer || !tag)
      return error("transfer " + Twine(i) + " lacks a tensor, a peer or a tag that is a number", "give one of each");
    bool isSend = batch ? words[i].kind == LoweredValue::Kind::Literal && words[i].literal.is(Argument::Kind::String) &&
                              words[i].literal.text() == "isend"
                        : spec_.kind == CollectiveKind::Send;
    PlanCollective transfer;
    transfer.kind = isSend ? CollectiveKind::Send : CollectiveKind::Recv;
    transfer.group = group->index;
    transfer.peer = *peer;
    transfer.tag = *tag;
    transfers.push_back({transfer, tensors[i].tensor});
    // Because a send yields a token: a tensor without elements.
    const Type &sent = *tensors[i].tensor->type;
    results.push_back(
        isSend ? LoweredValue::of(emitter_.freshTensor(
                     node_.name(), emitter_.context().contiguousTensor(sent.dtype(), {Dim(0)}, sent.device())))
               : tensors[i]);
  }
  if (llvm::Error error = checkApart(transfers))
    return error;
  Moment landing = emitter_.landsAt(node_);
  for (const Transfer &transfer : transfers)
    emitTransfer(transfer.call, transfer.tensor, landing);
  return batch ? LoweredValue::list(std::move(results)) : results.front();
}

} // namespace

Lowered lowerTransfers(Emitter &emitter, const Node &node) { return TransferLowering(emitter, node).lower(); }

} // namespace ccgraph::lower
