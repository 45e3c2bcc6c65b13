#include "array.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::equality {

Kind kindOf(DType dtype) {
  switch (classOf(dtype)) {
  case DTypeClass::Bool:
    return Kind::Bool;
  case DTypeClass::Integer:
    return Kind::Integer;
  case DTypeClass::Float:
    return Kind::Float;
  case DTypeClass::Complex:
    return Kind::Complex;
  }
  llvm_unreachable("all classes are mapped");
}

Array makeArray(Kind kind, IntListRef sizes, Words words, unsigned digits) {
  if (kind >= Kind::Float && digits < fullDigits)
    for (Word &word : words)
      word = truncate(word, digits);
  return {kind, static_cast<uint8_t>(kind >= Kind::Float ? digits : fullDigits), toIntList(sizes),
          std::make_shared<const Words>(std::move(words))};
}

Array filled(Kind kind, IntListRef sizes, Word word) {
  return makeArray(kind, sizes, Words(static_cast<size_t>(productOf(sizes)), word));
}

Array unityOf(const Array &array) {
  return array.companion ? Array{Kind::Float, fullDigits, array.sizes, array.companion}
                         : filled(Kind::Float, array.sizes, fromPlain(1));
}

Array reshaped(const Array &array, IntListRef sizes) {
  Array result = array;
  result.sizes = toIntList(sizes);
  return result;
}

std::optional<Array> converted(const Array &array, Kind kind) {
  if (array.kind == kind)
    return array;
  if (array.kind == Kind::Complex || kind == Kind::Complex)
    return std::nullopt;
  Words words(*array.words);
  for (Word &word : words)
    if (kind == Kind::Float) {
      word = numberOfInteger(static_cast<int64_t>(word));
    } else if (kind == Kind::Bool) {
      word = word != 0;
    } else if (array.kind == Kind::Float) {
      std::optional<int64_t> integer = integerOf(word);
      if (!integer)
        return std::nullopt;
      word = static_cast<Word>(*integer);
    }
  return makeArray(kind, array.sizes, std::move(words), array.digits);
}

Array complexArray(const Array &real, const Array &imaginary) {
  Array result = real;
  result.kind = Kind::Complex;
  result.digits = std::min(real.digits, imaginary.digits);
  result.companion = imaginary.words;
  return result;
}

Array realPart(const Array &array) {
  if (array.kind != Kind::Complex)
    return array;
  return {Kind::Float, array.digits, array.sizes, array.words};
}

Array imaginaryPart(const Array &array) {
  if (array.kind != Kind::Complex)
    return filled(Kind::Float, array.sizes, 0);
  return {Kind::Float, array.digits, array.sizes, array.companion};
}

Array asPairs(const Array &array) {
  if (array.kind != Kind::Complex)
    return array;
  Words words;
  words.reserve(2 * array.words->size());
  for (size_t i = 0; i != array.words->size(); ++i) {
    words.push_back((*array.words)[i]);
    words.push_back((*array.companion)[i]);
  }
  IntList sizes = array.sizes;
  sizes.push_back(2);
  return makeArray(Kind::Float, sizes, std::move(words), array.digits);
}

Array fromPairs(const Array &pairs) {
  Words real, imaginary;
  for (size_t i = 0; i + 1 < pairs.words->size(); i += 2) {
    real.push_back((*pairs.words)[i]);
    imaginary.push_back((*pairs.words)[i + 1]);
  }
  IntListRef sizes = IntListRef(pairs.sizes).drop_back();
  return complexArray(makeArray(Kind::Float, sizes, std::move(real), pairs.digits),
                      makeArray(Kind::Float, sizes, std::move(imaginary), pairs.digits));
}

std::optional<int64_t> firstDifference(const Array &a, const Array &b) {
  const unsigned digits = std::min(a.digits, b.digits);
  const bool truncates = a.digits != b.digits;
  for (int64_t i = 0; i != std::min(a.count(), b.count()); ++i)
    if (a[i] != b[i] && (!truncates || truncate(a[i], digits) != truncate(b[i], digits)))
      return i;
  if (a.kind != Kind::Complex || b.kind != Kind::Complex)
    return std::nullopt;
  return firstDifference(imaginaryPart(a), imaginaryPart(b));
}

