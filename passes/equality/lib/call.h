// Call: one call of an operator with its arguments evaluated, and the rules that evaluate operators.
//
// A rule computes the value of a call from the values of its arguments. It reads arguments by their position in the
// schema; an argument that is left out has the default of the schema. The first problem of a call is kept, and later
// readings return neutral values, so that a rule needs no branch for them. An in-place operator (`add_`) and a
// `_foreach_` operator use the rule of the operator that they apply.
//
// Ownership: a call owns its arguments. Failure: Call::problem, a text without a place; the caller adds the node.
// Cost: that of the rule.
#pragma once

#include "array.h"

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace ccgraph::equality {

struct Value {
  enum class Type : uint8_t { None, Bool, Integer, Real, Text, DType, Tensor, List };
  Type type = Type::None;
  /// of a Bool, an Integer and a DType
  int64_t integer = 0;
  double real = 0;
  std::string text;
  Tensor tensor;
  std::vector<Value> list;

  Value() = default;
  explicit Value(Tensor of) : type(Type::Tensor), tensor(std::move(of)) {}
  explicit Value(const Array &array) : Value(Tensor(array)) {}
  explicit Value(std::vector<Value> of) : type(Type::List), list(std::move(of)) {}
  static Value ofInteger(int64_t integer);
  static Value ofReal(double real);
  [[nodiscard]] bool is(Type wanted) const { return type == wanted; }
  [[nodiscard]] bool isNumber() const { return is(Type::Bool) || is(Type::Integer) || is(Type::Real); }
};

struct Call {
  const OpDef *op = nullptr;
  /// without overload: "aten.add"
  std::string base;
  /// by position in the schema
  std::vector<Value> arguments;
  Field *field = nullptr;
  /// the dtype of the result, or of its first element; empty if it is unknown
  std::optional<DType> resultType;
  /// the strides that the text states for the first argument, a tensor; empty if it states none
  std::optional<IntList> statedStrides;
  /// a number of the node among those that draw random numbers
  uint64_t ordinal = 0;
  /// set by rules of random operators
  bool drawsRandom = false;
  /// the first problem; empty: none
  std::string problem;

  void reject(const llvm::Twine &text) {
    if (problem.empty())
      problem = text.str();
  }
  [[nodiscard]] bool failed() const { return !problem.empty(); }

  [[nodiscard]] const Value &at(size_t position) const;
  [[nodiscard]] bool has(size_t position) const { return !at(position).is(Value::Type::None); }
  /// Returns a tensor's view; a number becomes a tensor without dimensions.
  [[nodiscard]] Tensor view(size_t position);
  [[nodiscard]] Array tensor(size_t position);
  /// Returns the same as floats.
  [[nodiscard]] Array floats(size_t position);
  [[nodiscard]] int64_t integer(size_t position, int64_t missing = 0);
  [[nodiscard]] double real(size_t position, double missing);
  [[nodiscard]] bool flag(size_t position, bool missing = false);
  [[nodiscard]] std::string text(size_t position) const { return at(position).text; }
  /// Returns a list of integers; one integer is a list of one.
  [[nodiscard]] IntList integers(size_t position);
  [[nodiscard]] std::vector<Array> tensors(size_t position);
  /// Returns the dimension as an index from 0.
  [[nodiscard]] int64_t dimension(size_t position, size_t rank, int64_t missing = 0);
  /// Returns the dimensions, ascending; all where none is given.
  [[nodiscard]] IntList dimensions(size_t position, size_t rank);
  /// Rejects the call unless `holds`.
  void require(bool holds, const llvm::Twine &text) {
    if (!holds)
      reject(text);
  }
};

/// Computes the value of a call; on a problem, the result is unused.
using Rule = Value (*)(Call &call);

struct RuleEntry {
  llvm::StringLiteral base;
  Rule rule;
  /// returns a view of an argument, so that its result may not be shared between ranks
  bool isView = false;
};

// The rules by family. Each table is sorted by `base`.
[[nodiscard]] llvm::ArrayRef<RuleEntry> elementwiseRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> functionRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> viewRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> reductionRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> productRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> indexRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> creationRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> normRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> attentionRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> bagRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> bucketRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> cellRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> complexRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> numberRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> placeRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> sortingRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> activationRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> convolutionRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> poolRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> moveRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> lossRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> patchRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> scanRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> groupNormRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> optimizerRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> contractionRules();
[[nodiscard]] llvm::ArrayRef<RuleEntry> compositeRules();

/// Returns the rule of an operator; null if there is none.
[[nodiscard]] const RuleEntry *findRule(llvm::StringRef base);

/// Returns whether an argument holds complex numbers; then evaluateComplex() has the rule.
[[nodiscard]] bool hasComplexArgument(const Call &call);
[[nodiscard]] Value evaluateComplex(Call &call);

/// Returns whether the operator moves elements of which some are logarithms; then evaluateMoved() applies its rule.
[[nodiscard]] bool movesLogarithms(const Call &call);
[[nodiscard]] Value evaluateMoved(Call &call, Rule rule);

/// Evaluates a call by its rule, also in-place and `_foreach_` forms. `call.problem` states why there is no value.
[[nodiscard]] Value evaluateCall(Call &call);

/// Returns true for `aten.add_`: the result is written into the first argument.
[[nodiscard]] bool isInPlace(llvm::StringRef base);

} // namespace ccgraph::equality
