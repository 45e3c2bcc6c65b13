#include "correspondence.h"

#include "axis.h"
#include "distribute.h"
#include "reference_form.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ccgraph::equality {
namespace {

/// Empty for words that are all equal.
std::optional<Normal> normalOf(const Array &array, Field &field) {
  const Words &words = *array.words;
  if (words.size() > 1 && llvm::all_of(words, [&](Word word) { return word == words.front(); }))
    return std::nullopt;
  if (words.size() == 1 && array.kind != Kind::Float)
    return std::nullopt;
  if (array.kind != Kind::Float)
    return Normal{contentHash(array) >> 1, fromPlain(1)};
  const auto *unit = std::find_if(words.data(), words.data() + words.size(),
                                  [](Word word) { return !isMark(word) && toPlain(word) % prime != 0; });
  if (unit == words.data() + words.size())
    return std::nullopt;
  // A number alone is a multiple of every other one, so only the number itself corresponds.
  if (words.size() == 1)
    return Normal{mix(hashText("number"), toPlain(*unit)) >> 1, fromPlain(1)};
  Word inverse = field.inverse(*unit);
  uint64_t hash = array.digits;
  for (Word word : words)
    hash = (hash ^ multiply(word, inverse)) * 0x9e3779b97f4a7c15 + (hash >> 29);
  return Normal{mix(hash, words.size()) >> 1, *unit};
}

Array transposedMatrix(const Array &array) {
  Tensor tensor(array);
  std::swap(tensor.sizes[0], tensor.sizes[1]);
  std::swap(tensor.strides[0], tensor.strides[1]);
  return read(tensor);
}

bool allEqual(llvm::ArrayRef<Array> arrays) {
  return llvm::all_of(arrays, [&](const Array &array) {
    return array.sizes == arrays.front().sizes && sameWords(array, arrays.front());
  });
}

/// Returns whether arrays can be joined along a dimension.
bool canJoin(llvm::ArrayRef<Array> arrays, size_t dim) {
  for (const Array &array : arrays) {
    if (array.sizes.size() != arrays.front().sizes.size() || dim >= array.sizes.size() || array.count() == 0)
      return false;
    for (size_t i = 0; i != array.sizes.size(); ++i)
      if (i != dim && array.sizes[i] != arrays.front().sizes[i])
        return false;
  }
  return true;
}

/// Returns whether dimension `dim` of all arrays is `parts` equal ranges, and they can be joined in each.
bool canSplit(llvm::ArrayRef<std::vector<Array>> lines, size_t dim, int64_t parts) {
  return llvm::all_of(lines, [&](const std::vector<Array> &line) {
    return canJoin(line, dim) && llvm::all_of(line, [&](const Array &array) { return array.sizes[dim] % parts == 0; });
  });
}

/// Joins dimension `dim` of fused arrays: each is [.., parts * n, ..], and part i of the result has part i of all.
Array joinedFused(llvm::ArrayRef<Array> arrays, size_t dim, int64_t parts) {
  std::vector<Array> split;
  for (const Array &array : arrays) {
    IntList sizes = array.sizes;
    sizes[dim] /= parts;
    sizes.insert(sizes.begin() + static_cast<int64_t>(dim), parts);
    split.push_back(reshaped(array, sizes));
  }
  Array joined = concatenated(split, dim + 1);
  IntList sizes = joined.sizes;
  sizes[dim + 1] *= parts;
  sizes.erase(sizes.begin() + static_cast<int64_t>(dim));
  return reshaped(joined, sizes);
}

} // namespace

bool Match::sameAs(const Match &other) const {
  return isNone == other.isNone && factor == other.factor &&
         std::equal(axes.begin(), axes.end(), other.axes.begin(), other.axes.end(),
                    [](char a, char b) { return (a == 'p') == (b == 'p'); });
}

