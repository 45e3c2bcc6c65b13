#include "distribute.h"

#include "axis.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::equality {

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

bool isPaddedShard(IntListRef held, IntListRef own, IntListRef first) {
  return held == first && held != own && held.size() == own.size();
}

Array paddedTo(const Array &array, IntListRef sizes) {
  Array result = array;
  for (size_t dim = 0; dim != sizes.size(); ++dim)
    if (result.sizes[dim] < sizes[dim]) {
      IntList rest = result.sizes;
      rest[dim] = sizes[dim] - result.sizes[dim];
      result = concatenated({result, filled(result.kind, rest, 0)}, dim);
    }
  return result;
}

Array withoutPadding(const Array &array, IntListRef sizes) {
  Array result = array;
  for (size_t dim = 0; dim != sizes.size(); ++dim)
    if (result.sizes[dim] > sizes[dim])
      result = slicedArray(result, dim, 0, sizes[dim]);
  return result;
}

namespace {

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
    if (llvm::Error error = placement_.parts.empty()
                                ? applyAll(array, rank, [&](size_t axis) { return cutsInShape(axis); })
                                : applyToParts(array, rank))
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

  /// The dimension that an axis cuts in parts; empty if there is none.
  [[nodiscard]] std::optional<size_t> dimensionOfParts() const {
    for (size_t axis = 0; axis != placement_.axes.size(); ++axis)
      if (cutsInShape(axis) && placement_.axes[axis].kind == AxisPlacement::Kind::Shard)
        return static_cast<size_t>(placement_.axes[axis].dim);
    return std::nullopt;
  }

  llvm::Error applyToParts(Array &array, int64_t rank) {
    std::optional<size_t> dim = dimensionOfParts();
    if (!dim)
      return llvm::Error::success();
    if (*dim >= array.sizes.size() || saturatingSum(placement_.parts) != array.sizes[*dim])
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "the parts " + intListText(placement_.parts) +
                                                                         " are not dimension " + llvm::Twine(*dim) +
                                                                         " of " + intListText(array.sizes));
    std::vector<Array> mine;
    int64_t start = 0;
    for (int64_t size : placement_.parts) {
      mine.push_back(slicedArray(array, *dim, start, start + size));
      start += size;
      if (llvm::Error error = applyAll(mine.back(), rank, [&](size_t axis) { return cutsInShape(axis); }))
        return error;
    }
    array = concatenated(mine, *dim);
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
    if (!placement.isHeadTail) {
      array = chunkOf(array, dim, index, count);
      return llvm::Error::success();
    }
    if (array.sizes[dim] % (2 * count) != 0)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     placementText(placement) + " of " + llvm::Twine(array.sizes[dim]) +
                                         " elements, expected a multiple of " + llvm::Twine(2 * count));
    array = concatenated({chunkOf(array, dim, index, 2 * count), chunkOf(array, dim, 2 * count - 1 - index, 2 * count)},
                         dim);
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

/// Joins by one placement after the other, in the reverse order of Cutter.
class Joiner {
public:
  Joiner(const TensorPlacement &placement, llvm::ArrayRef<NamedAxis> mesh) : placement_(placement), mesh_(mesh) {}

  llvm::Expected<Array> join(std::vector<Array> parts, IntListRef sizes) {
    if (!placement_.parts.empty())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "no rule joins parts of different sizes");
    parts_ = std::move(parts);
    if (llvm::Error error = joinAll(false))
      return error;
    if (!placement_.as.empty())
      for (Array &part : parts_)
        if (llvm::Error error = unflatten(part))
          return error;
    if (llvm::Error error = joinAll(true))
      return error;
    if (productOf(sizes) != parts_.front().count())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "its parts have " +
                                                                         llvm::Twine(parts_.front().count()) +
                                                                         " elements, expected " + intListText(sizes));
    return reshaped(parts_.front(), sizes);
  }

