// Implements collectives as a program without ccgraph does: NCCL's functions on a stream, one after another, and a CUDA
// graph of them.
//
// The one file beside runtime/gpu/nccl/module that names CUDA and NCCL is by_hand.cpp, because it is what the engine is
// measured against. Memory is cudaMalloc's; nothing is registered.
//
// Ownership: owns communicator, stream, memory and graphs. Failure: an error of CUDA or NCCL ends the program with its
// message. Cost: that of the calls.
#pragma once

#include "calls/gpu_calls.h"
#include "ccgraph/ir/collective.h"

#include <memory>

namespace ccgraph::bench {

/// The same collective, repeated.
struct Case {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// floats of the larger of a rank's send and receive buffers, as nccl-tests count (doc/PERFORMANCE.md there)
  int64_t elements = 0;
  int steps = 0;

  [[nodiscard]] int64_t sentBy(int64_t ranks) const;
  [[nodiscard]] int64_t receivedBy(int64_t ranks) const;
};

/// The communicator of all ranks and a stream, on the device that the rank's position on its host selects.
class HandWrittenJob {
public:
  struct Place {
    int ranks = 1;
    int rank = 0;
    int localRank = 0;
  };
  HandWrittenJob(const runtime::GpuJobId &id, Place place);
  ~HandWrittenJob();
  HandWrittenJob(const HandWrittenJob &) = delete;
  HandWrittenJob &operator=(const HandWrittenJob &) = delete;

  /// Returns the largest of the ranks' values; no rank continues before all have called it.
  [[nodiscard]] double largest(double own);

private:
  friend class HandSteps;
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

class HandSteps {
public:
  HandSteps(HandWrittenJob &job, const Case &c, bool capture);
  ~HandSteps();
  HandSteps(const HandSteps &) = delete;
  HandSteps &operator=(const HandSteps &) = delete;

  /// Enqueues all steps, or launches the graph.
  void enqueue();
  /// Polls until the device has completed it, as the engine's host does.
  void wait();

private:
  void enqueueEach();
  struct Memory;
  HandWrittenJob &job_;
  Case case_;
  std::unique_ptr<Memory> memory_;
};

} // namespace ccgraph::bench