Correspondence::Correspondence(const StepComparison &comparison, Trial &trial)
    : comparison_(comparison), field_(trial.evaluator.field()) {
  for (const NamedAxis &axis : comparison.placements.mesh)
    for (size_t i = 0, count = ranges_.size(); i != count && axis.size > 1; ++i)
      if (const int64_t ranges = ranges_[i] * axis.size; !llvm::is_contained(ranges_, ranges))
        ranges_.push_back(ranges);
  for (const Value &value : trial.single.front().values)
    addValue(value);
  if (comparison.single)
    for (const Node *node : *comparison.single)
      if (const Value &value = trial.single.front().values[node->id()]; value.is(Value::Type::Tensor))
        if (std::optional<Normal> normal = normalOf(asPairs(read(value.tensor)), field_)) {
          contents_[node->id()] = normal->content();
          directions_[node->id()] = normal->hash;
        }
  if (comparison.reference)
    forEachReferenceValue(comparison, trial, [&](const Array &array) { addWhole(array); });
  factors_ = {fromPlain(1)};
  for (const NamedAxis &axis : comparison.placements.mesh)
    for (size_t i = 0, count = factors_.size(); i != count; ++i)
      for (Word by : {numberOfInteger(axis.size), field_.inverse(numberOfInteger(axis.size)),
                      numberOfInteger(axis.size * axis.size)})
        factors_.push_back(multiply(factors_[i], by));
  for (const std::vector<TensorPlacement> *list : {&comparison.placements.inputs, &comparison.placements.outputs})
    for (const TensorPlacement &placement : *list)
      if (!placement.as.empty() && !llvm::is_contained(fused_, placement.as.front()))
        fused_.push_back(placement.as.front());
}

void Correspondence::addValue(const Value &value) {
  for (const Value &element : value.list)
    addValue(element);
  if (!value.is(Value::Type::Tensor))
    return;
  addWhole(asPairs(read(value.tensor)));
}

void Correspondence::addWhole(const Array &array) {
  if (addArray(array))
    addRows(array);
  addMicrobatches(array);
  if (array.sizes.size() == 2 && array.sizes[0] > 1 && array.sizes[1] > 1)
    (void)addArray(transposedMatrix(array));
}

bool Correspondence::addArray(const Array &array) {
  std::optional<Normal> normal = normalOf(array, field_);
  if (!normal)
    return false;
  auto &units = index_[normal->hash];
  if (llvm::is_contained(units, normal->unit))
    return false;
  units.push_back(normal->unit);
  return true;
}

/// Returns row i of the first dimension.
static Array rowOf(const Array &array, int64_t i) {
  Array row = slicedArray(array, 0, i, i + 1);
  row.sizes = {row.count()};
  return row;
}

void Correspondence::addRows(const Array &array) {
  constexpr int64_t mostRows = 256;
  ++numArrays_;
  if (array.kind != Kind::Float || array.sizes.size() < 2 || array.sizes[0] < 2 || array.sizes[0] > mostRows)
    return;
  constexpr size_t mostPlaces = 8;
  for (int64_t i = 0; i != array.sizes[0]; ++i)
    if (Array row = rowOf(array, i); row.count() > 1)
      if (std::optional<Normal> normal = normalOf(row, field_))
        if (auto &places = rows_[normal->hash]; places.size() < mostPlaces)
          places.push_back({normal->unit, numArrays_, i});
}

/// Returns microbatch `index` of `count` of an array whose rows are `ranges` ranges, each of which is cut.
static Array microbatchOf(const Array &array, int64_t ranges, const Microbatch &which) {
  const int64_t rows = array.sizes[0] / (ranges * which.count);
  std::vector<Array> parts;
  for (int64_t range = 0; range != ranges; ++range) {
    const int64_t start = (range * which.count + which.index) * rows;
    parts.push_back(slicedArray(array, 0, start, start + rows));
  }
  return concatenated(parts, 0);
}

void Correspondence::addMicrobatches(const Array &array) {
  if (array.sizes.empty() || comparison_.placements.microbatches.empty())
    return;
  const std::optional<Normal> whole = normalOf(array, field_);
  const bool isMatrix = array.sizes.size() == 2;
  // Views of one value have the same microbatches, but those of a matrix are transposed as well.
  if (!whole || !cut_.insert(mix(whole->content(), isMatrix ? 1 : 0)).second)
    return;
  const std::optional<Normal> other = isMatrix ? normalOf(transposedMatrix(array), field_) : std::nullopt;
  for (int64_t count : comparison_.placements.microbatches)
    for (int64_t ranges : ranges_)
      for (int64_t i = 0; i != count && array.sizes[0] % (ranges * count) == 0 && array.sizes[0] != 0; ++i) {
        const Array part = microbatchOf(array, ranges, {i, count});
        addMicrobatch(part, whole->content(), i);
        if (other)
          addMicrobatch(transposedMatrix(part), other->content(), i);
      }
}

