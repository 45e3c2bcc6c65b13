#include "torch_export/export_scope.h"

#include "json/json_text.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>

namespace ccgraph {
namespace {

/// The key of an argument. A list of a kind is read as that kind, element by element.
enum class Form : uint8_t {
  None,
  Tensor,
  Tensors,
  OptionalTensor,
  OptionalTensors,
  Number,
  Float,
  Text,
  Named,
  NamedList,
  DType,
  MemoryFormat,
  Layout,
  Device,
  Graph,
  Object,
  Operator,
  Complex,
  Nested,
  Dictionary,
  Unknown,
};

Form formOf(llvm::StringRef key) {
  return llvm::StringSwitch<Form>(key)
      .Case("as_none", Form::None)
      .Case("as_tensor", Form::Tensor)
      .Case("as_tensors", Form::Tensors)
      .Case("as_optional_tensor", Form::OptionalTensor)
      .Case("as_optional_tensors", Form::OptionalTensors)
      .Cases("as_int", "as_ints", "as_bool", "as_bools", "as_int_lists", Form::Number)
      .Cases("as_float", "as_floats", "as_float_lists", Form::Float)
      .Cases("as_string", "as_strings", Form::Text)
      .Cases("as_sym_int", "as_sym_float", "as_sym_bool", Form::Named)
      .Cases("as_sym_ints", "as_sym_floats", "as_sym_bools", Form::NamedList)
      .Case("as_scalar_type", Form::DType)
      .Case("as_memory_format", Form::MemoryFormat)
      .Case("as_layout", Form::Layout)
      .Case("as_device", Form::Device)
      .Case("as_graph", Form::Graph)
      .Case("as_custom_obj", Form::Object)
      .Case("as_operator", Form::Operator)
      .Case("as_complex", Form::Complex)
      .Case("as_nested_tensors", Form::Nested)
      .Case("as_string_to_argument", Form::Dictionary)
      .Default(Form::Unknown);
}

class ArgumentMaker {
public:
  ArgumentMaker(ExportScope &scope, ArgumentBuilder &builder) : scope_(scope), builder_(builder) {}

  Argument read(const JsonValue &value) {
    const JsonValue *member = unionMember(scope_.session.report, value, "an argument, such as {\"as_int\": 1}");
    return member ? ofForm(formOf(member->key), *member) : Argument::none();
  }

private:
  Context &context() { return scope_.graph.context(); }

  Argument reject(const JsonValue &value, const llvm::Twine &what) {
    scope_.error(value, "expected " + what + ", got " + excerptOf(scope_.session.report.source().text, value));
    return Argument::none();
  }

  Argument ofForm(Form form, const JsonValue &value) {
    switch (form) {
    case Form::None:
      return Argument::none();
    case Form::Tensor:
    case Form::Object:
      return tensor(value);
    case Form::Tensors:
      return list(value, &ArgumentMaker::tensor);
    case Form::OptionalTensor:
      return read(value);
    case Form::OptionalTensors:
      return list(value, &ArgumentMaker::read);
    case Form::Nested:
      return list(value, &ArgumentMaker::tensors);
    case Form::Number:
      return scalar(value, &ArgumentMaker::number);
    case Form::Float:
      return scalar(value, &ArgumentMaker::real);
    case Form::Text:
      return scalar(value, &ArgumentMaker::text);
    case Form::Named:
      return named(value);
    case Form::NamedList:
      return list(value, &ArgumentMaker::named);
    case Form::DType:
    case Form::MemoryFormat:
    case Form::Layout:
      return enumerator(form, value);
    case Form::Device:
      return Argument::device(exportDevice(scope_.session.report, context(), value));
    case Form::Graph:
      return graph(value);
    case Form::Operator:
      return text(value).is(Argument::Kind::String) ? python(value.text) : Argument::none();
    case Form::Complex:
      return complex(value);
    case Form::Dictionary:
      return dictionary(value);
    case Form::Unknown:
      return unknown(value);
    }
    llvm_unreachable("all forms are handled");
  }

  using Reader = Argument (ArgumentMaker::*)(const JsonValue &);

  Argument list(const JsonValue &value, Reader reader) {
    if (!value.is(JsonKind::Array))
      return reject(value, "a list");
    llvm::SmallVector<Argument, 8> elements;
    for (const JsonValue &element : value.elements())
      elements.push_back((this->*reader)(element));
    return builder_.sequence(Argument::Kind::List, elements);
  }

  /// Reads one value, or a list of them, or a list of lists.
  Argument scalar(const JsonValue &value, Reader reader) {
    if (!value.is(JsonKind::Array))
      return (this->*reader)(value);
    llvm::SmallVector<Argument, 8> elements;
    for (const JsonValue &element : value.elements())
      elements.push_back(scalar(element, reader));
    return builder_.sequence(Argument::Kind::List, elements);
  }

  Argument tensor(const JsonValue &value) {
    const JsonValue *name = requiredMember(scope_.session.report, value, "name");
    Node *node = name ? scope_.resolve(*name) : nullptr;
    return node ? builder_.operand(node) : Argument::none();
  }

  Argument tensors(const JsonValue &value) { return list(value, &ArgumentMaker::tensor); }

  Argument number(const JsonValue &value) {
    if (value.is(JsonKind::Integer))
      return Argument::integer(value.integer);
    if (value.is(JsonKind::Bool))
      return Argument::boolean(value.boolean);
    return reject(value, "a whole number that 64 bits hold, or true or false");
  }

