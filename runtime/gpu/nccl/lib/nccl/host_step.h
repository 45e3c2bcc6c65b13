// HostStep: a step that the host computes although its memory is a device's.
//
// Between begin() and end() the buffers that the step touches are copies in the host's memory; what the step has written goes back
// to the device, growing buffers to new memory there.
//
// Ownership: borrows state and memory; keeps the copies. Failure: as DeviceMemory::settle(). Cost: a copy of each whole buffer there, and
// back of those that are written.
#pragma once

#include "engine/rank_state.h"

namespace ccgraph::runtime {

class HostStep {
public:
  HostStep(const PlanStep &step, RankState &state);

  /// Whether bytes of the device are asked for, which are there when the device has settled.
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