void Correspondence::addMicrobatch(const Array &part, uint64_t contentOfWhole, int64_t index) {
  constexpr size_t mostParts = 8;
  if (const std::optional<Normal> normal = normalOf(part, field_))
    if (auto &parts = parts_[normal->hash]; parts.size() < mostParts)
      parts.push_back({normal->unit, contentOfWhole, index});
}

bool Correspondence::acceptMicrobatch(const Normal &normal, const Array &joined, Match &match) {
  auto known = parts_.find(normal.hash);
  if (known == parts_.end() || match.isPartial())
    return false;
  match.wholes.clear();
  for (const Part &part : known->second) {
    const Word explained = explainedQuotient(normal.unit, part.unit, joined.digits);
    if (match.wholes.empty() || (explained == fromPlain(1) && match.factor != explained)) {
      match.wholes.clear();
      match.factor = explained;
      match.microbatch = part.index;
    }
    if (explained == match.factor && part.index == match.microbatch)
      match.wholes.push_back(part.contentOfWhole);
  }
  match.whole = joined;
  match.content = match.direction = 0;
  return true;
}

Word Correspondence::explainedFactor(Word factor, unsigned digits) const {
  Word found = factor;
  for (Word allowed : factors_)
    if (factor == truncate(allowed, digits) && (found == factor || allowed == fromPlain(1)))
      found = allowed;
  return found;
}

Word Correspondence::explainedQuotient(Word unit, Word ofSingle, unsigned digits) const {
  return explainedFactor(truncate(multiply(unit, field_.inverse(ofSingle)), digits), digits);
}

std::optional<Word> Correspondence::factorOfRows(const Array &joined) {
  if (joined.kind != Kind::Float || joined.sizes.size() < 2 || joined.sizes[0] == 0 || rows_.empty())
    return std::nullopt;
  llvm::SmallVector<Row, 1> now;
  Word factor = 0;
  for (int64_t i = 0; i != joined.sizes[0]; ++i) {
    Array row = rowOf(joined, i);
    std::optional<Normal> normal = row.count() > 1 ? normalOf(row, field_) : std::nullopt;
    auto known = normal ? rows_.find(normal->hash) : rows_.end();
    if (known == rows_.end())
      return std::nullopt;
    llvm::SmallVector<Row, 1> next;
    for (const Row &place : known->second) {
      Word mine = truncate(multiply(normal->unit, field_.inverse(place.unit)), joined.digits);
      bool follows = i == 0 || (mine == factor && llvm::any_of(now, [&](const Row &before) {
                                  return std::pair(before.array, before.row) < std::pair(place.array, place.row);
                                }));
      if (i == 0 && next.empty())
        factor = mine;
      if (follows && mine == factor)
        next.push_back(place);
    }
    if (next.empty())
      return std::nullopt;
    now = std::move(next);
  }
  return explainedFactor(factor, joined.digits);
}

bool Correspondence::mayBeRows(const Match &match) const {
  return !match.isPartial() && (match.isSharded() || !comparison_.placements.microbatches.empty());
}

bool Correspondence::accept(const Array &joined, Match &match) {
  std::optional<Normal> normal = normalOf(joined, field_);
  if (!normal)
    return false;
  auto known = index_.find(normal->hash);
  if (known == index_.end() && acceptMicrobatch(*normal, joined, match))
    return true;
  std::optional<Word> found;
  if (known == index_.end())
    found = mayBeRows(match) ? factorOfRows(joined) : std::nullopt;
  else
    for (Word unit : known->second) {
      const Word explained = explainedQuotient(normal->unit, unit, joined.digits);
      if (!found || explained == fromPlain(1))
        found = explained;
    }
  if (!found)
    return false;
  match.factor = *found;
  match.whole = joined;
  match.content = known == index_.end() ? 0 : normal->content();
  match.direction = known == index_.end() ? 0 : normal->hash;
  return true;
}

std::vector<std::vector<Array>> Correspondence::linesOf(size_t axis, llvm::ArrayRef<size_t> joined,
                                                        llvm::ArrayRef<Array> arrays) const {
  llvm::ArrayRef<NamedAxis> mesh = comparison_.placements.mesh;
  const auto count = static_cast<size_t>(mesh[axis].size);
  size_t inner = 1;
  for (size_t minor = axis + 1; minor != mesh.size(); ++minor)
    if (!llvm::is_contained(joined, minor))
      inner *= static_cast<size_t>(mesh[minor].size);
  std::vector<std::vector<Array>> lines;
  for (size_t i = 0; i != arrays.size(); ++i)
    if (i / inner % count == 0) {
      lines.emplace_back();
      for (size_t member = 0; member != count; ++member)
        lines.back().push_back(arrays[i + member * inner]);
    }
  return lines;
}

