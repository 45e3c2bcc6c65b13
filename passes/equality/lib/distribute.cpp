#include "distribute.h"

#include "axis.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::equality {

std::vector<int64_t> coordinatesOf(int64_t rank, llvm::ArrayRef<NamedAxis> mesh) {
  std::vector<int64_t> coordinates(mesh.size());
  for (size_t axis = mesh.size(); axis-- > 0; rank /= mesh[axis].size)
    coordinates[axis] = rank % mesh[axis].size;
  return coordinates;
}

int64_t rankAt(llvm::ArrayRef<int64_t> coordinates, llvm::ArrayRef<NamedAxis> mesh) {
  int64_t rank = 0;
  for (size_t axis = 0; axis != mesh.size(); ++axis)
    rank = rank * mesh[axis].size + coordinates[axis];
  return rank;
}

int64_t numRanks(llvm::ArrayRef<NamedAxis> mesh) {
  int64_t ranks = 1;
  for (const NamedAxis &axis : mesh)
    ranks = saturatingMultiply(ranks, axis.size);
  return ranks;
}

Array slicedArray(const Array &array, size_t dim, int64_t start, int64_t end) {
  Axis axis(array.sizes, static_cast<int64_t>(dim));
  auto sliced = [&](const Words &from) {
    Words words;
    words.reserve(static_cast<size_t>(axis.outer * (end - start) * axis.inner));
    for (int64_t o = 0; o != axis.outer && end > start; ++o)
      words.insert(words.end(), from.begin() + static_cast<int64_t>(axis.at(o, start, 0)),
                   from.begin() + static_cast<int64_t>(axis.at(o, end, 0)));
    return std::make_shared<const Words>(std::move(words));
  };
  IntList sizes = array.sizes;
  sizes[dim] = end - start;
  return {array.kind, array.digits, sizes, sliced(*array.words), array.companion ? sliced(*array.companion) : nullptr};
}

/// Returns the roots of unity of arrays.
static std::vector<Array> unitiesOf(llvm::ArrayRef<Array> arrays) {
  std::vector<Array> unities;
  for (const Array &array : arrays)
    unities.push_back(unityOf(array));
  return unities;
}

static bool areLogarithms(llvm::ArrayRef<Array> arrays) {
  return llvm::any_of(arrays, [](const Array &array) { return array.kind == Kind::Float && array.companion; });
}

Array concatenated(llvm::ArrayRef<Array> parts, size_t dim) {
  IntList sizes = parts.front().sizes;
  unsigned digits = fullDigits;
  sizes[dim] = 0;
  for (const Array &part : parts) {
    sizes[dim] += part.sizes[dim];
    digits = std::min<unsigned>(digits, part.digits);
  }
  Words words;
  words.reserve(static_cast<size_t>(productOf(sizes)));
  int64_t outer = Axis(sizes, static_cast<int64_t>(dim)).outer;
  for (int64_t o = 0; o != outer; ++o)
    for (const Array &part : parts) {
      int64_t chunk = part.count() / outer;
      words.insert(words.end(), part.words->begin() + o * chunk, part.words->begin() + (o + 1) * chunk);
    }
  Array result = makeArray(parts.front().kind, sizes, std::move(words), digits);
  if (areLogarithms(parts))
    result.companion = concatenated(unitiesOf(parts), dim).words;
  return result;
}

Array addedArrays(const Array &a, const Array &b) {
  return combinedArrays({a, b}, [&](Word x, Word y) { return a.kind == Kind::Float ? add(x, y) : x + y; });
}

std::shared_ptr<const Words> unityOfSum(llvm::ArrayRef<Array> summands) {
  return areLogarithms(summands) ? combinedArrays(unitiesOf(summands), multiply).words : nullptr;
}

Array scaledArray(const Array &a, Word by) {
  Words words(*a.words);
  for (Word &word : words)
    word = multiply(word, by);
  return makeArray(a.kind, a.sizes, std::move(words), a.digits);
}

