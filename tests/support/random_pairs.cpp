#include "support/random_maker.h"

using llvm::StringRef;

namespace ccgraph::test {

namespace {

enum Pair : size_t {
  ScatterGather,
  TwoAllToAlls,
  GatherScatter,
  SumThenLargest,
  CastThenGather,
  GatherThenCast,
  numPairs
};

} // namespace

/// Makes a functional collective and its wait, and returns the wait, which has no name yet.
Node *RandomMaker::waited(StringRef target, const Type *type, const std::vector<Actual> &arguments) {
  Node *launch = builder_.call(("_c10d_functional." + target + ".default").str(), type, arguments);
  return builder_.call("_c10d_functional.wait_tensor.default", type, {launch});
}

/// Makes collectives, casts or both that a pass may simplify, or that almost fit: on two groups, with a write of the
/// input or another collective between, with a middle that is read, or with a returned result.
void RandomMaker::simplifiable() {
  const RandomAxis axis = numbers_.pick(axes_);
  const RandomAxis &other = numbers_.below(5) == 4 ? numbers_.pick(axes_) : axis;
  std::optional<RandomValue> input =
      sendable(axis.size, [&](const RandomValue &value) { return !isComplex(dtypeOf(value)); });
  auto size = static_cast<int64_t>(axis.size);
  if (!input || other.size != axis.size || *typeOf(*input)->numElements() * size > mostRandomElements)
    return;
  pairOf(*input, axis, other);
}

void RandomMaker::pairOf(const RandomValue &input, const RandomAxis &axis, const RandomAxis &other) {
  auto size = static_cast<int64_t>(axis.size);
  Sizes sizes = sizesOf(input), whole = sizes, share = sizes;
  whole[0] *= size;
  share[0] /= size;
  const Type *type = contiguous(input, sizes), *parts = contiguous(input, share), *all = contiguous(input, whole);
  StringRef op = boundOf(input) * static_cast<double>(size) > mostRandomBound ? "max"
                 : numbers_.below(2)                                          ? "sum"
                                                                              : "min";
  double bound = op == "sum" ? boundOf(input) * static_cast<double>(size) : boundOf(input);
  Actual group = groupOf(axis), second = groupOf(other);
  Sizes splits(axis.size, share[0]);
  switch (numbers_.below(numPairs)) {
  case ScatterGather: {
    Node *middle = between(waited("reduce_scatter_tensor", parts, {input.node, op, size, group}), bound);
    define(waited("all_gather_into_tensor", type, {middle, size, second}), bound);
    return;
  }
  case TwoAllToAlls: {
    Node *middle = between(waited("all_to_all_single", type, {input.node, splits, splits, group}), boundOf(input));
    define(waited("all_to_all_single", type, {middle, splits, splits, second}), boundOf(input));
    return;
  }
  case GatherScatter: {
    Node *middle = between(waited("all_gather_into_tensor", all, {input.node, size, group}), boundOf(input));
    define(waited("reduce_scatter_tensor", type, {middle, op, size, second}), bound);
    return;
  }
  case SumThenLargest: {
    Node *middle = between(waited("all_reduce", type, {input.node, op, group}), bound);
    Node *value = numbers_.below(2) == 0 ? middle : builder_.call("aten.relu.default", type, {middle});
    define(waited("all_reduce", type, {value, numbers_.below(2) == 0 ? "max" : "min", second}), bound);
    return;
  }
  default:
    castWithGather(input, axis, whole);
  }
}

/// Returns the value, which sometimes is read by later steps too; sometimes another step comes first.
Node *RandomMaker::between(Node *value, double bound) {
  if (numbers_.below(4) == 3)
    define(value, bound);
  if (numbers_.below(4) == 3)
    writeInPlace();
  if (numbers_.below(4) == 3)
    collective(numbers_.below(numCollectives), numbers_.pick(axes_));
  return value;
}

void RandomMaker::castWithGather(const RandomValue &input, const RandomAxis &axis, const Sizes &whole) {
  auto size = static_cast<int64_t>(axis.size);
  auto cast = [&](Node *value, DType dtype, const Sizes &sizes) {
    return builder_.call("prims.convert_element_type.default", builder_.tensor(dtype, sizes), {value, dtype});
  };
  bool wide = dtypeOf(input) == DType::I64;
  DType other = wide ? DType::F32 : DType::F64;
  if (wide) {
    Node *gathered = between(
        waited("all_gather_into_tensor", contiguous(input, whole), {input.node, size, groupOf(axis)}), boundOf(input));
    define(cast(gathered, other, whole), boundOf(input));
    return;
  }
  Node *sent = between(cast(input.node, other, sizesOf(input)), boundOf(input));
  Node *gathered = waited("all_gather_into_tensor", builder_.tensor(other, whole), {sent, size, groupOf(axis)});
  define(cast(builder_.call("aten.neg.default", builder_.tensor(other, whole), {gathered}), dtypeOf(input), whole),
         boundOf(input));
}

} // namespace ccgraph::test
