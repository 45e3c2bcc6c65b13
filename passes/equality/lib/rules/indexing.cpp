// Gathers, scatters and joins: elements are moved by integers that the program computes.
#include "axis.h"
#include "rules/places.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::equality {
namespace {

/// Returns the rows of `from` along `dim` that `indices`, a list, names.
Array chosen(Call &call, const Array &from, int64_t dim, const Array &indices) {
  Axis axis(from.sizes, dim);
  Words words;
  words.reserve(static_cast<size_t>(axis.outer * indices.count() * axis.inner));
  for (int64_t o = 0; o != axis.outer; ++o)
    for (int64_t i = 0; i != indices.count(); ++i) {
      int64_t row = indexOf(call, indices.integer(i), axis.length);
      if (call.failed())
        return from;
      auto begin = from.words->begin() + static_cast<int64_t>(axis.at(o, row, 0));
      words.insert(words.end(), begin, begin + axis.inner);
    }
  IntList sizes = from.sizes;
  sizes.erase(sizes.begin() + dim);
  sizes.insert(sizes.begin() + dim, indices.sizes.begin(), indices.sizes.end());
  return makeArray(from.kind, sizes, std::move(words), from.digits);
}

Value embeddingRule(Call &call) {
  Array weight = call.tensor(0);
  call.require(weight.sizes.size() == 2, "an embedding of " + intListText(weight.sizes));
  Array indices = indicesOf(call, 1);
  return call.failed() ? Value() : Value(chosen(call, weight, 0, indices));
}

// embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq)
Value embeddingBackwardRule(Call &call) {
  Array grad = call.floats(0), indices = indicesOf(call, 1);
  int64_t rows = call.integer(2), padding = call.integer(3, -1);
  call.require(!call.flag(4), "no rule for gradients that are scaled by frequency");
  call.require(rows >= 0 && rows <= (int64_t{1} << 32) && !grad.sizes.empty(), "a gradient of " + llvm::Twine(rows));
  int64_t width = grad.sizes.empty() ? 1 : grad.sizes.back();
  call.require(grad.count() == indices.count() * width, "a gradient of other sizes than its indices");
  if (call.failed())
    return {};
  Words words(static_cast<size_t>(rows * width), 0);
  for (int64_t i = 0; i != indices.count(); ++i) {
    if (indices.integer(i) == padding)
      continue;
    int64_t row = indexOf(call, indices.integer(i), rows);
    for (int64_t j = 0; j != width && !call.failed(); ++j) {
      Word &word = words[static_cast<size_t>(row * width + j)];
      word = add(word, grad[i * width + j]);
    }
  }
  return Value(makeArray(Kind::Float, {rows, width}, std::move(words), grad.digits));
}

Value indexSelectRule(Call &call) {
  Array from = call.tensor(0), indices = indicesOf(call, 2);
  int64_t dim = call.dimension(1, from.sizes.size());
  call.require(!from.sizes.empty(), "an index into a number");
  return call.failed() ? Value() : Value(chosen(call, from, dim, reshaped(indices, {indices.count()})));
}

/// Calls `visit(place in indices, place in a tensor of these sizes)` for gather and scatter along a dimension.
template <class Visit>
void forEachIndex(Call &call, const Array &indices, IntListRef sizes, int64_t dim, Visit visit) {
  call.require(sizes.size() == indices.sizes.size(),
               "indices " + intListText(indices.sizes) + " into " + intListText(sizes));
  for (size_t i = 0; i != std::min(sizes.size(), indices.sizes.size()); ++i)
    call.require(static_cast<int64_t>(i) == dim || indices.sizes[i] <= sizes[i],
                 "indices " + intListText(indices.sizes) + " into " + intListText(sizes));
  if (call.failed())
    return;
  IntList strides = contiguousStrides(sizes);
  int64_t along = strides.empty() ? 1 : strides[static_cast<size_t>(dim)];
  int64_t length = sizes.empty() ? 1 : sizes[static_cast<size_t>(dim)];
  if (!strides.empty())
    strides[static_cast<size_t>(dim)] = 0;
  int64_t next = 0;
  forEachOffset(indices.sizes, strides, 0, [&](int64_t place) {
    int64_t index = indexOf(call, indices.integer(next), length);
    if (!call.failed())
      visit(next, place + index * along);
    ++next;
  });
}

// gather(self, dim, index)
Value gatherRule(Call &call) {
  Array from = call.tensor(0), indices = indicesOf(call, 2);
  Words words(indices.words->size(), 0);
  forEachIndex(call, indices, from.sizes, call.dimension(1, from.sizes.size()),
               [&](int64_t at, int64_t place) { words[static_cast<size_t>(at)] = from[place]; });
  return Value(makeArray(from.kind, indices.sizes, std::move(words), from.digits));
}

/// Combines the elements of `source`, at the places of the indices, into `self`.
template <class Combine>
Value scattered(Call &call, Combine combine) {
  Array self = call.tensor(0), indices = indicesOf(call, 2), source = call.tensor(3);
  std::optional<Array> values = converted(source, self.kind);
  call.require(values.has_value(), "scattered floats that are no integers");
  if (call.failed())
    return {};
  bool isNumber = values->count() == 1 && (indices.count() != 1 || values->sizes.empty());
  call.require(isNumber || values->sizes.size() == indices.sizes.size(),
               "a source of other dimensions than its indices");
  IntList strides = isNumber ? IntList(indices.sizes.size(), 0) : contiguousStrides(values->sizes);
  std::vector<int64_t> places;
  if (!call.failed())
    forEachOffset(indices.sizes, strides, 0, [&](int64_t place) { places.push_back(place); });
  for (size_t i = 0; !isNumber && i < std::min(indices.sizes.size(), values->sizes.size()); ++i)
    call.require(indices.sizes[i] <= values->sizes[i], "a source that is smaller than its indices");
  Words words(*self.words);
  forEachIndex(call, indices, self.sizes, call.dimension(1, self.sizes.size()), [&](int64_t at, int64_t place) {
    Word &word = words[static_cast<size_t>(place)];
    word = combine(word, (*values)[places[static_cast<size_t>(at)]]);
  });
  return Value(makeArray(self.kind, self.sizes, std::move(words), std::min(self.digits, values->digits)));
}
Value scatterRule(Call &call) {
  call.require(!call.has(4), "no rule for a scatter with a reduction");
  return scattered(call, [](Word, Word source) { return source; });
}
Value scatterAddRule(Call &call) {
  bool isFloat = call.tensor(0).kind == Kind::Float;
  return scattered(call, [isFloat](Word word, Word source) { return isFloat ? add(word, source) : word + source; });
}

// scatter_reduce(self, dim, index, src, reduce, include_self)
Value scatterReduceRule(Call &call) {
  bool isFloat = call.tensor(0).kind == Kind::Float;
  std::string how = call.text(4);
  call.require(call.flag(5, true), "no rule for a scatter that leaves out the elements of self");
  auto key = [isFloat](Word word) { return isFloat ? orderKey(word) : word ^ (Word{1} << 63); };
  if (how == "sum")
    return scatterAddRule(call);
  if (how == "prod")
    return scattered(call, [=](Word word, Word source) { return isFloat ? multiply(word, source) : word * source; });
  if (how == "amax")
    return scattered(call, [=](Word word, Word source) { return key(word) < key(source) ? source : word; });
  if (how == "amin")
    return scattered(call, [=](Word word, Word source) { return key(source) < key(word) ? source : word; });
  call.reject("no rule for a scatter that reduces by " + how);
  return {};
}
// torchtitan.deterministic_scatter_add(out, index, src): scatter_add along dimension 0 (torchtitan's
// token_dispatcher.py)
Value rowScatterAddRule(Call &call) {
  call.arguments.insert(call.arguments.begin() + 1, Value::ofInteger(0));
  return scatterAddRule(call);
}
// index_add(self, dim, index, source, alpha)
Value indexAddRule(Call &call) {
  Array self = call.tensor(0), indices = indicesOf(call, 2);
  std::optional<Array> source = converted(call.tensor(3), self.kind);
  int64_t dim = call.dimension(1, self.sizes.size());
  IntList sizes = self.sizes;
  call.require(source && !sizes.empty() && call.real(4, 1) == 1, "no rule for this form of an indexed sum");
  if (call.failed())
    return {};
  sizes[static_cast<size_t>(dim)] = indices.count();
  call.require(source->sizes == sizes, "a source of other sizes than its places");
  if (call.failed())
    return {};
  Axis to(self.sizes, dim), from(sizes, dim);
  Words words(*self.words);
  from.forEachLine([&](int64_t o, int64_t in) {
    for (int64_t i = 0; i != from.length; ++i) {
      Word &word = words[to.at(o, indexOf(call, indices.integer(i), to.length), in)];
      Word other = (*source->words)[from.at(o, i, in)];
      word = self.kind == Kind::Float ? add(word, other) : word + other;
    }
  });
  return Value(makeArray(self.kind, self.sizes, std::move(words), std::min(self.digits, source->digits)));
}

/// Joins along a dimension; empty lists of numbers are skipped, as PyTorch does.
Value joined(Call &call, std::vector<Array> parts, int64_t dim) {
  Kind kind = Kind::Bool;
  unsigned digits = fullDigits;
  IntList sizes;
  int64_t length = 0;
  for (Array &part : parts)
    kind = std::max(kind, part.kind);
  for (Array &part : parts) {
    part = *converted(part, kind);
    digits = std::min<unsigned>(digits, part.digits);
    if (part.sizes.size() == 1 && part.count() == 0 && parts.size() > 1)
      continue;
    if (sizes.empty())
      sizes = part.sizes;
    bool fits = part.sizes.size() == sizes.size() && dim < static_cast<int64_t>(sizes.size());
    for (size_t i = 0; fits && i != sizes.size(); ++i)
      fits = static_cast<int64_t>(i) == dim || part.sizes[i] == sizes[i];
    call.require(fits, "a join of " + intListText(part.sizes) + " to " + intListText(sizes));
    length += fits ? part.sizes[static_cast<size_t>(dim)] : 0;
  }
  if (call.failed())
    return {};
  if (!sizes.empty())
    sizes[static_cast<size_t>(dim)] = length;
  Words words;
  words.reserve(static_cast<size_t>(productOf(sizes)));
  int64_t outer = Axis(sizes, dim).outer;
  for (int64_t o = 0; o != outer; ++o)
    for (const Array &part : parts) {
      int64_t chunk = part.count() / std::max<int64_t>(outer, 1);
      words.insert(words.end(), part.words->begin() + o * chunk, part.words->begin() + (o + 1) * chunk);
    }
  return Value(makeArray(kind, sizes, std::move(words), digits));
}
Value catRule(Call &call) {
  std::vector<Array> parts = call.tensors(0);
  size_t rank = 0;
  for (const Array &part : parts)
    rank = std::max(rank, part.sizes.size());
  int64_t dim = call.dimension(1, rank);
  return call.failed() ? Value() : joined(call, std::move(parts), dim);
}
Value stackRule(Call &call) {
  std::vector<Array> parts = call.tensors(0);
  if (call.failed())
    return {};
  int64_t dim = call.dimension(1, parts.front().sizes.size() + 1);
  for (Array &part : parts) {
    IntList sizes = part.sizes;
    if (dim > static_cast<int64_t>(sizes.size()))
      return call.reject("tensors of different sizes in a stack"), Value();
    sizes.insert(sizes.begin() + dim, 1);
    part = reshaped(part, sizes);
  }
  return joined(call, std::move(parts), dim);
}

// repeat(self, repeats): the whole tensor, repeated along each dimension; further dimensions come first
Value repeatRule(Call &call) {
  Array self = call.tensor(0);
  IntList repeats = call.integers(1), apart, wide, sizes;
  call.require(repeats.size() >= self.sizes.size(), "repetitions of fewer dimensions than the tensor has");
  for (int64_t count : repeats)
    call.require(count >= 0, "repetitions that are no counts");
  if (call.failed())
    return {};
  for (size_t i = 0, first = repeats.size() - self.sizes.size(); i != repeats.size(); ++i) {
    int64_t size = i < first ? 1 : self.sizes[i - first];
    apart.append({1, size});
    wide.append({repeats[i], size});
    sizes.push_back(repeats[i] * size);
  }
  return Value(reshaped(expandedTo(reshaped(self, apart), wide), sizes));
}

/// The lower or the upper triangle of matrices.
Value triangle(Call &call, bool isLower) {
  Array a = call.tensor(0);
  int64_t diagonal = call.integer(1, 0);
  call.require(a.sizes.size() >= 2, "a triangle of " + intListText(a.sizes));
  if (call.failed())
    return {};
  int64_t columns = a.sizes.back(), rows = a.sizes[a.sizes.size() - 2];
  Words words(*a.words);
  for (int64_t i = 0; i != a.count(); ++i) {
    int64_t row = i / columns % rows, column = i % columns;
    if (isLower ? column - row > diagonal : column - row < diagonal)
      words[static_cast<size_t>(i)] = 0;
  }
  return Value(makeArray(a.kind, a.sizes, std::move(words), a.digits));
}
Value trilRule(Call &call) { return triangle(call, true); }
Value triuRule(Call &call) { return triangle(call, false); }

/// A tensor of zeros, and the part of it that the view of another operator shows, which receives the gradient.
/// `arguments` are those of the view, after its tensor.
Value placedInZeros(Call &call, llvm::StringLiteral view, size_t sizesAt) {
  Array grad = call.tensor(0);
  IntList sizes = call.integers(sizesAt);
  call.require(saturatingMultiply(productOf(sizes), 1) <= (int64_t{1} << 32), "sizes " + intListText(sizes));
  if (call.failed())
    return {};
  Tensor whole(makeArray(grad.kind, sizes, Words(static_cast<size_t>(productOf(sizes)), 0), grad.digits));
  Call part = call;
  part.base = view.str();
  part.arguments = {Value(whole)};
  part.arguments.insert(part.arguments.end(), call.arguments.begin() + 2, call.arguments.end());
  Value shown = evaluateCall(part);
  if (part.failed() || shown.tensor.sizes != grad.sizes)
    return call.reject("a gradient of other sizes than its view"), Value();
  write(shown.tensor, grad);
  return Value(whole);
}
Value sliceBackwardRule(Call &call) { return placedInZeros(call, "aten.slice", 1); }
Value selectBackwardRule(Call &call) { return placedInZeros(call, "aten.select", 1); }

/// slice_scatter and select_scatter: a copy of self whose part is replaced.
Value placedInCopy(Call &call, llvm::StringLiteral view) {
  Tensor whole(call.tensor(0));
  Call part = call;
  part.base = view.str();
  part.arguments = {Value(whole)};
  part.arguments.insert(part.arguments.end(), call.arguments.begin() + 2, call.arguments.end());
  Value shown = evaluateCall(part);
  std::optional<Array> given = converted(call.tensor(1), whole.kind());
  if (part.failed() || !given || shown.tensor.sizes != given->sizes)
    return call.reject("a source of other sizes than the part that it replaces"), Value();
  write(shown.tensor, *given);
  return Value(whole);
}
Value sliceScatterRule(Call &call) { return placedInCopy(call, "aten.slice"); }
Value selectScatterRule(Call &call) { return placedInCopy(call, "aten.select"); }

// constant_pad_nd(self, pad, value): pad lists before and after, last dimension first; negative numbers cut.
Value padRule(Call &call) {
  Array a = call.tensor(0);
  IntList pad = call.integers(1), sizes = a.sizes;
  call.require(pad.size() % 2 == 0 && pad.size() / 2 <= sizes.size(), "padding " + intListText(pad));
  if (call.failed())
    return {};
  Tensor kept(a);
  for (size_t i = 0; i != pad.size(); ++i)
    if (pad[i] < 0) {
      const size_t dim = sizes.size() - 1 - i / 2;
      call.require(-pad[i] <= kept.sizes[dim], "padding " + intListText(pad));
      kept.offset += i % 2 == 0 ? -pad[i] * kept.strides[dim] : 0;
      kept.sizes[dim] += pad[i];
      pad[i] = 0;
    }
  if (call.failed())
    return {};
  a = read(kept);
  sizes = a.sizes;
  int64_t offset = 0;
  for (size_t i = 0; i != pad.size() / 2; ++i)
    sizes[sizes.size() - 1 - i] += pad[2 * i] + pad[2 * i + 1];
  IntList strides = contiguousStrides(sizes);
  for (size_t i = 0; i != pad.size() / 2; ++i)
    offset += pad[2 * i] * strides[sizes.size() - 1 - i];
  Word fill = a.kind == Kind::Float ? numberOfReal(call.real(2, 0)) : static_cast<Word>(call.real(2, 0));
  Words words(static_cast<size_t>(productOf(sizes)), fill);
  size_t next = 0;
  forEachOffset(a.sizes, strides, offset,
                [&](int64_t place) { words[static_cast<size_t>(place)] = (*a.words)[next++]; });
  return Value(makeArray(a.kind, sizes, std::move(words), a.digits));
}

} // namespace

llvm::ArrayRef<RuleEntry> indexRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.cat", catRule},
      {"aten.constant_pad_nd", padRule},
      {"aten.embedding", embeddingRule},
      {"aten.embedding_dense_backward", embeddingBackwardRule},
      {"aten.gather", gatherRule},
      {"aten.index_add", indexAddRule},
      {"aten.index_select", indexSelectRule},
      {"aten.repeat", repeatRule},
      {"aten.scatter", scatterRule},
      {"aten.scatter_add", scatterAddRule},
      {"aten.scatter_reduce", scatterReduceRule},
      {"aten.select_backward", selectBackwardRule},
      {"aten.select_scatter", selectScatterRule},
      {"aten.slice_backward", sliceBackwardRule},
      {"aten.slice_scatter", sliceScatterRule},
      {"aten.stack", stackRule},
      {"aten.tril", trilRule},
      {"aten.triu", triuRule},
      {"torchtitan.deterministic_scatter_add", rowScatterAddRule},
  };
  return rules;
}

} // namespace ccgraph::equality
