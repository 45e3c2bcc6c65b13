// Operators that move elements: flip, roll, windows, diagonals, paddings by elements, shuffles of channels.
#include "rules/compose.h"
#include "rules/places.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::equality {
namespace {

/// Returns the elements that `from` names along one dimension.
Array taken(Call &call, const Array &a, int64_t dim, llvm::ArrayRef<int64_t> from) {
  Words indices;
  for (int64_t place : from)
    indices.push_back(static_cast<Word>(place));
  auto count = static_cast<int64_t>(indices.size());
  return applied(call, "aten.index_select",
                 {Value(a), Value::ofInteger(dim), Value(makeArray(Kind::Integer, {count}, std::move(indices)))});
}
int64_t lengthOf(const Array &a, int64_t dim) { return a.sizes.empty() ? 1 : a.sizes[static_cast<size_t>(dim)]; }

// flip(self, dims)
Value flipRule(Call &call) {
  Array a = call.tensor(0);
  for (int64_t dim : call.has(1) && !call.integers(1).empty() ? call.dimensions(1, a.sizes.size()) : IntList()) {
    std::vector<int64_t> from;
    for (int64_t i = lengthOf(a, dim); i-- > 0;)
      from.push_back(i);
    a = taken(call, a, dim, from);
  }
  return Value(a);
}

Array rolled(Call &call, const Array &a, int64_t dim, int64_t shift) {
  std::vector<int64_t> from;
  const int64_t length = lengthOf(a, dim);
  for (int64_t i = 0; i != length; ++i)
    from.push_back(((i - shift) % length + length) % length);
  return taken(call, a, dim, from);
}
// roll(self, shifts, dims); without dims, of all elements in order
Value rollRule(Call &call) {
  Array a = call.tensor(0);
  IntList shifts = call.integers(1), dims = call.integers(2);
  if (dims.empty()) {
    call.require(shifts.size() == 1, "a roll of this form");
    return call.failed() ? Value() : Value(reshaped(rolled(call, reshaped(a, {a.count()}), 0, shifts[0]), a.sizes));
  }
  call.require(shifts.size() == dims.size(), "a roll of this form");
  for (size_t i = 0; i != dims.size() && !call.failed(); ++i) {
    int64_t dim = dims[i] < 0 ? dims[i] + static_cast<int64_t>(a.sizes.size()) : dims[i];
    call.require(dim >= 0 && dim < static_cast<int64_t>(a.sizes.size()), "a roll of this form");
    if (!call.failed())
      a = rolled(call, a, dim, shifts[i]);
  }
  return Value(a);
}

// rot90(self, k, dims): quarter turns from the first dimension to the second
Value quarterTurnRule(Call &call) {
  Array a = call.tensor(0);
  IntList dims = call.integers(2);
  call.require(dims.size() == 2, "a turn of this form");
  for (int64_t &dim : dims) {
    dim = dim < 0 ? dim + static_cast<int64_t>(a.sizes.size()) : dim;
    call.require(dim >= 0 && dim < static_cast<int64_t>(a.sizes.size()), "a turn of this form");
  }
  const int64_t turns = (call.integer(1, 1) % 4 + 4) % 4;
  for (int64_t turn = 0; turn != turns && !call.failed(); ++turn) {
    Array turned = applied(call, "aten.flip", {Value(a), Value(std::vector<Value>{Value::ofInteger(dims[1])})});
    a = applied(call, "aten.transpose", {Value(turned), Value::ofInteger(dims[0]), Value::ofInteger(dims[1])});
  }
  return Value(a);
}

// unfold(self, dimension, size, step): a view of all windows, each a line of a further last dimension
Value unfoldRule(Call &call) {
  Tensor tensor = call.view(0);
  auto dim = static_cast<size_t>(call.dimension(1, tensor.sizes.size()));
  int64_t size = call.integer(2), step = call.integer(3, 1);
  call.require(!tensor.sizes.empty() && size >= 0 && step > 0 && size <= tensor.sizes[dim], "windows of this form");
  if (call.failed())
    return {};
  tensor.sizes.push_back(size);
  tensor.strides.push_back(tensor.strides[dim]);
  tensor.sizes[dim] = (tensor.sizes[dim] - size) / step + 1;
  tensor.strides[dim] *= step;
  return Value(tensor);
}
// unfold_backward(grad, input_sizes, dim, size, step): elements of several windows are added
Value unfoldBackwardRule(Call &call) {
  Array grad = call.floats(0);
  IntList sizes = call.integers(1);
  int64_t count = productOf(sizes);
  call.require(count >= 0 && count <= (int64_t{1} << 32), "sizes " + intListText(sizes));
  if (call.failed())
    return {};
  Words order(static_cast<size_t>(count));
  for (size_t i = 0; i != order.size(); ++i)
    order[i] = i;
  Call windows = call;
  windows.arguments = {Value(makeArray(Kind::Integer, sizes, std::move(order))), call.at(2), call.at(3), call.at(4)};
  Value places = unfoldRule(windows);
  if (windows.failed() || places.tensor.sizes != grad.sizes)
    return call.reject("a gradient of other sizes than its windows"), Value();
  Array at = read(places.tensor);
  Words words(static_cast<size_t>(count), 0);
  for (int64_t i = 0; i != grad.count(); ++i) {
    Word &word = words[static_cast<size_t>(at.integer(i))];
    word = add(word, grad[i]);
  }
  return Value(makeArray(Kind::Float, sizes, std::move(words), grad.digits));
}

// diagonal(self, offset, dim1, dim2): a view; the diagonal is the last dimension
Value diagonalRule(Call &call) {
  Tensor tensor = call.view(0);
  int64_t offset = call.integer(1, 0);
  auto a = static_cast<size_t>(call.dimension(2, tensor.sizes.size(), 0));
  auto b = static_cast<size_t>(call.dimension(3, tensor.sizes.size(), 1));
  call.require(tensor.sizes.size() >= 2 && a != b, "a diagonal of this form");
  if (call.failed())
    return {};
  int64_t length =
      std::min(tensor.sizes[a] + std::min<int64_t>(offset, 0), tensor.sizes[b] - std::max<int64_t>(offset, 0));
  tensor.offset += offset < 0 ? -offset * tensor.strides[a] : offset * tensor.strides[b];
  int64_t stride = tensor.strides[a] + tensor.strides[b];
  for (size_t dim : {std::max(a, b), std::min(a, b)}) {
    tensor.sizes.erase(tensor.sizes.begin() + dim);
    tensor.strides.erase(tensor.strides.begin() + dim);
  }
  tensor.sizes.push_back(std::max<int64_t>(length, 0));
  tensor.strides.push_back(stride);
  return Value(tensor);
}

/// Writes `given` into the diagonal of a tensor of zeros.
Value onDiagonal(Call &call, const Array &given, IntListRef sizes, std::vector<Value> where) {
  Tensor whole(makeArray(given.kind, sizes, Words(static_cast<size_t>(productOf(sizes)), 0), given.digits));
  Call part = call;
  where.insert(where.begin(), Value(whole));
  part.arguments = std::move(where);
  Value shown = diagonalRule(part);
  if (part.failed() || shown.tensor.sizes != given.sizes)
    return call.reject("a diagonal of other sizes than what it receives"), Value();
  write(shown.tensor, given);
  return Value(whole);
}
// diagonal_backward(grad, input_sizes, offset, dim1, dim2)
Value diagonalBackwardRule(Call &call) {
  return onDiagonal(call, call.tensor(0), call.integers(1), {call.at(2), call.at(3), call.at(4)});
}
// diag_embed(self, offset, dim1, dim2): the last dimension becomes a diagonal
Value diagonalMatrixRule(Call &call) {
  Array a = call.tensor(0);
  const size_t rank = a.sizes.size() + 1;
  int64_t offset = call.integer(1, 0), first = call.dimension(2, rank, -2), second = call.dimension(3, rank, -1);
  call.require(!a.sizes.empty() && first != second, "a diagonal of this form");
  if (call.failed())
    return {};
  IntList sizes(a.sizes.begin(), a.sizes.end() - 1);
  int64_t length = a.sizes.back() + std::abs(offset);
  for (int64_t dim : {std::min(first, second), std::max(first, second)})
    sizes.insert(sizes.begin() + dim, length);
  return onDiagonal(call, a, sizes, {Value::ofInteger(offset), Value::ofInteger(first), Value::ofInteger(second)});
}
Value traceRule(Call &call) {
  Array a = call.tensor(0);
  call.arguments = {Value(a), Value::ofInteger(0), Value::ofInteger(0), Value::ofInteger(1)};
  Value diagonal = diagonalRule(call);
  return call.failed() ? Value() : Value(applied(call, "aten.sum", {Value(read(diagonal.tensor))}));
}

/// How a padding continues a dimension beyond its elements.
enum class Beyond : uint8_t { Reflects, Repeats };
/// Returns the place of the element that stands at `i`, of `length`.
int64_t placeBeyond(int64_t i, int64_t length, Beyond beyond) {
  if (beyond == Beyond::Repeats)
    return std::clamp<int64_t>(i, 0, length - 1);
  return i < 0 ? -i : i >= length ? 2 * (length - 1) - i : i;
}
/// Pads the last dimensions: pad lists before and after, last dimension first. Returns places in `a`.
Array padded(Call &call, Array a, size_t position, Beyond beyond) {
  IntList pad = call.integers(position);
  call.require(pad.size() % 2 == 0 && pad.size() / 2 <= a.sizes.size(), "padding " + intListText(pad));
  for (size_t i = 0; i != pad.size() / 2 && !call.failed(); ++i) {
    auto dim = static_cast<int64_t>(a.sizes.size() - 1 - i);
    const int64_t length = lengthOf(a, dim);
    call.require(length > 0 && pad[2 * i] >= 0 && pad[2 * i + 1] >= 0 &&
                     (beyond == Beyond::Repeats || std::max(pad[2 * i], pad[2 * i + 1]) < length),
                 "padding " + intListText(pad));
    if (call.failed())
      return a;
    std::vector<int64_t> from;
    for (int64_t at = -pad[2 * i]; at != length + pad[2 * i + 1]; ++at)
      from.push_back(placeBeyond(at, length, beyond));
    a = taken(call, a, dim, from);
  }
  return a;
}
template <Beyond beyond>
Value elementPadRule(Call &call) {
  return Value(padded(call, call.tensor(0), 1, beyond));
}
// pad_backward(grad, self, padding): elements that stand at several places receive the sum
template <Beyond beyond>
Value elementPadBackwardRule(Call &call) {
  Array grad = call.floats(0), self = call.floats(1);
  Words order(self.words->size());
  for (size_t i = 0; i != order.size(); ++i)
    order[i] = i;
  Array at = padded(call, makeArray(Kind::Integer, self.sizes, std::move(order)), 2, beyond);
  call.require(at.sizes == grad.sizes, "a gradient of other sizes than its padding");
  if (call.failed())
    return {};
  Words words(self.words->size(), 0);
  for (int64_t i = 0; i != grad.count(); ++i) {
    Word &word = words[static_cast<size_t>(at.integer(i))];
    word = add(word, grad[i]);
  }
  return Value(makeArray(Kind::Float, self.sizes, std::move(words), grad.digits));
}

/// Splits dimensions into factors, permutes these, and joins them to other sizes.
Array regrouped(Call &call, const Array &a, const IntList &factors, llvm::ArrayRef<int64_t> order,
                const IntList &sizes) {
  std::vector<Value> dims;
  for (int64_t dim : order)
    dims.push_back(Value::ofInteger(dim));
  return reshaped(applied(call, "aten.permute", {Value(reshaped(a, factors)), Value(std::move(dims))}), sizes);
}
// native_channel_shuffle(self, groups)
Value channelShuffleRule(Call &call) {
  Array a = call.tensor(0);
  const int64_t groups = call.integer(1, 1);
  call.require(a.sizes.size() >= 3 && groups > 0 && a.sizes[1] % groups == 0, "a shuffle of this form");
  if (call.failed())
    return {};
  const int64_t rest = productOf(IntListRef(a.sizes).drop_front(2));
  return Value(regrouped(call, a, {a.sizes[0], groups, a.sizes[1] / groups, rest}, {0, 2, 1, 3}, a.sizes));
}
// pixel_shuffle(self, factor): [.., c r r, h, w] to [.., c, h r, w r]
Value pixelShuffleRule(Call &call) {
  Array a = call.tensor(0);
  const int64_t r = call.integer(1, 1);
  const size_t rank = a.sizes.size();
  call.require(rank >= 3 && r > 0 && a.sizes[rank - 3] % (r * r) == 0, "a shuffle of this form");
  if (call.failed())
    return {};
  IntListRef before = IntListRef(a.sizes).drop_back(3);
  const int64_t c = a.sizes[rank - 3] / (r * r), h = a.sizes[rank - 2], w = a.sizes[rank - 1];
  IntList sizes = toIntList(before);
  sizes.append({c, h * r, w * r});
  return Value(regrouped(call, a, {productOf(before), c, r, r, h, w}, {0, 1, 4, 2, 5, 3}, sizes));
}
// pixel_unshuffle(self, factor): the inverse
Value pixelUnshuffleRule(Call &call) {
  Array a = call.tensor(0);
  const int64_t r = call.integer(1, 1);
  const size_t rank = a.sizes.size();
  call.require(rank >= 3 && r > 0 && a.sizes[rank - 2] % r == 0 && a.sizes[rank - 1] % r == 0,
               "a shuffle of this form");
  if (call.failed())
    return {};
  IntListRef before = IntListRef(a.sizes).drop_back(3);
  const int64_t c = a.sizes[rank - 3], h = a.sizes[rank - 2] / r, w = a.sizes[rank - 1] / r;
  IntList sizes = toIntList(before);
  sizes.append({c * r * r, h, w});
  return Value(regrouped(call, a, {productOf(before), c, h, r, w, r}, {0, 1, 3, 5, 2, 4}, sizes));
}

/// Replaces the rows of a dimension that the indices name.
Value withRows(Call &call, const Array &rows) {
  Array self = call.tensor(0), indices = indicesOf(call, 2);
  int64_t dim = call.dimension(1, self.sizes.size());
  std::vector<Value> list(static_cast<size_t>(dim) + 1);
  list.back() = Value(reshaped(indices, {indices.count()}));
  return Value(applied(call, "aten.index_put", {Value(self), Value(std::move(list)), Value(rows)}));
}
// index_copy(self, dim, index, source)
Value indexCopyRule(Call &call) { return withRows(call, call.tensor(3)); }
// index_fill(self, dim, index, value)
Value indexFillRule(Call &call) { return withRows(call, call.tensor(3)); }

// masked_scatter(self, mask, source): the elements of source, in order, where the mask holds
Value maskedScatterRule(Call &call) {
  Array self = call.tensor(0), mask = expandedTo(call.tensor(1), self.sizes), source = call.tensor(2);
  std::optional<Array> values = converted(source, self.kind);
  call.require(values.has_value(), "scattered floats that are no integers");
  Words words(*self.words);
  int64_t next = 0;
  for (size_t i = 0; i != words.size() && !call.failed(); ++i)
    if ((*mask.words)[i] != 0) {
      call.require(next < values->count(), "a source that is smaller than its mask");
      words[i] = call.failed() ? Word{0} : (*values)[next++];
    }
  return call.failed() ? Value() : Value(makeArray(self.kind, self.sizes, std::move(words), self.digits));
}

} // namespace

