#include "nccl/row_calls.h"

namespace ccgraph::runtime {
namespace {

/// How elements of a dtype are moved: so many of a type the library has.
struct Carrier {
  GpuType type = GpuType::U8;
  int64_t perElement = 1;
};

/// Returns the number type in which the library reduces this dtype; nothing where it cannot.
std::optional<Carrier> numbersOf(DType dtype) {
  switch (dtype) {
  case DType::U8:
  case DType::Bool:
    return Carrier{GpuType::U8};
  case DType::I8:
    return Carrier{GpuType::I8};
  case DType::I32:
    return Carrier{GpuType::I32};
  case DType::U32:
    return Carrier{GpuType::U32};
  case DType::I64:
    return Carrier{GpuType::I64};
  case DType::U64:
    return Carrier{GpuType::U64};
  case DType::F16:
    return Carrier{GpuType::F16};
  case DType::BF16:
    return Carrier{GpuType::BF16};
  case DType::F32:
    return Carrier{GpuType::F32};
  case DType::F64:
    return Carrier{GpuType::F64};
  case DType::C32:
    return Carrier{GpuType::F16, 2};
  case DType::C64:
    return Carrier{GpuType::F32, 2};
  case DType::C128:
    return Carrier{GpuType::F64, 2};
  case DType::F8E4M3FN:
    return Carrier{GpuType::F8E4M3};
  case DType::F8E5M2:
    return Carrier{GpuType::F8E5M2};
  case DType::I16:
  case DType::U16:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0FNU:
  case DType::F4E2M1FNX2:
    return std::nullopt;
  }
  return std::nullopt;
}

Carrier carrierOf(DType dtype) {
  return numbersOf(dtype).value_or(Carrier{GpuType::U8, static_cast<int64_t>(sizeInBytes(dtype))});
}

/// The sum of bools is "or", the larger of two; their product is the smaller.
std::optional<GpuReduceOp> reductionOf(ReduceOp op, DType dtype) {
  ReduceOp meant = operatorOn(op, dtype);
  bool isBool = dtype == DType::Bool;
  switch (meant) {
  case ReduceOp::Sum:
    return GpuReduceOp::Sum;
  case ReduceOp::Avg:
    return isBool ? std::nullopt : std::optional(GpuReduceOp::Avg);
  case ReduceOp::Product:
    return GpuReduceOp::Product;
  case ReduceOp::Min:
    return GpuReduceOp::Min;
  case ReduceOp::Max:
    return GpuReduceOp::Max;
  case ReduceOp::Bor:
    return isBool ? std::optional(GpuReduceOp::Max) : std::nullopt;
  case ReduceOp::Band:
    return isBool ? std::optional(GpuReduceOp::Min) : std::nullopt;
  case ReduceOp::Bxor:
    return std::nullopt;
  }
  return std::nullopt;
}

std::byte *dataOf(const Buffer &buffer) { return buffer.pieces().empty() ? nullptr : buffer.pieces().front().data(); }

GpuRow rowOf(const Buffer &send, const Buffer &receive, int64_t elements, DType dtype) {
  Carrier carrier = carrierOf(dtype);
  return {dataOf(send), dataOf(receive), elements * carrier.perElement, carrier.type};
}

int intOf(size_t number) { return static_cast<int>(number); }

} // namespace

void RowCalls::add(RowCall call) {
  // The counts are the same on all ranks, so all ranks omit an empty call.
  if (call.row.count != 0)
    calls_.push_back(call);
}

void RowCalls::add(const CallSeat &seat, const Launch &launch, GpuComm comm) {
  if (launch.kind == CollectiveKind::Barrier)
    add({RowCall::Kind::AllReduce, comm, {signal_, signal_, 1, GpuType::I32}});
  for (size_t row = 0; row < launch.send.size(); ++row)
    addRow(seat, launch, row, comm);
}

void RowCalls::addRow(const CallSeat &seat, const Launch &launch, size_t row, GpuComm comm) {
  const Buffer &send = launch.send[row], &receive = launch.receive[row];
  switch (launch.kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::ReduceScatter:
    return addReduction(seat, launch, row, comm);
  case CollectiveKind::AllGather:
    return add({RowCall::Kind::AllGather, comm, rowOf(send, receive, send.numElements(), send.dtype())});
  case CollectiveKind::Broadcast: {
    RowCall call{RowCall::Kind::Broadcast, comm, rowOf(send, receive, receive.numElements(), receive.dtype())};
    call.peer = static_cast<int>(launch.root);
    return add(call);
  }
  case CollectiveKind::AllToAll:
  case CollectiveKind::ShardDimAllToAll:
    return addShares(seat, launch, row, comm);
  case CollectiveKind::Scatter:
    return addScatter(seat, launch, row, comm);
  // A channel's communicator has its sender first.
  case CollectiveKind::Send:
    return addTransfer(launch, row, comm, 1);
  case CollectiveKind::Recv:
    return addTransfer(launch, row, comm, 0);
  case CollectiveKind::BatchP2P:
  case CollectiveKind::Barrier:
    return;
  }
}

void RowCalls::addReduction(const CallSeat &seat, const Launch &launch, size_t row, GpuComm comm) {
  const Buffer &send = launch.send[row], &receive = launch.receive[row];
  DType dtype = send.dtype();
  std::optional<GpuReduceOp> reduction = reductionOf(*launch.reduceOp, dtype);
  bool ofParts = isComplex(dtype) && reduction != GpuReduceOp::Sum && reduction != GpuReduceOp::Avg;
  if (!numbersOf(dtype) || !reduction || ofParts)
    return addGathered(seat, launch, row, comm);
  bool whole = launch.kind == CollectiveKind::AllReduce;
  add({whole ? RowCall::Kind::AllReduce : RowCall::Kind::ReduceScatter, comm,
       rowOf(send, receive, receive.numElements(), dtype), *reduction});
}

void RowCalls::addGathered(const CallSeat &seat, const Launch &launch, size_t row, GpuComm comm) {
  const Buffer &send = launch.send[row], &receive = launch.receive[row];
  int64_t size = sizeInBytes(send.dtype()), bytes = send.numElements() * size;
  if (bytes == 0)
    return;
  auto members = static_cast<int64_t>(seat.members.size());
  std::byte *gathered = scratch_(members * bytes);
  add({RowCall::Kind::AllGather, comm, {dataOf(send), gathered, bytes, GpuType::U8}});
  bool whole = launch.kind == CollectiveKind::AllReduce;
  int64_t first = whole ? 0 : static_cast<int64_t>(seat.member) * receive.numElements() * size;
  reductions_.push_back(
      {gathered + first, bytes, members, dataOf(receive), receive.numElements(), send.dtype(), *launch.reduceOp});
}

void RowCalls::addShares(const CallSeat &seat, const Launch &launch, size_t row, GpuComm comm) {
  const Buffer &send = launch.send[row], &receive = launch.receive[row];
  Carrier carrier = carrierOf(send.dtype());
  int64_t size = sizeInBytes(send.dtype());
  const std::byte *from = dataOf(send);
  std::byte *to = dataOf(receive);
  for (size_t member = 0; member < seat.members.size(); ++member) {
    int64_t sent = launch.sendCounts[member], received = launch.receiveCounts[member];
    if (member == seat.member && sent != 0) {
      copies_.push_back({to, from, sent * size});
    } else if (member != seat.member) {
      add({RowCall::Kind::Send, comm, {from, nullptr, sent * carrier.perElement, carrier.type}, {}, intOf(member)});
      add({RowCall::Kind::Receive,
           comm,
           {nullptr, to, received * carrier.perElement, carrier.type},
           {},
           intOf(member)});
    }
    from += sent * size;
    to += received * size;
  }
}

void RowCalls::addScatter(const CallSeat &seat, const Launch &launch, size_t row, GpuComm comm) {
  const Buffer &receive = launch.receive[row];
  int64_t share = receive.numElements(), bytes = share * static_cast<int64_t>(sizeInBytes(receive.dtype()));
  Carrier carrier = carrierOf(receive.dtype());
  if (launch.root != static_cast<int64_t>(seat.member)) {
    add({RowCall::Kind::Receive,
         comm,
         {nullptr, dataOf(receive), share * carrier.perElement, carrier.type},
         {},
         static_cast<int>(launch.root)});
    return;
  }
  for (size_t member = 0; member < seat.members.size(); ++member) {
    const std::byte *from = dataOf(launch.send[row]) + static_cast<int64_t>(member) * bytes;
    if (member != seat.member)
      add({RowCall::Kind::Send, comm, {from, nullptr, share * carrier.perElement, carrier.type}, {}, intOf(member)});
    else if (from != dataOf(receive) && bytes != 0)
      copies_.push_back({dataOf(receive), from, bytes});
  }
}

void RowCalls::addTransfer(const Launch &launch, size_t row, GpuComm comm, int peer) {
  bool sends = launch.kind == CollectiveKind::Send;
  const Buffer &moved = sends ? launch.send[row] : launch.receive[row];
  add({sends ? RowCall::Kind::Send : RowCall::Kind::Receive,
       comm,
       rowOf(launch.send[row], launch.receive[row], moved.numElements(), moved.dtype()),
       {},
       peer});
}

static int issueOne(GpuCalls &calls, const RowCall &call, GpuStream stream) {
  GpuCommStream on{call.comm, stream};
  switch (call.kind) {
  case RowCall::Kind::AllReduce:
    return calls.allReduce(call.row, call.reduction, on);
  case RowCall::Kind::ReduceScatter:
    return calls.reduceScatter(call.row, call.reduction, on);
  case RowCall::Kind::AllGather:
    return calls.allGather(call.row, on);
  case RowCall::Kind::Broadcast:
    return calls.broadcast(call.row, call.peer, on);
  case RowCall::Kind::Send:
    return calls.send(call.row, call.peer, on);
  case RowCall::Kind::Receive:
    return calls.receive(call.row, call.peer, on);
  }
  return 0;
}

int RowCalls::issue(GpuCalls &calls, GpuStream stream) const {
  for (const ShareCopy &copy : copies_)
    if (int code = calls.copy(GpuCopy::OnDevice, copy.to, copy.from, copy.bytes, stream))
      return code;
  if (int code = issueCalls(calls, stream))
    return code;
  for (const GpuGathered &rows : reductions_)
    if (int code = calls.reduceRows(rows, stream))
      return code;
  return 0;
}

int RowCalls::issueCalls(GpuCalls &calls, GpuStream stream) const {
  bool group = calls_.size() > 1;
  if (int code = group ? calls.groupStart() : 0)
    return code;
  int failed = 0;
  for (const RowCall &call : calls_)
    failed = failed ? failed : issueOne(calls, call, stream);
  // A group that was begun must end, whatever the result of its calls.
  int ended = group ? calls.groupEnd() : 0;
  return failed ? failed : ended;
}

} // namespace ccgraph::runtime
