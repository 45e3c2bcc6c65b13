#include "row_calls.h"

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ccgraph::legality {

namespace {

using Sizes = llvm::SmallVector<IntList, 1>;
using Operands = llvm::ArrayRef<const IntList *>;
using RowRule = std::optional<Sizes> (*)(const Step &step, Operands operands);

/// Returns the sizes with another number of columns.
IntList withColumns(IntList sizes, int64_t columns) {
  sizes.back() = columns;
  return sizes;
}

bool hasRows(const IntList &sizes) { return sizes.size() >= 2; }

/// Operands with rows have the same rows, and each operand has one column or as many as the result.
std::optional<Sizes> elementwise(const Step &, Operands operands) {
  std::optional<IntList> rows;
  int64_t columns = 1;
  for (const IntList *operand : operands) {
    columns = operand->empty() ? columns : std::max(columns, operand->back());
    if (!hasRows(*operand))
      continue;
    IntList own = withColumns(*operand, 1);
    if (rows && *rows != own)
      return std::nullopt;
    rows = std::move(own);
  }
  auto fits = [&](const IntList *operand) {
    return operand->empty() || operand->back() == 1 || operand->back() == columns;
  };
  if (!rows || !llvm::all_of(operands, fits))
    return std::nullopt;
  return Sizes{withColumns(std::move(*rows), columns)};
}

/// Returns true if the argument is a list of one number, which is the last dimension or the size of it.
bool isOnly(const Argument &argument, llvm::ArrayRef<int64_t> numbers) {
  return argument.isSequence() && argument.elements().size() == 1 && argument.elements()[0].is(Argument::Kind::Int) &&
         llvm::is_contained(numbers, argument.elements()[0].integer());
}

/// mean(x, [last], True)
std::optional<Sizes> reduction(const Step &step, Operands operands) {
  llvm::ArrayRef<Argument> arguments = step.arguments->positional;
  if (operands.size() != 1 || !hasRows(*operands[0]) || arguments.size() != 3 || !step.arguments->keyword.empty())
    return std::nullopt;
  const auto last = static_cast<int64_t>(operands[0]->size()) - 1;
  const bool within =
      isOnly(arguments[1], {-1, last}) && arguments[2].is(Argument::Kind::Bool) && arguments[2].boolean();
  return within ? std::optional(Sizes{withColumns(*operands[0], 1)}) : std::nullopt;
}

/// softmax(x, last, wider) and the gradient of it, softmax_backward(g, y, last, dtype)
std::optional<Sizes> softmax(const Step &step, Operands operands) {
  llvm::ArrayRef<Argument> arguments = step.arguments->positional;
  const size_t values = operands.size();
  auto isAlike = [&](const IntList *value) { return hasRows(*value) && *value == *operands[0]; };
  if (values == 0 || arguments.size() != values + 2 || !step.arguments->keyword.empty() ||
      !llvm::all_of(operands, isAlike) || !arguments[values].is(Argument::Kind::Int))
    return std::nullopt;
  const int64_t dim = arguments[values].integer();
  const bool isLast = dim == -1 || dim == static_cast<int64_t>(operands[0]->size()) - 1;
  return isLast ? std::optional(Sizes{*operands[0]}) : std::nullopt;
}

/// Returns true for one operand with rows and a number for each of them.
bool isWithClasses(const IntList &rows, const IntList &classes) {
  return rows.size() == 2 && classes == withColumns(rows, 1);
}

/// nll_loss_forward(x, classes, None, sum, ignored): for each row its loss and its weight. The call adds them.
std::optional<Sizes> lossOfRows(const Step &step, Operands operands) {
  llvm::ArrayRef<Argument> arguments = step.arguments->positional;
  constexpr int64_t sum = 2;
  const bool isSum = arguments.size() == 5 && step.arguments->keyword.empty() && operands.size() == 2 &&
                     arguments[2].is(Argument::Kind::None) && arguments[3].is(Argument::Kind::Int) &&
                     arguments[3].integer() == sum;
  if (!isSum || !isWithClasses(*operands[0], *operands[1]))
    return std::nullopt;
  return Sizes{*operands[1], *operands[1]};
}

/// nll_loss_backward(g, x, classes, None, reduction, ignored, weight), whose g and weight are numbers
std::optional<Sizes> gradientOfLoss(const Step &step, Operands operands) {
  llvm::ArrayRef<Argument> arguments = step.arguments->positional;
  const bool fits = arguments.size() == 7 && step.arguments->keyword.empty() && operands.size() == 4 &&
                    arguments[3].is(Argument::Kind::None) && operands[0]->empty() && operands[3]->empty() &&
                    isWithClasses(*operands[1], *operands[2]);
  return fits ? std::optional(Sizes{*operands[1]}) : std::nullopt;
}

/// norm(x, [C], weights of C elements): the rows, and so many numbers a row.
template <size_t numbers>
std::optional<Sizes> norm(const Step &step, Operands operands) {
  llvm::ArrayRef<Argument> arguments = step.arguments->positional;
  if (operands.empty() || !hasRows(*operands[0]) || arguments.size() < 2 || !step.arguments->keyword.empty())
    return std::nullopt;
  const int64_t columns = operands[0]->back();
  auto isWeight = [&](const IntList *weight) { return weight->size() == 1 && weight->front() == columns; };
  if (!isOnly(arguments[1], {columns}) || !llvm::all_of(operands.drop_front(), isWeight))
    return std::nullopt;
  Sizes results = {*operands[0]};
  results.append(numbers, withColumns(*operands[0], 1));
  return results;
}

constexpr llvm::StringLiteral lossTarget = "aten.nll_loss_forward.default",
                              gradientTarget = "aten.nll_loss_backward.default";

struct Row {
  RowRule rule;
  bool returnsList = false;
};

const llvm::StringMap<Row> &table() {
  static const llvm::StringMap<Row> rows = {{"aten.add.Tensor", {elementwise}},
                                            {"aten.sub.Tensor", {elementwise}},
                                            {"aten.mul.Tensor", {elementwise}},
                                            {"aten.div.Tensor", {elementwise}},
                                            {"aten.pow.Tensor_Scalar", {elementwise}},
                                            {"aten.exp.default", {elementwise}},
                                            {"aten.log.default", {elementwise}},
                                            {"aten.rsqrt.default", {elementwise}},
                                            {"aten.neg.default", {elementwise}},
                                            {"aten.sigmoid.default", {elementwise}},
                                            {"aten.silu.default", {elementwise}},
                                            {"aten.gelu.default", {elementwise}},
                                            {"aten.relu.default", {elementwise}},
                                            {"aten.tanh.default", {elementwise}},
                                            {"aten._to_copy.default", {elementwise}},
                                            {"prims.convert_element_type.default", {elementwise}},
                                            {"aten.mean.dim", {reduction}},
                                            {"aten.sum.dim_IntList", {reduction}},
                                            {"aten._softmax.default", {softmax}},
                                            {"aten._log_softmax.default", {softmax}},
                                            {"aten._softmax_backward_data.default", {softmax}},
                                            {"aten._log_softmax_backward_data.default", {softmax}},
                                            {lossTarget, {lossOfRows, true}},
                                            {gradientTarget, {gradientOfLoss}},
                                            {"aten._fused_rms_norm.default", {norm<1>, true}},
                                            {"aten.native_layer_norm.default", {norm<2>, true}}};
  return rows;
}

/// Returns true if one operand has rows, and all others are single numbers.
bool dependsOnOne(Operands operands) {
  auto isNumber = [](const IntList *operand) { return operand->empty(); };
  return !operands.empty() && hasRows(*operands.front()) && llvm::all_of(operands.drop_front(), isNumber);
}

} // namespace

bool isRowCall(const Step &step) { return step.op && table().count(step.op->target.str()) != 0; }

std::optional<RowCall> rowCallOf(const Step &step, llvm::ArrayRef<const IntList *> sizes) {
  auto row = step.op ? table().find(step.op->target.str()) : table().end();
  if (row == table().end())
    return std::nullopt;
  std::optional<Sizes> results = row->second.rule(step, sizes);
  const bool byElement = row->second.rule == elementwise && dependsOnOne(sizes);
  return results
             ? std::optional(RowCall{step.op, step.arguments, std::move(*results), row->second.returnsList, byElement})
             : std::nullopt;
}

std::optional<RowCall> rowCallOf(const Step &step, llvm::ArrayRef<const Layout *> operands) {
  llvm::SmallVector<const IntList *, 4> sizes;
  for (const Layout *operand : operands) {
    if (operand->unsized)
      return std::nullopt;
    sizes.push_back(&operand->sizes);
  }
  return rowCallOf(step, sizes);
}

bool addsRows(const Step &step) { return step.op && step.op->target.str() == lossTarget; }

std::optional<size_t> classesOf(const Step &step) {
  if (addsRows(step))
    return 1;
  return step.op && step.op->target.str() == gradientTarget ? std::optional<size_t>(2) : std::nullopt;
}

bool sameCalls(const RowCall &a, const RowCall &b) {
  auto sameNamed = [](const NamedArgument &x, const NamedArgument &y) {
    return x.name == y.name && sameArgument(x.value, y.value);
  };
  llvm::ArrayRef<Argument> first = a.arguments->positional, second = b.arguments->positional;
  llvm::ArrayRef<NamedArgument> named = a.arguments->keyword, otherNamed = b.arguments->keyword;
  return a.op == b.op && std::equal(first.begin(), first.end(), second.begin(), second.end(), sameArgument) &&
         std::equal(named.begin(), named.end(), otherNamed.begin(), otherNamed.end(), sameNamed);
}

} // namespace ccgraph::legality