std::vector<size_t> Correspondence::orderOfJoins(llvm::ArrayRef<Array> ofRanks, size_t &numReplicated) const {
  std::vector<size_t> order, cut;
  for (size_t axis = comparison_.placements.mesh.size(); axis-- > 0;) {
    bool isReplicated =
        llvm::all_of(linesOf(axis, {}, ofRanks), [](const std::vector<Array> &line) { return allEqual(line); });
    (isReplicated ? order : cut).push_back(axis);
  }
  numReplicated = order.size();
  order.insert(order.end(), cut.begin(), cut.end());
  return order;
}

// Tries shards along each dimension, then fused shards, then sums.
bool Correspondence::joinAlong(llvm::ArrayRef<size_t> order, size_t next, llvm::ArrayRef<Array> arrays, Match &match) {
  const size_t axis = order[next];
  const std::vector<std::vector<Array>> lines = linesOf(axis, order.take_front(next), arrays);
  auto proceed = [&](char how, auto join) {
    std::vector<Array> joined;
    for (const std::vector<Array> &line : lines)
      joined.push_back(join(line));
    match.axes[axis] = how;
    return search(order, next + 1, std::move(joined), match);
  };
  if (llvm::all_of(lines, [](const std::vector<Array> &line) { return allEqual(line); }))
    return proceed('r', [](const std::vector<Array> &line) { return line.front(); });
  const size_t rank = arrays.front().sizes.size();
  for (size_t dim = 0; dim != rank; ++dim) {
    if (!llvm::all_of(lines, [&](const std::vector<Array> &line) { return canJoin(line, dim); }))
      continue;
    if (proceed('s', [&](const std::vector<Array> &line) { return concatenated(line, dim); }))
      return true;
    for (int64_t parts : fused_)
      if (canSplit(lines, dim, parts) &&
          proceed('s', [&](const std::vector<Array> &line) { return joinedFused(line, dim, parts); }))
        return true;
  }
  // Batch and sequence, or batch and heads, may be one dimension of which the second part is sharded.
  const int64_t length = rank == 0 ? 0 : arrays.front().sizes[0];
  for (int64_t parts = 2; parts <= length / 2 && innerJoins_ != 0; ++parts) {
    if (!canSplit(lines, 0, parts))
      continue;
    --innerJoins_;
    bool found = proceed('i', [&](const std::vector<Array> &line) { return joinedFused(line, 0, parts); });
    ++innerJoins_;
    if (found)
      return true;
  }
  bool canAdd = llvm::all_of(
      arrays, [&](const Array &array) { return array.kind == Kind::Float && array.sizes == arrays.front().sizes; });
  return canAdd && (proceed('p', [](const std::vector<Array> &line) { return combinedArrays(line, add); }) ||
                    (joinsMaxima_ && proceed('p', [](const std::vector<Array> &line) {
                       return combinedArrays(line, [](Word x, Word y) { return orderKey(x) < orderKey(y) ? y : x; });
                     })));
}

bool Correspondence::search(llvm::ArrayRef<size_t> order, size_t next, std::vector<Array> arrays, Match &match) {
  return next == order.size() ? accept(arrays.front(), match) : joinAlong(order, next, arrays, match);
}

Match Correspondence::find(llvm::ArrayRef<Array> ofRanks) {
  Match match;
  match.axes.assign(comparison_.placements.mesh.size(), 'r');
  const Words &first = *ofRanks.front().words;
  auto isConstant = [&](const Array &array) {
    return llvm::all_of(*array.words, [&](Word word) { return word == first.front(); });
  };
  if (first.empty() || (llvm::all_of(ofRanks, isConstant) &&
                        (first.size() > 1 || ofRanks.front().kind != Kind::Float || integerOf(first.front())))) {
    match.isNone = false;
    match.isTrivial = true;
    return match;
  }
  // Where two axes cut one dimension, the one that cut last is joined first; usually it is the minor one.
  size_t numReplicated = 0;
  std::vector<size_t> order = orderOfJoins(ofRanks, numReplicated);
  auto cut = order.begin() + static_cast<int64_t>(numReplicated);
  do {
    if (search(order, 0, ofRanks.vec(), match)) {
      match.isNone = false;
      return match;
    }
  } while (std::prev_permutation(cut, order.end()));
  return match;
}

} // namespace ccgraph::equality
