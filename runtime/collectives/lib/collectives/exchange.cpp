#include "collectives/exchange.h"

#include <numeric>

namespace ccgraph::runtime {
namespace {

using Members = llvm::ArrayRef<const Launch *>;

std::vector<Tensor> readRows(Members members, size_t row) {
  std::vector<Tensor> rows;
  for (const Launch *launch : members)
    rows.push_back(launch->send[row].read());
  return rows;
}

Tensor concatenate(llvm::ArrayRef<Tensor> rows) { return Buffer(rows.vec()).read(); }

std::vector<Tensor> toAll(const Tensor &row, size_t count) { return std::vector<Tensor>(count, row); }

std::vector<Tensor> chunks(const Tensor &row, size_t count) {
  int64_t length = row.numElements() / static_cast<int64_t>(count);
  std::vector<Tensor> parts;
  for (size_t i = 0; i < count; ++i) {
    auto start = static_cast<int64_t>(i) * length;
    parts.push_back(row.slice(0, start, start + length));
  }
  return parts;
}

// Each member's row is cut into one part for each member, in order; member `to` receives its part of every row.
// Example: rows [a b b] and [c c c d d d d] with the splits [1, 2] and [3, 4] become [a c c c] and [b b d d d d].
// next[from] is the beginning of the next part.
std::vector<Tensor> allToAll(Members members, size_t row) {
  std::vector<Tensor> sent = readRows(members, row), received;
  std::vector<int64_t> next(members.size());
  for (size_t to = 0; to < members.size(); ++to) {
    std::vector<Tensor> parts;
    for (size_t from = 0; from < members.size(); ++from) {
      int64_t start = next[from], end = start + members[from]->sendCounts[to];
      parts.push_back(sent[from].slice(0, start, end));
      next[from] = end;
    }
    received.push_back(concatenate(parts));
  }
  return received;
}

// The sender's own result is its token, which has no elements.
std::vector<Tensor> transfer(Members members) {
  return {Tensor::zeros(members[0]->send[0].dtype(), {0}), members[0]->send[0].read()};
}

} // namespace

// All members have arrived and agree in kind, reduction and root (agreement.h), so that the first speaks for all.
std::vector<Tensor> exchangeRow(Members members, size_t row) {
  const Launch &any = *members.front();
  switch (any.kind) {
  case CollectiveKind::AllReduce:
    return toAll(reduceInOrder(*any.reduceOp, readRows(members, row)), members.size());
  case CollectiveKind::AllGather:
    return toAll(concatenate(readRows(members, row)), members.size());
  case CollectiveKind::ReduceScatter:
    return chunks(reduceInOrder(*any.reduceOp, readRows(members, row)), members.size());
  case CollectiveKind::AllToAll:
  case CollectiveKind::ShardDimAllToAll:
    return allToAll(members, row);
  case CollectiveKind::Broadcast:
    return toAll(members[static_cast<size_t>(any.root)]->send[row].read(), members.size());
  case CollectiveKind::Scatter:
    return chunks(members[static_cast<size_t>(any.root)]->send[row].read(), members.size());
  case CollectiveKind::Send:
  case CollectiveKind::Recv:
  case CollectiveKind::BatchP2P:
    return transfer(members);
  case CollectiveKind::Barrier:
    return {};
  }
  return {};
}

} // namespace ccgraph::runtime
