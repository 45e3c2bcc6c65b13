#include "kernels/pooling_windows.h"

#include "kernels/memory_format.h"

#include <cmath>

namespace ccgraph::runtime {

bool startPooling(KernelArgs &args, Pooling &p, unsigned index) {
  p.input = args.tensor(index);
  bool fits = p.input.rank() > static_cast<int64_t>(p.rank) && p.input.rank() <= static_cast<int64_t>(p.rank) + 2 &&
              computable(p.input.dtype()) && !isComplex(p.input.dtype());
  return args.check(fits, "got " + typeOf(p.input) + ", expected real [N, C, ...] with " + llvm::Twine(p.rank) +
                              " pooled dimensions") &&
         !args.failed();
}

/// All combinations of one reach a dimension, the last dimension fastest.
static Scratch<PoolWindow> combine(llvm::ArrayRef<Scratch<Reach>> axes, IntListRef sizes) {
  Scratch<PoolWindow> windows{{{0}, 1.0}};
  for (size_t d = 0; d < axes.size(); ++d) {
    Scratch<PoolWindow> next;
    for (const PoolWindow &window : windows)
      for (const Reach &reach : axes[d]) {
        PoolWindow &joined = next.emplace_back();
        joined.divisor = window.divisor * static_cast<double>(reach.counted);
        for (int64_t cell : window.cells)
          for (int64_t at : reach.positions)
            joined.cells.push_back(cell * sizes[d] + at);
      }
    windows = std::move(next);
  }
  return windows;
}

void setWindows(Pooling &p, llvm::ArrayRef<Scratch<Reach>> axes) {
  p.outputSizes = toIntList(p.input.sizes().drop_back(p.rank));
  for (const Scratch<Reach> &axis : axes)
    p.outputSizes.push_back(static_cast<int64_t>(axis.size()));
  p.windows = combine(axes, p.input.sizes().take_back(p.rank));
}

Value average(KernelArgs &args, const Pooling &p) {
  if (args.failed())
    return {};
  Values in = readAll(p.input), out(static_cast<size_t>(productOf(p.outputSizes)));
  forEachWindow(p, [&](size_t i, int64_t plane, const PoolWindow &window) {
    for (int64_t cell : window.cells)
      out[i] += in[static_cast<size_t>(plane + cell)];
    out[i] /= window.divisor;
  });
  return tensorOf(out, p.input.dtype(), p.outputSizes, p.input);
}

static bool checkGradient(KernelArgs &args, const Pooling &p) {
  return !args.failed() &&
         args.check(args.tensor(0).sizes() == IntListRef(p.outputSizes),
                    "got grad_output " + typeOf(args.tensor(0)) + ", expected sizes " + dimsOf(p.outputSizes));
}

Value averageBackward(KernelArgs &args, const Pooling &p) {
  if (!checkGradient(args, p))
    return {};
  Values grad = readAll(args.tensor(0)), result(static_cast<size_t>(p.input.numElements()));
  forEachWindow(p, [&](size_t i, int64_t plane, const PoolWindow &window) {
    for (int64_t cell : window.cells)
      result[static_cast<size_t>(plane + cell)] += grad[i] / window.divisor;
  });
  return tensorOf(result, p.input.dtype(), p.input.sizes(), p.input);
}

Maxima maximaOf(const Pooling &p) {
  Values in = readAll(p.input);
  auto count = static_cast<size_t>(productOf(p.outputSizes));
  Maxima maxima{Values(count, -INFINITY), Scratch<int64_t>(count), Scratch<int64_t>(count)};
  forEachWindow(p, [&](size_t i, int64_t plane, const PoolWindow &window) {
    for (size_t k = 0; k < window.cells.size(); ++k) {
      double value = in[static_cast<size_t>(plane + window.cells[k])];
      if (k > 0 && !(value > maxima.values[i]) && !std::isnan(value))
        continue;
      maxima.values[i] = value;
      maxima.cells[i] = window.cells[k];
      maxima.orders[i] = static_cast<int64_t>(k);
    }
  });
  return maxima;
}

Tensor placesOf(const Pooling &p, llvm::ArrayRef<int64_t> places, DType dtype) {
  Tensor plain = tensorOf(places, dtype, p.outputSizes);
  Tensor result = Tensor::zeros(dtype, p.outputSizes, suggestedStrides(p.outputSizes, p.input));
  result.copyFrom(plain);
  return result;
}

Value maximaWithCells(KernelArgs &args, const Pooling &p) {
  if (args.failed())
    return {};
  Maxima maxima = maximaOf(p);
  return Value::tensors(
      {tensorOf(maxima.values, p.input.dtype(), p.outputSizes, p.input), placesOf(p, maxima.cells, DType::I64)});
}

Value gradientToCells(KernelArgs &args, unsigned indicesAt, size_t rank) {
  const Tensor &grad = args.tensor(0), &self = args.tensor(1), &indices = args.tensor(indicesAt);
  bool fits = self.rank() >= static_cast<int64_t>(rank) && grad.rank() == self.rank() &&
              grad.sizes() == indices.sizes() && grad.sizes().drop_back(rank) == self.sizes().drop_back(rank);
  if (args.failed() || !args.check(fits, "got grad_output " + typeOf(grad) + ", self " + typeOf(self) +
                                             " and indices " + typeOf(indices) + ", expected sizes that match"))
    return {};
  Values upstream = readAll(grad), cells = readAll(indices), result(static_cast<size_t>(self.numElements()));
  int64_t plane = productOf(self.sizes().take_back(rank)), outPlane = productOf(grad.sizes().take_back(rank));
  for (size_t i = 0; i < upstream.size(); ++i) {
    auto cell = static_cast<int64_t>(cells[i]);
    if (!args.check(cell >= 0 && cell < plane,
                    "got index " + llvm::Twine(cell) + " in a plane of " + llvm::Twine(plane)))
      return {};
    result[static_cast<size_t>(static_cast<int64_t>(i) / outPlane * plane + cell)] += upstream[i];
  }
  return tensorOf(result, self.dtype(), self.sizes(), self);
}

} // namespace ccgraph::runtime
