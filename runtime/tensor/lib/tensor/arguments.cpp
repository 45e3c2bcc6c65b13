#include "tensor/arguments.h"

namespace ccgraph::runtime {
namespace {

llvm::Expected<Value> evaluateSequence(const Argument &argument, const ArgumentReader &reader) {
  Value::List elements;
  for (const Argument &element : argument.elements()) {
    llvm::Expected<Value> value = evaluate(element, reader);
    if (!value)
      return value.takeError();
    elements.push_back(std::move(*value));
  }
  return argument.is(Argument::Kind::Slice) ? Value::slice(std::move(elements)) : Value::list(std::move(elements));
}

llvm::Expected<Value> evaluateSymbol(const Argument &argument, const ArgumentReader &reader) {
  if (std::optional<int64_t> value = valueOf(*argument.symbolic(), reader.symbols))
    return Value::integer(*value);
  return reader.fail("run.unknown-symbol", ("reads " + argument.symbolic()->text() + ", which has no value here").str(),
                     "some input or node must have the symbol as its value or as one of its sizes");
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

llvm::Expected<Value> evaluate(const Argument &argument, const ArgumentReader &reader) {
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
    return evaluateSymbol(argument, reader);
  case Argument::Kind::Operand:
    return reader.operand(argument);
  case Argument::Kind::List:
  case Argument::Kind::Tuple:
  case Argument::Kind::Slice:
    return evaluateSequence(argument, reader);
  case Argument::Kind::Dict:
    return reader.fail("run.no-kernel", "takes a dictionary, which no kernel reads", "");
  }
  return Value();
}

} // namespace ccgraph::runtime
