#include "fx_text/scope.h"

using llvm::StringRef;

namespace ccgraph::fx {

namespace {

constexpr StringRef flatten = "fx_pytree.tree_flatten_spec(";

// torch.export and Dynamo print graphs whose inputs are trees (lists, dictionaries) in this form. The header names the
// trees, and lines of the body name their leaves:
//   def forward(self, state):
//       a: "f32[2]"; b: "f32[3]";
//       a, b, = fx_pytree.tree_flatten_spec([state], self._in_spec)
// The graph computes with a and b. So the second line declares types, and the third replaces the header: the
// placeholder `state` is removed, and a and b become the inputs.
class BindingReader {
public:
  BindingReader(Session &session, Scope &scope, Cursor cursor) : session_(session), scope_(scope), cursor_(cursor) {}

  bool read() {
    if (declaresOnly(cursor_))
      return declarations(), true;
    if (findNames())
      return inputs(), true;
    scope_.begun = true;
    if (scope_.declared.empty())
      return false;
    StringRef name = scope_.declared.begin()->first;
    session_.problems.error(name.end(),
                            "got the end of the statement, expected '=' after the name '" + name.str() + "'");
    return false;
  }

private:
  /// Recognises `x: "f32[2]"` without a value: the end, a semicolon or a comment follows.
  static bool declaresOnly(Cursor ahead) {
    StringRef body;
    if (ahead.word().empty() || !ahead.takeAfterBlanks(':'))
      return false;
    ahead.skipBlanks();
    if ((ahead.peek() != '"' && ahead.peek() != '\'') || !ahead.stringBody(body))
      return false;
    ahead.skipBlanks();
    return ahead.atEnd() || ahead.peek() == ';' || ahead.peek() == '#';
  }

  void declarations() {
    while (declaresOnly(cursor_)) {
      StringRef name = cursor_.word();
      const Type *type = nullptr;
      cursor_.takeAfterBlanks(':');
      if (!readAnnotation(session_, cursor_, type))
        return;
      scope_.declared.insert({name, type});
      cursor_.takeAfterBlanks(';');
      cursor_.skipBlanks();
    }
  }

  /// Parses `a, b, = fx_pytree.tree_flatten_spec(...)`.
  bool findNames() {
    Cursor ahead = cursor_;
    for (ahead.skipBlanks(); isWordChar(ahead.peek()); ahead.skipBlanks()) {
      names_.push_back(ahead.word());
      if (!ahead.takeAfterBlanks(','))
        return false;
    }
    if (names_.empty() || !ahead.takeAfterBlanks('='))
      return false;
    ahead.skipBlanks();
    return ahead.rest().startswith(flatten);
  }

  /// Replaces the inputs. The parameters of the header are trees; their leaves are the inputs of the graph. Nodes
  /// without uses are erased: only placeholders precede the first statement.
  void inputs() {
    scope_.begun = true;
    for (Node *tree : scope_.graph->nodes())
      scope_.graph->erase(tree);
    scope_.names.clear();
    for (StringRef name : names_)
      input(name);
    scope_.declared.clear();
  }

  void input(StringRef name) {
    NodeSpec spec;
    spec.opcode = Opcode::Placeholder;
    spec.name = name;
    spec.target = session_.context.identifier(name);
    spec.type = scope_.declared.lookup(name);
    if (!checkName(session_, name))
      return;
    if (scope_.names.count(name))
      session_.problems.error(name.begin(), "got the input '" + name.str() + "' twice");
    else
      scope_.define(name, session_.at(name.begin(), scope_.graph->create(spec, ArgumentBuilder(*scope_.graph), {})));
  }

  Session &session_;
  Scope &scope_;
  Cursor cursor_;
  llvm::SmallVector<StringRef, 32> names_;
};

} // namespace

bool readBinding(Session &session, Scope &scope, Cursor cursor) { return BindingReader(session, scope, cursor).read(); }

} // namespace ccgraph::fx
