#include "nccl/communicators.h"

#include "calls/gpu_error.h"
#include "ccgraph/ir/int_list.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

Communicators::~Communicators() {
  if (aborted_)
    return;
  forget(arena_);
  for (GpuComm comm : comms_)
    if (comm.raw != 0 && comm.raw != job_->raw)
      calls_.closeComm(comm);
  if (job_)
    calls_.closeComm(*job_);
}

llvm::Error Communicators::failed(const std::string &doing, int code) const {
  return gpuError(calls_, rank_, doing, code);
}

llvm::Error Communicators::open(const CommTable &table, const GpuJobId &id, int ranks) {
  table_ = &table;
  comms_.resize(table.entries().size());
  GpuComm job;
  if (int code = calls_.openJob(id, ranks, static_cast<int>(rank_), job))
    return failed("making the communicator of all ranks", code);
  job_ = job;
  if (table.whole())
    comms_[*table.whole()] = job;
  return splitAll(table);
}

llvm::Error Communicators::splitAll(const CommTable &table) {
  for (const std::vector<size_t> &round : table.rounds()) {
    int color = GpuCalls::noColor, key = 0;
    const CommTable::Entry *own = nullptr;
    for (size_t i = 0; i < round.size(); ++i) {
      const CommTable::Entry &entry = table.entries()[round[i]];
      auto at = llvm::find(entry.key.members, rank_);
      if (at == entry.key.members.end())
        continue;
      own = &entry;
      color = static_cast<int>(i);
      key = static_cast<int>(at - entry.key.members.begin());
    }
    GpuComm made;
    if (int code = calls_.split(*job_, color, key, made))
      return failed("splitting the communicator of all ranks", code);
    if (!own)
      continue;
    comms_[static_cast<size_t>(own - table.entries().data())] = made;
    if (llvm::Error error = check(made, own->key.members))
      return error;
  }
  return llvm::Error::success();
}

// Ranks that split in different orders would get wrong communicators, on which they would wait without end or reduce
// unrelated values.
llvm::Error Communicators::check(GpuComm comm, llvm::ArrayRef<int64_t> members) {
  int ranks = 0, rank = 0;
  if (int code = calls_.placeIn(comm, ranks, rank))
    return failed("asking a communicator for its ranks", code);
  auto size = static_cast<int>(members.size()), place = static_cast<int>(llvm::find(members, rank_) - members.begin());
  if (ranks == size && rank == place)
    return llvm::Error::success();
  return ncclError("rank " + std::to_string(rank_) + ": got a communicator of " + std::to_string(ranks) +
                       " ranks as number " + std::to_string(rank) + ", expected number " + std::to_string(place) +
                       " of ranks " + intListText(members),
                   "all ranks must run the same plans on the same build");
}

llvm::Error Communicators::registerArena(std::byte *memory, int64_t bytes) {
  if (memory == arena_ && bytes == arenaBytes_)
    return llvm::Error::success();
  forget(arena_);
  if (bytes == 0)
    return llvm::Error::success();
  arena_ = memory;
  arenaBytes_ = bytes;
  for (size_t index = 0; index < comms_.size(); ++index) {
    if (comms_[index].raw == 0 || !table_->entries()[index].registered)
      continue;
    GpuRegistration registration;
    if (int code = calls_.registerMemory(comms_[index], memory, bytes, registration))
      return failed("registering the arena of communication", code);
    registered_.push_back({comms_[index], registration});
  }
  return llvm::Error::success();
}

void Communicators::forget(const std::byte *memory) {
  if (!memory || memory != arena_ || aborted_)
    return;
  for (const Registered &one : registered_)
    calls_.deregister(one.comm, one.registration);
  registered_.clear();
  arena_ = nullptr;
  arenaBytes_ = 0;
}

int Communicators::asyncError() {
  for (GpuComm comm : comms_)
    if (comm.raw != 0)
      if (int code = calls_.asyncError(comm))
        return code;
  return 0;
}

void Communicators::abandon() {
  if (std::exchange(aborted_, true))
    return;
  // Communicators that wait for one another could not be ended one after the other.
  calls_.groupStart();
  for (GpuComm comm : comms_)
    if (comm.raw != 0 && (!job_ || comm.raw != job_->raw))
      calls_.abortComm(comm);
  if (job_)
    calls_.abortComm(*job_);
  calls_.groupEnd();
}

} // namespace ccgraph::runtime
