#include "symbolic_evaluation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ccgraph::legality {

const RowValue *SymbolicEvaluation::valueOf(uint32_t step) const {
  auto value = values_.find(step);
  return value == values_.end() ? nullptr : std::get_if<RowValue>(&value->second);
}

std::string SymbolicEvaluation::begin(uint32_t step) {
  std::optional<Value> value = initial(step);
  if (!value)
    return "whose rows are no known number for every value of one symbol";
  values_.try_emplace(step, std::move(*value));
  return "";
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::initial(uint32_t operand) {
  const std::optional<uint32_t> common = commonValue(scope().evidence, side(), operand);
  const Type *type = common ? program()[operand].type : nullptr;
  if (type && type->kind() == Type::Kind::Symbolic)
    return quantity(Dim(type->symbol()));
  if (!type || !type->isTensor())
    return std::nullopt;
  if (type->sizes().size() > 1)
    return initialRows(operand, *common);
  const std::optional<IntList> sizes = staticDims(type->sizes());
  return sizes ? std::optional<Value>(SameForRows{*common, *sizes}) : std::nullopt;
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::initialRows(uint32_t operand, uint32_t common) {
  const Type *type = program()[operand].type;
  const std::optional<Quantities> sizes = quantities(type->sizes()),
                                  strides = type->stridesKnown() ? quantities(type->strides()) : std::nullopt;
  std::optional<RowValue> value = sizes && strides ? newValue(type->dtype(), *sizes, {}) : std::nullopt;
  const std::optional<Quantity> rows = value ? value->rows() : std::nullopt;
  if (!rows)
    return std::nullopt;
  RowRuns whole;
  if (!append(whole, {scope_.terms.own(common), Quantity(0), *rows}))
    return std::nullopt;
  value->runs = std::make_shared<const RowRuns>(std::move(whole));
  value->strides = *strides;
  common_[operand] = common;
  return value;
}

std::string SymbolicEvaluation::evaluate(uint32_t index, const Step &step) {
  Outcome outcome = valueFor(index, step);
  if (auto *why = std::get_if<std::string>(&outcome))
    return std::move(*why);
  Value &value = std::get<Value>(outcome);
  if (side() == Side::After && !fitsType(step, value))
    return "is declared " + typeText(step.type) + ", which is not the type of its value for every value of the symbol";
  values_.try_emplace(index, std::move(value));
  return "";
}

SymbolicEvaluation::Outcome SymbolicEvaluation::valueFor(uint32_t index, const Step &step) {
  if (step.collective())
    return exchanged(index);
  const RowValue *only = step.numOperands == 1 ? tensor(step, 0) : nullptr;
  if (step.waits)
    return only ? Outcome(Value(*only)) : Outcome("waits for what has no known rows");
  return isRowCall(step) ? rowCall(step) : computed(step);
}

SymbolicEvaluation::Outcome SymbolicEvaluation::exchanged(uint32_t index) {
  const Call call = readCall(program(), index);
  if (std::string why = whyNoExchange(call); !why.empty())
    return why;
  const RowValue *input = valueOf(call.inputs[0]);
  if (!input)
    return "sends what has no known rows";
  const std::optional<Quantity> rows = input->rows();
  if (side() == Side::Before && !(rows && rows->isIncreasing()))
    return "sends rows whose number does not determine the symbol, which may then differ between ranks";
  SymbolicTerms::Outcome outcome = scope_.terms.exchange(call, *input);
  if (auto *why = std::get_if<std::string>(&outcome))
    return std::move(*why);
  return Value(std::move(std::get<RowValue>(outcome)));
}

SymbolicEvaluation::Outcome SymbolicEvaluation::computed(const Step &step) {
  using Rule = std::optional<Value> (SymbolicEvaluation::*)(const Step &);
  static const llvm::StringMap<Rule> rules = {{"aten.mm.default", &SymbolicEvaluation::product},
                                              {"aten.slice.Tensor", &SymbolicEvaluation::slice},
                                              {"aten.view.default", &SymbolicEvaluation::view},
                                              {"aten._unsafe_view.default", &SymbolicEvaluation::view},
                                              {"aten.reshape.default", &SymbolicEvaluation::reshape},
                                              {"aten.cat.default", &SymbolicEvaluation::cat},
                                              {"aten.unsqueeze.default", &SymbolicEvaluation::unsqueeze},
                                              {"aten.squeeze.dim", &SymbolicEvaluation::squeeze},
                                              {"aten.sym_size.int", &SymbolicEvaluation::sizeOf},
                                              {"operator.getitem", &SymbolicEvaluation::element},
                                              {"operator.add", &SymbolicEvaluation::arithmetic},
                                              {"operator.sub", &SymbolicEvaluation::arithmetic},
                                              {"operator.mul", &SymbolicEvaluation::arithmetic},
                                              {"operator.floordiv", &SymbolicEvaluation::arithmetic}};
  const auto rule = rules.find(step.isGetItem() ? "operator.getitem" : operatorOf(step));
  if (rule == rules.end() || !step.arguments->keyword.empty())
    return "calls " + operatorOf(step).str() + ", which cannot be followed for every value of a symbol";
  std::optional<Value> value = (this->*rule->second)(step);
  return value ? Outcome(std::move(*value))
               : Outcome("cannot be followed for every value of the symbol: its arguments do not fit its operands");
}

const RowValue *SymbolicEvaluation::tensor(const Step &step, size_t operand) const {
  return operand < step.numOperands ? valueOf(program().operands(step)[operand]) : nullptr;
}

std::optional<Quantity> SymbolicEvaluation::quantity(const Step &step, const Argument *argument) {
  if (isLeftOut(argument))
    return std::nullopt;
  if (argument->is(Argument::Kind::Int))
    return Quantity(argument->integer());
  if (argument->is(Argument::Kind::Symbolic))
    return quantity(Dim(argument->symbolic()));
  if (!argument->is(Argument::Kind::Operand))
    return std::nullopt;
  auto value = values_.find(program().operand(step, *argument));
  const Quantity *number = value == values_.end() ? nullptr : std::get_if<Quantity>(&value->second);
  return number ? std::optional(*number) : std::nullopt;
}

std::optional<Quantities> SymbolicEvaluation::quantities(llvm::ArrayRef<Dim> sizes) {
  Quantities all;
  for (const Dim &size : sizes) {
    std::optional<Quantity> one = quantity(size);
    if (!one)
      return std::nullopt;
    all.push_back(std::move(*one));
  }
  return all;
}

/// The second operand must be a value of both programs, whole.
std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::product(const Step &step) {
  const RowValue *rows = isMatrixProduct(step) ? tensor(step, 0) : nullptr, *matrix = tensor(step, 1);
  auto common = matrix ? common_.find(program().operands(step)[1]) : common_.end();
  const bool fits = rows && common != common_.end() && rows->sizes.size() == 2 && matrix->sizes.size() == 2 &&
                    matrix->sizes.front().number() == rows->columns() && matrix->dtype == rows->dtype;
  return fits ? std::optional<Value>(scope_.terms.product(*rows, common->second, matrix->columns())) : std::nullopt;
}

/// Ends are from the front, and the largest number is the end of the dimension.
std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::slice(const Step &step) {
  const RowValue *value = tensor(step, 0);
  const std::optional<size_t> dim = value ? dimensionOf(positional(step, 1), value->sizes.size()) : std::nullopt;
  const Argument *from = positional(step, 2), *to = positional(step, 3), *pace = positional(step, 4);
  const bool hasUnitStep = isLeftOut(pace) || (pace->is(Argument::Kind::Int) && pace->integer() == 1);
  if (!dim || !hasUnitStep)
    return std::nullopt;
  const std::optional<Quantity> first = isLeftOut(from) ? Quantity(0) : quantity(step, from);
  std::optional<Quantity> end = isLeftOut(to) ? value->sizes[*dim] : quantity(step, to);
  if (end && end->number() == INT64_MAX)
    end = value->sizes[*dim];
  return first && end ? std::optional<Value>(sliced(*value, *dim, *first, *end)) : std::nullopt;
}

std::optional<Quantities> SymbolicEvaluation::sizesOfView(const Step &step, const RowValue &value) {
  const Argument *list = positional(step, 1);
  if (isLeftOut(list) || !list->isSequence())
    return std::nullopt;
  Quantities sizes;
  std::optional<size_t> open;
  for (const Argument &element : list->elements()) {
    std::optional<Quantity> size = quantity(step, &element);
    if (!size || (size->number() == -1 && open))
      return std::nullopt;
    if (size->number() == -1)
      open = sizes.size(), size = Quantity(1);
    sizes.push_back(std::move(*size));
  }
  if (!open)
    return sizes;
  const std::optional<Quantity> others = productOf(sizes), all = productOf(value.sizes);
  const std::optional<int64_t> divisor = others ? others->number() : std::nullopt;
  const std::optional<Quantity> rest = all && divisor ? all->over(*divisor) : std::nullopt;
  if (!rest)
    return std::nullopt;
  sizes[*open] = *rest;
  return sizes;
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::resizedValue(const Step &step, bool mayCopy) {
  const RowValue *value = tensor(step, 0);
  const std::optional<Quantities> sizes = value ? sizesOfView(step, *value) : std::nullopt;
  return sizes ? std::optional<Value>(resized(*value, *sizes, mayCopy)) : std::nullopt;
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::view(const Step &step) {
  return resizedValue(step, false);
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::reshape(const Step &step) {
  return resizedValue(step, true);
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::unsqueeze(const Step &step) {
  const RowValue *value = tensor(step, 0);
  const Argument *dim = positional(step, 1);
  const auto rank = value ? static_cast<int64_t>(value->sizes.size()) : 0;
  if (!value || isLeftOut(dim) || !dim->is(Argument::Kind::Int) || dim->integer() < -rank - 1 || dim->integer() > rank)
    return std::nullopt;
  Quantities sizes = value->sizes;
  sizes.insert(sizes.begin() + (dim->integer() < 0 ? dim->integer() + rank + 1 : dim->integer()), Quantity(1));
  return resized(*value, sizes, false);
}

/// A dimension of another size than 1 stays.
std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::squeeze(const Step &step) {
  const RowValue *value = tensor(step, 0);
  const std::optional<size_t> dim = value ? dimensionOf(positional(step, 1), value->sizes.size()) : std::nullopt;
  if (!dim || isLeftOut(positional(step, 1)) || value->sizes[*dim].number() != 1)
    return std::nullopt;
  Quantities sizes = value->sizes;
  sizes.erase(sizes.begin() + *dim);
  return resized(*value, sizes, false);
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::cat(const Step &step) {
  llvm::SmallVector<const RowValue *, 4> values;
  for (size_t i = 0; i < step.numOperands; ++i)
    values.push_back(tensor(step, i));
  if (values.empty() || llvm::is_contained(values, nullptr))
    return std::nullopt;
  const std::optional<size_t> dim = dimensionOf(positional(step, 1), values.front()->sizes.size());
  return dim ? std::optional<Value>(concatenated(values, *dim)) : std::nullopt;
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::sizeOf(const Step &step) {
  const RowValue *value = tensor(step, 0);
  const std::optional<size_t> dim = value ? dimensionOf(positional(step, 1), value->sizes.size()) : std::nullopt;
  return dim ? std::optional<Value>(value->sizes[*dim]) : std::nullopt;
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::arithmetic(const Step &step) {
  using Rule = std::optional<Quantity> (Quantity::*)(const Quantity &) const;
  static const llvm::StringMap<Rule> rules = {{"operator.add", &Quantity::plus},
                                              {"operator.sub", &Quantity::minus},
                                              {"operator.mul", &Quantity::times},
                                              {"operator.floordiv", &Quantity::quotient}};
  const std::optional<Quantity> left = quantity(step, positional(step, 0)), right = quantity(step, positional(step, 1));
  if (!left || !right || step.arguments->positional.size() != 2)
    return std::nullopt;
  const std::optional<Quantity> result = (*left.*rules.find(operatorOf(step))->second)(*right);
  return result ? std::optional<Value>(*result) : std::nullopt;
}

/// Returns true if the declared type is the value's own type, because later nodes are compiled against it.
bool SymbolicEvaluation::fitsType(const Step &step, const Value &value) {
  const Type *type = step.type;
  if (std::holds_alternative<SymbolicTerms::RowValues>(value))
    return true;
  if (!type)
    return false;
  if (const auto *number = std::get_if<Quantity>(&value)) {
    const std::optional<Quantity> stated =
        type->kind() == Type::Kind::Symbolic ? quantity(Dim(type->symbol())) : std::nullopt;
    return stated && stated->equals(*number);
  }
  const RowValue &rows = std::get<RowValue>(value);
  if (!type->isTensor() || type->dtype() != rows.dtype || !type->stridesKnown())
    return false;
  const std::optional<Quantities> sizes = quantities(type->sizes()), strides = quantities(type->strides());
  return sizes && strides && areEqual(*sizes, rows.sizes) && hasStrides(rows, *strides);
}

} // namespace ccgraph::legality
