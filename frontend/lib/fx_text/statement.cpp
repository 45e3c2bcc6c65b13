#include "fx_text/scope.h"

#include "ccgraph/ir/internal/names.h"

#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace ccgraph::fx {

namespace {

constexpr StringRef opsNamespace = "torch.ops.";
constexpr StringRef unflatten = "pytree.tree_unflatten(";
constexpr StringRef traceDeeper =
    "trace the program down to operators: make_fx, torch.export and AOTAutograd (TORCH_LOGS=aot_graphs) do; "
    "graphs of Dynamo alone and of symbolic_trace hold modules and methods";
constexpr StringRef printTheProgram = "print the exported program itself, whose graph has no guards: str(program) or "
                                      "program.graph_module.print_readable()";

/// Reads one statement. What torch.fx prints has few forms, and the word or sign after the name tells which it is:
///   mm: "f32[2, 2]" = torch.ops.aten.mm.default(a, b);  a = b = None    a call; the type and what dies are optional
///   w = self.w                                                          get_attr
///   item = pair[0]                                                      operator.getitem, as any binary operator
///   le = u0 <= 7                                                        operator.le
///   x += y;  iadd = x                                                   in place: the name stands at the end
///   w_1 = W_1                                                           no node: it renames an input
///   return (mm,)                                                        the output
/// The target, arguments, type and name are collected first, and the node is made last (create), so that a statement
/// that turns out to be wrong leaves no half-made node in the graph.
class StatementReader {
public:
  StatementReader(Session &session, Scope &scope, Cursor cursor)
      : session_(session), scope_(scope), cursor_(cursor),
        expression_(*scope.graph, scope.names, session.problems, cursor_), start_(cursor.at) {}

  void read() {
    const char *start = cursor_.at;
    name_ = cursor_.word();
    if (name_ == "return") {
      scope_.closed = true;
      returned();
    } else if (!(statement(start) && trailer() && create()) && !name_.empty()) {
      scope_.define(name_, nullptr);
    }
  }

private:
  bool expected(StringRef what, StringRef repair = "") {
    return session_.problems.error(cursor_.at, "got " + quoteHere(cursor_.at, cursor_.end) + ", expected " + what.str(),
                                   repair.str());
  }

  bool statement(const char *start) {
    if (name_.empty())
      return expected("a statement such as mm: \"f32[2, 2]\" = torch.ops.aten.mm.default(a, b)");
    cursor_.skipBlanks();
    if (cursor_.take(':') && !readAnnotation(session_, cursor_, type_))
      return false;
    cursor_.skipBlanks();
    if (cursor_.peek() == '=' && !cursor_.rest().startswith("=="))
      return ++cursor_.at, cursor_.skipBlanks(), value();
    if (cursor_.peek() == '[' || findOperator(cursor_.rest(), PythonOperator::Form::InPlace))
      return inPlace(start);
    if (cursor_.peek() == ',')
      return expected("'='", "torch.fx gives each result a line of its own: x = pair[0]");
    return expected("'=' after the name '" + name_.str() + "'");
  }

  // --- Right-hand sides ----------------------------------------------------------------------------------------

  // What begins with a word is a call, an attribute, or one side of an operator, and only the sign after the word
  // tells: "torch.ops.aten.relu.default(" is a call, "self.w" an attribute of the module, "u0" in "u0 <= 7" an operand,
  // for which the cursor goes back to the beginning of the word.
  bool value() {
    if (!isWordChar(cursor_.peek()) || llvm::isDigit(cursor_.peek()))
      return operatorValue();
    const char *start = cursor_.at;
    StringRef callee = cursor_.dotted();
    if (callee == "getattr" && cursor_.peek() == '(')
      return cursor_.at = start, listedAttribute(start);
    if (cursor_.take('('))
      return call(start, callee);
    if (callee.consume_front("self."))
      return finish(Opcode::GetAttr, callee) && checkAttribute(start);
    if (!callee.contains('.') || callee.startswith("torch.")) {
      cursor_.at = start;
      return operatorValue();
    }
    return attribute(callee);
  }

  // Only calls by a full name of torch or Python are operators. "self.layer(x)" is a module and "x.add(y)" a method:
  // the operators that they run are unknown, so the graph is refused with the advice to trace deeper.
  bool call(const char *start, StringRef callee) {
    if (callee.consume_front(opsNamespace))
      return finish(Opcode::CallFunction, callee) && expression_.callArguments(call_);
    auto [root, rest] = callee.split('.');
    if (root == "self")
      return session_.problems.aboveOperators(
          start, "got a call of the module '" + callee.str() + "' (call_module), expected a call of an operator",
          (rest == "_guards_fn" ? printTheProgram : traceDeeper).str());
    if (scope_.names.count(root))
      return session_.problems.aboveOperators(start,
                                              "got a call of the method '" + rest.str() + "' of '" + root.str() +
                                                  "' (call_method), expected a call of an operator",
                                              traceDeeper.str());
    static constexpr StringRef modules[] = {"torch", "operator", "math", "builtins"};
    if (!rest.empty() && !llvm::is_contained(modules, root))
      return session_.problems.aboveOperators(
          start,
          "got a call of '" + callee.str() +
              "', expected torch.ops.<namespace>.<name>.<overload>(...) or another function of torch",
          traceDeeper.str());
    return finish(Opcode::CallFunction, callee) && expression_.callArguments(call_);
  }

