// ControlChannel: the messages of processes besides their collectives: that one has failed, and the position of each.
//
// A message goes from one process to all others. It is small, so MPI sends it immediately, even without a matching
// receive. A process polls whenever it is idle, and from time to time between steps.
//
// Ownership: borrows the MPI functions, owns what it sends until the process ends. Failure: an error code of MPI's,
// from poll(). Cost: a poll is one MPI_Test.
#pragma once

#include "mpi/mpi_calls.h"

#include <deque>
#include <vector>

namespace ccgraph::runtime {

class ControlChannel {
public:
  struct Message {
    int from = 0;
    int kind = 0;
    std::vector<std::byte> body;
  };
  /// Longest message in bytes; the rest of a longer one is dropped.
  static constexpr size_t largestBody = 16000;

  /// `comm`: the channel's alone.
  [[nodiscard]] int open(MpiCalls &calls, MpiComm comm, int rank, int size);
  [[nodiscard]] int close();
  void tellAll(int kind, std::vector<std::byte> body);
  /// Moves received messages to `inbox`.
  [[nodiscard]] int poll();
  std::deque<Message> inbox;

private:
  [[nodiscard]] int listen();
  MpiCalls *calls_ = nullptr;
  MpiComm comm_;
  int rank_ = 0;
  int size_ = 0;
  MpiRequest receiving_;
  std::vector<std::byte> buffer_;
  /// Never waited for: a process that does not answer may never receive it.
  std::deque<std::vector<std::byte>> sent_;
};

} // namespace ccgraph::runtime
