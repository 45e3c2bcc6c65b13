#include "interpreter/scope.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {
namespace {

using llvm::Twine;

std::optional<int64_t> valueOf(llvm::StringRef expression, const Symbols &symbols) {
  return evaluateSymbolic(expression, [&](llvm::StringRef symbol) -> std::optional<int64_t> {
    auto found = symbols.find(symbol);
    if (found == symbols.end())
      return std::nullopt;
    return found->second;
  });
}

bool isBareSymbol(llvm::StringRef text) {
  return !text.empty() && llvm::isAlpha(text.front()) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Learns a bare symbol, or compares. False if the two differ.
/// An input f32[s0, 4] that is given as [7, 4] says that s0 is 7; from then on a result f32[2*s0] must have 14
/// elements. An expression of a symbol that has no value yet teaches nothing: 2*s0 = 14 is not solved for s0.
bool unify(llvm::StringRef expression, int64_t value, Symbols &symbols) {
  if (std::optional<int64_t> known = valueOf(expression, symbols))
    return *known == value;
  if (isBareSymbol(expression))
    symbols[expression] = value;
  return true;
}

bool unify(const Dim &dim, int64_t value, Symbols &symbols) {
  return dim.isStatic() ? dim.value() == value : unify(dim.expr()->text(), value, symbols);
}

std::string conformTensor(const Type &type, const Value &value, Symbols &symbols) {
  auto wrong = [&] {
    return (Twine("got ") + value.describe() + ", expected " + type.str() + " as its type says").str();
  };
  if (!value.is(Value::Kind::Tensor))
    return wrong();
  const Tensor &tensor = value.tensor();
  if (tensor.dtype() != type.dtype() || tensor.sizes().size() != type.sizes().size())
    return wrong();
  for (size_t i = 0; i < type.sizes().size(); ++i)
    if (!unify(type.sizes()[i], tensor.sizes()[i], symbols))
      return wrong();
  return "";
}

std::string conformList(const Type &type, const Value &value, Symbols &symbols) {
  if (!value.is(Value::Kind::List) || value.list().size() != type.elements().size())
    return (Twine("got ") + value.describe() + ", expected " + type.str() + " as its type says").str();
  for (size_t i = 0; i < type.elements().size(); ++i)
    if (std::string wrong = conform(type.elements()[i], value.list()[i], symbols); !wrong.empty())
      return wrong;
  return "";
}

std::string conformNumber(const Type &type, const Value &value, Symbols &symbols) {
  std::optional<int64_t> number;
  if (value.is(Value::Kind::Int))
    number = value.integer();
  if (value.is(Value::Kind::Bool))
    number = value.boolean() ? 1 : 0;
  if (!number || unify(type.symbol()->text(), *number, symbols))
    return "";
  return (Twine("got ") + Twine(*number) + ", expected " + type.symbol()->text() + " = " +
          Twine(*valueOf(type.symbol()->text(), symbols)) + " as its type says")
      .str();
}

llvm::Expected<Value> evaluateSequence(const Node &node, const Argument &argument, const Scope &scope,
                                       const Symbols &symbols) {
  Value::List elements;
  for (const Argument &element : argument.elements()) {
    llvm::Expected<Value> value = evaluate(node, element, scope, symbols);
    if (!value)
      return value.takeError();
    elements.push_back(std::move(*value));
  }
  return argument.is(Argument::Kind::Slice) ? Value::slice(std::move(elements)) : Value::list(std::move(elements));
}

llvm::Expected<Value> evaluateOperand(const Node &node, const Argument &argument, const Scope &scope) {
  const Node *operand = node.operand(argument);
  if (const std::optional<Value> &value = scope.values[operand->id()])
    return *value;
  return makeError(diagnose(node, "run.not-computed",
                            ("reads `" + operand->name().str() + "`, which has no value yet").str(),
                            "a definition must stand before its uses"));
}

llvm::Expected<Value> evaluateSymbol(const Node &node, const Argument &argument, const Symbols &symbols) {
  llvm::StringRef text = argument.symbolic()->text();
  if (std::optional<int64_t> value = valueOf(text, symbols))
    return Value::integer(*value);
  return makeError(diagnose(node, "run.unknown-symbol", ("reads " + text + ", which has no value here").str(),
                            "some input or node must have the symbol as its value or as one of its sizes"));
}

std::optional<double> realNumber(llvm::StringRef text) {
  double value = 0;
  text = text.trim();
  if (text.empty() || text.getAsDouble(value))
    return std::nullopt;
  return value;
}

// The sign between the parts is the last one that belongs to no exponent: in 1e-5-2e+3j that is the second minus.

/// "complex(1.5, -2)", "2j", "1.5-2j", with or without parentheses.
std::optional<std::complex<double>> complexNumber(llvm::StringRef text) {
  std::pair<llvm::StringRef, llvm::StringRef> parts;
  if (text.consume_front("complex(") && text.consume_back(")")) {
    parts = text.split(',');
  } else {
    while (text.consume_front("(") && text.consume_back(")"))
      continue;
    if (!text.consume_back("j"))
      return std::nullopt;
    size_t sign = text.find_last_of("+-");
    while (sign != llvm::StringRef::npos && sign > 0 && llvm::toLower(text[sign - 1]) == 'e')
      sign = text.take_front(sign).find_last_of("+-");
    bool both = sign != llvm::StringRef::npos && sign > 0;
    parts = both ? std::pair(text.take_front(sign), text.drop_front(sign)) : std::pair(llvm::StringRef("0"), text);
  }
  std::optional<double> real = realNumber(parts.first), imaginary = realNumber(parts.second);
  return real && imaginary ? std::optional(std::complex<double>(*real, *imaginary)) : std::nullopt;
}

Value evaluateText(const Argument &argument) {
  if (argument.is(Argument::Kind::Python))
    if (std::optional<std::complex<double>> number = complexNumber(argument.text()))
      return Value::complex(*number);
  return Value::string(argument.text().str());
}

} // namespace

Scope::Scope(const Graph &graph)
    : graph(&graph), next(graph.front()), values(graph.idLimit()), readers(graph.idLimit()) {
  for (const Node *node : graph)
    for (unsigned i = 0; i < node->numOperands(); ++i)
      ++readers[node->operand(i)->id()];
}

std::optional<int64_t> dimValue(const Dim &dim, const Symbols &symbols) {
  return dim.isStatic() ? dim.value() : valueOf(dim.expr()->text(), symbols);
}

llvm::Expected<Value> evaluate(const Node &node, const Argument &argument, const Scope &scope, const Symbols &symbols) {
  switch (argument.kind()) {
  case Argument::Kind::None:
    return Value();
  case Argument::Kind::Bool:
    return Value::boolean(argument.boolean());
  case Argument::Kind::Int:
    return Value::integer(argument.integer());
  case Argument::Kind::Float:
    return Value::floating(argument.floating());
  case Argument::Kind::DType:
    return Value::dtype(argument.dtype());
  case Argument::Kind::Device:
    return Value::device(argument.device());
  case Argument::Kind::String:
  case Argument::Kind::Layout:
  case Argument::Kind::MemoryFormat:
  case Argument::Kind::Python:
    return evaluateText(argument);
  case Argument::Kind::Symbolic:
    return evaluateSymbol(node, argument, symbols);
  case Argument::Kind::Operand:
    return evaluateOperand(node, argument, scope);
  case Argument::Kind::List:
  case Argument::Kind::Tuple:
  case Argument::Kind::Slice:
    return evaluateSequence(node, argument, scope, symbols);
  case Argument::Kind::Dict:
    return makeError(diagnose(node, "run.no-kernel", "takes a dictionary, which no kernel reads"));
  }
  return Value();
}

std::string conform(const Type *type, const Value &value, Symbols &symbols) {
  if (type == nullptr || value.is(Value::Kind::Opaque))
    return "";
  switch (type->kind()) {
  case Type::Kind::Tensor:
    return conformTensor(*type, value, symbols);
  case Type::Kind::List:
    return conformList(*type, value, symbols);
  case Type::Kind::Symbolic:
    return conformNumber(*type, value, symbols);
  case Type::Kind::None:
    return "";
  }
  return "";
}

} // namespace ccgraph::runtime