  Argument real(const JsonValue &value) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (value.is(JsonKind::Float))
      return Argument::floating(value.real);
    if (value.is(JsonKind::Integer))
      return Argument::floating(static_cast<double>(value.integer));
    if (value.is(JsonKind::String) && value.text == "Infinity")
      return Argument::floating(infinity);
    if (value.is(JsonKind::String) && value.text == "-Infinity")
      return Argument::floating(-infinity);
    if (value.is(JsonKind::String) && value.text == "NaN")
      return Argument::floating(std::numeric_limits<double>::quiet_NaN());
    return reject(value, "a number, \"Infinity\", \"-Infinity\" or \"NaN\"");
  }

  Argument text(const JsonValue &value) {
    return value.is(JsonKind::String) ? Argument::string(context().identifier(value.text)) : reject(value, "a text");
  }

  Argument python(llvm::StringRef spelling) {
    return Argument::word(Argument::Kind::Python, context().identifier(spelling));
  }

  /// Reads a symbolic number: a value of the graph, or a plain number.
  Argument named(const JsonValue &value) {
    const JsonValue *member = unionMember(scope_.session.report, value, "a symbolic argument");
    if (!member)
      return Argument::none();
    if (member->key == "as_float")
      return real(*member);
    if (member->key != "as_name")
      return number(*member);
    Node *node = scope_.resolve(*member);
    return node ? builder_.operand(node) : Argument::none();
  }

  Argument enumerator(Form form, const JsonValue &value) {
    std::optional<int64_t> code = value.is(JsonKind::Integer) ? std::optional(value.integer) : std::nullopt;
    if (std::optional<DType> dtype = form == Form::DType && code ? exportDType(*code) : std::nullopt)
      return Argument::dtype(*dtype);
    llvm::StringRef word = !code || form == Form::DType ? ""
                           : form == Form::Layout       ? exportLayout(*code)
                                                        : exportMemoryFormat(*code);
    if (!word.empty())
      return Argument::word(form == Form::Layout ? Argument::Kind::Layout : Argument::Kind::MemoryFormat,
                            context().identifier(word));
    return reject(value, "the number of a dtype, layout or memory format of schema 8");
  }

  // A subgraph is part of the argument that uses it. It becomes a subgraph of the graph, and a get_attr that names it,
  // as in FX.
  Argument graph(const JsonValue &value) {
    const JsonValue *name = requiredMember(scope_.session.report, value, "name");
    const JsonValue *body = requiredMember(scope_.session.report, value, "graph");
    if (!name || !body || !name->is(JsonKind::String) || !isExportName(name->text))
      return reject(value, "a graph with a name");
    std::string wish = name->text.str();
    for (unsigned i = 1; scope_.graph.subgraph(context().identifier(wish)); ++i)
      wish = name->text.str() + "_" + std::to_string(i);
    Graph &subgraph = scope_.graph.addSubgraph(context().identifier(wish));
    subgraph.setName(wish);
    readExportGraph(scope_.session, subgraph, *body, nullptr);
    NodeSpec spec;
    spec.opcode = Opcode::GetAttr;
    spec.name = wish;
    spec.target = context().identifier(wish);
    const JsonValue *metadata = scope_.current ? scope_.current->member("metadata") : nullptr;
    if (const JsonValue *trace = metadata ? metadata->member("stack_trace") : nullptr)
      spec.frame = exportFrame(scope_.graph, trace->text);
    return builder_.operand(scope_.graph.create(spec, ArgumentBuilder(scope_.graph), {}));
  }

  Argument complex(const JsonValue &value) {
    const JsonValue *real = requiredMember(scope_.session.report, value, "real");
    const JsonValue *imaginary = requiredMember(scope_.session.report, value, "imag");
    if (!real || !imaginary)
      return Argument::none();
    llvm::StringRef text = scope_.session.report.source().text;
    return python("complex(" + canonicalJson(text, *real) + ", " + canonicalJson(text, *imaginary) + ")");
  }

  Argument dictionary(const JsonValue &value) {
    if (!value.is(JsonKind::Object))
      return reject(value, "an object: name -> argument");
    llvm::SmallVector<NamedArgument, 4> entries;
    for (const JsonValue &member : value.elements()) {
      Identifier name = context().identifier(member.key);
      if (llvm::any_of(entries, [&](const NamedArgument &entry) { return entry.name == name; }))
        return reject(member, "each name once");
      entries.push_back({name, read(member)});
    }
    return builder_.dict(entries);
  }

  /// Unknown kinds come from a newer schema; each is kept as its text, with one warning.
  Argument unknown(const JsonValue &value) {
    if (scope_.session.unknownArguments.insert(value.key).second)
      scope_.session.report.warning(value.offset,
                                    "got an argument of the kind '" + value.key.str() + "', which is not known",
                                    "its text is kept; passes do not change the call that has it");
    return python(canonicalJson(scope_.session.report.source().text, value));
  }

  ExportScope &scope_;
  ArgumentBuilder &builder_;
};

} // namespace

Argument readExportArgument(ExportScope &scope, ArgumentBuilder &builder, const JsonValue &value) {
  return ArgumentMaker(scope, builder).read(value);
}

} // namespace ccgraph
