#include "number_ways.h"

#include "step_nodes.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace ccgraph::equality {

void NumberWays::add(int64_t value, std::vector<int64_t> reduced) {
  std::vector<std::vector<int64_t>> &ways = reduced_[value];
  if (value > 1 && ways.size() != mostWays && !llvm::is_contained(ways, reduced))
    ways.push_back(std::move(reduced));
}

/// Returns the integer that a number is, up to rounding; empty for none above 1.
static std::optional<int64_t> wholeNumber(double number) {
  constexpr double most = 1e15, tolerance = 1e-12;
  if (!(number > 1.5) || number > most || std::fabs(number - std::round(number)) > tolerance * number)
    return std::nullopt;
  return static_cast<int64_t>(std::round(number));
}

std::vector<std::vector<double>> NumberWays::of(double number, bool isInteger) const {
  const double sign = number < 0 ? -1 : 1, size = std::fabs(number);
  std::vector<std::vector<double>> result;
  auto follow = [&](double form, auto back) {
    std::optional<int64_t> whole = result.empty() && size != 0 ? wholeNumber(form) : std::nullopt;
    auto known = whole ? reduced_.find(*whole) : reduced_.end();
    if (known == reduced_.end())
      return;
    for (const std::vector<int64_t> &way : known->second) {
      result.emplace_back();
      for (int64_t reduced : way)
        result.back().push_back(sign * back(static_cast<double>(reduced)));
    }
  };
  follow(size, [](double value) { return value; });
  if (isInteger)
    return result;
  follow(1 / size, [](double value) { return 1 / value; });
  follow(size * size, [](double value) { return std::sqrt(value); });
  follow(1 / (size * size), [](double value) { return 1 / std::sqrt(value); });
  return result;
}

bool readsNumbers(const Node &node) {
  return node.opcode() == Opcode::CallFunction &&
         (isOneOfWords(shortTarget(node), {"mul", "div", "add", "sub", "mul_", "div_", "full", "full_like", "new_full",
                                           "rsub", "pow", "fill", "fill_", "reciprocal"}) ||
          shortTarget(node).contains("_dot_product_") || shortTarget(node).startswith("_foreach_"));
}

std::optional<double> numberOf(const Argument &argument) {
  if (argument.is(Argument::Kind::Int))
    return static_cast<double>(argument.integer());
  if (argument.is(Argument::Kind::Float))
    return argument.floating();
  return std::nullopt;
}

} // namespace ccgraph::equality
