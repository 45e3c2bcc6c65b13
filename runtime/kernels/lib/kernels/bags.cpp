#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "tensor/elements.h"

#include <cmath>

// Rows of a table summed, averaged or maximized by bags: bag b holds indices[offsets[b]] up to indices[offsets[b + 1]].
namespace ccgraph::runtime {
namespace {

enum class Mode : uint8_t { Sum, Mean, Max };

Scratch<int64_t> wholeNumbers(KernelArgs &args, const Tensor &tensor) {
  bool fits = tensor.rank() == 1 && (tensor.dtype() == DType::I64 || tensor.dtype() == DType::I32);
  Scratch<int64_t> result;
  if (args.failed() || !args.check(fits, "got " + typeOf(tensor) + ", expected one line of i64 or i32"))
    return result;
  result.resize(static_cast<size_t>(tensor.size(0)));
  readRow<int64_t>(tensor.dtype(), {tensor.data(), strideBytes(tensor, 0)}, result);
  return result;
}

Mode modeOf(KernelArgs &args, unsigned index) {
  int64_t mode = args.integer(index, 0);
  args.check(mode >= 0 && mode <= 2, "got mode " + llvm::Twine(mode) + ", expected 0 (sum), 1 (mean) or 2 (max)");
  return static_cast<Mode>(mode);
}

/// An optional factor for each index.
Scratch<double> factorsOf(KernelArgs &args, unsigned index, size_t count) {
  std::optional<Tensor> given = args.optionalTensor(index);
  Scratch<double> factors = given && !args.failed() ? readAll(*given) : Scratch<double>(count, 1.0);
  args.check(factors.size() == count, "got per_sample_weights of another length than the indices");
  return factors;
}

/// The bag of each index; the first bag starts at 0.
Scratch<int64_t> bagsOf(KernelArgs &args, llvm::ArrayRef<int64_t> offsets, size_t count) {
  Scratch<int64_t> bags(count);
  for (size_t b = 0; b < offsets.size() && !args.failed(); ++b) {
    auto end = b + 1 < offsets.size() ? offsets[b + 1] : static_cast<int64_t>(count);
    bool fits =
        offsets[b] >= 0 && offsets[b] <= end && end <= static_cast<int64_t>(count) && (b > 0 || offsets[0] == 0);
    if (args.check(fits, "got offsets that do not rise from 0 to the number of indices"))
      std::fill(bags.begin() + offsets[b], bags.begin() + end, static_cast<int64_t>(b));
  }
  return bags;
}

Tensor lineOf(llvm::ArrayRef<int64_t> numbers, DType dtype) {
  Tensor result = Tensor::zeros(dtype, {static_cast<int64_t>(numbers.size())});
  writeRow<int64_t>(dtype, {result.data(), result.elementSize()}, numbers);
  return result;
}

Tensor tableOf(llvm::ArrayRef<double> values, DType dtype, DimsRef sizes) {
  Tensor result = Tensor::zeros(dtype, sizes);
  writeRow<double>(dtype, {result.data(), result.elementSize()}, values);
  return result;
}

/// What a bag's rows become; of a maximum, also the row that has it, by column.
struct Bags {
  Scratch<double> sums;
  Scratch<int64_t> counts;
  Scratch<int64_t> places;
};

/// PyTorch does not work out the bag of each index where it sums plain rows.
bool sumsPlainRows(KernelArgs &args, const Tensor &weight, Mode mode, int64_t padding) {
  return mode == Mode::Sum && weight.dtype() != DType::F64 && padding < 0 && weight.stride(1) == 1 &&
         (!args.has(6) || args.tensor(6).stride(0) == 1);
}

struct Table {
  Scratch<double> rows;
  int64_t width;

