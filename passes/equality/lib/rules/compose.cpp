#include "rules/compose.h"

#include "rules/reductions.h"

namespace ccgraph::equality {

Array applied(Call &call, llvm::StringLiteral base, std::vector<Value> arguments) {
  Call other = call;
  other.base = base.str();
  other.arguments = std::move(arguments);
  Value value = evaluateCall(other);
  if (other.failed())
    call.reject(other.problem);
  return other.failed() || !value.is(Value::Type::Tensor) ? filled(Kind::Float, {}, 0) : read(value.tensor);
}

Array minus(Call &call, const Array &a, const Array &b) { return sumOf(call, a, negated(call, b)); }
Array times(Call &call, const Array &a, const Array &b) { return productOfFloats(call, a, b); }
Array exponential(Call &call, const Array &a) { return applied(call, "aten.exp", {Value(a)}); }
Array lineSums(const Array &a, int64_t dim) { return a.sizes.empty() ? a : sumOver(a, {dim}, true); }

ShiftedLines shiftedLines(Call &call, const Array &a, IntListRef dims) {
  if (a.sizes.empty() || !llvm::is_contained(*a.words, lowestNumber))
    return {a, filled(Kind::Float, {}, 0)};
  std::vector<Value> axes;
  for (int64_t dim : dims)
    axes.push_back(Value::ofInteger(dim));
  Value keeps = Value::ofInteger(1);
  Array maxima = applied(call, "aten.amax", {Value(a), Value(std::move(axes)), keeps});
  Array shifts = mapWords(maxima, Kind::Float, [](Word word) { return word == lowestNumber ? word : 0; });
  return {minus(call, a, shifts), shifts};
}

Array logSumOfLines(Call &call, const Array &a, IntListRef dims, bool keeps) {
  ShiftedLines lines = shiftedLines(call, a, dims);
  Array log = applied(call, "aten.log", {Value(sumOver(exponential(call, lines.values), dims, keeps))});
  return lines.shifts.sizes.empty() || call.failed() ? log : sumOf(call, log, reshaped(lines.shifts, log.sizes));
}

} // namespace ccgraph::equality
