#include "torch_export/export_scope.h"

#include "json/json_text.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {

// --- The scope -------------------------------------------------------------------------------------------------------

namespace {

llvm::StringRef textOf(const JsonValue *value) {
  return value && value->is(JsonKind::String) ? value->text : llvm::StringRef();
}

/// Returns "made at model.py:12 in forward", from the last frame of a node; empty where it has none.
std::string origin(const JsonValue &node) {
  const JsonValue *metadata = node.member("metadata");
  llvm::StringRef trace = textOf(metadata ? metadata->member("stack_trace") : nullptr);
  size_t at = trace.rfind("File \"");
  if (at == llvm::StringRef::npos)
    return "";
  llvm::StringRef line = trace.drop_front(at + 6).split('\n').first;
  auto [file, rest] = line.split("\", line ");
  auto [number, function] = rest.split(", in ");
  return "made at " + file.str() + ":" + number.str() + " in " + function.trim().str();
}

} // namespace

void ExportScope::error(const JsonValue &value, const llvm::Twine &message, const llvm::Twine &repair) {
  std::string note = repair.str();
  std::string where;
  if (current) {
    where = "node '" + textOf(current->member("name")).str() + "', " + textOf(current->member("target")).str() + ": ";
    if (std::string line = origin(*current); !line.empty())
      note += (note.empty() ? "" : "; ") + line;
  }
  session.report.error(value.offset, where + message.str(), std::move(note));
}

Node *ExportScope::resolve(const JsonValue &name) {
  if (!name.is(JsonKind::String)) {
    error(name, "expected the name of a value, got " + excerptOf(session.report.source().text, name));
    return nullptr;
  }
  auto found = names.find(name.text);
  if (found != names.end())
    return found->second;
  if (laterNames.contains(name.text))
    error(name, "reads '" + name.text + "', which is defined below it",
          "each node must follow the nodes that it reads; nodes that read one another in a cycle have no such order");
  else
    error(name, "reads '" + name.text + "', which is the name of no input and no node above it",
          "export the program again, with torch.export.save()");
  names[name.text] = nullptr; // one error for a name is enough
  return nullptr;
}

