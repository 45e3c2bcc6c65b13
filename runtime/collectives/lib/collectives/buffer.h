// Buffer: what one rank sends into, or receives from, a collective, as one flat row of elements.
//
// Every collective moves flat rows: dimension 0 is outermost, so gathering along it is concatenation and scattering is
// cutting. A buffer is a row of pieces: a tensor, the tensors of an output list, or strided windows (a chunk along
// another dimension). Its elements are those of the pieces, each in row-major order, one piece after the other.
//
// Ownership: pieces share their storage. Failure: none; callers check counts and dtypes. Cost:
// linear in the elements.
#pragma once

#include "ccgraph/runtime/tensor.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace ccgraph::runtime {

class Buffer {
public:
  Buffer() = default;
  explicit Buffer(Tensor tensor) { pieces_.push_back(std::move(tensor)); }
  explicit Buffer(llvm::ArrayRef<Tensor> pieces) : pieces_(pieces.begin(), pieces.end()) {}

  /// Is this one piece from now on, or none where it is empty. Asks for no memory where there was a piece before.
  void assign(std::optional<Tensor> piece) {
    pieces_.clear();
    if (piece)
      pieces_.push_back(std::move(*piece));
  }

  [[nodiscard]] llvm::ArrayRef<Tensor> pieces() const { return pieces_; }
  /// Returns the dtype of the first piece; callers ensure that all agree. A buffer without pieces counts as f32.
  [[nodiscard]] DType dtype() const { return pieces_.empty() ? DType::F32 : pieces_.front().dtype(); }
  [[nodiscard]] int64_t numElements() const {
    int64_t count = 0;
    for (const Tensor &piece : pieces_)
      count += piece.numElements();
    return count;
  }
  /// True if the pieces differ in dtype.
  [[nodiscard]] bool isMixed() const;

  /// A fresh 1-d copy.
  [[nodiscard]] Tensor read() const;
  /// Fills the pieces from a contiguous 1-d tensor of numElements() elements.
  void write(const Tensor &row) const;
  /// Makes every piece a copy of itself in memory of its own.
  void detach();

private:
  /// most buffers have one piece
  llvm::SmallVector<Tensor, 1> pieces_;
};

/// Fills fresh memory with a pattern that no computation gives by accident (NaN in floats, -1 in
/// integers, true in bools).
void poison(const Tensor &tensor);

} // namespace ccgraph::runtime
