#include "kernels/dense_values.h"
#include "kernels/families.h"

#include <cmath>

// Bags of rows of a table, each joined to one row (torch.nn.EmbeddingBag).
namespace ccgraph::runtime {
namespace {

enum class Mode : uint8_t { Sum, Mean, Max };

/// Which rows of the weight each bag has, without padding.
struct Bags {
  Tensor weight;
  Mode mode = Mode::Sum;
  Scratch<int64_t> rows;  ///< by index
  Scratch<int64_t> bagOf; ///< by index
  int64_t padding = -1;   ///< a row that no bag counts
  Scratch<int64_t> sizes; ///< by bag
  DType indexType = DType::I64;

  [[nodiscard]] int64_t columns() const { return weight.size(1); }
  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(sizes.size()); }
};

Scratch<int64_t> wholeNumbers(const Tensor &tensor) {
  Tensor plain = tensor.contiguous();
  Scratch<int64_t> result(static_cast<size_t>(plain.numElements()));
  readRow<int64_t>(plain.dtype(), {plain.data(), plain.elementSize()}, result);
  return result;
}

Mode modeOf(KernelArgs &args, unsigned index) {
  int64_t mode = args.integer(index, 0);
  args.check(mode >= 0 && mode <= 2, "got mode " + llvm::Twine(mode) + ", expected 0 (sum), 1 (mean) or 2 (max)");
  return static_cast<Mode>(mode);
}

void checkRows(KernelArgs &args, llvm::ArrayRef<int64_t> rows, int64_t count) {
  for (int64_t row : rows)
    args.check(row >= 0 && row < count, "got index " + llvm::Twine(row) + " of " + llvm::Twine(count) + " rows");
}

/// Index i lies in the last bag that begins at i or before. `last`: the offsets end with the number of indices.
void setBags(KernelArgs &args, Bags &bags, Scratch<int64_t> offsets, bool last) {
  if (last && args.check(!offsets.empty(), "got no offsets"))
    offsets.pop_back();
  int64_t bag = -1;
  bags.sizes.resize(offsets.size());
  for (size_t i = 0; i < bags.rows.size() && !args.failed(); ++i) {
    while (bag + 1 < static_cast<int64_t>(offsets.size()) &&
           offsets[static_cast<size_t>(bag + 1)] <= static_cast<int64_t>(i))
      ++bag;
    if (!args.check(bag >= 0, "got no offset 0"))
      return;
    bags.bagOf.push_back(bag);
    bags.sizes[static_cast<size_t>(bag)] += bags.rows[i] != bags.padding;
  }
}

/// (weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)
Bags bagsOf(KernelArgs &args) {
  Bags bags{.weight = args.tensor(0), .mode = modeOf(args, 4)};
  const Tensor &indices = args.tensor(1), &offsets = args.tensor(2);
  bool fits = bags.weight.rank() == 2 && isFloat(bags.weight.dtype()) && computable(bags.weight.dtype()) &&
              indices.rank() == 1 && offsets.rank() == 1 && classOf(indices.dtype()) == DTypeClass::Integer &&
              classOf(offsets.dtype()) == DTypeClass::Integer;
  if (args.failed() || !args.check(fits, "got weight " + typeOf(bags.weight) + ", indices " + typeOf(indices) +
                                             " and offsets " + typeOf(offsets)))
    return bags;
  bags.indexType = offsets.dtype() == indices.dtype() ? indices.dtype() : DType::I64;
  bags.rows = wholeNumbers(indices);
  checkRows(args, bags.rows, bags.weight.size(0));
  bags.padding = args.integer(8, -1);
  setBags(args, bags, wholeNumbers(offsets), args.boolean(7, false));
  return bags;
}

/// The joined rows, and for the largest elements the row of each.
struct Joined {
  Values values;
  Scratch<int64_t> places;
};

Joined joined(const Bags &bags, const Values &factors) {
  Values table = readAll(bags.weight);
  auto size = static_cast<size_t>(bags.count() * bags.columns());
  Joined result{Values(size), Scratch<int64_t>(size, -1)};
  for (size_t i = 0; i < bags.rows.size(); ++i)
    for (int64_t c = 0; bags.rows[i] != bags.padding && c < bags.columns(); ++c) {
      auto at = static_cast<size_t>(bags.bagOf[i] * bags.columns() + c);
      double value = table[static_cast<size_t>(bags.rows[i] * bags.columns() + c)];
      if (bags.mode != Mode::Max)
        result.values[at] += value * (factors.empty() ? 1 : factors[i]);
      else if (result.places[at] < 0 || value > result.values[at]) {
        result.values[at] = value;
        result.places[at] = bags.rows[i];
      }
    }
  for (size_t at = 0; at < size && bags.mode == Mode::Mean; ++at)
    result.values[at] /=
        static_cast<double>(std::max<int64_t>(bags.sizes[at / static_cast<size_t>(bags.columns())], 1));
  for (int64_t &place : result.places)
    place = std::max<int64_t>(place, 0);
  return result;
}

/// PyTorch sums rows directly, and does not note their bags, where the weight's rows are adjacent elements.
bool notesBags(KernelArgs &args, const Bags &bags) {
  DType dtype = bags.weight.dtype();
  bool direct = (dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16) && bags.weight.stride(1) == 1 &&
                bags.padding < 0;
  if (std::optional<Tensor> factors = args.optionalTensor(6))
    direct &= factors->stride(0) == 1;
  return bags.mode != Mode::Sum || !direct;
}

/// -> (output, offset2bag, bag_size, max_indices). A sum notes no sizes. The last result holds the rows of the largest
/// elements; for a mean, it is the sizes again.
template <bool forwardOnly>
Value embeddingBag(KernelArgs &args) {
  Bags bags = bagsOf(args);
  Values factors;
  if (std::optional<Tensor> given = args.optionalTensor(6); given && !args.failed())
    if (args.check(bags.mode == Mode::Sum && given->sizes() == args.tensor(1).sizes(),
                   "got per_sample_weights " + typeOf(*given) + ", expected one for each index of a sum"))
      factors = readAll(*given);
  if (args.failed())
    return {};
  Joined rows = joined(bags, factors);
  int64_t columns = bags.columns(), offsets = args.tensor(2).size(0);
  Tensor output = tensorOf(rows.values, bags.weight.dtype(), {bags.count(), columns});
  Tensor noted = notesBags(args, bags) ? tensorOf(bags.bagOf, bags.indexType, static_cast<int64_t>(bags.bagOf.size()))
                                       : Tensor::zeros(bags.indexType, {0});
  bool isSum = bags.mode == Mode::Sum;
  Tensor sizes = isSum ? Tensor::zeros(bags.indexType, forwardOnly ? offsets : bags.count())
                       : tensorOf(bags.sizes, bags.indexType, bags.count());
  Tensor places =
      bags.mode == Mode::Max ? tensorOf(rows.places, bags.indexType, {bags.count(), columns}) : sizes.clone();
  return Value::tensors({output, noted, sizes, places});
}

// --- Gradients ----------------------------------------------------------------------------------------------
/// The places of a gradient operator's arguments in its schema.
struct GradForm {
  unsigned offsets = noArgument;
  unsigned offset2bag, mode, factors, padding;
  unsigned sizes = noArgument;
};

/// The gradient of the bags, and which rows they have.
struct Upstream {
  Tensor gradTensor;
  Mode mode = Mode::Sum;
  Values grad, factors;
  Scratch<int64_t> rows, bagOf, sizes;
  int64_t columns = 0, padding = -1;

