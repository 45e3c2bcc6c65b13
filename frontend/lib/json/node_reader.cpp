#include "json/node_reader.h"

#include "ccgraph/ir/internal/names.h"
#include "json/argument_reader.h"
#include "json/json_text.h"
#include "json/longest_duration.h"

#include "llvm/ADT/StringSwitch.h"

#include <array>

namespace ccgraph {
namespace {

/// The keys of a node, in canonical order.
enum class Key : uint8_t { Name, Op, Target, Args, Kwargs, After, Type, Meta, Foreign };
constexpr size_t numKeys = static_cast<size_t>(Key::Foreign);

Key keyOf(llvm::StringRef text) {
  return llvm::StringSwitch<Key>(text)
      .Case("name", Key::Name)
      .Case("op", Key::Op)
      .Case("target", Key::Target)
      .Case("args", Key::Args)
      .Case("kwargs", Key::Kwargs)
      .Case("after", Key::After)
      .Case("type", Key::Type)
      .Case("meta", Key::Meta)
      .Default(Key::Foreign);
}

std::optional<Opcode> parseOpcode(llvm::StringRef text) {
  for (Opcode opcode : {Opcode::CallFunction, Opcode::Placeholder, Opcode::GetAttr, Opcode::Output})
    if (text == opcodeName(opcode))
      return opcode;
  return std::nullopt;
}

/// Arguments of the node `user`: "%name" is an earlier node, and each mention an operand.
class NodeArguments final : public ArgumentOwner {
public:
  NodeArguments(GraphScope &scope, ArgumentBuilder &builder, llvm::StringRef user)
      : scope_(scope), builder_(builder), user_(user) {}

  Argument reference(const JsonValue &value) override {
    if (!value.text.startswith("%") || value.text.size() == 1) {
      scope_.report.expected(value, "a node \"%name\" or a literal",
                             "a string names a node; text is written {\"str\": ...}");
      return Argument::none();
    }
    Node *node = scope_.resolve(value, user_);
    return node ? builder_.operand(node) : Argument::none();
  }
  Argument sequence(Argument::Kind kind, llvm::ArrayRef<Argument> elements) override {
    return builder_.sequence(kind, elements);
  }
  Argument dict(llvm::ArrayRef<NamedArgument> entries) override { return builder_.dict(entries); }

private:
  GraphScope &scope_;
  ArgumentBuilder &builder_;
  llvm::StringRef user_;
};

/// The keys of a node may stand in any order, and what one means may depend on another (the target of a placeholder is
/// its name where it is left out). So members are first put into places by key, and then read in a fixed order.
///
/// A node whose opcode is wrong is not made. Its name is remembered as rejected, so that the nodes that mention it do
/// not each report that it is not there.
class NodeReader {
public:
  NodeReader(GraphScope &scope, const JsonValue &value)
      : scope_(scope), report_(scope.report), value_(value), builder_(scope.graph) {}

  void run() {
    if (!value_.is(JsonKind::Object))
      return report_.expected(value_, "a node: an object with name, op, target, args, type");
    sortMembers();
    if (!readName())
      return;
    auto opcode = readOpcode();
    if (!opcode) {
      scope_.rejected.insert(spec_.name);
      return;
    }
    spec_.opcode = *opcode;
    readTarget();
    readProvenance();
    if (const JsonValue *type = member(Key::Type))
      spec_.type = scope_.types.read(*type);
    create();
  }

private:
  [[nodiscard]] const JsonValue *member(Key key) const { return members_[static_cast<size_t>(key)]; }
  [[nodiscard]] Context &context() const { return scope_.graph.context(); }

  void sortMembers() {
    for (const JsonValue &member : value_.elements()) {
      Key key = keyOf(member.key);
      if (key == Key::Foreign) {
        keepForeign("", member);
        continue;
      }
      const JsonValue *&place = members_[static_cast<size_t>(key)];
      if (place)
        report_.error(member.offset, "the key '" + member.key.str() + "' occurs twice");
      place = &member;
    }
  }

  /// A node {"name": "y", "cost": 3, "meta": {"stream": 7}} keeps "/cost" with the text 3, and "stream" with the text
  /// 7; the writer puts each back to where it stood.
  void keepForeign(llvm::StringRef prefix, const JsonValue &member) {
    std::string pointer = prefix.str() + "/" + escapePointerStep(member.key);
    // Because "meta" is where foreign keys belong, those are known by their plain name.
    bool plain = !prefix.empty() && !member.key.startswith("/");
    Identifier name = context().identifier(plain ? member.key : llvm::StringRef(pointer));
    std::string text = canonicalJson(report_.source().text, member);
    attributes_.push_back({name, Argument::word(Argument::Kind::Python, context().identifier(text))});
  }

  bool readName() {
    const JsonValue *name = member(Key::Name);
    if (!name || !name->is(JsonKind::String) || name->text.empty()) {
      report_.expected(name ? *name : value_, "a node with a name");
      return false;
    }
    spec_.name = name->text;
    if (!isNodeName(spec_.name) && spec_.name != "output")
      demandName(*name);
    if (!scope_.graph.find(spec_.name) && !scope_.rejected.contains(spec_.name))
      return true;
    report_.error(name->offset, "a node named '" + spec_.name.str() + "' is before this one",
                  "names are unique within a graph: rename one of them");
    return false;
  }

