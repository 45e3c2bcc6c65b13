#include "simulated/match_table.h"

#include "ccgraph/ir/int_list.h"
#include "collectives/reduce_rows.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <tuple>

namespace ccgraph::runtime {
namespace {

bool isTransfer(const RowCall &call) { return call.kind == RowCall::Kind::Send || call.kind == RowCall::Kind::Receive; }

DType dtypeOf(GpuType type) {
  constexpr DType types[] = {DType::I8,  DType::U8,   DType::I32, DType::U32, DType::I64,      DType::U64,
                             DType::F16, DType::BF16, DType::F32, DType::F64, DType::F8E4M3FN, DType::F8E5M2};
  return types[static_cast<size_t>(type)];
}

ReduceOp opOf(GpuReduceOp reduction) {
  constexpr ReduceOp ops[] = {ReduceOp::Sum, ReduceOp::Product, ReduceOp::Max, ReduceOp::Min, ReduceOp::Avg};
  return ops[static_cast<size_t>(reduction)];
}

llvm::StringRef nameOf(RowCall::Kind kind) {
  constexpr llvm::StringLiteral names[] = {"allReduce", "reduceScatter", "allGather", "broadcast", "send", "receive"};
  return names[static_cast<size_t>(kind)];
}

bool isReduction(RowCall::Kind kind) {
  return kind == RowCall::Kind::AllReduce || kind == RowCall::Kind::ReduceScatter;
}

int64_t bytesOf(const GpuRow &row) { return row.count * static_cast<int64_t>(sizeInBytes(dtypeOf(row.type))); }

void copyBytes(std::byte *to, const std::byte *from, int64_t bytes) {
  if (bytes != 0 && to != from)
    std::memmove(to, from, static_cast<size_t>(bytes));
}

/// Elements from..from+count of all rows, into `destinations`.
void reduce(const PartMatch &match, int64_t from, llvm::ArrayRef<std::byte *> destinations) {
  const RowCall &first = match.seats.front().part->call;
  std::vector<const std::byte *> rows;
  for (const PartMatch::Seat &seat : match.seats)
    rows.push_back(seat.part->call.row.send + from * static_cast<int64_t>(sizeInBytes(dtypeOf(first.row.type))));
  reduceRows({opOf(first.reduction), dtypeOf(first.row.type), rows, destinations, first.row.count});
}

void move(const PartMatch &match) {
  const RowCall &first = match.seats.front().part->call;
  int64_t bytes = bytesOf(first.row);
  switch (first.kind) {
  case RowCall::Kind::AllReduce: {
    std::vector<std::byte *> destinations;
    for (const PartMatch::Seat &seat : match.seats)
      destinations.push_back(seat.part->call.row.receive);
    return reduce(match, 0, destinations);
  }
  case RowCall::Kind::ReduceScatter:
    for (size_t member = 0; member < match.seats.size(); ++member)
      reduce(match, static_cast<int64_t>(member) * first.row.count, match.seats[member].part->call.row.receive);
    return;
  case RowCall::Kind::AllGather:
    for (const PartMatch::Seat &to : match.seats)
      for (size_t from = 0; from < match.seats.size(); ++from)
        copyBytes(to.part->call.row.receive + static_cast<int64_t>(from) * bytes, match.seats[from].part->call.row.send,
                  bytes);
    return;
  case RowCall::Kind::Broadcast:
    for (const PartMatch::Seat &to : match.seats)
      copyBytes(to.part->call.row.receive, match.seats[static_cast<size_t>(first.peer)].part->call.row.send, bytes);
    return;
  case RowCall::Kind::Send:
  case RowCall::Kind::Receive:
    return copyBytes(match.seats[1].part->call.row.receive, first.row.send, bytes);
  }
}

/// Returns the bytes of a row on one rank: those that it sends, and those that it receives.
std::pair<int64_t, int64_t> extentOf(const CommPart &part) {
  auto members = static_cast<int64_t>(part.comm->members.size());
  int64_t bytes = bytesOf(part.call.row);
  return {part.call.kind == RowCall::Kind::ReduceScatter ? bytes * members : bytes,
          part.call.kind == RowCall::Kind::AllGather ? bytes * members : bytes};
}

bool isRegistered(const CommPart &part, const std::byte *memory, int64_t bytes) {
  return llvm::any_of(part.comm->registered[part.member], [&](const ModelComm::Range &range) {
    return memory >= range.begin && memory + bytes <= range.begin + range.bytes;
  });
}

bool passesRegistered(const CommPart &part) {
  const GpuRow &row = part.call.row;
  auto [sent, received] = extentOf(part);
  return (!row.send || isRegistered(part, row.send, sent)) &&
         (!row.receive || isRegistered(part, row.receive, received));
}

/// Returns the difference between the two; "" if they agree.
std::string difference(const CommPart &a, const CommPart &b) {
  const RowCall &x = a.call, &y = b.call;
  bool transfer = isTransfer(x);
  bool alike =
      x.row.count == y.row.count && x.row.type == y.row.type &&
      (transfer || (x.kind == y.kind && (x.peer == y.peer) && (!isReduction(x.kind) || x.reduction == y.reduction)));
  std::string ranks = "ranks " + std::to_string(a.comm->members[a.member]) + " and " +
                      std::to_string(b.comm->members[b.member]) + " disagree about call " +
                      std::to_string(a.number + 1) + " on " + a.comm->name() + ": ";
  if (!alike)
    return ranks + textOf(x) + ", and " + textOf(y);
  if (!transfer && passesRegistered(a) != passesRegistered(b))
    return ranks + textOf(x) + " in registered memory on one of them alone, which is undefined";
  return "";
}

} // namespace

std::string textOf(const RowCall &call) {
  std::string text = nameOf(call.kind).str();
  if (isReduction(call.kind))
    text += " " + reduceOpName(opOf(call.reduction)).str();
  text += " " + shortName(dtypeOf(call.row.type)).str() + "[" + std::to_string(call.row.count) + "]";
  if (call.kind == RowCall::Kind::Broadcast || call.kind == RowCall::Kind::Receive)
    text += " from " + std::to_string(call.peer);
  if (call.kind == RowCall::Kind::Send)
    text += " to " + std::to_string(call.peer);
  return text;
}

bool PartMatch::isWhole() const {
  return llvm::all_of(seats, [](const Seat &seat) { return seat.part != nullptr; });
}

std::string exchange(const PartMatch &match) {
  for (const PartMatch::Seat &seat : match.seats)
    if (std::string found = difference(*match.seats.front().part, *seat.part); !found.empty())
      return found;
  move(match);
  return "";
}

bool MatchTable::Key::operator<(const Key &other) const {
  return std::tuple(comm->number, from, to, number) <
         std::tuple(other.comm->number, other.from, other.to, other.number);
}

MatchTable::Key MatchTable::keyOf(const CommPart &part) {
  auto peer = static_cast<size_t>(part.call.peer);
  if (part.call.kind == RowCall::Kind::Send)
    return {part.comm, part.member + 1, peer + 1, part.number};
  if (part.call.kind == RowCall::Kind::Receive)
    return {part.comm, peer + 1, part.member + 1, part.number};
  return {part.comm, 0, 0, part.number};
}

void MatchTable::number(CommPart &part) {
  auto peer = static_cast<size_t>(part.call.peer);
  if (part.call.kind == RowCall::Kind::Send)
    part.number = part.comm->sent[{part.member, peer}]++;
  else if (part.call.kind == RowCall::Kind::Receive)
    part.number = part.comm->received[{peer, part.member}]++;
  else
    part.number = part.comm->collectives[part.member]++;
}

void MatchTable::begin(CommPart &part, const std::shared_ptr<ModelNode> &node) {
  Key key = keyOf(part);
  PartMatch &match = matches_[key];
  bool transfer = isTransfer(part.call);
  match.seats.resize(transfer ? 2 : part.comm->members.size());
  size_t seat = transfer ? (part.call.kind == RowCall::Kind::Send ? 0 : 1) : part.member;
  match.seats[seat] = {&part, node};
  if (match.isWhole())
    whole_.push_back(key);
}

std::vector<PartMatch *> MatchTable::ready() {
  llvm::sort(whole_);
  std::vector<PartMatch *> ready;
  for (const Key &key : whole_)
    ready.push_back(&matches_.at(key));
  return ready;
}

void MatchTable::forget(const PartMatch &match) {
  Key key = keyOf(*match.seats.front().part);
  llvm::erase_if(whole_, [&](const Key &other) { return !(key < other) && !(other < key); });
  matches_.erase(key);
}

void MatchTable::takeNodes(std::vector<std::shared_ptr<ModelNode>> &nodes) {
  for (auto &[key, match] : matches_)
    for (PartMatch::Seat &seat : match.seats)
      if (seat.node)
        nodes.push_back(std::move(seat.node));
  matches_.clear();
  whole_.clear();
}

std::vector<std::string> MatchTable::waits() const {
  std::vector<std::string> texts;
  for (const auto &[key, match] : matches_) {
    const auto &there = *llvm::find_if(match.seats, [](const PartMatch::Seat &seat) { return seat.part != nullptr; });
    IntList missing;
    for (size_t seat = 0; seat < match.seats.size(); ++seat)
      if (!match.seats[seat].part)
        missing.push_back(static_cast<int64_t>(key.comm->members[key.from == 0 ? seat
                                                                 : seat == 0   ? key.from - 1
                                                                               : key.to - 1]));
    if (!missing.empty())
      texts.push_back("rank " + std::to_string(key.comm->members[there.part->member]) + ": " +
                      textOf(there.part->call) + " on " + key.comm->name() + " (call " +
                      std::to_string(key.number + 1) + ") waits for ranks " + intListText(missing));
  }
  return texts;
}

} // namespace ccgraph::runtime
