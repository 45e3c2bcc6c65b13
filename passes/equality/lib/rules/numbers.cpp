// Python's numbers, such as the sizes of what a router sends, and calls without a result.
#include "call.h"

namespace ccgraph::equality {
namespace {

/// Applies a function to two integers.
template <class Function>
Value ofIntegers(Call &call, Function function) {
  int64_t a = call.integer(0), b = call.integer(1);
  return call.failed() ? Value() : Value::ofInteger(function(a, b));
}
template <class Function>
Value comparison(Call &call, Function holds) {
  Value value = ofIntegers(call, [&](int64_t a, int64_t b) { return holds(a, b) ? 1 : 0; });
  if (!call.failed())
    value.type = Value::Type::Bool;
  return value;
}
int64_t wrapped(uint64_t number) { return static_cast<int64_t>(number); }

Value sumRule(Call &call) {
  return ofIntegers(call, [](uint64_t a, uint64_t b) { return wrapped(a + b); });
}
Value differenceRule(Call &call) {
  return ofIntegers(call, [](uint64_t a, uint64_t b) { return wrapped(a - b); });
}
Value productRule(Call &call) {
  return ofIntegers(call, [](uint64_t a, uint64_t b) { return wrapped(a * b); });
}
Value quotientRule(Call &call) {
  call.require(call.integer(1, 1) > 0, "no rule for a quotient by a number below 1");
  return ofIntegers(call, [](int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); });
}
Value remainderRule(Call &call) {
  call.require(call.integer(1, 1) > 0, "no rule for a remainder of a number below 1");
  return ofIntegers(call, [](int64_t a, int64_t b) { return (a % b + b) % b; });
}
Value equalRule(Call &call) { return comparison(call, std::equal_to<>()); }
Value notEqualRule(Call &call) { return comparison(call, std::not_equal_to<>()); }
Value lessRule(Call &call) { return comparison(call, std::less<>()); }
Value lessEqualRule(Call &call) { return comparison(call, std::less_equal<>()); }
Value greaterRule(Call &call) { return comparison(call, std::greater<>()); }
Value greaterEqualRule(Call &call) { return comparison(call, std::greater_equal<>()); }

// torch.sym_sum(numbers)
Value sumOfNumbersRule(Call &call) {
  uint64_t sum = 0;
  for (int64_t number : call.integers(0))
    sum += static_cast<uint64_t>(number);
  return call.failed() ? Value() : Value::ofInteger(wrapped(sum));
}

/// The only element of a tensor of integers or bools, as a number.
Value itemRule(Call &call) {
  Array array = call.tensor(0);
  call.require(array.count() == 1 && array.kind < Kind::Float, "no rule for a number that is read from floats");
  return call.failed() ? Value() : Value::ofInteger(array.integer(0));
}
Value countRule(Call &call) { return Value::ofInteger(productOf(call.view(0).sizes)); }
/// An assertion, or a mark for a profiler: no tensor depends on it.
Value nothingRule(Call & /*call*/) { return {}; }

} // namespace

llvm::ArrayRef<RuleEntry> numberRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._assert_async", nothingRule},
      {"aten._assert_scalar", nothingRule},
      {"aten._assert_tensor_metadata", nothingRule},
      {"aten._local_scalar_dense", itemRule},
      {"aten.sym_constrain_range", nothingRule},
      {"aten.sym_constrain_range_for_size", nothingRule},
      {"aten.sym_numel", countRule},
      {"operator.add", sumRule},
      {"operator.eq", equalRule},
      {"operator.floordiv", quotientRule},
      {"operator.ge", greaterEqualRule},
      {"operator.gt", greaterRule},
      {"operator.le", lessEqualRule},
      {"operator.lt", lessRule},
      {"operator.mod", remainderRule},
      {"operator.mul", productRule},
      {"operator.ne", notEqualRule},
      {"operator.sub", differenceRule},
      {"profiler._record_function_enter", nothingRule},
      {"profiler._record_function_enter_new", nothingRule},
      {"profiler._record_function_exit", nothingRule},
      {"torch.sym_sum", sumOfNumbersRule},
  };
  return rules;
}

} // namespace ccgraph::equality
