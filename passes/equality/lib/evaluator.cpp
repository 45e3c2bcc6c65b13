#include "job_run.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::equality {
namespace {

/// Reads a default of a schema: None, True, 1, 1.5, [0, 1], 'mean' or a word.
Value defaultValue(llvm::StringRef text) {
  text = text.trim();
  Value value;
  int64_t integer = 0;
  if (text.empty() || text == "None")
    return value;
  if (text == "True" || text == "False") {
    value.type = Value::Type::Bool;
    value.integer = text == "True";
  } else if (!text.getAsInteger(10, integer)) {
    value = Value::ofInteger(integer);
  } else if (double real = 0; !text.getAsDouble(real)) {
    value = Value::ofReal(real);
  } else if (text.consume_front("[") && text.consume_back("]")) {
    value.type = Value::Type::List;
    for (llvm::StringRef element : llvm::split(text, ','))
      if (!element.trim().empty())
        value.list.push_back(defaultValue(element));
  } else {
    value.type = Value::Type::Text;
    value.text = text.trim("\"'").str();
  }
  return value;
}

/// Returns the same value in storages of its own, which share the words.
Value withOwnStorage(const Value &value) {
  Value copy = value;
  if (value.is(Value::Type::Tensor))
    copy.tensor.storage = std::make_shared<Storage>(*value.tensor.storage);
  for (Value &element : copy.list)
    element = withOwnStorage(element);
  return copy;
}

uint64_t identityOf(const Value &value) {
  uint64_t hash = mix(static_cast<uint64_t>(value.type), static_cast<uint64_t>(value.integer));
  if (value.is(Value::Type::Real))
    hash = mix(hash, std::bit_cast<uint64_t>(value.real));
  if (value.is(Value::Type::Text))
    hash = mix(hash, hashText(value.text));
  if (value.is(Value::Type::Tensor))
    hash = mix(hash, identityOf(value.tensor));
  for (const Value &element : value.list)
    hash = mix(hash, identityOf(element));
  return mix(hash, value.list.size());
}

size_t wordsOf(const Value &value) {
  size_t words = value.is(Value::Type::Tensor) ? value.tensor.storage->words->size() : 0;
  for (const Value &element : value.list)
    words += wordsOf(element);
  return words;
}

std::optional<DType> dtypeOf(const Type *type) {
  if (type && type->isList() && !type->elements().empty())
    type = type->elements().front();
  return type && type->isTensor() ? std::optional(type->dtype()) : std::nullopt;
}

/// Returns the strides that the text states for the first operand of a node.
std::optional<IntList> statedStrides(const Node &node) {
  const Type *type = node.numOperands() == 0 ? nullptr : node.operand(0)->type();
  const bool isStated = type && type->isTensor() && type->strides().size() == type->sizes().size();
  return isStated ? staticDims(type->strides()) : std::nullopt;
}

/// Returns whether the call may be computed once for all ranks: it makes new tensors and writes none.
bool makesNewTensors(const Call &call) {
  const RuleEntry *entry = findRule(call.base);
  bool writes = llvm::any_of(call.op->params, [](const OpParam &parameter) { return parameter.writes; });
  return !writes && !(entry && entry->isView);
}

} // namespace

Value Evaluator::valueOf(const Node &node, const Argument &argument, llvm::ArrayRef<Value> values) {
  Value value;
  switch (argument.kind()) {
  case Argument::Kind::Operand:
    return values[node.operand(argument)->id()];
  case Argument::Kind::Bool:
    value.type = Value::Type::Bool;
    value.integer = argument.boolean();
    return value;
  case Argument::Kind::Int:
    return Value::ofInteger(argument.integer());
  case Argument::Kind::Float:
    return Value::ofReal(argument.floating());
  case Argument::Kind::DType:
    value.type = Value::Type::DType;
    value.integer = static_cast<int64_t>(argument.dtype());
    return value;
  case Argument::Kind::String:
    value.type = Value::Type::Text;
    value.text = argument.text().str();
    return value;
  case Argument::Kind::List:
  case Argument::Kind::Tuple:
    value.type = Value::Type::List;
    for (const Argument &element : argument.elements())
      value.list.push_back(valueOf(node, element, values));
    return value;
  case Argument::Kind::None:
  case Argument::Kind::Symbolic:
  case Argument::Kind::Device:
  case Argument::Kind::Layout:
  case Argument::Kind::MemoryFormat:
  case Argument::Kind::Dict:
  case Argument::Kind::Slice:
  case Argument::Kind::Python:
    return value;
  }
  llvm_unreachable("all kinds of arguments are read");
}

const std::vector<Value> &Evaluator::defaultsOf(const OpDef &op) {
  auto [place, isNew] = defaults_.try_emplace(&op);
  if (isNew)
    for (const OpParam &parameter : op.params)
      place->second.push_back(defaultValue(parameter.defaultValue));
  return place->second;
}

void Evaluator::bindArguments(const Node &node, llvm::ArrayRef<Value> values, Call &call) {
  call.arguments = defaultsOf(*call.op);
  for (size_t i = 0; i != call.arguments.size(); ++i)
    if (const Argument *argument = argumentAt(node, static_cast<int>(i)))
      call.arguments[i] = valueOf(node, *argument, values);
  if (call.arguments.empty())
    for (const Argument &argument : node.args())
      call.arguments.push_back(valueOf(node, argument, values));
}

void Evaluator::remember(uint64_t key, const Value &value) {
  constexpr size_t mostWords = size_t{1} << 25;
  wordsKept_ += wordsOf(value);
  if (wordsKept_ > mostWords) {
    known_.clear();
    wordsKept_ = wordsOf(value);
  }
  known_.try_emplace(key, withOwnStorage(value));
}

llvm::Expected<Value> Evaluator::evaluate(const Node &node, llvm::ArrayRef<Value> values, uint64_t &draws) {
  Call call;
  call.op = node.op();
  call.base = baseOfTarget(node.target().str()).str();
  call.field = &field_;
  call.resultType = dtypeOf(node.type());
  call.statedStrides = call.base == "aten.as_strided" ? statedStrides(node) : std::nullopt;
  call.ordinal = draws;
  bindArguments(node, values, call);
  const bool isShared = makesNewTensors(call);
  uint64_t key = 0;
  if (isShared) {
    key = mix(hashText(node.target().str()), call.ordinal);
    key = mix(key, call.resultType ? static_cast<uint64_t>(*call.resultType) + 1 : 0);
    for (const Value &argument : call.arguments)
      key = mix(key, identityOf(argument));
    key >>= 1; // the largest keys are reserved by the table
    if (auto known = known_.find(key); known != known_.end())
      return withOwnStorage(known->second);
  }
  Value value = evaluateCall(call);
  if (call.failed())
    return llvm::createStringError(llvm::inconvertibleErrorCode(), call.problem);
  if (call.drawsRandom)
    ++draws;
  else if (isShared)
    remember(key, value);
  return value;
}

} // namespace ccgraph::equality
