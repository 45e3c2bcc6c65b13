// New tensors: constants, ranges, and random numbers. A random number is a function of the node's place among the
// random nodes and of the element, so that two ranks that draw alike have equal numbers.
#include "map.h"

#include <cmath>

namespace ccgraph::equality {
namespace {

/// The kind of the stated result; that of a float without one.
Kind kindOfResult(Call &call, Kind missing = Kind::Float) {
  if (!call.resultType)
    return missing;
  Kind kind = kindOf(*call.resultType);
  call.require(kind != Kind::Complex, "no rule for new complex numbers");
  return kind;
}

Word wordOf(Kind kind, double value) {
  if (kind == Kind::Float)
    return numberOfReal(value);
  return kind == Kind::Bool ? Word{value != 0} : static_cast<Word>(static_cast<int64_t>(value));
}

Value filledWith(Call &call, IntListRef sizes, double value) {
  constexpr int64_t most = int64_t{1} << 32;
  for (int64_t size : sizes)
    call.require(size >= 0, "sizes " + intListText(sizes));
  call.require(productOf(sizes) <= most, "sizes " + intListText(sizes));
  Kind kind = kindOfResult(call);
  return call.failed() ? Value() : Value(filled(kind, sizes, wordOf(kind, value)));
}

Value zerosRule(Call &call) { return filledWith(call, call.integers(0), 0); }
Value onesRule(Call &call) { return filledWith(call, call.integers(0), 1); }
Value fullRule(Call &call) { return filledWith(call, call.integers(0), call.real(1, 0)); }
Value zerosLikeRule(Call &call) { return filledWith(call, call.view(0).sizes, 0); }
Value onesLikeRule(Call &call) { return filledWith(call, call.view(0).sizes, 1); }
Value fullLikeRule(Call &call) { return filledWith(call, call.view(0).sizes, call.real(1, 0)); }
Value newZerosRule(Call &call) { return filledWith(call, call.integers(1), 0); }
Value newOnesRule(Call &call) { return filledWith(call, call.integers(1), 1); }
Value newFullRule(Call &call) { return filledWith(call, call.integers(1), call.real(2, 0)); }
Value scalarTensorRule(Call &call) { return filledWith(call, {}, call.real(0, 0)); }

// linspace(start, end, steps), with exact steps
Value evenlySpacedRule(Call &call) {
  constexpr int64_t most = int64_t{1} << 32;
  const int64_t steps = call.integer(2, 100);
  call.require(steps >= 0 && steps <= most && kindOfResult(call) == Kind::Float, "no rule for this range");
  if (call.failed())
    return {};
  const Word first = call.floats(0)[0], last = call.floats(1)[0];
  const Word step =
      multiply(subtract(last, first), call.field->inverse(numberOfInteger(std::max<int64_t>(1, steps - 1))));
  Words words;
  for (int64_t i = 0; i != steps; ++i)
    words.push_back(add(first, multiply(numberOfInteger(i), step)));
  return Value(makeArray(Kind::Float, {steps}, std::move(words)));
}
// eye(n, m)
Value identityMatrixRule(Call &call) {
  const int64_t rows = call.integer(0), columns = call.op->paramIndex("m") >= 0 ? call.integer(1) : rows;
  Value zeros = filledWith(call, {rows, columns}, 0);
  if (call.failed())
    return {};
  Array matrix = read(zeros.tensor);
  Words words(*matrix.words);
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    words[static_cast<size_t>(i * columns + i)] = wordOf(matrix.kind, 1);
  return Value(makeArray(matrix.kind, matrix.sizes, std::move(words)));
}

/// fill.Scalar and fill.Tensor
Value fillRule(Call &call) {
  Array self = call.tensor(0);
  std::optional<Array> value = converted(call.tensor(1), self.kind);
  call.require(value && value->count() == 1, "no rule for this fill");
  return call.failed() ? Value() : Value(filled(self.kind, self.sizes, (*value)[0]));
}

Value rangeOf(Call &call, double start, double end, double step) {
  Kind kind = kindOfResult(call, Kind::Integer);
  double length = std::ceil((end - start) / step);
  constexpr double most = 1e9;
  call.require(length >= 0 && length <= most, "a range of this length");
  if (call.failed())
    return {};
  Words words;
  Word first = wordOf(kind, start), by = wordOf(kind, step);
  for (int64_t i = 0; i != static_cast<int64_t>(length); ++i)
    words.push_back(kind == Kind::Float ? add(first, multiply(numberOfInteger(i), by))
                                        : first + static_cast<Word>(i) * by);
  auto count = static_cast<int64_t>(words.size());
  return Value(makeArray(kind, {count}, std::move(words)));
}
// arange(end), arange(start, end), arange(start, end, step)
Value arangeRule(Call &call) {
  if (call.op->paramIndex("start") < 0)
    return rangeOf(call, 0, call.real(0, 0), 1);
  bool hasStep = call.op->paramIndex("step") >= 0;
  double step = hasStep ? call.real(2, 1) : 1;
  call.require(step != 0, "a range with the step 0");
  return call.failed() ? Value() : rangeOf(call, call.real(0, 0), call.real(1, 0), step);
}

// prims.iota(length, start, step)
Value iotaRule(Call &call) {
  double start = call.real(1, 0), step = call.real(2, 1);
  call.require(step != 0, "a range with the step 0");
  return call.failed() ? Value() : rangeOf(call, start, start + step * call.real(0, 0), step);
}

Value drawn(Call &call, IntListRef sizes) {
  call.drawsRandom = true;
  Kind kind = kindOfResult(call);
  Words words(static_cast<size_t>(productOf(sizes)));
  for (size_t i = 0; i != words.size(); ++i) {
    uint64_t key = mix(mix(hashText(call.base), call.ordinal), i);
    words[i] = kind == Kind::Float ? call.field->draw(key) : mix(key, call.field->seed()) & 1;
  }
  return Value(makeArray(kind, sizes, std::move(words)));
}
Value drawRule(Call &call) { return drawn(call, call.integers(0)); }
Value drawLikeRule(Call &call) { return drawn(call, call.view(0).sizes); }

// native_dropout(input, p, train) -> (output, mask)
Value dropoutRule(Call &call) {
  Array input = call.floats(0);
  double p = call.real(1, 0);
  Words bits(input.words->size(), 1);
  if (p > 0 && call.flag(2, true)) {
    call.drawsRandom = true;
    for (size_t i = 0; i != bits.size(); ++i)
      bits[i] = mix(mix(call.field->seed(), call.ordinal), i) >> 63;
  }
  Word scale = p < 1 ? call.field->inverse(numberOfReal(1 - p)) : 0;
  Words words(*input.words);
  for (size_t i = 0; p > 0 && call.drawsRandom && i != words.size(); ++i)
    words[i] = bits[i] != 0 ? multiply(words[i], scale) : 0;
  return Value(std::vector<Value>{Value(makeArray(Kind::Float, input.sizes, std::move(words), input.digits)),
                                  Value(makeArray(Kind::Bool, input.sizes, std::move(bits)))});
}
// native_dropout_backward(grad, mask, scale)
Value dropoutBackwardRule(Call &call) {
  Word scale = numberOfReal(call.real(2, 1));
  return Value(zipWords(call, call.floats(0), call.tensor(1), Kind::Float,
                        [scale](Word grad, Word kept) { return kept != 0 ? multiply(grad, scale) : 0; }));
}

Value symSizeRule(Call &call) {
  IntList sizes = call.view(0).sizes;
  auto dim = static_cast<size_t>(call.dimension(1, sizes.size()));
  call.require(!sizes.empty(), "a size of a number");
  return call.failed() ? Value() : Value::ofInteger(sizes[dim]);
}

} // namespace

llvm::ArrayRef<RuleEntry> creationRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.arange", arangeRule},
      {"aten.bernoulli", drawLikeRule},
      {"aten.empty", zerosRule},
      {"aten.empty_like", zerosLikeRule},
      {"aten.empty_strided", zerosRule},
      {"aten.eye", identityMatrixRule},
      {"aten.fill", fillRule},
      {"aten.full", fullRule},
      {"aten.full_like", fullLikeRule},
      {"aten.linspace", evenlySpacedRule},
      {"aten.native_dropout", dropoutRule},
      {"aten.native_dropout_backward", dropoutBackwardRule},
      {"aten.new_empty", newZerosRule},
      {"aten.new_empty_strided", newZerosRule},
      {"aten.new_full", newFullRule},
      {"aten.new_ones", newOnesRule},
      {"aten.new_zeros", newZerosRule},
      {"aten.ones", onesRule},
      {"aten.ones_like", onesLikeRule},
      {"aten.rand", drawRule},
      {"aten.rand_like", drawLikeRule},
      {"aten.randn", drawRule},
      {"aten.randn_like", drawLikeRule},
      {"aten.scalar_tensor", scalarTensorRule},
      {"aten.sym_size", symSizeRule},
      {"aten.zero", zerosLikeRule},
      {"aten.zeros", zerosRule},
      {"aten.zeros_like", zerosLikeRule},
      {"prims.iota", iotaRule},
  };
  return rules;
}

} // namespace ccgraph::equality
