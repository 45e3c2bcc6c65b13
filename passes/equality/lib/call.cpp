#include "call.h"

#include "ccgraph/ir/internal/names.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::equality {

Value Value::ofInteger(int64_t integer) {
  Value value;
  value.type = Type::Integer;
  value.integer = integer;
  return value;
}

Value Value::ofReal(double real) {
  Value value;
  value.type = Type::Real;
  value.real = real;
  return value;
}

const Value &Call::at(size_t position) const {
  static const Value absent;
  return position < arguments.size() ? arguments[position] : absent;
}

Tensor Call::view(size_t position) {
  const Value &value = at(position);
  switch (value.type) {
  case Value::Type::Tensor:
    return value.tensor;
  case Value::Type::Bool:
    return Tensor(filled(Kind::Bool, {}, value.integer != 0));
  case Value::Type::Integer:
    return Tensor(filled(Kind::Integer, {}, static_cast<Word>(value.integer)));
  case Value::Type::Real:
    return Tensor(filled(Kind::Float, {}, numberOfReal(value.real)));
  case Value::Type::None:
  case Value::Type::Text:
  case Value::Type::DType:
  case Value::Type::List:
    break;
  }
  reject("argument " + llvm::Twine(position) + " is no tensor");
  return Tensor(filled(Kind::Float, {}, 0));
}

Array Call::tensor(size_t position) {
  Array array = read(view(position));
  if (array.kind == Kind::Complex)
    reject("no rule for complex numbers in " + llvm::Twine(base));
  return realPart(array);
}

Array Call::floats(size_t position) { return *converted(tensor(position), Kind::Float); }

int64_t Call::integer(size_t position, int64_t missing) {
  const Value &value = at(position);
  if (value.is(Value::Type::Integer) || value.is(Value::Type::Bool) || value.is(Value::Type::DType))
    return value.integer;
  if (!value.is(Value::Type::None))
    reject("argument " + llvm::Twine(position) + " is no integer");
  return missing;
}

double Call::real(size_t position, double missing) {
  const Value &value = at(position);
  if (value.is(Value::Type::Real))
    return value.real;
  if (value.is(Value::Type::Integer) || value.is(Value::Type::Bool))
    return static_cast<double>(value.integer);
  if (!value.is(Value::Type::None))
    reject("argument " + llvm::Twine(position) + " is no number");
  return missing;
}

bool Call::flag(size_t position, bool missing) { return integer(position, missing ? 1 : 0) != 0; }

IntList Call::integers(size_t position) {
  const Value &value = at(position);
  if (!value.is(Value::Type::List))
    return value.is(Value::Type::None) ? IntList() : IntList{integer(position)};
  IntList list;
  for (const Value &element : value.list) {
    if (!element.is(Value::Type::Integer))
      reject("argument " + llvm::Twine(position) + " is no list of integers");
    list.push_back(element.integer);
  }
  return list;
}

std::vector<Array> Call::tensors(size_t position) {
  std::vector<Array> arrays;
  for (const Value &element : at(position).list)
    if (element.is(Value::Type::Tensor))
      arrays.push_back(realPart(read(element.tensor)));
    else
      reject("argument " + llvm::Twine(position) + " is no list of tensors");
  if (arrays.empty())
    reject("argument " + llvm::Twine(position) + " is no list of tensors");
  return arrays;
}

int64_t Call::dimension(size_t position, size_t rank, int64_t missing) {
  auto dims = static_cast<int64_t>(std::max<size_t>(rank, 1));
  int64_t dim = integer(position, missing);
  if (dim < 0)
    dim += dims;
  if (dim >= 0 && dim < dims)
    return dim;
  reject("dimension " + llvm::Twine(integer(position, missing)) + " of a tensor of " + llvm::Twine(rank));
  return 0;
}