  std::optional<Opcode> readOpcode() {
    const JsonValue *op = member(Key::Op);
    auto opcode = op ? parseOpcode(op->text) : std::nullopt;
    if (opcode)
      return opcode;
    std::string repair;
    if (op && (op->text == "call_module" || op->text == "call_method"))
      repair = "trace the program down to operators: make_fx, torch.compile and torch.export give "
               "graphs without " +
               op->text.str();
    report_.expected(op ? *op : value_, "an 'op': placeholder, get_attr, call_function or output", std::move(repair));
    return std::nullopt;
  }

  void readTarget() {
    const JsonValue *target = member(Key::Target);
    bool own = spec_.opcode == Opcode::Placeholder;
    if (!target && (own || spec_.opcode == Opcode::Output)) {
      spec_.target = context().identifier(own ? spec_.name : "output");
      return;
    }
    auto text = target && target->is(JsonKind::String) && !target->text.empty();
    if (!text)
      report_.expected(target ? *target : value_, "a 'target', e.g. \"aten.mm.default\" or the name of an attribute");
    spec_.target = context().identifier(text ? target->text : "unknown");
    if (text)
      checkTarget(*target);
  }

  void demandName(const JsonValue &name) {
    report_.expected(name, "a name: an identifier of Python that is no keyword",
                     "letters, digits and '_', as torch.fx names nodes");
  }

  void checkTarget(const JsonValue &target) {
    switch (spec_.opcode) {
    case Opcode::Placeholder:
      return demand(isParameterName(target.text), target,
                    "a parameter: an identifier of Python, with '*' or '**' before it");
    case Opcode::GetAttr:
      return demand(isAttributePath(target.text), target,
                    "an attribute: words joined by dots, e.g. \"layers.0.weight\"");
    case Opcode::CallFunction:
      return demand(scope_.targets.accepts(spec_.target), target,
                    "a function: identifiers joined by dots, e.g. \"aten.mm.default\"");
    case Opcode::Output:
      if (target.text != "output")
        report_.expected(target, "\"output\"", "torch.fx gives every output this target: leave the key out");
      return;
    }
  }

  void demand(bool holds, const JsonValue &got, llvm::StringRef expected) {
    if (!holds)
      report_.expected(got, expected,
                       "the text of a graph repeats it outside of quotes, where anything else would be code");
  }

  void readProvenance() {
    const JsonValue *meta = member(Key::Meta);
    if (meta && !meta->is(JsonKind::Object))
      report_.expected(*meta, "'meta' as an object");
    else if (meta)
      for (const JsonValue &entry : meta->elements())
        readMeta(entry);
    if (!origins_.empty() || !attributes_.empty() || duration_ >= 0)
      spec_.provenance = scope_.graph.makeProvenance({origins_, attributes_, duration_});
  }

  void readMeta(const JsonValue &entry) {
    if (entry.key == "frame")
      spec_.frame = scope_.frame(entry);
    else if (entry.key == "origins")
      readOrigins(entry);
    else if (entry.key == "duration_ps")
      readDuration(entry);
    else
      keepForeign("/meta", entry);
  }

  void readOrigins(const JsonValue &names) {
    if (!names.is(JsonKind::Array))
      report_.expected(names, "'origins' as an array of names");
    for (const JsonValue &name : names.elements())
      if (auto text = report_.string(name, "the name of a node of the original graph"))
        origins_.push_back(context().identifier(*text));
  }

  void readDuration(const JsonValue &value) {
    if (value.is(JsonKind::Integer) && value.integer >= 0 && value.integer <= longestDurationPs)
      duration_ = value.integer;
    else
      report_.expected(value, "a duration in picoseconds, from 0 to " + std::to_string(longestDurationPs));
  }

  void create() {
    NodeArguments owner(scope_, builder_, spec_.name);
    ArgumentReader reader(context(), report_, owner);
    llvm::SmallVector<Argument, 8> positional;
    llvm::SmallVector<NamedArgument, 4> keyword;
    if (const JsonValue *args = member(Key::Args))
      positional = reader.readAll(*args);
    if (const JsonValue *kwargs = member(Key::Kwargs)) {
      keyword = reader.readAllNamed(*kwargs);
      for (const JsonValue &entry : kwargs->elements())
        demand(isArgumentName(entry.key), entry, "the value of a keyword that is an identifier of Python");
    }
    Node *node = scope_.graph.create(spec_, std::move(builder_), {positional, keyword});
    if (scope_.places)
      (*scope_.places)[node] = value_.offset;
    if (const JsonValue *after = member(Key::After))
      readOrdering(*after, node);
  }

  void readOrdering(const JsonValue &after, Node *node) {
    if (!after.is(JsonKind::Array))
      report_.expected(after, "'after' as an array of nodes");
    for (const JsonValue &reference : after.elements()) {
      if (!reference.is(JsonKind::String) || !reference.text.startswith("%"))
        report_.expected(reference, "a node \"%name\" that this one must follow");
      else if (reference.text.drop_front() == node->name().str())
        report_.error(reference.offset, "node '" + spec_.name.str() + "' cannot follow itself");
      else if (Node *earlier = scope_.resolve(reference, spec_.name))
        scope_.graph.addOrdering(node, earlier);
    }
  }

  GraphScope &scope_;
  JsonReport &report_;
  const JsonValue &value_;
  ArgumentBuilder builder_;
  NodeSpec spec_;
  std::array<const JsonValue *, numKeys> members_ = {};
  llvm::SmallVector<Identifier, 4> origins_;
  llvm::SmallVector<NamedArgument, 2>
      attributes_; ///< the name is a JSON pointer within the node, or a plain key of meta
  int64_t duration_ = -1;
};

} // namespace

void readNode(GraphScope &scope, const JsonValue &value) { NodeReader(scope, value).run(); }

} // namespace ccgraph
