#include "tensor/symbols.h"

#include "process/thread_sanitizer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {

namespace {

using llvm::Twine;

std::optional<int64_t> valueOf(llvm::StringRef expression, const Symbols &symbols) {
  SharedByStreams table;
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

/// Sets a bare symbol, or compares its value. Returns false if the two differ. An input f32[s0, 4] with sizes [7, 4]
/// sets s0 to 7; from then on a result f32[2*s0] must have 14 elements. An expression of a symbol without a value sets
/// nothing: 2*s0 = 14 is not solved for s0.
bool unify(llvm::StringRef expression, int64_t value, Symbols &symbols) {
  if (std::optional<int64_t> known = valueOf(expression, symbols))
    return *known == value;
  SharedByStreams table;
  if (isBareSymbol(expression))
    symbols[expression] = value;
  return true;
}

bool unify(const Dim &dim, int64_t value, Symbols &symbols) {
  return dim.isStatic() ? dim.value() == value : unify(dim.expr()->text(), value, symbols);
}

std::string conformTensor(const Type &type, const Value &value, Symbols &symbols) {
  auto wrong = [&] {
    return (Twine("got ") + value.describe() + ", expected " + type.str() + " as its type states").str();
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
    return (Twine("got ") + value.describe() + ", expected " + type.str() + " as its type states").str();
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
          Twine(*valueOf(type.symbol()->text(), symbols)) + " as its type states")
      .str();
}

} // namespace

std::optional<int64_t> dimValue(const Dim &dim, const Symbols &symbols) {
  return dim.isStatic() ? dim.value() : valueOf(*dim.expr(), symbols);
}

std::optional<int64_t> valueOf(const SymExpr &expression, const Symbols &symbols) {
  return valueOf(expression.text(), symbols);
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