  bool checkAttribute(const char *start) {
    if (isAttributePath(target_.str()))
      return true;
    return session_.problems.error(start,
                                   "got the attribute '" + target_.str().str() + "', expected words joined by dots");
  }

  /// `getattr(self.layers, "0").weight`, which torch.fx prints where a part of the path is no identifier.
  bool listedAttribute(const char *start) {
    size_t depth = 0;
    for (; cursor_.rest().startswith("getattr("); ++depth)
      cursor_.at += StringRef("getattr(").size();
    StringRef base = cursor_.dotted();
    if (base != "self" && !base.startswith("self."))
      return session_.problems.error(start,
                                     "got no call, expected an operator such as torch.ops.aten.mm.default(a, b)");
    std::string path = base.drop_front(StringRef("self").size()).str();
    for (; depth != 0; --depth) {
      StringRef part;
      if (!cursor_.takeAfterBlanks(',') ||
          (cursor_.skipBlanks(), StringRef("'\"").find(cursor_.peek()) == StringRef::npos) ||
          !cursor_.stringBody(part) || !cursor_.takeAfterBlanks(')'))
        return expected("the name of an attribute in quotes and ')'");
      path += "." + part.str() + cursor_.dotted().str();
    }
    return finish(Opcode::GetAttr, StringRef(path).ltrim('.')) && checkAttribute(start);
  }

  /// `x.shape`, which torch.fx prints for getattr(x, 'shape').
  bool attribute(StringRef text) {
    auto [object, name] = text.split('.');
    if (name.contains('.'))
      return session_.problems.error(text.begin(), "got '" + text.str() + "', expected one attribute a line");
    finish(Opcode::CallFunction, "builtins.getattr");
    if (!expression_.reference(object, call_.positional.emplace_back()))
      return false;
    call_.positional.push_back(expression_.builder().string(name));
    return true;
  }

  /// `-a`, `a <= 7`, `a[0]`, and the `w_1 = W_1` that renames an input.
  bool operatorValue() {
    const auto *unary = findOperator(cursor_.rest(), PythonOperator::Form::Unary);
    if (unary && !startsNumber(cursor_.rest().drop_front())) {
      ++cursor_.at;
      return finish(Opcode::CallFunction, unary->target) && operand();
    }
    const char *start = cursor_.at;
    if (!operand())
      return false;
    cursor_.skipBlanks();
    if (cursor_.take('['))
      return finish(Opcode::CallFunction, "operator.getitem") && expression_.subscript(call_.positional.emplace_back());
    if (const auto *binary = findOperator(cursor_.rest(), PythonOperator::Form::Binary)) {
      cursor_.at += binary->symbol.size();
      return finish(Opcode::CallFunction, binary->target) && operand();
    }
    return alias(start);
  }

  static bool startsNumber(StringRef text) {
    return !text.empty() && (llvm::isDigit(text.front()) || text.front() == '.' || text.startswith("inf"));
  }

  /// One side of an operator: a word, a number, a string or something in brackets.
  bool operand() {
    cursor_.skipBlanks();
    return expression_.operand(call_.positional.emplace_back());
  }

  /// Because an input may have a parameter name that differs from its node's, the first line may give it a new one.
  bool alias(const char *start) {
    Node *node = scope_.graph->find(cursor_.since(start).rtrim());
    if (node == nullptr || node->opcode() != Opcode::Placeholder || node->hasUses() || node->name() != node->target())
      return session_.problems.error(start,
                                     "got no call, expected an operator such as torch.ops.aten.mm.default(a, b)");
    scope_.names.erase(cursor_.since(start).rtrim());
    if (!trailer() || !checkName(session_, name_))
      return false;
    if (!scope_.define(name_, node))
      return session_.problems.error(name_.begin(), "got the name '" + name_.str() + "' twice");
    scope_.graph->rename(node, name_);
    renamed_ = true;
    return true;
  }

  /// `a += b;  name = a` and `a[i] = v;  setitem = a`.
  bool inPlace(const char *start) {
    cursor_.at = start;
    name_ = "";
    if (!operand())
      return false;
    cursor_.skipBlanks();
    if (cursor_.take('[')) {
      finish(Opcode::CallFunction, "operator.setitem");
      if (!expression_.subscript(call_.positional.emplace_back()))
        return false;
      if (!cursor_.takeAfterBlanks('='))
        return expected("'='");
    } else {
      const auto *found = findOperator(cursor_.rest(), PythonOperator::Form::InPlace);
      if (found == nullptr) // Because what stood before the symbol was more than a name.
        return expected("'='");
      cursor_.at += found->symbol.size();
      finish(Opcode::CallFunction, found->target);
    }
    return operand() && resultName();
  }

