// NumberWays: what a number among the operands of arithmetic becomes if it follows the sizes of a step.
//
// 524288 may be a batch of 64 times 8192 tokens, 0.015625 a mean over 64 ranks, 0.08838834764831845 is 1 / sqrt(128).
// N, 1 / N, sqrt(N) and 1 / sqrt(N) follow in one way for each known number that has the value N: a size, a product of
// neighbouring sizes of a tensor, a number of ranks. Each way is one family of programs, so it gives a number for each
// assignment of smaller sizes.
//
// Ownership: plain values. Failure: none; a number that is no known one has no way. Cost: linear in the known numbers.
#pragma once

#include "ccgraph/ir/graph.h"

#include <map>
#include <optional>
#include <vector>

namespace ccgraph::equality {

class NumberWays {
public:
  /// Adds a known number: its value, and what it becomes in each assignment.
  void add(int64_t value, std::vector<int64_t> reduced);
  /// Returns by way and assignment what the number becomes. An integer stays an integer.
  [[nodiscard]] std::vector<std::vector<double>> of(double number, bool isInteger) const;

  static constexpr size_t mostWays = 8;

private:
  /// by value, in the order in which they were added
  std::map<int64_t, std::vector<std::vector<int64_t>>> reduced_;
};

/// Returns whether numbers among the arguments are operands of arithmetic.
[[nodiscard]] bool readsNumbers(const Node &node);
/// Returns the number of an int or a float.
[[nodiscard]] std::optional<double> numberOf(const Argument &argument);

} // namespace ccgraph::equality