llvm::ArrayRef<RuleEntry> moveRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.channel_shuffle", channelShuffleRule},
      {"aten.diag_embed", diagonalMatrixRule},
      {"aten.diagonal", diagonalRule, true},
      {"aten.diagonal_backward", diagonalBackwardRule},
      {"aten.flip", flipRule},
      {"aten.index_copy", indexCopyRule},
      {"aten.index_fill", indexFillRule},
      {"aten.masked_scatter", maskedScatterRule},
      {"aten.native_channel_shuffle", channelShuffleRule},
      {"aten.pixel_shuffle", pixelShuffleRule},
      {"aten.pixel_unshuffle", pixelUnshuffleRule},
      {"aten.reflection_pad1d", elementPadRule<Beyond::Reflects>},
      {"aten.reflection_pad1d_backward", elementPadBackwardRule<Beyond::Reflects>},
      {"aten.reflection_pad2d", elementPadRule<Beyond::Reflects>},
      {"aten.reflection_pad2d_backward", elementPadBackwardRule<Beyond::Reflects>},
      {"aten.replication_pad1d", elementPadRule<Beyond::Repeats>},
      {"aten.replication_pad1d_backward", elementPadBackwardRule<Beyond::Repeats>},
      {"aten.replication_pad2d", elementPadRule<Beyond::Repeats>},
      {"aten.replication_pad2d_backward", elementPadBackwardRule<Beyond::Repeats>},
      {"aten.roll", rollRule},
      {"aten.rot90", quarterTurnRule},
      {"aten.trace", traceRule},
      {"aten.unfold", unfoldRule, true},
      {"aten.unfold_backward", unfoldBackwardRule},
      {"prims.rev", flipRule},
  };
  return rules;
}

} // namespace ccgraph::equality
