#include "support/random_maker.h"

#include <numeric>

using llvm::StringRef;

namespace ccgraph::test {

/// A view may also be made of a value in flight.
void RandomMaker::view() {
  std::optional<RandomValue> base = choose([](const RandomValue &) { return true; });
  if (!base)
    return;
  switch (numbers_.below(4)) {
  case 0:
    return transposeView(*base);
  case 1:
    return sliceView(*base);
  case 2:
    return selectView(*base);
  default:
    return shapeView(*base);
  }
}

void RandomMaker::transposeView(const RandomValue &base) {
  Sizes sizes = sizesOf(base), strides = stridesOf(base);
  if (sizes.size() != 2)
    return;
  std::swap(sizes[0], sizes[1]);
  std::swap(strides[0], strides[1]);
  const Type *type = builder_.strided(typeOf(base), sizes, strides);
  defineView(builder_.call("aten.permute.default", type, {base.node, Sizes{1, 0}}), base, type,
             tensors_[base.tensor].offset);
}

void RandomMaker::sliceView(const RandomValue &base) {
  Sizes sizes = sizesOf(base), strides = stridesOf(base);
  if (sizes.empty() || sizes[0] < 2)
    return;
  int64_t half = sizes[0] / 2, begin = numbers_.below(2) == 0 ? 0 : sizes[0] - half;
  sizes[0] = half;
  const Type *type = builder_.strided(typeOf(base), sizes, strides);
  defineView(builder_.call("aten.slice.Tensor", type, {base.node, int64_t(0), begin, begin + half}), base, type,
             tensors_[base.tensor].offset + begin * strides[0] * itemSize(base));
}

void RandomMaker::selectView(const RandomValue &base) {
  Sizes sizes = sizesOf(base), strides = stridesOf(base);
  if (sizes.empty())
    return;
  size_t dim = numbers_.below(sizes.size());
  auto index = static_cast<int64_t>(numbers_.below(static_cast<size_t>(sizes[dim])));
  int64_t offset = tensors_[base.tensor].offset + index * strides[dim] * itemSize(base);
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
  strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(dim));
  const Type *type = builder_.strided(typeOf(base), sizes, strides);
  defineView(builder_.call("aten.select.int", type, {base.node, static_cast<int64_t>(dim), index}), base, type, offset);
}

void RandomMaker::shapeView(const RandomValue &base) {
  Sizes sizes = sizesOf(base);
  if (!isContiguous(base) || sizes.empty())
    return;
  if (sizes.size() == 2)
    std::swap(sizes[0], sizes[1]);
  else if (sizes.size() == 1)
    sizes = {sizes[0] % 2 == 0 ? sizes[0] / 2 : 1, sizes[0] % 2 == 0 ? 2 : sizes[0]};
  else
    sizes = {*typeOf(base)->numElements()};
  const Type *type = contiguous(base, sizes);
  defineView(builder_.call("aten.view.default", type, {base.node, sizes}), base, type, tensors_[base.tensor].offset);
}

// --- Pieces: views that read a storage in another way than the tensor that they are made of --------------------------

void RandomMaker::piece() {
  std::optional<RandomValue> base = choose([](const RandomValue &) { return true; });
  if (!base)
    return;
  switch (numbers_.below(4)) {
  case 0:
    return dtypePiece(*base);
  case 1:
    return complexPiece(*base);
  case 2:
    return realPiece(*base);
  default:
    return stridedPiece(*base);
  }
}

/// Makes a matrix of two rows anywhere in the storage: its offset is relative to the beginning of the storage.
void RandomMaker::stridedPiece(const RandomValue &base) {
  const RandomStorage &storage = storageOf(base);
  int64_t elements = storage.bytes / itemSize(base);
  auto columns = static_cast<int64_t>(1 + numbers_.below(4));
  auto stride = columns + static_cast<int64_t>(numbers_.below(2));
  int64_t span = stride + columns;
  if (storage.dtype != dtypeOf(base) || span > elements)
    return;
  auto offset = static_cast<int64_t>(numbers_.below(static_cast<size_t>(elements - span + 1)));
  Sizes sizes = {2, columns}, strides = {stride, 1};
  const Type *type = builder_.strided(typeOf(base), sizes, strides);
  defineView(builder_.call("aten.as_strided.default", type, {base.node, sizes, strides, offset}), base, type,
             offset * itemSize(base));
  tensors_.back().anywhere |= storage.input;
}

/// Reads floats as integers of the same size: these have any bits, so sums of them wrap around and stay exact.
void RandomMaker::dtypePiece(const RandomValue &base) {
  if (dtypeOf(base) != DType::F32 || !isContiguous(base) || !readable(base))
    return;
  const Type *type = builder_.tensor(DType::I32, sizesOf(base));
  Node *bits = builder_.call("aten.view.dtype", type, {base.node, DType::I32});
  // No node may write numbers of one kind through bits of another, so the view itself gets no name here.
  define(builder_.call("aten.clone.default", type, {bits}), boundOf(base));
}

