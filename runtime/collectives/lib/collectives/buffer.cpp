#include "collectives/buffer.h"

#include <cstring>

namespace ccgraph::runtime {

bool Buffer::isMixed() const {
  return llvm::any_of(pieces_, [&](const Tensor &piece) { return piece.dtype() != dtype(); });
}

// The pieces [[1, 2], [3, 4]] transposed and [5] are the row 1 3 2 4 5: each piece in the order of its own indices.
Tensor Buffer::read() const {
  Tensor row = Tensor::zeros(dtype(), {numElements()});
  int64_t at = 0;
  for (const Tensor &piece : pieces_) {
    int64_t count = piece.numElements();
    if (count == 0)
      continue;
    Tensor packed = piece.contiguous();
    std::memcpy(row.data() + at * row.elementSize(), packed.data(), static_cast<size_t>(count * row.elementSize()));
    at += count;
  }
  return row;
}

void Buffer::write(const Tensor &row) const {
  int64_t at = 0;
  for (const Tensor &piece : pieces_) {
    int64_t count = piece.numElements();
    Tensor part = row.slice(0, at, at + count);
    piece.copyFrom(llvm::cantFail(part.view(piece.sizes())));
    at += count;
  }
}

// Clones the input at the launch, for all_reduce and broadcast: later writes to it have no effect on the result.
void Buffer::detach() {
  for (Tensor &piece : pieces_)
    piece = piece.cloneContiguous();
}

void poison(const Tensor &tensor) {
  if (tensor.numElements() == 0)
    return;
  auto bytes = static_cast<size_t>(tensor.numElements() * tensor.elementSize());
  std::memset(tensor.data(), tensor.dtype() == DType::Bool ? 1 : 0xff, bytes);
}

} // namespace ccgraph::runtime
