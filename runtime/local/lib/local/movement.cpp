#include "local/movement.h"

#include "collectives/reduce_rows.h"

#include <cstring>
#include <numeric>

namespace ccgraph::runtime {
namespace {

using Launches = llvm::ArrayRef<const Launch *>;

/// Some elements of a row, as bytes.
struct Bytes {
  std::byte *data = nullptr;
  int64_t size = 0;
};

Bytes bytesOf(const Buffer &row) {
  if (row.pieces().empty())
    return {};
  const Tensor &tensor = row.pieces().front();
  return {tensor.data(), tensor.numElements() * tensor.elementSize()};
}

void copyBytes(std::byte *to, const std::byte *from, int64_t size) {
  if (size != 0 && to != from)
    std::memcpy(to, from, static_cast<size_t>(size));
}

/// One row of one member's part.
class RowMovement {
public:
  RowMovement(Launches launches, size_t member, size_t row)
      : launches_(launches), member_(member), row_(row), mine_(*launches[member]) {}

  void move() const {
    switch (mine_.kind) {
    case CollectiveKind::AllReduce:
      return allReduce();
    case CollectiveKind::ReduceScatter:
      return reduceScatter();
    case CollectiveKind::AllGather:
      return allGather();
    case CollectiveKind::AllToAll:
    case CollectiveKind::ShardDimAllToAll:
      return allToAll();
    case CollectiveKind::Broadcast:
      return take(bytesOf(root().send[row_]).data, received().size);
    case CollectiveKind::Scatter:
      return take(bytesOf(root().send[row_]).data + index() * received().size, received().size);
    case CollectiveKind::Recv:
      return take(bytesOf(launches_[0]->send[row_]).data, received().size);
    case CollectiveKind::Send:
    case CollectiveKind::BatchP2P:
    case CollectiveKind::Barrier:
      return;
    }
  }

private:
  [[nodiscard]] int64_t index() const { return static_cast<int64_t>(member_); }
  [[nodiscard]] Bytes received() const { return bytesOf(mine_.receive[row_]); }
  [[nodiscard]] const Launch &root() const { return *launches_[static_cast<size_t>(mine_.root)]; }
  void take(const std::byte *from, int64_t size) const { copyBytes(received().data, from, size); }

  /// Elements begin..begin+count of all rows, into `destinations`.
  void reduce(int64_t begin, int64_t count, llvm::ArrayRef<std::byte *> destinations) const {
    llvm::SmallVector<const std::byte *, 16> rows;
    DType dtype = mine_.send[row_].dtype();
    for (const Launch *launch : launches_)
      rows.push_back(bytesOf(launch->send[row_]).data + begin * sizeInBytes(dtype));
    reduceRows({*mine_.reduceOp, dtype, rows, destinations, count});
  }

  void allReduce() const {
    int64_t elements = mine_.send[row_].numElements(), members = static_cast<int64_t>(launches_.size());
    // Otherwise two members would write to one cache line where chunks end inside of it.
    constexpr int64_t step = 64;
    int64_t chunk = ((elements + members - 1) / members + step - 1) / step * step;
    int64_t begin = std::min(index() * chunk, elements), end = std::min(begin + chunk, elements);
    llvm::SmallVector<std::byte *, 16> destinations;
    for (const Launch *launch : launches_)
      destinations.push_back(bytesOf(launch->receive[row_]).data + begin * sizeInBytes(mine_.send[row_].dtype()));
    if (begin != end)
      reduce(begin, end - begin, destinations);
  }

  void reduceScatter() const {
    int64_t elements = mine_.receive[row_].numElements();
    if (elements != 0)
      reduce(index() * elements, elements, received().data);
  }

  void allGather() const {
    std::byte *to = received().data;
    for (const Launch *launch : launches_) {
      Bytes row = bytesOf(launch->send[row_]);
      copyBytes(to, row.data, row.size);
      to += row.size;
    }
  }

  void allToAll() const {
    std::byte *to = received().data;
    for (const Launch *launch : launches_) {
      llvm::ArrayRef<int64_t> counts = launch->sendCounts;
      int64_t size = sizeInBytes(mine_.send[row_].dtype());
      int64_t begin = std::accumulate(counts.begin(), counts.begin() + index(), int64_t{0});
      copyBytes(to, bytesOf(launch->send[row_]).data + begin * size, counts[member_] * size);
      to += counts[member_] * size;
    }
  }

  Launches launches_;
  size_t member_;
  size_t row_;
  const Launch &mine_;
};

} // namespace

void moveRows(Launches launches, size_t member) {
  for (size_t row = 0; row < launches[member]->receive.size(); ++row)
    RowMovement(launches, member, row).move();
}

} // namespace ccgraph::runtime
