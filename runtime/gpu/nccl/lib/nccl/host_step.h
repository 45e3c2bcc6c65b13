// HostStep: a step that the host computes on device memory.
//
// Between begin() and end() the buffers of the step are copies in host memory. Written buffers are copied back to the
// device, growing ones to new memory there.
//
// Ownership: borrows state and memory; keeps the copies. Failure: see DeviceMemory::settle(). Cost: a copy of each
// whole buffer there, and back of those that are written.
#pragma once

#include "engine/rank_state.h"

namespace ccgraph::runtime {

class HostStep {
public:
  HostStep(const PlanStep &step, RankState &state);

  /// Returns whether bytes of the device were requested, which are valid when the device has settled.
  [[nodiscard]] bool fetch();
  /// After that: the buffers are the host's.
  void begin();
  /// They are the device's again. Whether bytes are on their way there.
  [[nodiscard]] bool end();

private:
  struct Touched {
    BufferId buffer = 0;
    bool written = false;
    std::shared_ptr<Storage> host;
    /// what the buffer is when it is not lent
    std::shared_ptr<Storage> device;
  };
  RankState &state_;
  std::vector<Touched> touched_;
};

} // namespace ccgraph::runtime
