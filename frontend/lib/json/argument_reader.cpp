#include "json/argument_reader.h"

#include "ccgraph/ir/device.h"
#include "ccgraph/ir/internal/names.h"
#include "fx_text/constant_text.h"
#include "fx_text/writable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral literalForms =
    "literals are null, true, 3, 2.5, [..], {\"str\": ..}, {\"sym\": ..}, {\"dtype\": ..}, "
    "{\"device\": ..}, {\"tuple\": [..]} and the like (docs/graph-format.md)";

/// The one key of a literal; the parts after it are read by kind.
enum class Tag : uint8_t {
  String,
  Tuple,
  Dict,
  Slice,
  Float,
  Symbolic,
  DType,
  Device,
  Layout,
  MemoryFormat,
  Python,
  Unknown
};

Tag tagOf(llvm::StringRef key) {
  return llvm::StringSwitch<Tag>(key)
      .Case("str", Tag::String)
      .Case("tuple", Tag::Tuple)
      .Case("dict", Tag::Dict)
      .Case("slice", Tag::Slice)
      .Case("float", Tag::Float)
      .Case("sym", Tag::Symbolic)
      .Case("dtype", Tag::DType)
      .Case("device", Tag::Device)
      .Case("layout", Tag::Layout)
      .Case("memory_format", Tag::MemoryFormat)
      .Case("py", Tag::Python)
      .Default(Tag::Unknown);
}

} // namespace

// JSON's own values represent themselves (null, true, 3, 2.5, a list). Every other argument is an object with one key,
// its kind: {"dtype": "bf16"}, {"str": "sum"}. A bare string is a node, "%mm", and never a text. So a reference without
// its "%" is an error, and not a text that no operator expects.
Argument ArgumentReader::read(const JsonValue &value) {
  switch (value.kind) {
  case JsonKind::Null:
    return Argument::none();
  case JsonKind::Bool:
    return Argument::boolean(value.boolean);
  case JsonKind::Integer:
    return Argument::integer(value.integer);
  case JsonKind::Float:
    return Argument::floating(value.real);
  case JsonKind::HugeInteger:
    return reject(value, "an integer that 64 bits hold",
                  "write {\"py\": \"" + value.text.str() + "\"} to keep its text");
  case JsonKind::String:
    return owner_.reference(value);
  case JsonKind::Array:
    return readSequence(Argument::Kind::List, value);
  case JsonKind::Object:
    return readTagged(value);
  }
  llvm_unreachable("all kinds are handled");
}

// A wrong value becomes None, so the node is still made, and the same run finds the errors of its other arguments and
// of the nodes that use it. The graph is dropped at the end.
Argument ArgumentReader::reject(const JsonValue &value, const llvm::Twine &what, std::string repair) {
  report_.expected(value, what, std::move(repair));
  return Argument::none();
}

Argument ArgumentReader::readSequence(Argument::Kind kind, const JsonValue &array) {
  llvm::SmallVector<Argument, 8> elements;
  for (const JsonValue &element : array.elements())
    elements.push_back(read(element));
  return owner_.sequence(kind, elements);
}

llvm::SmallVector<Argument, 8> ArgumentReader::readAll(const JsonValue &args) {
  llvm::SmallVector<Argument, 8> elements;
  if (!args.is(JsonKind::Array))
    report_.expected(args, "'args' as an array");
  for (const JsonValue &argument : args.elements())
    elements.push_back(read(argument));
  return elements;
}

llvm::SmallVector<NamedArgument, 4> ArgumentReader::readAllNamed(const JsonValue &kwargs) {
  if (kwargs.is(JsonKind::Object))
    return readNamed(kwargs);
  report_.expected(kwargs, "'kwargs' as an object");
  return {};
}

llvm::SmallVector<NamedArgument, 4> ArgumentReader::readNamed(const JsonValue &object) {
  llvm::SmallVector<NamedArgument, 4> entries;
  for (const JsonValue &member : object.elements()) {
    Identifier name = context_.identifier(member.key);
    if (llvm::any_of(entries, [&](const NamedArgument &entry) { return entry.name == name; }))
      report_.error(member.offset, "the key '" + member.key.str() + "' occurs twice");
    entries.push_back({name, read(member)});
  }
  return entries;
}

