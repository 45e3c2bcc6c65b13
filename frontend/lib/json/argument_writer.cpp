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

void writeTagged(llvm::raw_ostream &os, llvm::StringRef tag, llvm::StringRef text) {
  os << "{\"" << tag << "\": ";
  writeJsonString(os, text);
  os << '}';
}

/// List, tuple or slice.
void writeSequence(llvm::raw_ostream &os, const Node &node, const Argument &argument) {
  bool list = argument.is(Argument::Kind::List);
  if (!list)
    os << (argument.is(Argument::Kind::Tuple) ? "{\"tuple\": " : "{\"slice\": ");
  writeJsonArguments(os, node, argument.elements());
  if (!list)
    os << '}';
}

} // namespace

// Nearly all names are plain identifiers, which need no escaping, and references are most of a file: these are written
// without the detour through a string of their own.
void writeJsonReference(llvm::raw_ostream &os, const Node &node) {
  os << "\"%";
  llvm::StringRef name = node.name().str();
  if (llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; })) {
    os << name << '"';
    return;
  }
  std::string quoted;
  llvm::raw_string_ostream text(quoted);
  writeJsonString(text, name);
  os << llvm::StringRef(text.str()).drop_front();
}

void writeJsonArguments(llvm::raw_ostream &os, const Node &node, llvm::ArrayRef<Argument> arguments) {
  os << '[';
  for (const Argument &argument : arguments) {
    if (&argument != arguments.begin())
      os << ", ";
    writeJsonArgument(os, node, argument);
  }
  os << ']';
}

void writeJsonNamed(llvm::raw_ostream &os, const Node &node, llvm::ArrayRef<NamedArgument> entries) {
  os << '{';
  for (const NamedArgument &entry : entries) {
    if (&entry != entries.begin())
      os << ", ";
    writeJsonString(os, entry.name.str());
    os << ": ";
    writeJsonArgument(os, node, entry.value);
  }
  os << '}';
}

void writeJsonArgument(llvm::raw_ostream &os, const Node &node, const Argument &argument) {
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
    return writeTagged(os, "str", argument.text());
  case Argument::Kind::Symbolic:
    return writeTagged(os, "sym", argument.symbolic()->text());
  case Argument::Kind::DType:
    return writeTagged(os, "dtype", shortName(argument.dtype()));
  case Argument::Kind::Device:
    return writeTagged(os, "device", deviceText(argument.device()));
  case Argument::Kind::Layout:
    return writeTagged(os, "layout", argument.text());
  case Argument::Kind::MemoryFormat:
    return writeTagged(os, "memory_format", argument.text());
  case Argument::Kind::Python:
    return writeTagged(os, "py", argument.text());
  case Argument::Kind::Operand:
    return writeJsonReference(os, *node.operand(argument));
  case Argument::Kind::List:
  case Argument::Kind::Tuple:
  case Argument::Kind::Slice:
    return writeSequence(os, node, argument);
  case Argument::Kind::Dict:
    os << "{\"dict\": ";
    writeJsonNamed(os, node, argument.entries());
    os << '}';
    return;
  }
  llvm_unreachable("all kinds are handled");
}

} // namespace ccgraph
