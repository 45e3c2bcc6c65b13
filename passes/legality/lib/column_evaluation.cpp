#include "column_evaluation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ccgraph::legality {

const LineValue *ColumnEvaluation::valueOf(uint32_t step) const {
  auto value = values_.find(step);
  return value == values_.end() ? nullptr : std::get_if<LineValue>(&value->second);
}

std::string ColumnEvaluation::begin(uint32_t step) {
  const std::optional<uint32_t> common = commonValue(scope_.of.evidence, side(), step);
  const Type *type = common ? program()[step].type : nullptr;
  if (!type)
    return "which is no value of both programs, or has no type";
  values_.try_emplace(step, Common{*common, type});
  return "";
}

std::string ColumnEvaluation::evaluate(uint32_t index, const Step &step) {
  Outcome outcome = valueFor(index, step);
  if (auto *why = std::get_if<std::string>(&outcome))
    return std::move(*why);
  LineValue &value = std::get<LineValue>(outcome);
  if (side() == Side::After && !fitsType(step, value))
    return "is declared " + typeText(step.type) + ", which is not the type of its value";
  values_.try_emplace(index, std::move(value));
  return "";
}

ColumnEvaluation::Outcome ColumnEvaluation::valueFor(uint32_t index, const Step &step) {
  if (step.collective())
    return exchanged(index);
  if (!step.waits)
    return computed(step);
  const LineValue *only = step.numOperands == 1 ? inner(step, 0) : nullptr;
  return only ? Outcome(*only) : Outcome("waits for what has no known columns");
}

ColumnEvaluation::Outcome ColumnEvaluation::exchanged(uint32_t index) {
  const Call call = readCall(program(), index);
  if (std::string why = whyNoExchange(call); !why.empty())
    return why;
  const bool gathers = call.spec->kind == CollectiveKind::AllGather;
  const std::optional<LineValue> input = lines(program()[index], 0, gathers ? LineAxis::Rows : LineAxis::Columns);
  return input ? scope_.terms.exchange(call, *input) : Outcome("sends what has no known columns");
}

ColumnEvaluation::Outcome ColumnEvaluation::computed(const Step &step) {
  using Rule = std::optional<LineValue> (ColumnEvaluation::*)(const Step &);
  static const llvm::StringMap<Rule> rules = {
      {"aten.mm.default", &ColumnEvaluation::product},      {"aten.slice.Tensor", &ColumnEvaluation::slice},
      {"aten.view.default", &ColumnEvaluation::view},       {"aten._unsafe_view.default", &ColumnEvaluation::view},
      {"aten.reshape.default", &ColumnEvaluation::view},    {"aten.cat.default", &ColumnEvaluation::cat},
      {"aten.permute.default", &ColumnEvaluation::permute}, {"aten.transpose.int", &ColumnEvaluation::permute},
      {"aten.t.default", &ColumnEvaluation::permute}};
  const auto rule = rules.find(operatorOf(step));
  const bool isFunction = isRowCall(step);
  if (!isFunction && (rule == rules.end() || !step.arguments->keyword.empty()))
    return "calls " + operatorOf(step).str() + ", which cannot be followed column by column";
  std::optional<LineValue> value = isFunction ? function(step) : (this->*rule->second)(step);
  return value ? Outcome(std::move(*value))
               : Outcome("cannot be followed column by column: its arguments do not fit its operands");
}

const LineValue *ColumnEvaluation::inner(const Step &step, size_t operand) const {
  return operand < step.numOperands ? valueOf(program().operands(step)[operand]) : nullptr;
}

const ColumnEvaluation::Common *ColumnEvaluation::common(const Step &step, size_t operand) const {
  const auto value = operand < step.numOperands ? values_.find(program().operands(step)[operand]) : values_.end();
  return value == values_.end() ? nullptr : std::get_if<Common>(&value->second);
}

std::optional<LineValue> ColumnEvaluation::lines(const Step &step, size_t operand, LineAxis axis) {
  if (const LineValue *value = inner(step, operand))
    return value->axis == axis ? std::optional(*value) : std::nullopt;
  const Common *value = common(step, operand);
  return value ? scope_.terms.own(value->step, *value->type, axis) : std::nullopt;
}

/// The first operand must be a value of both programs, whole.
std::optional<LineValue> ColumnEvaluation::product(const Step &step) {
  const Common *first = isMatrixProduct(step) ? common(step, 0) : nullptr;
  const std::optional<LineValue> columns = first ? lines(step, 1, LineAxis::Columns) : std::nullopt;
  const bool fits = columns && columns->rank() == 2 && first->type->isTensor() && first->type->sizes().size() == 2 &&
                    first->type->sizes()[1] == columns->line.front() && first->type->dtype() == columns->dtype;
  return fits ? scope_.terms.product(first->step, first->type->sizes()[0], *columns) : std::nullopt;
}

