#include "fx_text/scope.h"

using llvm::StringRef;

namespace ccgraph::fx {

namespace {

/// Reads from "(" to ":" of "def forward(self, x: "f32[2][1]cpu", *args, y = None) -> Tensor:". Each parameter except
/// self makes a placeholder, as in torch.fx: the stars are a part of its target, and its default is its argument.
class HeaderReader {
public:
  HeaderReader(Session &session, Scope &scope, Cursor &cursor) : session_(session), scope_(scope), cursor_(cursor) {}

  bool read() {
    cursor_.skipLines();
    for (bool done = cursor_.take(')'); !done;)
      if (!parameter() || !separator(done))
        return false;
    return result();
  }

private:
  bool expected(StringRef what) {
    return session_.problems.error(cursor_.at, "got " + quoteHere(cursor_.at, cursor_.end) +
                                                   " in the header of a graph, expected " + what.str());
  }

  bool separator(bool &done) {
    cursor_.skipLines();
    if (!cursor_.take(',') && cursor_.peek() != ')')
      return expected("',' or ')'");
    cursor_.skipLines();
    done = cursor_.take(')');
    return true;
  }

  /// self is the module and makes no placeholder. The body uses the name without its stars, so *args defines "args", a
  /// placeholder with the target "*args".
  bool parameter() {
    const char *start = cursor_.at;
    while (cursor_.take('*'))
      continue;
    StringRef name = cursor_.word();
    if (name.empty())
      return expected("the name of an input");
    StringRef target = cursor_.since(start);
    const Type *type = nullptr;
    cursor_.skipLines();
    if (cursor_.take(':') && !readAnnotation(session_, cursor_, type))
      return false;
    cursor_.skipLines();
    ExpressionReader expression(*scope_.graph, scope_.names, session_.problems, cursor_);
    CallArguments arguments;
    if (cursor_.take('=')) {
      cursor_.skipLines();
      if (!expression.argument(arguments.positional.emplace_back()))
        return false;
    }
    return name == "self" || define(name, target, type, expression.takeBuilder(), arguments);
  }

  bool define(StringRef name, StringRef target, const Type *type, ArgumentBuilder &&builder,
              const CallArguments &arguments) {
    NodeSpec spec;
    spec.opcode = Opcode::Placeholder;
    spec.name = name;
    spec.target = session_.context.identifier(target);
    spec.type = type;
    if (!checkName(session_, name))
      return false;
    if (target.size() > name.size() + 2)
      return session_.problems.error(target.begin(), "got more than two stars before the input '" + name.str() + "'");
    if (scope_.names.count(name))
      return session_.problems.error(name.begin(), "got the input '" + name.str() + "' twice");
    return scope_.define(name,
                         session_.at(name.begin(), scope_.graph->create(spec, std::move(builder), arguments.view())));
  }

  /// Reads the text after ')': " -> class:" or ":".
  bool result() {
    cursor_.skipBlanks();
    if (cursor_.rest().startswith("->")) {
      cursor_.at += 2;
      cursor_.skipBlanks();
      cursor_.skipExpression();
    }
    return cursor_.takeAfterBlanks(':') || expected("':'");
  }

  Session &session_;
  Scope &scope_;
  Cursor &cursor_;
};

} // namespace

bool readHeader(Session &session, Scope &scope, Cursor &cursor) { return HeaderReader(session, scope, cursor).read(); }

} // namespace ccgraph::fx