void RandomMaker::complexPiece(const RandomValue &base) {
  Sizes sizes = sizesOf(base);
  if (dtypeOf(base) != DType::F32 || !isContiguous(base) || sizes.size() != 2 || sizes[1] != 2 ||
      tensors_[base.tensor].offset % 8 != 0)
    return;
  const Type *type = builder_.tensor(DType::C64, {sizes[0]});
  defineView(builder_.call("aten.view_as_complex.default", type, {base.node}), base, type,
             tensors_[base.tensor].offset);
}

void RandomMaker::realPiece(const RandomValue &base) {
  Sizes sizes = sizesOf(base);
  if (dtypeOf(base) != DType::C64 || !isContiguous(base))
    return;
  sizes.push_back(2);
  const Type *type = builder_.tensor(DType::F32, sizes);
  defineView(builder_.call("aten.view_as_real.default", type, {base.node}), base, type, tensors_[base.tensor].offset);
}

// --- In-place changes of shape: every name of the tensor sees them ---------------------------------------------------

void RandomMaker::setShape(const RandomValue &value, Node *node, const Type *type, int64_t offset) {
  storageOf(value).reshaped = true;
  tensors_[value.tensor].type = type;
  tensors_[value.tensor].offset = offset;
  defineSame(node, value);
}

void RandomMaker::reshapeInPlace() {
  std::optional<RandomValue> value = choose([&](const RandomValue &value) {
    return writable(value) && settled(value) && !isInput(value) && !sizesOf(value).empty();
  });
  if (!value)
    return;
  switch (numbers_.below(7)) {
  case 4:
    return giveOtherElements(*value);
  case 5:
    return resize(*value);
  case 6:
    return giveStorage(*value);
  default:
    return turnInPlace(*value);
  }
}

/// Makes another shape of the same elements.
void RandomMaker::turnInPlace(const RandomValue &value) {
  Sizes sizes = sizesOf(value), strides = stridesOf(value);
  auto make = [&](StringRef op, llvm::ArrayRef<Actual> args) {
    const Type *type = builder_.strided(typeOf(value), sizes, strides);
    setShape(value, builder_.call(op, type, args), type, tensors_[value.tensor].offset);
  };
  size_t way = numbers_.below(4);
  if (way < 2 && sizes.size() >= 2) {
    std::swap(sizes[0], sizes[1]);
    std::swap(strides[0], strides[1]);
    if (way == 0 && sizes.size() == 2)
      return make("aten.t_.default", {value.node});
    return make("aten.transpose_.default", {value.node, int64_t(0), int64_t(1)});
  }
  if (way == 2 && sizes[0] == 1 && sizes.size() >= 2) {
    sizes.erase(sizes.begin());
    strides.erase(strides.begin());
    return make("aten.squeeze_.dim", {value.node, int64_t(0)});
  }
  if (sizes.size() > 2)
    return;
  strides.insert(strides.begin(), sizes[0] * strides[0]);
  sizes.insert(sizes.begin(), 1);
  make("aten.unsqueeze_.default", {value.node, int64_t(0)});
}

void RandomMaker::giveOtherElements(const RandomValue &value) {
  if (storageOf(value).dtype != dtypeOf(value))
    return;
  int64_t elements = storageOf(value).bytes / itemSize(value);
  auto columns = static_cast<int64_t>(1 + numbers_.below(static_cast<size_t>(std::min<int64_t>(elements, 4))));
  auto start = static_cast<int64_t>(numbers_.below(static_cast<size_t>(elements - columns + 1)));
  const Type *type = builder_.strided(typeOf(value), Sizes{columns}, Sizes{1});
  Node *node = builder_.call("aten.as_strided_.default", type, {value.node, Sizes{columns}, Sizes{1}, start});
  storageOf(value).moved = true;
  setShape(value, node, type, start * itemSize(value));
}

/// Resizes to at most the size of the storage: the new bytes of a grown storage are undefined.
void RandomMaker::resize(const RandomValue &value) {
  int64_t elements = (storageOf(value).bytes - tensors_[value.tensor].offset) / itemSize(value);
  auto rows = static_cast<int64_t>(1 + numbers_.below(4));
  Sizes sizes = {rows, elements / rows};
  if (sizes[1] == 0 || sizes == sizesOf(value)) // a tensor of these sizes keeps its strides
    return;
  const Type *type = contiguous(value, sizes);
  storageOf(value).moved = true;
  setShape(value, builder_.call("aten.resize_.default", type, {value.node, sizes}), type,
           tensors_[value.tensor].offset);
}

/// Moves all names of the tensor to the storage of another; its views stay in the old storage.
void RandomMaker::giveStorage(const RandomValue &value) {
  std::optional<RandomValue> source =
      choose([&](const RandomValue &other) { return readable(other) && dtypeOf(other) == dtypeOf(value); });
  if (!source)
    return;
  const RandomTensor other = tensors_[source->tensor];
  Node *node = builder_.call("aten.set_.source_Tensor", other.type, {value.node, source->node});
  storageOf(value).moved = storageOf(value).reshaped = true;
  tensors_[value.tensor] = other;
  storageOf(value).moved = storageOf(value).reshaped = true;
  defineSame(node, value);
}

} // namespace ccgraph::test
