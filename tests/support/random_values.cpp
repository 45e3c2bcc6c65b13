#include "support/random_maker.h"

#include <algorithm>

namespace ccgraph::test {

namespace {

std::vector<int64_t> numbersOf(llvm::ArrayRef<Dim> dims) {
  std::vector<int64_t> numbers;
  for (const Dim &dim : dims)
    numbers.push_back(dim.value());
  return numbers;
}

} // namespace

RandomValue RandomMaker::define(Node *node, double bound) {
  const Type *type = node->type();
  auto itemBytes = static_cast<int64_t>(sizeInBytes(type->dtype()));
  storages_.push_back({.bytes = *type->numElements() * itemBytes, .dtype = type->dtype(), .bound = bound});
  tensors_.push_back({storages_.size() - 1, type, 0, false});
  values_.push_back({node, tensors_.size() - 1});
  return values_.back();
}

RandomValue RandomMaker::defineView(Node *node, const RandomValue &base, const Type *type, int64_t offset) {
  bool anywhere = tensors_[base.tensor].anywhere || storageOf(base).reshaped;
  tensors_.push_back({tensors_[base.tensor].storage, type, offset, anywhere});
  values_.push_back({node, tensors_.size() - 1});
  return values_.back();
}

RandomValue RandomMaker::defineSame(Node *node, const RandomValue &tensor) {
  values_.push_back({node, tensor.tensor});
  return values_.back();
}

RandomMaker::Sizes RandomMaker::sizesOf(const RandomValue &value) const { return numbersOf(typeOf(value)->sizes()); }

RandomMaker::Sizes RandomMaker::stridesOf(const RandomValue &value) const {
  return numbersOf(typeOf(value)->strides());
}

int64_t RandomMaker::itemSize(const RandomValue &value) const {
  return static_cast<int64_t>(sizeInBytes(dtypeOf(value)));
}

ByteRange RandomMaker::rangeOf(const RandomValue &value) const {
  const RandomTensor &tensor = tensors_[value.tensor];
  if (tensor.anywhere || storages_[tensor.storage].moved)
    return {tensor.storage, 0, storages_[tensor.storage].bytes};
  int64_t last = 1;
  Sizes sizes = sizesOf(value), strides = stridesOf(value);
  for (size_t i = 0; i != sizes.size(); ++i)
    last += (sizes[i] - 1) * strides[i];
  return {tensor.storage, tensor.offset, tensor.offset + last * itemSize(value)};
}

bool RandomMaker::readable(const RandomValue &value) const {
  ByteRange range = rangeOf(value);
  return llvm::none_of(asyncPairs_, [&](const RandomAsyncPair &pair) { return pair.fills->overlaps(range); });
}

bool RandomMaker::writable(const RandomValue &value) const {
  ByteRange range = rangeOf(value);
  return readable(value) && llvm::none_of(asyncPairs_, [&](const RandomAsyncPair &pair) {
           return llvm::any_of(pair.reads, [&](const ByteRange &read) { return read.overlaps(range); });
         });
}

bool RandomMaker::settled(const RandomValue &value) const {
  ByteRange range = rangeOf(value);
  return llvm::none_of(asyncPairs_, [&](const RandomAsyncPair &pair) {
    return llvm::any_of(pair.copies, [&](const ByteRange &copy) { return copy.overlaps(range); });
  });
}

std::optional<RandomValue> RandomMaker::choose(const Test &test) {
  std::vector<RandomValue> candidates;
  llvm::copy_if(values_, std::back_inserter(candidates), test);
  if (candidates.empty())
    return std::nullopt;
  size_t first = numbers_.below(2) == 0 ? candidates.size() - (candidates.size() + 1) / 2 : 0;
  return candidates[first + numbers_.below(candidates.size() - first)];
}

std::optional<RandomValue> RandomMaker::operand(const Test &also) {
  return choose([&](const RandomValue &value) { return readable(value) && isContiguous(value) && also(value); });
}

std::optional<RandomValue> RandomMaker::partnerOf(const RandomValue &value) {
  return operand(
      [&](const RandomValue &other) { return dtypeOf(other) == dtypeOf(value) && sizesOf(other) == sizesOf(value); });
}

std::optional<RandomValue> RandomMaker::sendable(size_t rows, const Test &also) {
  return operand([&](const RandomValue &value) {
    Sizes sizes = sizesOf(value);
    return settled(value) && !sizes.empty() && sizes[0] % static_cast<int64_t>(rows) == 0 && also(value);
  });
}

const Type *RandomMaker::contiguous(const RandomValue &like, const Sizes &sizes) {
  return builder_.tensor(dtypeOf(like), sizes);
}

} // namespace ccgraph::test