private:
  /// The first dimension of `as` is not cut, and a part has it as the major factor of its first dimension.
  llvm::Error unflatten(Array &part) const {
    IntList sizes = part.sizes;
    if (sizes.empty() || sizes.front() % placement_.as.front() != 0)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "the sizes " + intListText(part.sizes) +
                                                                         " are no part of " +
                                                                         intListText(placement_.as));
    sizes.front() /= placement_.as.front();
    sizes.insert(sizes.begin(), placement_.as.front());
    part = reshaped(part, sizes);
    return llvm::Error::success();
  }

  llvm::Error joinAll(bool inShape) {
    const std::vector<size_t> order = orderOfAxes(placement_);
    for (size_t axis : llvm::reverse(order)) {
      const bool cutsInShape =
          !placement_.as.empty() && (placement_.asAxes.empty() || llvm::is_contained(placement_.asAxes, axis));
      if (cutsInShape != inShape)
        continue;
      for (size_t rank = 0; rank != parts_.size(); ++rank)
        if (coordinatesOf(static_cast<int64_t>(rank), mesh_)[axis] == 0)
          if (llvm::Error error = joinLine(axis, static_cast<int64_t>(rank)))
            return error;
    }
    return llvm::Error::success();
  }

  /// Sets the array of each rank of a line to what the ranks of the line hold together.
  llvm::Error joinLine(size_t axis, int64_t first) {
    const AxisPlacement &placement = placement_.axes[axis];
    if (placement.kind == AxisPlacement::Kind::Replicate)
      return llvm::Error::success();
    std::vector<Array> line;
    std::vector<int64_t> coordinates = coordinatesOf(first, mesh_);
    for (coordinates[axis] = 0; coordinates[axis] != mesh_[axis].size; ++coordinates[axis])
      line.push_back(parts_[static_cast<size_t>(rankAt(coordinates, mesh_))]);
    const bool isShard = placement.kind == AxisPlacement::Kind::Shard;
    if (llvm::Error error = checkLine(line, isShard ? placement.dim : -1))
      return error;
    Array joined = placement.isHeadTail ? headsAndTails(line, static_cast<size_t>(placement.dim))
                   : isShard            ? concatenated(line, static_cast<size_t>(placement.dim))
                                        : line.front();
    for (const Array &part : llvm::ArrayRef(line).drop_front(isShard ? line.size() : 1))
      joined = addedArrays(joined, part);
    if (placement.kind == AxisPlacement::Kind::PartialAvg)
      joined = scaledArray(joined, Field(0).inverse(numberOfInteger(mesh_[axis].size)));
    for (coordinates[axis] = 0; coordinates[axis] != mesh_[axis].size; ++coordinates[axis])
      parts_[static_cast<size_t>(rankAt(coordinates, mesh_))] = joined;
    return llvm::Error::success();
  }

  /// Joins the first halves of the arrays, and then the second halves from last to first.
  static Array headsAndTails(llvm::ArrayRef<Array> line, size_t dim) {
    std::vector<Array> chunks;
    for (const Array &part : line)
      chunks.push_back(chunkOf(part, dim, 0, 2));
    for (const Array &part : llvm::reverse(line))
      chunks.push_back(chunkOf(part, dim, 1, 2));
    return concatenated(chunks, dim);
  }

  /// Checks that arrays have equal sizes but for dimension `dim`; negative: all.
  static llvm::Error checkLine(llvm::ArrayRef<Array> line, int64_t dim) {
    auto others = [&](IntList sizes) {
      if (dim >= 0)
        sizes.erase(sizes.begin() + dim);
      return sizes;
    };
    for (const Array &part : line)
      if (part.kind != line.front().kind || part.sizes.size() != line.front().sizes.size() ||
          dim >= static_cast<int64_t>(part.sizes.size()) || others(part.sizes) != others(line.front().sizes))
        return llvm::createStringError(llvm::inconvertibleErrorCode(), "the sizes " + intListText(part.sizes) +
                                                                           " and " + intListText(line.front().sizes) +
                                                                           " of two ranks are no parts of one tensor");
    return llvm::Error::success();
  }

  const TensorPlacement &placement_;
  llvm::ArrayRef<NamedAxis> mesh_;
  /// by rank
  std::vector<Array> parts_;
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

llvm::Expected<Array> joinedParts(std::vector<Array> ofRanks, const TensorPlacement &placement,
                                  llvm::ArrayRef<NamedAxis> mesh, IntListRef sizes) {
  if (ofRanks.front().kind != Kind::Complex)
    return Joiner(placement, mesh).join(std::move(ofRanks), sizes);
  for (Array &part : ofRanks)
    part = asPairs(part);
  TensorPlacement ofPairs = placement;
  if (!ofPairs.as.empty())
    ofPairs.as.push_back(2);
  IntList pairSizes(sizes.begin(), sizes.end());
  pairSizes.push_back(2);
  llvm::Expected<Array> pairs = Joiner(ofPairs, mesh).join(std::move(ofRanks), pairSizes);
  return pairs ? llvm::Expected<Array>(fromPairs(*pairs)) : pairs.takeError();
}

IntList wholeSizes(llvm::ArrayRef<IntList> ofRanks, const TensorPlacement &placement, llvm::ArrayRef<NamedAxis> mesh) {
  if (!placement.as.empty()) {
    IntList sizes(placement.as.begin() + 1, placement.as.end());
    sizes.front() *= placement.as.front();
    return sizes;
  }
  IntList sizes = ofRanks.front();
  for (size_t dim = 0; dim != sizes.size(); ++dim) {
    sizes[dim] = 0;
    for (size_t rank = 0; rank != ofRanks.size(); ++rank) {
      std::vector<int64_t> coordinates = coordinatesOf(static_cast<int64_t>(rank), mesh);
      bool isFirst = true;
      for (size_t axis = 0; axis != mesh.size(); ++axis)
        isFirst &= coordinates[axis] == 0 || placement.axes[axis].cuts(static_cast<int64_t>(dim));
      if (isFirst && dim < ofRanks[rank].size())
        sizes[dim] += ofRanks[rank][dim];
    }
  }
  return sizes;
}

} // namespace ccgraph::equality