/// Every operand but the first one must be a single number.
std::optional<LineValue> ColumnEvaluation::function(const Step &step) {
  const std::optional<LineValue> value = lines(step, 0, LineAxis::Columns);
  if (!value || !step.type || !step.type->isTensor())
    return std::nullopt;
  llvm::SmallVector<uint32_t, 2> numbers;
  for (size_t operand = 1; operand < step.numOperands; ++operand) {
    const Common *number = common(step, operand);
    if (!number || !number->type->isTensor() || !number->type->sizes().empty())
      return std::nullopt;
    numbers.push_back(number->step);
  }
  // A function of each element is one whatever the sizes are.
  const IntList matrix = {2, 2}, none = {};
  llvm::SmallVector<const IntList *, 3> sizes(step.numOperands, &none);
  sizes.front() = &matrix;
  const std::optional<RowCall> call = rowCallOf(step, sizes);
  if (!call || !call->byElement || !hasStrides(*value, denseStrides(context(), *value)))
    return std::nullopt;
  std::optional<LineValue> result = scope_.terms.function(*call, numbers, *value);
  if (result)
    result->dtype = step.type->dtype();
  return result;
}

/// Ends are numbers from the front, and the largest number is the end of the dimension.
std::optional<LineValue> ColumnEvaluation::slice(const Step &step) {
  const Argument *from = positional(step, 2), *to = positional(step, 3), *pace = positional(step, 4);
  const std::optional<size_t> dim = dimensionOf(positional(step, 1), step.type ? step.type->sizes().size() : 0);
  auto isNumber = [](const Argument *argument) { return isLeftOut(argument) || argument->is(Argument::Kind::Int); };
  if (!dim || !isNumber(from) || !isNumber(to) || !isNumber(pace) || (!isLeftOut(pace) && pace->integer() != 1))
    return std::nullopt;
  const LineValue *own = inner(step, 0);
  const std::optional<LineValue> value =
      own ? std::optional(*own) : lines(step, 0, *dim == 0 ? LineAxis::Rows : LineAxis::Columns);
  const DimList sizes = value ? value->sizes() : DimList();
  if (*dim >= sizes.size() || !sizes[*dim].isStatic())
    return std::nullopt;
  const bool isOpen = isLeftOut(to) || to->integer() == INT64_MAX;
  return sliced(*value, *dim, isLeftOut(from) ? 0 : from->integer(), isOpen ? sizes[*dim].value() : to->integer());
}

std::optional<LineValue> ColumnEvaluation::cat(const Step &step) {
  llvm::SmallVector<const LineValue *, 4> values;
  for (size_t i = 0; i < step.numOperands; ++i)
    values.push_back(inner(step, i));
  if (values.empty() || llvm::is_contained(values, nullptr))
    return std::nullopt;
  const std::optional<size_t> dim = dimensionOf(positional(step, 1), values.front()->rank());
  return dim ? concatenated(context(), values, *dim) : std::nullopt;
}

std::optional<DimList> ColumnEvaluation::sizesOfView(const Step &step) const {
  const Argument *list = positional(step, 1);
  if (isLeftOut(list) || !list->isSequence())
    return std::nullopt;
  DimList sizes;
  for (const Argument &element : list->elements()) {
    const bool isOperand = element.is(Argument::Kind::Operand);
    const uint32_t operand = isOperand ? program().operand(step, element) : none;
    const Type *type = operand == none ? nullptr : program()[operand].type;
    if (element.is(Argument::Kind::Int))
      sizes.emplace_back(element.integer());
    else if (element.is(Argument::Kind::Symbolic))
      sizes.emplace_back(element.symbolic());
    else if (type && type->kind() == Type::Kind::Symbolic)
      sizes.emplace_back(type->symbol());
    else
      return std::nullopt;
  }
  return sizes;
}

std::optional<LineValue> ColumnEvaluation::view(const Step &step) {
  const LineValue *value = inner(step, 0);
  const std::optional<DimList> sizes = value ? sizesOfView(step) : std::nullopt;
  return sizes ? resized(context(), *value, *sizes) : std::nullopt;
}

std::optional<LineValue> ColumnEvaluation::permute(const Step &step) {
  const LineValue *value = inner(step, 0);
  if (!value || value->rank() != 2)
    return std::nullopt;
  llvm::SmallVector<Argument, 2> dims;
  for (const Argument &argument : llvm::makeArrayRef(step.arguments->positional).drop_front())
    if (argument.isSequence())
      llvm::append_range(dims, argument.elements());
    else
      dims.push_back(argument);
  const bool isOrder = operatorOf(step) == "aten.permute.default";
  if (!dims.empty() || isOrder) {
    if (dims.size() != 2)
      return std::nullopt;
    const std::optional<size_t> first = dimensionOf(&dims[0], 2), second = dimensionOf(&dims[1], 2);
    if (!first || !second || *first == *second || (isOrder && *first != 1))
      return std::nullopt;
  }
  return transposed(*value);
}

bool ColumnEvaluation::fitsType(const Step &step, const LineValue &value) const {
  const Type *type = step.type;
  if (!type || !type->isTensor() || type->dtype() != value.dtype || !type->stridesKnown())
    return false;
  const DimList sizes = value.sizes();
  return type->sizes() == llvm::makeArrayRef(sizes) && hasStrides(value, type->strides());
}

} // namespace ccgraph::legality
