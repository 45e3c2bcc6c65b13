#include "symbolic_evaluation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ccgraph::legality {

namespace {

llvm::StringRef targetOf(const Step &step) { return step.op ? step.op->target.str() : llvm::StringRef(); }

const Argument *positional(const Step &step, size_t number) {
  return number < step.arguments->positional.size() ? &step.arguments->positional[number] : nullptr;
}

bool isLeftOut(const Argument *argument) { return !argument || argument->is(Argument::Kind::None); }

} // namespace

bool SymbolicEvaluation::report(const Step &step, const llvm::Twine &message) {
  scope_.findings.add(*step.node, "equal-pieces", message, claimText({Part::Rule, scope_.entry}));
  return false;
}

const RowValue *SymbolicEvaluation::valueOf(uint32_t step) const {
  auto value = values_.find(step);
  return value == values_.end() ? nullptr : std::get_if<RowValue>(&value->second);
}

bool SymbolicEvaluation::run(llvm::ArrayRef<uint32_t> steps) {
  llvm::SmallVector<uint32_t, 32> order(steps.begin(), steps.end());
  llvm::sort(order);
  return llvm::all_of(order, [&](uint32_t step) { return beginOperands(program()[step], steps) && evaluate(step); });
}

/// Sets the values that a step reads from outside the entry.
bool SymbolicEvaluation::beginOperands(const Step &step, llvm::ArrayRef<uint32_t> steps) {
  for (const uint32_t operand : program().operands(step)) {
    if (operand != none && (llvm::is_contained(steps, operand) || values_.count(operand)))
      continue;
    std::optional<Value> value = initial(operand);
    if (!value)
      return report(step, "reads " + quoted(operand == none ? nullptr : program()[operand].node) +
                              ", whose rows are no known number for every value of one symbol");
    values_.try_emplace(operand, std::move(*value));
    complete_.insert(operand);
  }
  return true;
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::initial(uint32_t operand) {
  const std::optional<uint32_t> common = commonValue(scope_.evidence, side_, operand);
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

bool SymbolicEvaluation::evaluate(uint32_t index) {
  const Step &step = program()[index];
  Outcome outcome = valueFor(index, step);
  if (const auto *why = std::get_if<std::string>(&outcome))
    return report(step, *why);
  Value &value = std::get<Value>(outcome);
  if (side_ == Side::After && !fitsType(step, value))
    return false;
  const bool complete = llvm::all_of(program().operands(step), [&](uint32_t operand) { return isComplete(operand); });
  if (step.waits || (!step.launches && complete))
    complete_.insert(index);
  values_.try_emplace(index, std::move(value));
  return true;
}

SymbolicEvaluation::Outcome SymbolicEvaluation::valueFor(uint32_t index, const Step &step) {
  if (step.collective())
    return exchanged(index, step);
  const bool writes = llvm::any_of(program().accesses(step),
                                   [](Access access) { return hasAny(access, Access::Write | Access::InFlightWrite); });
  if (!step.isCall() || step.domain != Domain::None || step.launches || (!step.waits && writes))
    return "has an effect of its own, expected only nodes that compute rows or move data";
  const RowValue *only = step.numOperands == 1 ? tensor(step, 0) : nullptr;
  if (step.waits)
    return only ? Outcome(Value(*only)) : Outcome("waits for what has no known rows");
  return isRowCall(step) ? rowCall(step) : computed(step);
}

SymbolicEvaluation::Outcome SymbolicEvaluation::exchanged(uint32_t index, const Step &step) {
  const Call call = readCall(program(), index);
  const RowValue *input = isPlainExchange(call) && saysNothingElse(step) ? valueOf(call.inputs[0]) : nullptr;
  if (!input)
    return "is no functional collective on one tensor";
  if (std::string why = wrongRanks(call); !why.empty())
    return why;
  if (side_ == Side::After && !isComplete(call.inputs[0]))
    return "sends what has not been waited for";
  const std::optional<Quantity> rows = input->rows();
  if (side_ == Side::Before && !(rows && rows->isIncreasing()))
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
  const auto rule = rules.find(step.isGetItem() ? "operator.getitem" : targetOf(step));
  if (rule == rules.end() || !step.arguments->keyword.empty())
    return "calls " + targetOf(step).str() + ", which cannot be followed for every value of a symbol";
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

std::optional<size_t> SymbolicEvaluation::dimension(const Argument *argument, const RowValue &value) {
  const auto rank = static_cast<int64_t>(value.sizes.size());
  if (!isLeftOut(argument) && !argument->is(Argument::Kind::Int))
    return std::nullopt;
  const int64_t dim = isLeftOut(argument) ? 0 : argument->integer();
  if (dim < -rank || dim >= rank)
    return std::nullopt;
  return static_cast<size_t>(dim < 0 ? dim + rank : dim);
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
  const std::optional<size_t> dim = value ? dimension(positional(step, 1), *value) : std::nullopt;
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
  const std::optional<size_t> dim = value ? dimension(positional(step, 1), *value) : std::nullopt;
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
  const std::optional<size_t> dim = dimension(positional(step, 1), *values.front());
  return dim ? std::optional<Value>(concatenated(values, *dim)) : std::nullopt;
}

std::optional<SymbolicEvaluation::Value> SymbolicEvaluation::sizeOf(const Step &step) {
  const RowValue *value = tensor(step, 0);
  const std::optional<size_t> dim = value ? dimension(positional(step, 1), *value) : std::nullopt;
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
  const std::optional<Quantity> result = (*left.*rules.find(targetOf(step))->second)(*right);
  return result ? std::optional<Value>(*result) : std::nullopt;
}

/// Checks that the declared type is the value's own type, because later nodes are compiled against it.
bool SymbolicEvaluation::fitsType(const Step &step, const Value &value) {
  const Type *type = step.type;
  bool fits = type != nullptr;
  if (std::holds_alternative<SymbolicTerms::RowValues>(value))
    return true;
  if (const auto *number = std::get_if<Quantity>(&value)) {
    const std::optional<Quantity> stated =
        fits && type->kind() == Type::Kind::Symbolic ? quantity(Dim(type->symbol())) : std::nullopt;
    fits = stated && stated->equals(*number);
  } else {
    const RowValue &rows = std::get<RowValue>(value);
    fits = fits && type->isTensor() && type->dtype() == rows.dtype && type->stridesKnown();
    const std::optional<Quantities> sizes = fits ? quantities(type->sizes()) : std::nullopt,
                                    strides = fits ? quantities(type->strides()) : std::nullopt;
    fits = sizes && strides && areEqual(*sizes, rows.sizes) && hasStrides(rows, *strides);
  }
  return fits || report(step, "is declared " + typeText(type) +
                                  ", which is not the type of its value for every value "
                                  "of the symbol");
}

} // namespace ccgraph::legality