bool isExportName(llvm::StringRef name) {
  return !name.empty() && llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

void ExportScope::define(const JsonValue &name, Node *node) {
  if (!isExportName(name.text))
    error(name, "expected a name of letters, digits and '_', got " + excerptOf(session.report.source().text, name));
  if (!names.try_emplace(name.text, node).second && names[name.text] != nullptr)
    error(name, "makes '" + name.text + "', which is the name of a node above it",
          "each value of a graph has a name of its own");
  names[name.text] = node;
}

Node *ExportScope::placed(Node *node, const JsonValue &value) {
  if (session.places)
    (*session.places)[node] = value.offset;
  return node;
}

// --- Frames ----------------------------------------------------------------------------------------------------------

uint32_t exportFrame(Graph &graph, llvm::StringRef stackTrace) {
  size_t at = stackTrace.rfind("File \"");
  if (at == llvm::StringRef::npos)
    return 0;
  auto [line, code] = stackTrace.drop_front(at + 6).split('\n');
  auto [file, rest] = line.split("\", line ");
  auto [number, function] = rest.split(", in ");
  Frame frame;
  // PyTorch's own nodes have a place but no line of the user's program.
  if (number.getAsInteger(10, frame.line) || code.trim().empty())
    return 0;
  frame.file = graph.context().identifier(file);
  frame.function = graph.context().identifier(function.trim());
  frame.code = graph.context().identifier(code.trim());
  return graph.addFrame(frame);
}

namespace {

// --- Nodes -----------------------------------------------------------------------------------------------------------

/// Reads one entry of "nodes".
class NodeMaker {
public:
  NodeMaker(ExportScope &scope, const JsonValue &value) : scope_(scope), value_(value) {}

  void make() {
    const JsonValue *target = requiredMember(scope_.session.report, value_, "target");
    const JsonValue *inputs = requiredMember(scope_.session.report, value_, "inputs");
    const JsonValue *outputs = requiredMember(scope_.session.report, value_, "outputs");
    if (!target || !inputs || !outputs)
      return;
    if (!target->is(JsonKind::String) || target->text.empty())
      return scope_.error(*target, "expected the name of an operator, such as \"torch.ops.aten.mm.default\"");
    readInputs(*inputs);
    readResults(*outputs);
    create(target->text);
  }

private:
  void readInputs(const JsonValue &inputs) {
    if (!inputs.is(JsonKind::Array))
      return scope_.session.report.expected(inputs, "'inputs' as a list of arguments");
    for (const JsonValue &input : inputs.elements()) {
      const JsonValue *arg = requiredMember(scope_.session.report, input, "arg");
      if (!arg)
        continue;
      Argument argument = asFxHasIt(readExportArgument(scope_, builder_, *arg));
      const JsonValue *kind = input.member("kind");
      constexpr int64_t keyword = 2;
      if (kind && kind->is(JsonKind::Integer) && kind->integer == keyword)
        addKeyword(input, argument);
      else
        positional_.push_back(argument);
    }
  }

  /// The format has only lists, but the operands that a higher-order operator passes to its graphs are a tuple.
  Argument asFxHasIt(Argument argument) const {
    bool tuple = argument.is(Argument::Kind::List) && textOf(value_.member("target")).contains("higher_order.");
    return tuple ? Argument::sequence(Argument::Kind::Tuple, argument.elements()) : argument;
  }

  void addKeyword(const JsonValue &input, Argument argument) {
    Identifier name = scope_.graph.context().identifier(textOf(input.member("name")));
    if (llvm::any_of(keyword_, [&](const NamedArgument &other) { return other.name == name; }))
      return scope_.error(input, "gives the argument '" + name.str() + "' twice");
    keyword_.push_back({name, argument});
  }

  /// A result with a name: one of the values that the node yields.
  struct Result {
    const JsonValue *name = nullptr; ///< null for None and numbers
  };

  static const JsonValue *nameOf(const JsonValue &argument) {
    if (const JsonValue *tensor = argument.member("name"))
      return tensor;
    return argument.member("as_name");
  }

  // One tensor is the node itself. A list of tensors, and each of several results, is an element of the node's result.
  void readResults(const JsonValue &outputs) {
    if (!outputs.is(JsonKind::Array))
      return scope_.session.report.expected(outputs, "'outputs' as a list of results");
    for (const JsonValue &output : outputs.elements()) {
      const JsonValue *member = unionMember(scope_.session.report, output, "a result");
      if (!member)
        return;
      if (member->is(JsonKind::Array)) {
        isList_ = true;
        for (const JsonValue &element : member->elements())
          addResult(element);
      } else {
        addResult(*member);
      }
    }
    isList_ |= results_.size() > 1;
  }

  void addResult(const JsonValue &value) {
    const JsonValue *inner = &value;
    if (value.is(JsonKind::Object) && value.count == 1 && value.first->is(JsonKind::Object))
      inner = value.first; // an optional tensor
    const JsonValue *name = inner->is(JsonKind::Object) ? nameOf(*inner) : nullptr;
    results_.push_back({name && name->is(JsonKind::String) ? name : nullptr});
  }

  const Type *type() {
    if (!isList_)
      return results_.empty() || !results_[0].name ? nullptr : scope_.values.typeOf(results_[0].name->text);
    llvm::SmallVector<const Type *, 4> elements;
    for (const Result &result : results_)
      elements.push_back(result.name ? scope_.values.typeOf(result.name->text) : nullptr);
    return scope_.graph.context().list(elements);
  }

  void create(llvm::StringRef target) {
    const JsonValue *given = value_.member("name");
    bool named = given && given->is(JsonKind::String) && isExportName(given->text);
    if (given && !named && !given->is(JsonKind::Null))
      return scope_.error(*given, "expected a name of letters, digits and '_', got " +
                                      excerptOf(scope_.session.report.source().text, *given));
    // Older files do not name nodes, so a node with a list is named after its operator.
    std::string wish = named                                   ? given->text.str()
                       : isList_                               ? target.rsplit('.').first.rsplit('.').second.str()
                       : results_.empty() || !results_[0].name ? "call"
                                                               : results_[0].name->text.str();
    if (named && !isList_ && results_.size() == 1 && results_[0].name && results_[0].name->text != given->text)
      isList_ = true; // a tuple of one
    NodeSpec spec;
    spec.name = wish;
    target.consume_front("torch.ops.");
    std::string plain = target.startswith("_operator.") ? target.drop_front(1).str() : target.str();
    spec.target = scope_.graph.context().identifier(plain);
    spec.type = type();
    readMetadata(spec);
    Node *node =
        scope_.placed(scope_.graph.create(spec, std::move(builder_), Arguments{positional_, keyword_}), value_);
    if (isList_)
      takeApart(node, spec.frame);
    else if (!results_.empty() && results_[0].name)
      scope_.define(*results_[0].name, node);
  }

  void takeApart(Node *list, uint32_t frame) {
    for (size_t i = 0; i < results_.size(); ++i) {
      const JsonValue *name = results_[i].name;
      if (!name || name->text == (list->name().str() + "_unused_" + llvm::Twine(i)).str())
        continue;
      NodeSpec spec;
      spec.name = name->text;
      spec.target = scope_.graph.context().identifier("operator.getitem");
      spec.type = scope_.values.typeOf(name->text);
      spec.frame = frame;
      ArgumentBuilder builder(scope_.graph);
      Argument args[] = {builder.operand(list), Argument::integer(static_cast<int64_t>(i))};
      scope_.define(*name, scope_.placed(scope_.graph.create(spec, std::move(builder), {args, {}}), value_));
    }
  }

  static bool isKnown(llvm::StringRef key) {
    return key == "target" || key == "inputs" || key == "outputs" || key == "metadata" || key == "name" ||
           key == "is_hop_single_tensor_return";
  }

  // The path of the module and unknown keys stay with the node unchanged, under names that no key of ours has.
  void readMetadata(NodeSpec &spec) {
    llvm::SmallVector<NamedArgument, 4> attributes;
    auto keep = [&](const JsonValue &value) {
      Identifier name = scope_.graph.context().identifier(("export." + value.key).str());
      if (llvm::any_of(attributes, [&](const NamedArgument &other) { return other.name == name; }))
        return;
      std::string text = canonicalJson(scope_.session.report.source().text, value);
      attributes.push_back({name, Argument::word(Argument::Kind::Python, scope_.graph.context().identifier(text))});
    };
    if (const JsonValue *metadata = value_.member("metadata")) {
      for (const JsonValue &entry : metadata->elements())
        if (entry.key == "stack_trace")
          spec.frame = exportFrame(scope_.graph, textOf(&entry));
        else
          keep(entry);
    }
    for (const JsonValue &member : value_.elements())
      if (!isKnown(member.key))
        keep(member);
    if (attributes.empty())
      return;
    Provenance provenance;
    provenance.attributes = attributes;
    spec.provenance = scope_.graph.makeProvenance(provenance);
  }

  ExportScope &scope_;
  const JsonValue &value_;
  ArgumentBuilder builder_{scope_.graph};
  llvm::SmallVector<Argument, 8> positional_;
  llvm::SmallVector<NamedArgument, 4> keyword_;
  std::vector<Result> results_;
  bool isList_ = false;
};

// --- Graphs ----------------------------------------------------------------------------------------------------------

class GraphMaker {
public:
  GraphMaker(ExportScope &scope, const JsonValue &exported, const JsonValue *signature)
      : scope_(scope), exported_(exported), signature_(signature) {}

  void make() {
    const JsonValue *inputs = list("inputs");
    const JsonValue *nodes = list("nodes");
    const JsonValue *outputs = list("outputs");
    if (!inputs || !nodes || !outputs)
      return;
    scope_.values.note(exported_);
    noteNames(*nodes);
    noteSpecs();
    size_t index = 0;
    for (const JsonValue &input : inputs->elements())
      addInput(input, index++);
    for (const JsonValue &node : nodes->elements()) {
      scope_.current = &node;
      NodeMaker(scope_, node).make();
    }
    scope_.current = nullptr;
    addOutput(*outputs);
  }

private:
  const JsonValue *list(llvm::StringRef name) {
    const JsonValue *found = requiredMember(scope_.session.report, exported_, name);
    if (found && !found->is(JsonKind::Array)) {
      scope_.session.report.expected(*found, "'" + name + "' as a list");
      return nullptr;
    }
    return found;
  }

  /// Records the names of all nodes, to tell a use before its definition from an undefined name.
  void noteNames(const JsonValue &nodes) {
    for (const JsonValue &node : nodes.elements())
      if (const JsonValue *outputs = node.member("outputs"))
        for (const JsonValue &output : outputs->elements())
          for (const JsonValue &member : output.elements()) {
            scope_.laterNames.insert(textOf(member.member("name")));
            for (const JsonValue &element : member.elements())
              scope_.laterNames.insert(textOf(element.member("name")));
          }
  }

  /// Records the signature's entry of each input: {"parameter": {"arg": {"name": ..}, "parameter_name": "a.weight"}}.
  void noteSpecs() {
    const JsonValue *specs = signature_ ? signature_->member("input_specs") : nullptr;
    if (specs && specs->is(JsonKind::Array))
      for (const JsonValue &spec : specs->elements())
        specs_.push_back(spec.is(JsonKind::Object) && spec.count == 1 ? spec.first : nullptr);
  }

  void addInput(const JsonValue &value, size_t index) {
    const JsonValue *member = unionMember(scope_.session.report, value, "an input, such as {\"as_tensor\": ..}");
    if (!member)
      return;
    const JsonValue *spec = index < specs_.size() ? specs_[index] : nullptr;
    const JsonValue *name = member->member("name");
    name = name ? name : member->member("as_name");
    name = name ? name : spec ? spec->member("name") : nullptr;
    NodeSpec made;
    made.opcode = Opcode::Placeholder;
    std::string wish = name && name->is(JsonKind::String) ? name->text.str() : "constant_" + std::to_string(index);
    made.name = wish;
    made.target = scope_.graph.context().identifier(made.name);
    made.type = name && name->is(JsonKind::String) ? scope_.values.typeOf(name->text) : nullptr;
    made.provenance = provenanceOf(spec);
    Node *node = scope_.placed(scope_.graph.create(made, ArgumentBuilder(scope_.graph), {}), value);
    if (name && name->is(JsonKind::String))
      scope_.define(*name, node);
  }

  /// Returns which parameter or buffer of the user's module the input is.
  const Provenance *provenanceOf(const JsonValue *spec) {
    Context &context = scope_.graph.context();
    for (llvm::StringRef kind : {"parameter_name", "buffer_name", "tensor_constant_name", "custom_obj_name"})
      if (const JsonValue *name = spec ? spec->member(kind) : nullptr) {
        std::string text = canonicalJson(scope_.session.report.source().text, *name);
        NamedArgument attribute{context.identifier(("export." + kind.drop_back(5)).str()),
                                Argument::word(Argument::Kind::Python, context.identifier(text))};
        Provenance provenance;
        provenance.attributes = attribute;
        return scope_.graph.makeProvenance(provenance);
      }
    return nullptr;
  }

  void addOutput(const JsonValue &outputs) {
    ArgumentBuilder builder(scope_.graph);
    llvm::SmallVector<Argument, 8> values;
    for (const JsonValue &output : outputs.elements())
      values.push_back(readExportArgument(scope_, builder, output));
    const JsonValue *single = exported_.member("is_single_tensor_return");
    bool isSingle = single && single->is(JsonKind::Bool) && single->boolean && values.size() == 1;
    Argument result = isSingle ? values[0] : builder.sequence(Argument::Kind::Tuple, values);
    NodeSpec spec;
    spec.opcode = Opcode::Output;
    spec.name = "output";
    spec.target = scope_.graph.context().identifier("output");
    scope_.placed(scope_.graph.create(spec, std::move(builder), {result, {}}), outputs);
  }

  ExportScope &scope_;
  const JsonValue &exported_;
  const JsonValue *signature_;
  std::vector<const JsonValue *> specs_; ///< by input
};

} // namespace

void readExportGraph(ExportSession &session, Graph &graph, const JsonValue &exported, const JsonValue *signature) {
  ExportScope scope(session, graph);
  GraphMaker(scope, exported, signature).make();
}

} // namespace ccgraph
