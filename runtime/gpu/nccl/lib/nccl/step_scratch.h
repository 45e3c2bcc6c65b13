// StepScratch: temporary device memory of a step, allocated once and used in each run.
//
// Each step has its own, because steps of several streams may run concurrently.
//
// Ownership: owns the memory, which its destructor frees. Failure: std::bad_alloc. Cost: a lookup where there is enough
// already.
#pragma once

#include "calls/gpu_calls.h"

#include <map>
#include <vector>

namespace ccgraph::runtime {

class StepScratch {
public:
  explicit StepScratch(GpuCalls &calls) : calls_(calls) {}
  ~StepScratch();
  StepScratch(const StepScratch &) = delete;
  StepScratch &operator=(const StepScratch &) = delete;

  /// Begins a step: the following allocations are the step's first piece, its second one, ...
  void begin(size_t step);
  [[nodiscard]] std::byte *take(int64_t bytes);

private:
  struct Piece {
    std::byte *memory = nullptr;
    int64_t bytes = 0;
  };
  GpuCalls &calls_;
  std::map<size_t, std::vector<Piece>> pieces_;
  size_t step_ = 0;
  size_t next_ = 0;
};

} // namespace ccgraph::runtime
