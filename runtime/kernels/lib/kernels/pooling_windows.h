// Pooling windows: the elements of the input that each element of a pooling's result reads, and what is made of them:
// an average or the largest element.
//
// Sliding and adaptive poolings differ only in their windows, so both compute through a Pooling.
//
// Ownership: a Pooling shares its input; results are new tensors. Failure: through KernelArgs. Cost: the elements read,
// 8 bytes for each element of input and result.
#pragma once

#include "kernels/dense_values.h"

namespace ccgraph::runtime {

/// The positions of the input that one element of the result reads along one dimension, and the count for an average.
struct Reach {
  Scratch<int64_t> positions;
  int64_t counted = 0;
};

/// The reach over all pooled dimensions: positions in a plane, in row-major order, and the divisor of an average.
struct PoolWindow {
  Scratch<int64_t> cells;
  double divisor = 1;
};

/// A pooling of the last dimensions of its input; the leading ones are independent planes.
struct Pooling {
  Tensor input;
  size_t rank = 0;
  IntList outputSizes;
  Scratch<PoolWindow> windows;

  [[nodiscard]] int64_t inputPlane() const { return productOf(input.sizes().take_back(rank)); }
  [[nodiscard]] int64_t planes() const { return productOf(input.sizes().drop_back(rank)); }
};

/// Sets `input` to the argument at `index`; fails unless it is real, with one or two dimensions before the pooled ones.
[[nodiscard]] bool startPooling(KernelArgs &args, Pooling &p, unsigned index);
/// Sets the windows to all combinations of one reach for each pooled dimension.
void setWindows(Pooling &p, llvm::ArrayRef<Scratch<Reach>> axes);

/// Calls body(element of the result, first element of the plane, window) for each element of the result.
template <typename Body>
void forEachWindow(const Pooling &p, Body body) {
  size_t out = 0;
  for (int64_t plane = 0; plane < p.planes(); ++plane)
    for (const PoolWindow &window : p.windows)
      body(out++, plane * p.inputPlane(), window);
}

// --- Averages ---------------------------------------------------------------------------------------
[[nodiscard]] Value average(KernelArgs &args, const Pooling &p);
/// grad_output is argument 0.
[[nodiscard]] Value averageBackward(KernelArgs &args, const Pooling &p);

// --- Maxima: the first of the largest elements of a window, or its last NaN -----------------------
struct Maxima {
  Values values;
  Scratch<int64_t> cells;  ///< in the plane
  Scratch<int64_t> orders; ///< in the window
};
[[nodiscard]] Maxima maximaOf(const Pooling &p);
/// One place for each element of the result, as a tensor of `dtype`.
[[nodiscard]] Tensor placesOf(const Pooling &p, llvm::ArrayRef<int64_t> places, DType dtype);
/// (maxima, their cells in i64)
[[nodiscard]] Value maximaWithCells(KernelArgs &args, const Pooling &p);
/// Adds grad_output, argument 0, to the cells that argument `indicesAt` names, in a tensor like argument 1.
[[nodiscard]] Value gradientToCells(KernelArgs &args, unsigned indicesAt, size_t rank);

} // namespace ccgraph::runtime