Argument ArgumentReader::readTagged(const JsonValue &object) {
  if (object.count != 1)
    return reject(object, "a literal: an object with one key", literalForms.str());
  const JsonValue &value = *object.first;
  switch (tagOf(value.key)) {
  case Tag::String:
    return readWord(Argument::Kind::String, value);
  case Tag::Tuple:
    return readTuple(value);
  case Tag::Dict:
    return readDict(value);
  case Tag::Slice:
    return readSlice(value);
  case Tag::Float:
    return readFloat(value);
  case Tag::Symbolic:
    return readSymbolic(value);
  case Tag::DType:
    return readDType(value);
  case Tag::Device:
    return readDevice(value);
  case Tag::Layout:
    return readKnown(Argument::Kind::Layout, fx::isLayout, value);
  case Tag::MemoryFormat:
    return readKnown(Argument::Kind::MemoryFormat, fx::isMemoryFormat, value);
  case Tag::Python:
    return readPython(value);
  case Tag::Unknown:
    break;
  }
  return reject(object, "a literal of a known kind", literalForms.str());
}

Argument ArgumentReader::readTuple(const JsonValue &value) {
  if (!value.is(JsonKind::Array))
    return reject(value, "the elements of a tuple, as an array");
  return readSequence(Argument::Kind::Tuple, value);
}

Argument ArgumentReader::readDict(const JsonValue &value) {
  if (!value.is(JsonKind::Object))
    return reject(value, "the entries of a dictionary, as an object");
  return owner_.dict(readNamed(value));
}

Argument ArgumentReader::readSlice(const JsonValue &value) {
  if (!value.is(JsonKind::Array) || value.count != 3)
    return reject(value, "[start, stop, step], null where left out");
  return readSequence(Argument::Kind::Slice, value);
}

// JSON cannot express these three floats; all other floats are numbers.
Argument ArgumentReader::readFloat(const JsonValue &value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value.text == "inf")
    return Argument::floating(infinity);
  if (value.text == "-inf")
    return Argument::floating(-infinity);
  if (value.text == "nan")
    return Argument::floating(std::numeric_limits<double>::quiet_NaN());
  return reject(value, "\"inf\", \"-inf\" or \"nan\"", "other floats are plain numbers: 2.5");
}

Argument ArgumentReader::readSymbolic(const JsonValue &value) {
  auto text = report_.string(value, "a symbolic expression such as \"s0 + 1\"");
  if (text && !isSymbolText(*text))
    return reject(value, "a symbolic expression: numbers, names and operators", "e.g. \"2*s0 + Max(1, u0)\"");
  return text ? Argument::symbolic(context_.symbolic(*text)) : Argument::none();
}

Argument ArgumentReader::readDType(const JsonValue &value) {
  auto dtype = value.is(JsonKind::String) ? parseShortDType(value.text) : std::nullopt;
  if (dtype)
    return Argument::dtype(*dtype);
  return reject(value, "a dtype such as \"bf16\", \"f32\", \"i64\", \"b8\"");
}

Argument ArgumentReader::readDevice(const JsonValue &value) {
  llvm::StringRef text = value.is(JsonKind::String) ? value.text : llvm::StringRef();
  std::optional<Device> device = parseDevice(context_, text);
  if (!device || !device->kind)
    return reject(value, "a device such as \"cpu\" or \"cuda:0\"");
  return Argument::device(*device);
}

Argument ArgumentReader::readKnown(Argument::Kind kind, bool (*known)(llvm::StringRef), const JsonValue &value) {
  if (value.is(JsonKind::String) && known(value.text))
    return Argument::word(kind, context_.identifier(value.text));
  return kind == Argument::Kind::Layout ? reject(value, "a layout of PyTorch such as \"strided\"")
                                        : reject(value, "a memory format of PyTorch such as \"contiguous_format\"");
}

Argument ArgumentReader::readPython(const JsonValue &value) {
  if (value.is(JsonKind::String) && !fx::readsBack(value.text))
    return reject(value, "a constant as Python prints it: a literal, a name, or the call of a class",
                  "a call of any other function would run when the written text is executed");
  return readWord(Argument::Kind::Python, value);
}

Argument ArgumentReader::readWord(Argument::Kind kind, const JsonValue &value) {
  auto text = report_.string(value, "a string");
  if (!text)
    return Argument::none();
  return Argument::word(kind, context_.identifier(*text));
}

} // namespace ccgraph
