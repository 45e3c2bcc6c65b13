#include "json/argument_writer.h"

#include "ccgraph/ir/device.h"
#include "json/json_text.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace ccgraph {
namespace {

void writeFloat(llvm::raw_ostream &os, double value) {
  if (std::isfinite(value))
    return writeJsonDouble(os, value);
  os << R"({"float": ")" << (std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf") << "\"}";
}

/// Writes a list, tuple or slice.
void writeSequence(llvm::raw_ostream &os, const Argument &argument, OperandWriter operand) {
  bool list = argument.is(Argument::Kind::List);
  if (!list)
    os << (argument.is(Argument::Kind::Tuple) ? "{\"tuple\": " : "{\"slice\": ");
  writeJsonArguments(os, argument.elements(), operand);
  if (!list)
    os << '}';
}

} // namespace

void writeJsonTagged(llvm::raw_ostream &os, llvm::StringRef tag, llvm::StringRef text) {
  os << "{\"" << tag << "\": ";
  writeJsonString(os, text);
  os << '}';
}

void writeJsonArguments(llvm::raw_ostream &os, llvm::ArrayRef<Argument> arguments, OperandWriter operand) {
  os << '[';
  for (const Argument &argument : arguments) {
    if (&argument != arguments.begin())
      os << ", ";
    writeJsonArgument(os, argument, operand);
  }
  os << ']';
}

void writeJsonNamed(llvm::raw_ostream &os, llvm::ArrayRef<NamedArgument> entries, OperandWriter operand) {
  os << '{';
  for (const NamedArgument &entry : entries) {
    if (&entry != entries.begin())
      os << ", ";
    writeJsonString(os, entry.name.str());
    os << ": ";
    writeJsonArgument(os, entry.value, operand);
  }
  os << '}';
}

void writeJsonArgument(llvm::raw_ostream &os, const Argument &argument, OperandWriter operand) {
  switch (argument.kind()) {
  case Argument::Kind::None:
    os << "null";
    return;
  case Argument::Kind::Bool:
    os << (argument.boolean() ? "true" : "false");
    return;
  case Argument::Kind::Int:
    os << argument.integer();
    return;
  case Argument::Kind::Float:
    return writeFloat(os, argument.floating());
  case Argument::Kind::String:
    return writeJsonTagged(os, "str", argument.text());
  case Argument::Kind::Symbolic:
    return writeJsonTagged(os, "sym", argument.symbolic()->text());
  case Argument::Kind::DType:
    return writeJsonTagged(os, "dtype", shortName(argument.dtype()));
  case Argument::Kind::Device:
    return writeJsonTagged(os, "device", deviceText(argument.device()));
  case Argument::Kind::Layout:
    return writeJsonTagged(os, "layout", argument.text());
  case Argument::Kind::MemoryFormat:
    return writeJsonTagged(os, "memory_format", argument.text());
  case Argument::Kind::Python:
    return writeJsonTagged(os, "py", argument.text());
  case Argument::Kind::Operand:
    return operand(argument.operandIndex());
  case Argument::Kind::List:
  case Argument::Kind::Tuple:
  case Argument::Kind::Slice:
    return writeSequence(os, argument, operand);
  case Argument::Kind::Dict:
    os << "{\"dict\": ";
    writeJsonNamed(os, argument.entries(), operand);
    os << '}';
    return;
  }
  llvm_unreachable("all kinds are handled");
}

} // namespace ccgraph