namespace {

/// Returns the axes in the order in which they cut.
std::vector<size_t> orderOfAxes(const TensorPlacement &placement) {
  std::vector<size_t> order;
  for (size_t axis = 0; axis != placement.axes.size(); ++axis)
    if (!llvm::is_contained(placement.splitOrder, axis))
      order.push_back(axis);
  order.insert(order.end(), placement.splitOrder.begin(), placement.splitOrder.end());
  return order;
}

/// The chunk of torch.chunk.
Array chunkOf(const Array &array, size_t dim, int64_t index, int64_t count) {
  int64_t size = array.sizes[dim], chunk = (size + count - 1) / count;
  int64_t start = std::min(size, index * chunk);
  return slicedArray(array, dim, start, std::min(size, start + chunk));
}

Array randomPart(const Array &like, const Field &field, uint64_t key) {
  Words words(like.words->size());
  for (size_t i = 0; i != words.size(); ++i)
    words[i] = field.draw(mix(key, i));
  return makeArray(like.kind, like.sizes, std::move(words), like.digits);
}

/// The part of one rank of an axis on which the tensor is a sum.
Array summand(const Array &whole, int64_t index, int64_t count, const PartialParts &parts) {
  if (index + 1 != count)
    return randomPart(whole, *parts.field, mix(parts.key, static_cast<uint64_t>(index)));
  Array rest = whole;
  for (int64_t other = 0; other + 1 != count; ++other)
    rest = addedArrays(rest, scaledArray(randomPart(whole, *parts.field, mix(parts.key, static_cast<uint64_t>(other))),
                                         negate(fromPlain(1))));
  return rest;
}

/// Cuts and adds by one placement after the other.
class Cutter {
public:
  Cutter(const TensorPlacement &placement, llvm::ArrayRef<NamedAxis> mesh, PartialParts parts)
      : placement_(placement), mesh_(mesh), parts_(parts) {}

  llvm::Expected<Array> part(Array array, int64_t rank) {
    if (!placement_.as.empty()) {
      if (productOf(placement_.as) != array.count() || placement_.as.size() < 2)
        return llvm::createStringError(llvm::inconvertibleErrorCode(), "the shape " + intListText(placement_.as) +
                                                                           " does not have the elements of " +
                                                                           intListText(array.sizes));
      array = reshaped(array, placement_.as);
    }
    if (llvm::Error error = applyAll(array, rank, [&](size_t axis) { return cutsInShape(axis); }))
      return error;
    if (!placement_.as.empty())
      array = flattened(array);
    if (llvm::Error error = applyAll(array, rank, [&](size_t axis) { return !cutsInShape(axis); }))
      return error;
    return array;
  }

private:
  [[nodiscard]] bool cutsInShape(size_t axis) const {
    return placement_.asAxes.empty() || llvm::is_contained(placement_.asAxes, axis);
  }

  template <class Select>
  llvm::Error applyAll(Array &array, int64_t rank, Select isSelected) {
    std::vector<int64_t> coordinates = coordinatesOf(rank, mesh_);
    for (size_t axis : orderOfAxes(placement_))
      if (isSelected(axis))
        if (llvm::Error error = apply(array, axis, coordinates[axis]))
          return error;
    return llvm::Error::success();
  }

  llvm::Error apply(Array &array, size_t axis, int64_t index) {
    const AxisPlacement &placement = placement_.axes[axis];
    const int64_t count = mesh_[axis].size;
    if (placement.kind == AxisPlacement::Kind::Replicate)
      return llvm::Error::success();
    if (placement.kind != AxisPlacement::Kind::Shard) {
      if (array.kind != Kind::Float)
        return llvm::createStringError(llvm::inconvertibleErrorCode(), "integers cannot be partial sums here");
      PartialParts parts{parts_.field, mix(parts_.key, axis)};
      Array total =
          placement.kind == AxisPlacement::Kind::PartialSum ? array : scaledArray(array, numberOfInteger(count));
      array = summand(total, index, count, parts);
      return llvm::Error::success();
    }
    auto dim = static_cast<size_t>(placement.dim);
    if (dim >= array.sizes.size())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), placementText(placement) + " of a tensor of " +
                                                                         llvm::Twine(array.sizes.size()) +
                                                                         " dimensions");
    array = chunkOf(array, dim, index, count);
    return llvm::Error::success();
  }

  static Array flattened(const Array &array) {
    IntList sizes(array.sizes.begin() + 1, array.sizes.end());
    sizes.front() *= array.sizes.front();
    return reshaped(array, sizes);
  }

  const TensorPlacement &placement_;
  llvm::ArrayRef<NamedAxis> mesh_;
  PartialParts parts_;
};

} // namespace

llvm::Expected<Array> partOf(const Array &whole, const TensorPlacement &placement, llvm::ArrayRef<NamedAxis> mesh,
                             int64_t rank, const PartialParts &parts) {
  if (whole.kind != Kind::Complex)
    return Cutter(placement, mesh, parts).part(whole, rank);
  TensorPlacement ofPairs = placement;
  if (!ofPairs.as.empty())
    ofPairs.as.push_back(2);
  llvm::Expected<Array> pairs = Cutter(ofPairs, mesh, parts).part(asPairs(whole), rank);
  return pairs ? llvm::Expected<Array>(fromPairs(*pairs)) : pairs.takeError();
}

} // namespace ccgraph::equality
