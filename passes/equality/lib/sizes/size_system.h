// SizeSystem: the sizes of a step as unknown numbers, and smaller numbers that keep every relation between them.
//
// Each dimension of each tensor is a variable with the value that the graph states. Relations connect variables:
//   equal     two dimensions that an operator requires to be equal
//   product   2048 = 16 * 128: a view that splits a dimension, a dimension that 8 ranks share
//   sum       2304 = 2048 + 128 + 128: a concatenation, a slice
//   below     the padding of a shard is less than the number of ranks
// solve() chooses a number for each variable that is at most its value, satisfies all relations, is 1 only where the
// value is 1, and is equal for two variables only if their values are equal: sizes that differ stay different. The
// caller chooses the numbers of some variables: how many ranks an axis has.
//
// The choice is the first one of a search in ascending order, so it is small and the same in every run. A variable that
// some relation determines is computed from it. Variables that relations make equal are one: the parts of all ranks,
// each a quotient of one size by one number of ranks. Variables of equal values that stand in relations of equal form,
// such as those of equal layers and ranks, get equal numbers, unless there is no such choice.
//
// Ownership: plain values. Failure: an empty result if there is no choice, or none within the limit of the search.
// Cost: linear in the relations for each choice that the search tries, at most `mostChoices`.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ccgraph::equality {

using SizeVariable = uint32_t;
using SizeVariables = std::vector<SizeVariable>;

/// Which sizes of equal value get equal numbers, besides those that relations make equal. The dimension of a head is
/// 128 on both sides, which no relation between hidden sizes shows: 24 * 40 is 48 * 20.
enum class SizeTies : uint8_t {
  /// all
  Values,
  /// those in relations of equal values: 128 = 64 + 64 on both sides
  Forms,
  /// as many as the search can
  Numbers,
};
inline constexpr SizeTies allSizeTies[] = {SizeTies::Values, SizeTies::Forms, SizeTies::Numbers};

class SizeSystem {
public:
  SizeSystem();
  /// The variable of all sizes that are 1.
  static constexpr SizeVariable one = 0;

  /// Returns a new variable; `one` for the value 1, a constant for 0.
  [[nodiscard]] SizeVariable add(int64_t value);
  /// Returns the variable that keeps this value.
  [[nodiscard]] SizeVariable constant(int64_t value);

  [[nodiscard]] int64_t valueOf(SizeVariable variable) const { return values_[variable]; }
  /// The variable keeps its value.
  void fix(SizeVariable variable) { equate(variable, constant(valueOf(variable))); }
  /// Requires equal numbers; the values are equal.
  void equate(SizeVariable a, SizeVariable b);
  /// Requires equal products; those of the values are equal.
  void relateProducts(llvm::ArrayRef<SizeVariable> left, llvm::ArrayRef<SizeVariable> right);
  /// Requires the total to be the sum of the parts, as it is for the values.
  void relateSum(SizeVariable total, llvm::ArrayRef<SizeVariable> parts);
  /// Requires a number below another one, as the values are.
  void relateBelow(SizeVariable less, SizeVariable more);

  /// Returns a number for each variable. `chosen`: numbers of some of them. `smallest`: the first number that the
  /// search tries for the others, at least 2.
  [[nodiscard]] std::optional<std::vector<int64_t>> solve(const std::map<SizeVariable, int64_t> &chosen,
                                                          int64_t smallest, SizeTies ties) const;

  static constexpr size_t mostChoices = 20000;

private:
  friend class SizeSearch;
  struct Relation {
    enum class Kind : uint8_t { Product, Sum, Below };
    Kind kind = Kind::Product;
    /// of a sum: the total alone; of Below: the less one
    SizeVariables left;
    SizeVariables right;
    friend auto operator<=>(const Relation &, const Relation &) = default;
  };
  [[nodiscard]] SizeVariable rootOf(SizeVariable variable) const;
  bool equateDetermined();
  void equateAlike();
  void equateValues(const std::map<SizeVariable, int64_t> &chosen);
  void equateForms(const std::map<SizeVariable, int64_t> &chosen);
  static void addForms(const Relation &relation, const std::vector<int64_t> &classes,
                       std::vector<std::vector<std::vector<int64_t>>> &forms);

  std::vector<int64_t> values_;
  /// a union-find forest
  mutable std::vector<SizeVariable> parents_;
  std::map<int64_t, SizeVariable> constants_;
  std::vector<Relation> relations_;
};

} // namespace ccgraph::equality
