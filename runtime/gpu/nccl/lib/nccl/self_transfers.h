// SelfTransfers: what a rank sends to itself. The communication library has no such channel, so it is two copies, by way of memory of
// its own: the sender's step ends when its row may be written again, whenever the receiver comes.
//
// Ownership: owns the memory on the way and its events. Failure: DiagnosticErrors of rule run.collective, where a rank would receive
// what it has not sent yet: its host issues both, and cannot wait for itself. Cost: two copies; memory is taken anew each time.
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

  /// One end. `lane`: its channel.
  [[nodiscard]] llvm::Error add(const Launch &launch, size_t lane, GpuStream stream);
  /// After a run.
  void clear();

private:
  struct OnTheWay {
    std::byte *memory = nullptr;
    int64_t bytes = 0;
    GpuEvent sent;
    bool received = false;
  };
  [[nodiscard]] int send(const Launch &launch, size_t lane, GpuStream stream);
  [[nodiscard]] int receive(const Launch &launch, OnTheWay &message, GpuStream stream);

  GpuCalls &calls_;
  int64_t rank_;
  /// by channel
  std::map<size_t, std::deque<OnTheWay>> messages_;
};

} // namespace ccgraph::runtime
