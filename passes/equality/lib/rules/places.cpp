// self[indices]: one tensor of integers or a mask for some dimensions, with PyTorch's broadcasting.
#include "rules/places.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::equality {

int64_t indexOf(Call &call, int64_t index, int64_t size) {
  int64_t place = index < 0 ? index + size : index;
  if (place >= 0 && place < size)
    return place;
  call.reject("index " + llvm::Twine(index) + " of a dimension of " + llvm::Twine(size));
  return 0;
}

Array indicesOf(Call &call, size_t position) {
  Array indices = call.tensor(position);
  call.require(indices.kind < Kind::Float, "indices that are floats");
  return indices;
}

namespace {

/// Returns the coordinates of the true elements, an array for each dimension.
std::vector<Array> coordinatesOfMask(const Array &mask) {
  IntList strides = contiguousStrides(mask.sizes);
  std::vector<Words> coordinates(mask.sizes.size());
  for (int64_t i = 0; i != mask.count(); ++i)
    for (size_t dim = 0; dim != strides.size() && mask[i] != 0; ++dim)
      coordinates[dim].push_back(static_cast<Word>(i / strides[dim] % mask.sizes[dim]));
  std::vector<Array> arrays;
  for (Words &words : coordinates) {
    auto count = static_cast<int64_t>(words.size());
    arrays.push_back(makeArray(Kind::Integer, {count}, std::move(words)));
  }
  return arrays;
}

/// For each dimension of `self`, its indices; empty where the whole dimension is meant.
std::vector<std::optional<Array>> indicesByDimension(Call &call, size_t position, const Array &self) {
  std::vector<std::optional<Array>> by;
  for (const Value &value : call.at(position).list) {
    if (!value.is(Value::Type::Tensor)) {
      by.emplace_back();
      continue;
    }
    Array index = read(value.tensor);
    call.require(index.kind < Kind::Float, "indices that are floats");
    if (index.kind != Kind::Bool) {
      by.emplace_back(index);
      continue;
    }
    for (size_t i = 0; i != index.sizes.size(); ++i)
      call.require(by.size() + i < self.sizes.size() && self.sizes[by.size() + i] == index.sizes[i],
                   "a mask of other sizes than what it selects from");
    call.require(!index.sizes.empty(), "no rule for a mask without dimensions");
    for (Array &coordinates : coordinatesOfMask(index))
      by.emplace_back(std::move(coordinates));
  }
  call.require(by.size() <= self.sizes.size(), "more indices than dimensions");
  by.resize(std::max(by.size(), self.sizes.size()));
  return by;
}

/// The named elements: a tensor of `sizes`, and where each of its elements is in `self`.
struct Places {
  IntList sizes;
  std::vector<int64_t> at;
};

/// The indexed dimensions, broadcast together.
struct Indexed {
  IntList sizes;
  std::vector<int64_t> offsets;
  size_t first = 0, last = 0;
  bool isAdjacent = true;
};

Indexed indexedDimensions(Call &call, const Array &self, llvm::ArrayRef<std::optional<Array>> by) {
  Indexed indexed;
  std::vector<Array> arrays;
  bool isFirst = true;
  for (size_t dim = 0; dim != by.size(); ++dim)
    if (by[dim]) {
      indexed.isAdjacent &= isFirst || indexed.last + 1 == dim;
      indexed.first = isFirst ? dim : indexed.first;
      indexed.last = dim;
      isFirst = false;
      arrays.push_back(*by[dim]);
    }
  call.require(!arrays.empty(), "no rule for indices of this form");
  indexed.sizes = broadcastSizes(call, arrays);
  if (call.failed())
    return indexed;
  IntList strides = contiguousStrides(self.sizes);
  indexed.offsets.assign(static_cast<size_t>(productOf(indexed.sizes)), 0);
  for (size_t dim = 0; dim != by.size(); ++dim)
    if (by[dim]) {
      Array index = expandedTo(*by[dim], indexed.sizes);
      for (size_t i = 0; i != indexed.offsets.size(); ++i)
        indexed.offsets[i] += indexOf(call, index.integer(static_cast<int64_t>(i)), self.sizes[dim]) * strides[dim];
    }
  return indexed;
}

// The dimensions of the indices replace the indexed ones; where these are not adjacent, they come first.
Places placesOf(Call &call, size_t position, const Array &self) {
  Places places;
  std::vector<std::optional<Array>> by = indicesByDimension(call, position, self);
  if (call.failed())
    return places;
  Indexed indexed = indexedDimensions(call, self, by);
  if (call.failed())
    return places;
  IntList strides = contiguousStrides(self.sizes), before, beforeStrides, after, afterStrides;
  for (size_t dim = 0; dim != by.size(); ++dim)
    if (!by[dim]) {
      bool isBefore = indexed.isAdjacent && dim < indexed.first;
      (isBefore ? before : after).push_back(self.sizes[dim]);
      (isBefore ? beforeStrides : afterStrides).push_back(strides[dim]);
    }
  for (IntListRef part : {IntListRef(before), IntListRef(indexed.sizes), IntListRef(after)})
    places.sizes.insert(places.sizes.end(), part.begin(), part.end());
  places.at.reserve(static_cast<size_t>(productOf(places.sizes)));
  forEachOffset(before, beforeStrides, 0, [&](int64_t outer) {
    for (int64_t offset : indexed.offsets)
      forEachOffset(after, afterStrides, outer + offset, [&](int64_t place) { places.at.push_back(place); });
  });
  return places;
}

Value indexRule(Call &call) {
  Array self = call.tensor(0);
  Places places = placesOf(call, 1, self);
  if (call.failed())
    return {};
  Words words;
  words.reserve(places.at.size());
  for (int64_t place : places.at)
    words.push_back(self[place]);
  return Value(makeArray(self.kind, places.sizes, std::move(words), self.digits));
}

/// Puts values into the places, in their order.
Value put(Call &call, const Array &self, const Places &places, const Array &given, bool adds) {
  if (broadcastSizes(call, {filled(Kind::Bool, places.sizes, 0), given}) != places.sizes)
    call.reject("values of other sizes than the places that they are put into");
  if (call.failed())
    return {};
  Array values = expandedTo(given, places.sizes);
  Words words(*self.words);
  for (size_t i = 0; i != places.at.size(); ++i) {
    Word &word = words[static_cast<size_t>(places.at[i])];
    Word value = (*values.words)[i];
    word = !adds ? value : self.kind == Kind::Float ? add(word, value) : word + value;
  }
  return Value(makeArray(self.kind, self.sizes, std::move(words), std::min(self.digits, values.digits)));
}

// index_put(self, indices, values, accumulate)
Value indexPutRule(Call &call) {
  Array self = call.tensor(0);
  Places places = placesOf(call, 1, self);
  std::optional<Array> given = converted(call.tensor(2), self.kind);
  call.require(given.has_value(), "floats that are no integers");
  return call.failed() ? Value() : put(call, self, places, *given, call.flag(3));
}

// _unsafe_masked_index_put_accumulate(self, mask, indices, values): values where the mask holds are added; indices
// outside are moved inside, since the mask is false there.
Value maskedPutRule(Call &call) {
  Array self = call.tensor(0), mask = call.tensor(1);
  std::optional<Array> given = converted(call.tensor(3), self.kind);
  call.require(given.has_value(), "floats that are no integers");
  Value &list = call.arguments[2];
  for (size_t dim = 0; dim != list.list.size() && dim < self.sizes.size(); ++dim)
    if (list.list[dim].is(Value::Type::Tensor)) {
      int64_t size = self.sizes[dim];
      Array index = read(list.list[dim].tensor);
      list.list[dim] = Value(mapWords(index, Kind::Integer, [size](Word word) {
        return static_cast<Word>(std::clamp<int64_t>(static_cast<int64_t>(word), -size, size - 1));
      }));
    }
  Places places = placesOf(call, 2, self);
  if (call.failed())
    return {};
  Array kept = zipWords(call, *given, mask, self.kind, [](Word value, Word keeps) { return keeps != 0 ? value : 0; });
  return call.failed() ? Value() : put(call, self, places, kept, true);
}

// nonzero(self): the coordinates of elements that are not 0, [count, dimensions]
Value nonzeroRule(Call &call) {
  Array self = *converted(call.tensor(0), Kind::Bool);
  call.require(!self.sizes.empty(), "no rule for the coordinates of a number");
  if (call.failed())
    return {};
  std::vector<Array> coordinates = coordinatesOfMask(self);
  Words words;
  for (int64_t i = 0; i != coordinates.front().count(); ++i)
    for (const Array &along : coordinates)
      words.push_back(along[i]);
  return Value(makeArray(Kind::Integer, {coordinates.front().count(), static_cast<int64_t>(coordinates.size())},
                         std::move(words)));
}

} // namespace

llvm::ArrayRef<RuleEntry> placeRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._unsafe_index", indexRule},
      {"aten._unsafe_index_put", indexPutRule},
      {"aten._unsafe_masked_index_put_accumulate", maskedPutRule},
      {"aten.index", indexRule},
      {"aten.index_put", indexPutRule},
      {"aten.nonzero", nonzeroRule},
  };
  return rules;
}

} // namespace ccgraph::equality
