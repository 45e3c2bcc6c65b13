// SelfTransfers: the transfers of a rank to itself. The communication library has no such channel, so a transfer is two
// copies through an intermediate buffer. The sender's step ends when its row may be written again, independent of the
// receiver.
//
// Ownership: owns the intermediate memory and its events. Failure: DiagnosticErrors of rule run.collective, where a
// rank would receive a row before it sends it: its host issues both, and cannot wait for itself. Cost: two copies;
// memory is allocated each time.
#pragma once

#include "calls/gpu_calls.h"
#include "engine/transport.h"

#include <deque>
#include <map>

namespace ccgraph::runtime {

class SelfTransfers {
public:
  SelfTransfers(GpuCalls &calls, int64_t rank) : calls_(calls), rank_(rank) {}
  ~SelfTransfers() { clear(); }
  SelfTransfers(const SelfTransfers &) = delete;
  SelfTransfers &operator=(const SelfTransfers &) = delete;

  /// One end of a transfer. `comm` is its channel's communicator.
  [[nodiscard]] llvm::Error add(const Launch &launch, size_t comm, GpuStream stream);
  /// After a run.
  void clear();

private:
  struct OnTheWay {
    std::byte *memory = nullptr;
    int64_t bytes = 0;
    GpuEvent sent;
    bool received = false;
  };
  [[nodiscard]] int send(const Launch &launch, size_t comm, GpuStream stream);
  [[nodiscard]] int receive(const Launch &launch, OnTheWay &message, GpuStream stream);

  GpuCalls &calls_;
  int64_t rank_;
  /// by channel
  std::map<size_t, std::deque<OnTheWay>> messages_;
};

} // namespace ccgraph::runtime