bool sameWords(const Array &a, const Array &b) {
  const bool areComplex = a.kind == Kind::Complex || b.kind == Kind::Complex;
  return (a.words == b.words && !areComplex) || (a.count() == b.count() && !firstDifference(a, b));
}

uint64_t contentHash(const Array &array) {
  uint64_t hash = mix(static_cast<uint64_t>(array.kind), array.words->size());
  for (Word word : *array.words)
    hash = (hash ^ word) * 0x9e3779b97f4a7c15 + (hash >> 29);
  for (Word word : array.companion ? *array.companion : Words())
    hash = mix(hash, word);
  return mix(hash, array.digits);
}

Tensor::Tensor(const Array &array)
    : storage(std::make_shared<Storage>(array)), sizes(array.sizes), strides(contiguousStrides(array.sizes)) {}

namespace {

/// Returns true if the view is the whole storage in order.
bool isWhole(const Tensor &tensor) {
  return tensor.offset == 0 && isContiguous(tensor.sizes, tensor.strides) &&
         productOf(tensor.sizes) == static_cast<int64_t>(tensor.storage->words->size());
}

} // namespace

/// Returns the words of the view in order; null for null.
static std::shared_ptr<const Words> viewedWords(const Tensor &tensor, const std::shared_ptr<const Words> &from) {
  if (!from)
    return nullptr;
  Words words;
  words.reserve(static_cast<size_t>(productOf(tensor.sizes)));
  forEachOffset(tensor.sizes, tensor.strides, tensor.offset,
                [&](int64_t place) { words.push_back((*from)[static_cast<size_t>(place)]); });
  return std::make_shared<const Words>(std::move(words));
}

/// Returns the words of the storage with those of the view replaced.
static std::shared_ptr<const Words> replacedWords(const Tensor &tensor, Words words, const Words &by) {
  size_t next = 0;
  forEachOffset(tensor.sizes, tensor.strides, tensor.offset,
                [&](int64_t place) { words[static_cast<size_t>(place)] = by[next++]; });
  return makeArray(tensor.kind(), {static_cast<int64_t>(words.size())}, std::move(words), tensor.storage->digits).words;
}

Array read(const Tensor &tensor) {
  const Storage &storage = *tensor.storage;
  if (isWhole(tensor))
    return {storage.kind, storage.digits, tensor.sizes, storage.words, storage.companion};
  return {storage.kind, storage.digits, tensor.sizes, viewedWords(tensor, storage.words),
          viewedWords(tensor, storage.companion)};
}

/// Returns the companions of the storage after an array is written to the view; null if neither has any.
static std::shared_ptr<const Words> replacedCompanions(const Tensor &tensor, const Array &array) {
  const Storage &storage = *tensor.storage;
  if (storage.kind < Kind::Float || (!storage.companion && !array.companion))
    return nullptr;
  if (isWhole(tensor))
    return array.companion;
  Array whole{
      storage.kind, storage.digits, {static_cast<int64_t>(storage.words->size())}, storage.words, storage.companion};
  return replacedWords(tensor, *unityOf(whole).words, *unityOf(array).words);
}

void write(const Tensor &tensor, const Array &array) {
  Storage &storage = *tensor.storage;
  storage.hash = 0;
  storage.companion = replacedCompanions(tensor, array);
  if (isWhole(tensor)) {
    storage.words = array.words;
    storage.digits = array.digits;
    return;
  }
  storage.digits = std::min(storage.digits, array.digits);
  storage.words = replacedWords(tensor, *storage.words, *array.words);
}

uint64_t identityOf(const Tensor &tensor) {
  Storage &storage = *tensor.storage;
  if (storage.hash == 0)
    storage.hash = contentHash({storage.kind, storage.digits, {}, storage.words, storage.companion});
  uint64_t identity = mix(storage.hash, static_cast<uint64_t>(tensor.offset));
  for (int64_t size : tensor.sizes)
    identity = mix(identity, static_cast<uint64_t>(size));
  for (int64_t stride : tensor.strides)
    identity = mix(identity, static_cast<uint64_t>(stride) + 17);
  return identity;
}

} // namespace ccgraph::equality
