#include "mpi/result_gather.h"

#include "rendezvous/record_bytes.h"
#include "rendezvous/result_bytes.h"

namespace ccgraph::runtime {
namespace {

std::vector<std::byte> encode(const RankTraces &own) {
  ByteWriter to;
  write(to, own.records.front());
  to.number(static_cast<int64_t>(own.statedEnds.size()));
  for (const std::vector<int64_t> &ends : own.statedEnds)
    to.numbers(ends);
  return std::move(to.bytes);
}

void decodeInto(RankTraces &all, llvm::ArrayRef<std::byte> bytes) {
  ByteReader from(bytes);
  all.records.push_back(readRecord(from));
  for (auto left = from.number(); left > 0 && from.isWhole(); --left)
    all.statedEnds.push_back(from.numbers());
}

/// Handles the bytes of another rank in process 0; ranks come in order.
using Take = llvm::function_ref<void(size_t rank, llvm::ArrayRef<std::byte> bytes)>;

/// All processes' messages to process 0, one after the other.
class Gathering {
public:
  Gathering(MpiStandby &standby, std::string what, std::vector<std::byte> own)
      : standby_(standby), what_(std::move(what)), own_(std::move(own)) {}

  /// False where the run is over; the buffers are then MPI's.
  bool run(Take take) {
    MpiJob &job = standby_.job();
    ByteWriter length;
    length.number(static_cast<int64_t>(own_.size()));
    auto lengths = standby_.gather(job.exchange(), job.size(), length.bytes, what_);
    if (lengths.empty())
      return false;
    if (job.rank() != 0)
      return move(job.calls().send(job.exchange(), messageOf(own_, 0), request_));
    for (int64_t rank = 1; rank < job.size(); ++rank) {
      received_.resize(static_cast<size_t>(ByteReader(lengths[static_cast<size_t>(rank)]).number()));
      if (!move(job.calls().receive(job.exchange(), messageOf(received_, static_cast<int>(rank)), request_)))
        return false;
      take(static_cast<size_t>(rank), received_);
    }
    return true;
  }

  bool waitForAll() { return move(standby_.job().calls().barrier(standby_.job().exchange(), request_)); }

private:
  static MpiMessage messageOf(std::vector<std::byte> &bytes, int peer) {
    return {bytes.data(), static_cast<int64_t>(bytes.size()), peer, 0};
  }
  bool move(int error) {
    if (error == 0)
      return standby_.wait(request_, what_);
    standby_.fail(what_, error);
    return false;
  }

  MpiStandby &standby_;
  std::string what_;
  std::vector<std::byte> own_;
  std::vector<std::byte> received_;
  MpiRequest request_;
};

/// False where the run is over. Process 0 sends nothing.
bool gather(MpiStandby &standby, const std::string &what, std::vector<std::byte> own, Take take) {
  auto gathering = std::make_shared<Gathering>(standby, what, std::move(own));
  if (gathering->run(take) && gathering->waitForAll())
    return true;
  standby.job().keep(gathering);
  return false;
}

} // namespace

std::optional<RunResult> gatherResults(TensorMap own, MpiStandby &standby) {
  MpiJob &job = standby.job();
  RunResult results(static_cast<size_t>(job.size()));
  std::vector<std::byte> sent = job.rank() == 0 ? std::vector<std::byte>() : encodeResults(own);
  if (!gather(standby, "the results of the other ranks", std::move(sent),
              [&](size_t rank, llvm::ArrayRef<std::byte> bytes) { results[rank] = decodeResults(bytes); }))
    return std::nullopt;
  results[static_cast<size_t>(job.rank())] = std::move(own);
  return results;
}

std::optional<RankTraces> gatherTraces(RankTraces own, MpiStandby &standby) {
  std::vector<std::byte> sent = standby.job().rank() == 0 ? std::vector<std::byte>() : encode(own);
  if (!gather(standby, "the records of the other ranks", std::move(sent),
              [&](size_t, llvm::ArrayRef<std::byte> bytes) { decodeInto(own, bytes); }))
    return std::nullopt;
  return own;
}

} // namespace ccgraph::runtime