IntList Call::dimensions(size_t position, size_t rank) {
  IntList dims = integers(position);
  if (dims.empty())
    return allDims(static_cast<int64_t>(rank));
  for (int64_t &dim : dims) {
    int64_t given = dim;
    dim = dim < 0 ? dim + static_cast<int64_t>(rank) : dim;
    if (dim < 0 || dim >= static_cast<int64_t>(rank)) {
      if (rank != 0)
        reject("dimension " + llvm::Twine(given) + " of a tensor of " + llvm::Twine(rank));
      return {};
    }
  }
  llvm::sort(dims);
  return dims;
}

const RuleEntry *findRule(llvm::StringRef base) {
  for (llvm::ArrayRef<RuleEntry> table :
       {elementwiseRules(), functionRules(), viewRules(),       reductionRules(),   productRules(), indexRules(),
        creationRules(),    normRules(),     attentionRules(),  bucketRules(),      complexRules(), numberRules(),
        placeRules(),       sortingRules(),  activationRules(), convolutionRules(), poolRules(),    moveRules(),
        lossRules(),        scanRules(),     groupNormRules(),  optimizerRules(),   patchRules(),   contractionRules(),
        compositeRules(),   bagRules(),      cellRules()}) {
    assert(llvm::is_sorted(table, [](const RuleEntry &a, const RuleEntry &b) { return a.base < b.base; }) &&
           "a table of rules is not sorted");
    const auto *entry = llvm::partition_point(table, [&](const RuleEntry &candidate) { return candidate.base < base; });
    if (entry != table.end() && entry->base == base)
      return entry;
  }
  return nullptr;
}

bool isInPlace(llvm::StringRef base) { return base.size() > 2 && base.back() == '_' && base[base.size() - 2] != '_'; }

namespace {

/// Applies the rule to element `index` of each list.
Value evaluateElement(Call &call, size_t index) {
  Call element = call;
  for (Value &argument : element.arguments)
    if (argument.is(Value::Type::List)) {
      if (index >= argument.list.size()) {
        call.reject("lists of different lengths");
        return {};
      }
      Value chosen = argument.list[index];
      argument = std::move(chosen);
    }
  Value value = evaluateCall(element);
  if (element.failed())
    call.reject(element.problem);
  call.drawsRandom |= element.drawsRandom;
  return value;
}

Value evaluateForeach(Call &call, llvm::StringRef applied) {
  std::string base = call.base;
  call.base = ("aten." + applied).str();
  size_t length = call.at(0).list.size();
  std::vector<Value> values;
  for (size_t i = 0; i != length && !call.failed(); ++i)
    values.push_back(evaluateElement(call, i));
  call.base = base;
  return Value(std::move(values));
}

Value evaluateInPlace(Call &call) {
  std::string base = call.base;
  call.base.pop_back();
  Value value = evaluateCall(call);
  call.base = base;
  if (call.failed() || !call.at(0).is(Value::Type::Tensor) || !value.is(Value::Type::Tensor))
    return call.reject("no rule for this in-place form"), Value();
  const Tensor &target = call.at(0).tensor;
  std::optional<Array> array = converted(read(value.tensor), target.kind());
  if (!array || array->sizes != target.sizes)
    return call.reject("the result does not fit into the tensor that is written"), Value();
  write(target, *array);
  return call.at(0);
}

} // namespace

Value evaluateCall(Call &call) {
  llvm::StringRef base = call.base;
  if (hasComplexArgument(call) && !isInPlace(base) && !base.startswith("aten._foreach_"))
    return evaluateComplex(call);
  if (const RuleEntry *entry = findRule(base))
    return movesLogarithms(call) ? evaluateMoved(call, entry->rule) : entry->rule(call);
  if (base.consume_front("aten._foreach_"))
    return evaluateForeach(call, base);
  if (isInPlace(base))
    return evaluateInPlace(call);
  call.reject("no rule for " + llvm::Twine(call.base));
  return {};
}

} // namespace ccgraph::equality