  [[nodiscard]] double at(size_t index, int64_t column) const {
    return grad[static_cast<size_t>(bagOf[index] * columns + column)];
  }
};

/// The bag of each index: as noted, or from the offsets where nothing was noted.
Scratch<int64_t> bagsOfIndices(KernelArgs &args, const GradForm &form, size_t count) {
  Scratch<int64_t> noted = wholeNumbers(args.tensor(form.offset2bag));
  if (noted.size() == count || form.offsets == noArgument || args.failed())
    return noted;
  Bags bags{.rows = Scratch<int64_t>(count)};
  setBags(args, bags, wholeNumbers(args.tensor(form.offsets)), false);
  return bags.bagOf;
}

Upstream upstreamOf(KernelArgs &args, unsigned indicesAt, const GradForm &form) {
  Upstream u{.gradTensor = args.tensor(0), .mode = modeOf(args, form.mode)};
  bool fits = u.gradTensor.rank() == 2 && isFloat(u.gradTensor.dtype()) && computable(u.gradTensor.dtype());
  if (args.failed() || !args.check(fits, "got grad " + typeOf(u.gradTensor)))
    return u;
  u.grad = readAll(u.gradTensor);
  u.columns = u.gradTensor.size(1);
  u.padding = args.integer(form.padding, -1);
  u.rows = wholeNumbers(args.tensor(indicesAt));
  if (u.mode != Mode::Max)
    u.bagOf = bagsOfIndices(args, form, u.rows.size());
  if (form.sizes != noArgument)
    u.sizes = wholeNumbers(args.tensor(form.sizes));
  if (std::optional<Tensor> given = args.optionalTensor(form.factors))
    u.factors = readAll(*given);
  args.check(u.mode == Mode::Max || u.bagOf.size() == u.rows.size(),
             "got offset2bag " + typeOf(args.tensor(form.offset2bag)) + ", expected one bag for each index");
  args.check(form.sizes == noArgument || u.mode != Mode::Mean ||
                 static_cast<int64_t>(u.sizes.size()) == u.gradTensor.size(0),
             "got bag_size of " + llvm::Twine(u.sizes.size()) + " bags for " + typeOf(u.gradTensor));
  for (int64_t bag : u.bagOf)
    args.check(bag >= 0 && bag < u.gradTensor.size(0), "got bag " + llvm::Twine(bag) + " of " + typeOf(u.gradTensor));
  return u;
}

/// Each column's gradient goes to the row with its largest element; empty bags have none.
void addToLargest(const Upstream &u, llvm::ArrayRef<int64_t> places, Values &result) {
  auto columns = static_cast<size_t>(u.columns);
  for (size_t at = 0; at < u.grad.size(); ++at)
    if (u.sizes[at / columns] > 0)
      result[static_cast<size_t>(places[at] * u.columns) + at % columns] += u.grad[at];
}

void addToRows(const Upstream &u, bool byFrequency, Values &result) {
  llvm::DenseMap<int64_t, int64_t> times;
  for (int64_t row : u.rows)
    ++times[row];
  for (size_t i = 0; i < u.rows.size(); ++i) {
    if (u.rows[i] == u.padding)
      continue;
    double factor = u.factors.empty() ? 1 : u.factors[i];
    if (byFrequency)
      factor /= static_cast<double>(times[u.rows[i]]);
    if (u.mode == Mode::Mean)
      factor /= static_cast<double>(std::max<int64_t>(u.sizes[static_cast<size_t>(u.bagOf[i])], 1));
    for (int64_t c = 0; c < u.columns; ++c)
      result[static_cast<size_t>(u.rows[i] * u.columns + c)] += factor * u.at(i, c);
  }
}

/// `next`: the index of bag_size, which maximum_indices, num_weights and scale_grad_by_freq follow.
Value weightGradient(KernelArgs &args, unsigned next, const GradForm &form) {
  int64_t count = args.integer(next + 2);
  bool byFrequency = args.boolean(next + 3, false);
  Upstream u = upstreamOf(args, 1, form);
  checkRows(args, u.rows, count);
  if (args.failed())
    return {};
  Values result(static_cast<size_t>(count * u.columns));
  if (u.mode != Mode::Max) {
    addToRows(u, byFrequency, result);
    return tensorOf(result, u.gradTensor.dtype(), {count, u.columns});
  }
  Scratch<int64_t> places = wholeNumbers(args.tensor(next + 1));
  checkRows(args, places, count);
  if (args.failed() ||
      !args.check(places.size() == u.grad.size() && u.sizes.size() * static_cast<size_t>(u.columns) == u.grad.size(),
                  "got maximum_indices " + typeOf(args.tensor(next + 1))))
    return {};
  addToLargest(u, places, result);
  return tensorOf(result, u.gradTensor.dtype(), {count, u.columns});
}

/// (grad, indices, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode, per_sample_weights,
/// padding_idx)
Value denseBackward(KernelArgs &args) {
  return weightGradient(args, 3, {.offset2bag = 2, .mode = 7, .factors = 8, .padding = 9, .sizes = 3});
}
/// (grad, indices, offsets, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode, sparse,
/// per_sample_weights, padding_idx)
Value backward(KernelArgs &args) {
  args.check(!args.boolean(9, false), "got sparse=True, a gradient of another layout, which is not supported");
  return weightGradient(args, 4, {.offsets = 2, .offset2bag = 3, .mode = 8, .factors = 10, .padding = 11, .sizes = 4});
}

/// (grad, weight, indices, offsets, offset2bag, mode, padding_idx): of each index, grad times its row.
Value factorsBackward(KernelArgs &args) {
  const Tensor &weight = args.tensor(1);
  Upstream u = upstreamOf(args, 2, {.offsets = 3, .offset2bag = 4, .mode = 5, .factors = noArgument, .padding = 6});
  bool fits = weight.rank() == 2 && weight.size(1) == u.columns && u.mode == Mode::Sum;
  if (args.failed() || !args.check(fits, "got weight " + typeOf(weight) + ", expected a sum of its rows"))
    return {};
  checkRows(args, u.rows, weight.size(0));
  Values table = readAll(weight), result(u.rows.size());
  for (size_t i = 0; i < u.rows.size() && !args.failed(); ++i)
    for (int64_t c = 0; u.rows[i] != u.padding && c < u.columns; ++c)
      result[i] += u.at(i, c) * table[static_cast<size_t>(u.rows[i] * u.columns + c)];
  return tensorOf(result, u.gradTensor.dtype(), static_cast<int64_t>(result.size()));
}

const Kernel embeddingBagTable[] = {
    {"aten._embedding_bag.default",
     "weight,indices,offsets,scale_grad_by_freq,mode,sparse,per_sample_weights,include_last_offset,padding_idx",
     embeddingBag<false>},
    {"aten._embedding_bag_backward.default",
     "grad,indices,offsets,offset2bag,bag_size,maximum_indices,num_weights,scale_grad_by_freq,mode,sparse,"
     "per_sample_weights,padding_idx",
     backward},
    {"aten._embedding_bag_dense_backward.default",
     "grad,indices,offset2bag,bag_size,maximum_indices,num_weights,scale_grad_by_freq,mode,per_sample_weights,"
     "padding_idx",
     denseBackward},
    {"aten._embedding_bag_forward_only.default",
     "weight,indices,offsets,scale_grad_by_freq,mode,sparse,per_sample_weights,include_last_offset,padding_idx",
     embeddingBag<true>},
    {"aten._embedding_bag_per_sample_weights_backward.default",
     "grad,weight,indices,offsets,offset2bag,mode,padding_idx", factorsBackward},
};

} // namespace

llvm::ArrayRef<Kernel> embeddingBagKernels() { return embeddingBagTable; }

} // namespace ccgraph::runtime