  bool resultName() {
    if (!cursor_.takeAfterBlanks(';'))
      return expected("';  name = ...', which names the result");
    cursor_.skipBlanks();
    name_ = cursor_.word();
    if (cursor_.takeAfterBlanks(':') && !readAnnotation(session_, cursor_, type_))
      return false;
    if (name_.empty() || !cursor_.takeAfterBlanks('='))
      return expected("'name = ...', which names the result");
    cursor_.skipBlanks();
    cursor_.word();
    return true;
  }

  // --- Ends of lines -------------------------------------------------------------------------------------------

  bool finish(Opcode opcode, StringRef target) {
    opcode_ = opcode;
    target_ = session_.context.identifier(target);
    return true;
  }

  /// Reads ";  a = b = None", the values whose last use this is, and "# after: c, d", the ordering edges. The names of
  /// the former are not compared with the uses: the writer computes them again.
  bool trailer() {
    cursor_.skipBlanks();
    const char *start = cursor_.at;
    if (cursor_.take(';')) {
      while (!cursor_.atEnd() && (isWordChar(*cursor_.at) || llvm::StringRef(" =;\t\r").contains(*cursor_.at)))
        ++cursor_.at;
      if (!cursor_.since(start).rtrim().endswith("= None"))
        return cursor_.at = start, expected("the end of the line or ';  name = None'");
    }
    if (cursor_.atEnd())
      return true;
    return cursor_.take('#') ? ordering() : expected("the end of the line");
  }

  bool ordering() {
    cursor_.skipBlanks();
    if (!cursor_.rest().startswith("after:"))
      return true;
    cursor_.at += StringRef("after:").size();
    do {
      cursor_.skipBlanks();
      const char *place = cursor_.at;
      Node *node = scope_.names.lookup(cursor_.word());
      if (node == nullptr)
        return session_.problems.error(place, "got " + quoteHere(place, cursor_.end) +
                                                  " after '# after:', expected the name of a node above");
      after_.push_back(node);
    } while (cursor_.takeAfterBlanks(','));
    return true;
  }

  bool create() {
    if (renamed_)
      return true;
    if (scope_.names.count(name_))
      return session_.problems.error(name_.begin(), "got the name '" + name_.str() + "' twice, expected a new one",
                                     "torch.fx gives each node a name of its own");
    if (opcode_ != Opcode::Output && !checkName(session_, name_))
      return false;
    if (opcode_ == Opcode::CallFunction && !session_.targets.accepts(target_))
      return session_.problems.error(start_,
                                     "got a call of '" + target_.str().str() + "', expected identifiers joined by dots",
                                     "torch.ops.<namespace>.<name>.<overload>(...) is a call of an operator");
    NodeSpec spec;
    spec.opcode = opcode_;
    spec.name = name_;
    spec.target = target_;
    spec.type = type_;
    spec.frame = opcode_ == Opcode::Output ? 0 : scope_.frame;
    Node *node = session_.at(start_, scope_.graph->create(spec, expression_.takeBuilder(), call_.view()));
    for (Node *other : after_)
      scope_.graph->addOrdering(node, other);
    return opcode_ == Opcode::Output || scope_.define(name_, node);
  }

  /// `return x`, `return (x, y)`, and `return pytree.tree_unflatten([x, y], self._out_spec)`, whose leaves are the
  /// outputs.
  bool returned() {
    cursor_.skipBlanks();
    bool isTree = cursor_.rest().startswith(unflatten);
    if (isTree)
      cursor_.at += unflatten.size();
    Argument &result = call_.positional.emplace_back();
    if (!cursor_.atEnd() && !expression_.argument(result))
      return false;
    if (isTree && !takeOutSpec())
      return expected("', self._out_spec)'");
    name_ = "output";
    finish(Opcode::Output, "output");
    bool taken = scope_.names.count(name_) != 0;
    if (taken) // Because PyTorch renames the output node then, and so does Graph.
      scope_.names.erase(name_);
    return trailer() && create();
  }

  bool takeOutSpec() {
    if (!cursor_.takeAfterBlanks(','))
      return false;
    cursor_.skipBlanks();
    return cursor_.dotted() == "self._out_spec" && cursor_.takeAfterBlanks(')');
  }

  Session &session_;
  Scope &scope_;
  Cursor cursor_;
  ExpressionReader expression_;
  const char *start_; ///< of the statement
  StringRef name_;
  const Type *type_ = nullptr;
  Opcode opcode_ = Opcode::CallFunction;
  Identifier target_;
  CallArguments call_;
  llvm::SmallVector<Node *, 2> after_;
  bool renamed_ = false;
};

} // namespace

bool checkName(Session &session, StringRef name) {
  if (isNodeName(name))
    return true;
  return session.problems.error(name.begin(),
                                "got the name " + quoteHere(name.begin(), name.end()) +
                                    ", expected an identifier of Python that is no keyword",
                                "torch.fx names nodes so; rename it where it is defined and where it is used");
}

void readStatement(Session &session, Scope &scope, Cursor cursor) { StatementReader(session, scope, cursor).read(); }

} // namespace ccgraph::fx
