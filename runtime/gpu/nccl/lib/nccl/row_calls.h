// RowCalls: translates a collective of a plan to calls of the communication library.
//
//   all_reduce, reduce_scatter, all_gather, broadcast   the call of that name, for each row
//   all_to_all, scatter                                 sends and receives in a group; a rank's share for itself is a
//                                                       copy
//   send, recv                                          the call of that name, on the channel's communicator
//   barrier                                             an all_reduce of one number
// A collective of several rows or shares is one group, whose members are independent by the plan (plan.batch).
//
// Dtypes that the library lacks move as bytes. Reductions of bool are those of u8 (or is the larger, and the smaller);
// of complex numbers sums and averages of their parts. The library has no other reductions (bitwise ones, integers of
// 16 bits, some floats of 8): then each rank gathers all rows, n times the bytes, and reduces them itself.
//
// Ownership: rows are addresses in the rank's memory. Failure: the code of a call, and std::bad_alloc. Cost: linear in
// rows and members.
#pragma once

#include "calls/gpu_calls.h"
#include "engine/transport.h"

#include <functional>

namespace ccgraph::runtime {

struct RowCall {
  enum class Kind : uint8_t { AllReduce, ReduceScatter, AllGather, Broadcast, Send, Receive };
  Kind kind = Kind::AllReduce;
  GpuComm comm;
  GpuRow row;
  GpuReduceOp reduction = GpuReduceOp::Sum;
  /// the root of a broadcast, the other end of a transfer: ranks of the communicator
  int peer = 0;
};

/// A share that stays on the rank.
struct ShareCopy {
  std::byte *to = nullptr;
  const std::byte *from = nullptr;
  int64_t bytes = 0;
};

class RowCalls {
public:
  /// Memory of the device, and so many bytes of it.
  using Scratch = std::function<std::byte *(int64_t)>;
  /// `signal`: four bytes of the device for barriers. `scratch`: for rows that are gathered, which lives until they are
  /// reduced.
  RowCalls(std::byte *signal, Scratch scratch) : signal_(signal), scratch_(std::move(scratch)) {}

  /// Removes all calls.
  void clear() {
    calls_.clear();
    copies_.clear();
    reductions_.clear();
  }
  void add(const CallSeat &seat, const Launch &launch, GpuComm comm);
  /// One row of a send or a receive, on a communicator of which the other end is number `peer`.
  void addTransfer(const Launch &launch, size_t row, GpuComm comm, int peer);
  /// Enqueues everything: copies, then the calls, as a group where there are several, then the reductions that are
  /// computed here. Returns the library's code.
  [[nodiscard]] int issue(GpuCalls &calls, GpuStream stream) const;

private:
  void addRow(const CallSeat &seat, const Launch &launch, size_t row, GpuComm comm);
  void addReduction(const CallSeat &seat, const Launch &launch, size_t row, GpuComm comm);
  void addGathered(const CallSeat &seat, const Launch &launch, size_t row, GpuComm comm);
  void addShares(const CallSeat &seat, const Launch &launch, size_t row, GpuComm comm);
  void addScatter(const CallSeat &seat, const Launch &launch, size_t row, GpuComm comm);
  void add(RowCall call);

  [[nodiscard]] int issueCalls(GpuCalls &calls, GpuStream stream) const;

  std::byte *signal_;
  Scratch scratch_;
  std::vector<RowCall> calls_;
  std::vector<ShareCopy> copies_;
  std::vector<GpuGathered> reductions_;
};

} // namespace ccgraph::runtime
