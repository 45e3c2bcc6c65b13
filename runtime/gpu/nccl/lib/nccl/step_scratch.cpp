#include "nccl/step_scratch.h"

#include "process/memory_limit.h"

#include <utility>

namespace ccgraph::runtime {

StepScratch::~StepScratch() {
  for (auto &[step, pieces] : pieces_)
    for (Piece &piece : pieces)
      if (piece.memory)
        calls_.release(piece.memory);
}

void StepScratch::begin(size_t step) {
  step_ = step;
  next_ = 0;
}

std::byte *StepScratch::take(int64_t bytes) {
  std::vector<Piece> &pieces = pieces_[step_];
  pieces.resize(std::max(pieces.size(), next_ + 1));
  Piece &piece = pieces[next_++];
  if (piece.bytes >= bytes)
    return piece.memory;
  piece.bytes = 0;
  if (piece.memory)
    calls_.release(std::exchange(piece.memory, nullptr));
  if (calls_.allocate(GpuPurpose::Growing, bytes, piece.memory) != 0)
    throw OutOfMemory(bytes);
  piece.bytes = bytes;
  return piece.memory;
}

} // namespace ccgraph::runtime