  [[nodiscard]] double at(int64_t row, int64_t column) const { return rows[static_cast<size_t>(row * width + column)]; }
};

/// Adds a row to its bag.
void join(Bags &b, const Table &table, Mode mode, int64_t bag, int64_t row, double factor) {
  bool first = b.counts[static_cast<size_t>(bag)]++ == 0;
  for (int64_t c = 0; c < table.width; ++c) {
    auto cell = static_cast<size_t>(bag * table.width + c);
    double value = table.at(row, c) * factor;
    if (mode != Mode::Max) {
      b.sums[cell] += value;
    } else if (first || value > b.sums[cell]) {
      b.sums[cell] = value;
      b.places[cell] = row;
    }
  }
}

/// (weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)
/// -> (output, offset2bag, bag_size, max_indices)
template <bool forwardOnly>
Value embeddingBag(KernelArgs &args) {
  const Tensor &weight = args.tensor(0);
  Scratch<int64_t> indices = wholeNumbers(args, args.tensor(1)), offsets = wholeNumbers(args, args.tensor(2));
  Mode mode = modeOf(args, 4);
  bool closed = args.boolean(7, false);
  int64_t padding = args.integer(8, -1);
  bool fits =
      weight.rank() == 2 && isFloat(weight.dtype()) && computable(weight.dtype()) && (!closed || !offsets.empty());
  if (args.failed() || !args.check(fits, "got a weight " + typeOf(weight)))
    return {};
  DType dtype = args.tensor(1).dtype();
  auto given = static_cast<int64_t>(offsets.size());
  if (closed)
    offsets.pop_back();
  Scratch<double> factors = factorsOf(args, 6, indices.size());
  Scratch<int64_t> bags = bagsOf(args, offsets, indices.size());
  Table table{readAll(weight), weight.size(1)};
  auto count = static_cast<int64_t>(offsets.size());
  auto cells = static_cast<size_t>(count * table.width);
  Bags b{Scratch<double>(cells), Scratch<int64_t>(offsets.size()), Scratch<int64_t>(cells)};
  for (size_t i = 0; i < indices.size() && !args.failed(); ++i)
    if (args.check(indices[i] >= 0 && indices[i] < weight.size(0), "got index " + llvm::Twine(indices[i])) &&
        indices[i] != padding)
      join(b, table, mode, bags[i], indices[i], factors[i]);
  if (args.failed())
    return {};
  for (size_t i = 0; i < b.sums.size() && mode == Mode::Mean; ++i)
    b.sums[i] /= static_cast<double>(std::max<int64_t>(b.counts[i / static_cast<size_t>(table.width)], 1));
  Tensor sizes = mode == Mode::Sum ? Tensor::zeros(dtype, {forwardOnly ? given : count}) : lineOf(b.counts, dtype);
  Tensor places = sizes.clone();
  if (mode == Mode::Max)
    places = args.take(lineOf(b.places, dtype).view({count, table.width}));
  Tensor ofIndex = sumsPlainRows(args, weight, mode, padding) ? Tensor::zeros(dtype, {0}) : lineOf(bags, dtype);
  return Value::tensors({tableOf(b.sums, weight.dtype(), {count, table.width}), ofIndex, sizes, places});
}

/// What the gradients read of a call's arguments.
struct Backward {
  Scratch<int64_t> indices, bags, sizes;
  Scratch<double> grad, factors;
  int64_t rows, width, padding;
  bool byFrequency;
  Mode mode;
};

/// Sends each bag's gradient to its rows.
Tensor sendBack(const Backward &b, DType dtype) {
  llvm::DenseMap<int64_t, int64_t> times;
  for (int64_t row : b.indices)
    ++times[row];
  Scratch<double> result(static_cast<size_t>(b.rows * b.width));
  for (size_t i = 0; i < b.indices.size(); ++i) {
    int64_t row = b.indices[i], bag = b.bags[i];
    if (row == b.padding)
      continue;
    double factor = b.factors[i];
    if (b.byFrequency)
      factor /= static_cast<double>(times[row]);
    if (b.mode == Mode::Mean)
      factor /= static_cast<double>(std::max<int64_t>(b.sizes[static_cast<size_t>(bag)], 1));
    for (int64_t c = 0; c < b.width; ++c)
      result[static_cast<size_t>(row * b.width + c)] += factor * b.grad[static_cast<size_t>(bag * b.width + c)];
  }
  return tableOf(result, dtype, {b.rows, b.width});
}

/// Each column's gradient goes to the row that had the maximum.
Tensor sendToMaxima(KernelArgs &args, const Backward &b, const Tensor &places, DType dtype) {
  Scratch<double> result(static_cast<size_t>(b.rows * b.width)), at = readAll(places);
  args.check(at.size() == b.grad.size(), "got maximum_indices " + typeOf(places));
  for (size_t i = 0; i < b.grad.size() && !args.failed(); ++i) {
    auto column = static_cast<int64_t>(i) % b.width, row = static_cast<int64_t>(at[i]);
    if (b.sizes[i / static_cast<size_t>(b.width)] > 0 &&
        args.check(row >= 0 && row < b.rows, "got a row that is not there"))
      result[static_cast<size_t>(row * b.width + column)] += b.grad[i];
  }
  return tableOf(result, dtype, {b.rows, b.width});
}

/// The arguments from offset2bag on stand at `at`; where it is empty, `offsets` tells the bags.
Value backward(KernelArgs &args, unsigned at, llvm::ArrayRef<int64_t> offsets, unsigned factorsAt) {
  const Tensor &grad = args.tensor(0);
  Backward b{.indices = wholeNumbers(args, args.tensor(1)), .mode = modeOf(args, at + 5)};
  b.bags = wholeNumbers(args, args.tensor(at));
  b.sizes = wholeNumbers(args, args.tensor(at + 1));
  b.rows = args.integer(at + 3);
  b.byFrequency = args.boolean(at + 4, false);
  b.padding = args.integer(factorsAt + 1, -1);
  if (args.failed() ||
      !args.check(grad.rank() == 2 && computable(grad.dtype()) && b.rows >= 0, "got grad " + typeOf(grad)))
    return {};
  if (b.bags.empty())
    b.bags = bagsOf(args, offsets, b.indices.size());
  b.factors = factorsOf(args, factorsAt, b.indices.size());
  b.width = grad.size(1);
  b.grad = readAll(grad);
  bool known = b.bags.size() == b.indices.size() && static_cast<int64_t>(b.sizes.size()) >= grad.size(0) &&
               llvm::all_of(b.indices, [&](int64_t row) { return row >= 0 && row < b.rows; }) &&
               llvm::all_of(b.bags, [&](int64_t bag) { return bag >= 0 && bag < grad.size(0); });
  if (args.failed() || !args.check(known, "got indices or bags that are not there"))
    return {};
  return b.mode == Mode::Max ? sendToMaxima(args, b, args.tensor(at + 2), grad.dtype()) : sendBack(b, grad.dtype());
}

/// (grad, indices, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode, per_sample_weights,
/// padding_idx)
Value denseBackward(KernelArgs &args) { return backward(args, 2, {}, 8); }

/// The same with offsets before offset2bag and `sparse` after mode.
Value embeddingBagBackward(KernelArgs &args) {
  args.check(!args.boolean(9, false), "got sparse = True, expected a dense gradient");
  Scratch<int64_t> offsets = wholeNumbers(args, args.tensor(2));
  return backward(args, 3, offsets, 10);
}

/// (grad, weight, indices, offsets, offset2bag, mode, padding_idx): each row times its bag's gradient.
Value factorsBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0), &weight = args.tensor(1);
  Scratch<int64_t> indices = wholeNumbers(args, args.tensor(2)), offsets = wholeNumbers(args, args.tensor(3));
  Scratch<int64_t> bags = wholeNumbers(args, args.tensor(4));
  int64_t padding = args.integer(6, -1);
  if (bags.empty())
    bags = bagsOf(args, offsets, indices.size());
  bool known =
      grad.rank() == 2 && weight.rank() == 2 && grad.size(1) == weight.size(1) && bags.size() == indices.size();
  if (args.failed() || !args.check(known, "got grad " + typeOf(grad) + " and weight " + typeOf(weight)))
    return {};
  Table upstream{readAll(grad), grad.size(1)}, table{readAll(weight), weight.size(1)};
  Scratch<double> result(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    bool there = indices[i] >= 0 && indices[i] < weight.size(0) && bags[i] >= 0 && bags[i] < grad.size(0);
    if (!args.check(there, "got index " + llvm::Twine(indices[i])))
      return {};
    for (int64_t c = 0; c < table.width && indices[i] != padding; ++c)
      result[i] += upstream.at(bags[i], c) * table.at(indices[i], c);
  }
  return tableOf(result, grad.dtype(), {static_cast<int64_t>(result.size())});
}

constexpr llvm::StringLiteral names = "weight,indices,offsets,scale_grad_by_freq,mode,sparse,per_sample_weights,"
                                      "include_last_offset,padding_idx";

const Kernel bagTable[] = {
    {"aten._embedding_bag.default", names, embeddingBag<false>},
    {"aten._embedding_bag_backward.default",
     "grad,indices,offsets,offset2bag,bag_size,maximum_indices,num_weights,scale_grad_by_freq,mode,sparse,"
     "per_sample_weights,padding_idx",
     embeddingBagBackward},
    {"aten._embedding_bag_dense_backward.default",
     "grad,indices,offset2bag,bag_size,maximum_indices,num_weights,scale_grad_by_freq,mode,per_sample_weights,"
     "padding_idx",
     denseBackward},
    {"aten._embedding_bag_forward_only.default", names, embeddingBag<true>},
    {"aten._embedding_bag_per_sample_weights_backward.default",
     "grad,weight,indices,offsets,offset2bag,mode,padding_idx", factorsBackward},
};

} // namespace

llvm::ArrayRef<Kernel> bagKernels() { return bagTable; }

} // namespace ccgraph::runtime
