// Collectives as a program without ccgraph calls them: NCCL's functions on a stream, one after another, and a CUDA graph of them.
//
// The one file beside runtime/gpu/nccl/module that names CUDA and NCCL is by_hand.cpp, because it is what the engine is measured against. Memory is
// cudaMalloc's; nothing is registered.
//
// Ownership: owns communicator, stream, memory and graphs. Failure: what CUDA or NCCL refuses ends the program, with its words. Cost: that of
// the calls.
#pragma once

#include "calls/gpu_calls.h"
#include "ccgraph/ir/collective.h"

#include <memory>

namespace ccgraph::bench {

/// The same collective so many times.
struct Case {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// floats of the larger of what a rank sends and receives, as nccl-tests count (doc/PERFORMANCE.md there)
  int64_t elements = 0;
  int steps = 0;

  [[nodiscard]] int64_t sentBy(int64_t ranks) const;
  [[nodiscard]] int64_t receivedBy(int64_t ranks) const;
};

/// All ranks' communicator and a stream, on the device of the rank's place on its host.
class HandJob {
public:
  struct Place {
    int ranks = 1;
    int rank = 0;
    int localRank = 0;
  };
  HandJob(const runtime::GpuJobId &id, Place place);
  ~HandJob();
  HandJob(const HandJob &) = delete;
  HandJob &operator=(const HandJob &) = delete;

  /// The largest of what the ranks give; none goes on before all have come.
  [[nodiscard]] double largest(double own);

private:
  friend class HandSteps;
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

class HandSteps {
public:
  HandSteps(HandJob &job, const Case &c, bool capture);
  ~HandSteps();
  HandSteps(const HandSteps &) = delete;
  HandSteps &operator=(const HandSteps &) = delete;

  /// Enqueues all, or launches the graph.
  void enqueue();
  /// Until the device has ended it; the host asks again and again, as the engine's does.
  void wait();

private:
  void enqueueEach();
  struct Memory;
  HandJob &job_;
  Case case_;
  std::unique_ptr<Memory> memory_;
};

} // namespace ccgraph::bench
