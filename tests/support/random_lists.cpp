#include "support/random_maker.h"

using llvm::StringRef;

namespace ccgraph::test {

namespace {

/// One part of a tensor along a dimension: its first row, and its number of rows.
struct Part {
  int64_t begin = 0;
  int64_t rows = 0;
};

/// Returns parts of `rows` rows; the last one may be shorter.
std::vector<Part> partsOf(int64_t size, int64_t rows) {
  std::vector<Part> parts;
  for (int64_t begin = 0; begin < size; begin += rows)
    parts.push_back({begin, std::min(rows, size - begin)});
  return parts;
}

} // namespace

/// Makes views in a list, for which a text has no type, also of a tensor that was reshaped in place. Some elements are
/// not used.
void RandomMaker::takeApart() {
  std::optional<RandomValue> base = choose([&](const RandomValue &value) { return !sizesOf(value).empty(); });
  if (!base)
    return;
  Sizes sizes = sizesOf(*base);
  size_t dim = numbers_.below(sizes.size());
  auto index = static_cast<int64_t>(dim);
  int64_t half = (sizes[dim] + 1) / 2;
  switch (numbers_.below(4)) {
  case 0:
    return takeRows(*base, dim, builder_.call("aten.unbind.int", nullptr, {base->node, index}));
  case 1:
    return takeParts(*base, dim, builder_.call("aten.split.Tensor", nullptr, {base->node, half, index}), half);
  case 2:
    return takeParts(*base, dim, builder_.call("aten.chunk.default", nullptr, {base->node, int64_t(2), index}), half);
  default:
    break;
  }
  Sizes rows;
  for (const Part &part : partsOf(sizes[dim], half))
    rows.push_back(part.rows);
  takeParts(*base, dim, builder_.call("aten.split_with_sizes.default", nullptr, {base->node, rows, index}), half);
}

void RandomMaker::takeRows(const RandomValue &base, size_t dim, Node *list) {
  Sizes sizes = sizesOf(base), strides = stridesOf(base);
  int64_t count = sizes[dim], step = strides[dim] * itemSize(base), offset = tensors_[base.tensor].offset;
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
  strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(dim));
  const Type *type = builder_.strided(typeOf(base), sizes, strides);
  std::optional<RandomValue> first;
  for (int64_t i : {int64_t(0), count - 1}) {
    if (numbers_.below(3) == 0)
      continue;
    Node *element = builder_.call("operator.getitem", type, {list, i});
    if (first && count == 1) // two getitems of one element are one tensor
      defineSame(element, *first);
    else
      first = defineView(element, base, type, offset + i * step);
  }
}

void RandomMaker::takeParts(const RandomValue &base, size_t dim, Node *list, int64_t rows) {
  Sizes sizes = sizesOf(base), strides = stridesOf(base);
  int64_t step = strides[dim] * itemSize(base), offset = tensors_[base.tensor].offset, index = 0;
  for (const Part &part : partsOf(sizes[dim], rows)) {
    sizes[dim] = part.rows;
    const Type *type = builder_.strided(typeOf(base), sizes, strides);
    if (numbers_.below(3) != 0)
      defineView(builder_.call("operator.getitem", type, {list, index}), base, type, offset + part.begin * step);
    ++index;
  }
}

/// Makes a list of new tensors with an operator; their sizes are the current sizes of its operands.
void RandomMaker::computeList() {
  std::optional<RandomValue> a = operand(), b = operand();
  if (!a || !b || boundOf(*a) > mostRandomBound || boundOf(*b) > mostRandomBound)
    return;
  ProgramBuilder::Nodes operands = {a->node, b->node};
  // PyTorch's negation of a complex zero has the sign + in full vectors of the processor, and - in the elements after
  // them.
  bool negates = !isComplex(dtypeOf(*a)) && !isComplex(dtypeOf(*b));
  Node *list = nullptr;
  double factor = 2;
  size_t kind = numbers_.below(3);
  switch (negates ? kind : kind % 2) {
  case 0:
    list = builder_.call("aten._foreach_mul.Scalar", nullptr, {operands, int64_t(2)});
    break;
  case 1:
    list = builder_.call("aten._foreach_add.List", nullptr, {operands, operands});
    break;
  default:
    factor = 1;
    list = builder_.call("aten._foreach_neg.default", nullptr, {operands});
  }
  int64_t index = 0;
  for (const RandomValue &each : {*a, *b}) {
    Node *element = builder_.call("operator.getitem", contiguous(each, sizesOf(each)), {list, index++});
    define(element, factor * boundOf(each));
  }
}

/// Repeats a call on the same value, as sharded training gathers a parameter twice; sometimes its input was written in
/// between.
void RandomMaker::twin() {
  if (launched_.empty())
    return;
  const RandomLaunch first = numbers_.pick(launched_);
  if (!readable(first.input) || !settled(first.input) || typeOf(first.input) != first.type ||
      boundOf(first.input) > first.inputBound)
    return;
  std::vector<Actual> arguments;
  for (const Argument &argument : first.node->args())
    arguments.push_back(Actual::copyOf(*first.node, argument));
  StringRef target = first.node->target().str();
  std::vector<ByteRange> reads;
  if (first.sends)
    reads.push_back(rangeOf(first.input));
  launch(builder_.call(target, first.node->type(), std::move(arguments)), first.bound, std::move(reads));
}

} // namespace ccgraph::test
