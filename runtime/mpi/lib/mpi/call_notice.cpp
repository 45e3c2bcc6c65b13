#include "mpi/call_notice.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {
namespace {

CallNotice headOf(const CallSeat &seat, const Launch &launch) {
  CallNotice notice;
  notice.name = launch.call.name.str().str();
  notice.seat = seat;
  notice.reduceOp = launch.reduceOp;
  notice.root = launch.root;
  notice.position = launch.position;
  return notice;
}

std::optional<CallNotice::Side> sideOf(const Buffer &row) {
  if (row.pieces().empty())
    return std::nullopt;
  return CallNotice::Side{row.dtype(), row.numElements()};
}
std::optional<CallNotice::Side> sideOf(const std::optional<PlanWindow> &window) {
  if (!window)
    return std::nullopt;
  return CallNotice::Side{window->type->dtype(), -1};
}

void write(ByteWriter &to, const std::optional<CallNotice::Side> &side) {
  to.number(side ? static_cast<int64_t>(side->dtype) : -1);
  to.number(side ? side->elements : 0);
}
std::optional<CallNotice::Side> readSide(ByteReader &from) {
  int64_t dtype = from.number(), elements = from.number();
  if (dtype < 0 || dtype >= static_cast<int64_t>(numDTypes))
    return std::nullopt;
  return CallNotice::Side{static_cast<DType>(dtype), elements};
}

Buffer bufferOf(const std::optional<CallNotice::Side> &side) {
  if (!side)
    return {};
  return Buffer(Tensor::over(nullptr, side->dtype, {{side->elements}, {1}, 0}));
}

} // namespace

CallNotice noticeOf(const CallSeat &seat, const Launch &launch) {
  CallNotice notice = headOf(seat, launch);
  for (size_t row = 0; row < launch.send.size(); ++row)
    notice.rows.push_back({sideOf(launch.send[row]), sideOf(launch.receive[row])});
  notice.sendCounts = launch.sendCounts;
  notice.receiveCounts = launch.receiveCounts;
  return notice;
}

bool isNoticeOf(const CallNotice &notice, const Launch &launch) {
  if (notice.name != launch.call.name.str() || notice.reduceOp != launch.reduceOp || notice.root != launch.root ||
      notice.position != launch.position || notice.rows.size() != launch.send.size())
    return false;
  for (size_t row = 0; row < launch.send.size(); ++row)
    if (notice.rows[row].send != sideOf(launch.send[row]) || notice.rows[row].receive != sideOf(launch.receive[row]))
      return false;
  return notice.sendCounts == launch.sendCounts && notice.receiveCounts == launch.receiveCounts;
}

CallNotice noticeOf(const CallSeat &seat, const Launch &launch, const PlanCollective &call) {
  CallNotice notice = headOf(seat, launch);
  notice.fixed = false;
  for (const PlanRow &row : call.rows)
    notice.rows.push_back({sideOf(row.send), sideOf(row.receive)});
  return notice;
}

void write(ByteWriter &to, const CallNotice &notice) {
  to.text(notice.name);
  to.numbers(notice.seat.members);
  for (int64_t number : {static_cast<int64_t>(notice.seat.member), static_cast<int64_t>(notice.seat.kind),
                         static_cast<int64_t>(notice.seat.peer), notice.seat.tag,
                         notice.reduceOp ? static_cast<int64_t>(*notice.reduceOp) : -1, notice.root,
                         notice.position ? static_cast<int64_t>(*notice.position) : -1, notice.commNumber,
                         static_cast<int64_t>(notice.fixed), static_cast<int64_t>(notice.rows.size())})
    to.number(number);
  for (const CallNotice::Row &row : notice.rows) {
    write(to, row.send);
    write(to, row.receive);
  }
  to.numbers(notice.sendCounts);
  to.numbers(notice.receiveCounts);
}

CallNotice readNotice(ByteReader &from) {
  CallNotice notice;
  notice.name = from.text();
  notice.seat.members = from.numbers();
  notice.seat.member = static_cast<size_t>(from.number());
  notice.seat.kind = static_cast<CollectiveKind>(from.number());
  notice.seat.peer = static_cast<size_t>(from.number());
  notice.seat.tag = from.number();
  if (int64_t op = from.number(); op >= 0)
    notice.reduceOp = static_cast<ReduceOp>(op);
  notice.root = from.number();
  if (int64_t position = from.number(); position >= 0)
    notice.position = static_cast<size_t>(position);
  notice.commNumber = from.number();
  notice.fixed = from.number() != 0;
  notice.rows.resize(from.length(sizeof(int64_t)));
  for (CallNotice::Row &row : notice.rows) {
    row.send = readSide(from);
    row.receive = readSide(from);
  }
  notice.sendCounts = from.numbers();
  notice.receiveCounts = from.numbers();
  return notice;
}

Launch launchOf(const CallNotice &notice, int64_t rank, Context &context) {
  Launch launch;
  launch.call = {nullptr, context.identifier(notice.name)};
  launch.rank = rank;
  launch.kind = notice.seat.kind;
  for (const CallNotice::Row &row : notice.rows) {
    launch.send.push_back(bufferOf(row.send));
    launch.receive.push_back(bufferOf(row.receive));
  }
  launch.reduceOp = notice.reduceOp;
  launch.root = notice.root;
  launch.position = notice.position;
  launch.tag = notice.seat.tag;
  launch.sendCounts = notice.sendCounts;
  launch.receiveCounts = notice.receiveCounts;
  return launch;
}

} // namespace ccgraph::runtime
