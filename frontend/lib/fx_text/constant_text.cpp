#include "fx_text/constant_text.h"

#include "ccgraph/ir/internal/names.h"
#include "fx_text/expression.h"

#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace ccgraph::fx {
namespace {

/// Functions that compute a value from their arguments and have no side effect.
constexpr StringRef harmless[] = {"abs",
                                  "array",
                                  "bool",
                                  "bytes",
                                  "ceiling",
                                  "complex",
                                  "cos",
                                  "device",
                                  "dict",
                                  "dtype",
                                  "exp",
                                  "finfo",
                                  "float",
                                  "floor",
                                  "frozenset",
                                  "iinfo",
                                  "int",
                                  "list",
                                  "log",
                                  "log2",
                                  "max",
                                  "min",
                                  "partial",
                                  "range",
                                  "round",
                                  "set",
                                  "sin",
                                  "slice",
                                  "sqrt",
                                  "str",
                                  "tan",
                                  "tensor",
                                  "torch.device",
                                  "torch.finfo",
                                  "torch.iinfo",
                                  "torch.sym_float",
                                  "torch.sym_int",
                                  "torch.sym_max",
                                  "torch.sym_min",
                                  "torch.tensor",
                                  "tuple",
                                  "functools.partial",
                                  "datetime.timedelta"};

/// Keywords that may occur within an expression and run nothing.
constexpr StringRef harmlessKeywords[] = {"None", "True", "False", "and", "or", "not", "in", "is", "if", "else"};

/// Recognises the name of a class: Shard, torch.Size. For torch, only its direct members count, since torch contains
/// Python modules such as torch.os.
bool isClassName(StringRef callee) {
  callee.consume_front("torch.distributed.tensor.");
  callee.consume_front("torch.");
  return !callee.contains('.') && !callee.empty() && callee.front() >= 'A' && callee.front() <= 'Z';
}

bool mayBeCalled(StringRef callee) {
  return llvm::is_contained(harmless, callee) || isClassName(callee) || callee.startswith("math.");
}

/// Recognises a letter before a quote: b'..' and r'..' are strings, f'..' contains expressions.
bool isTextPrefix(StringRef word) {
  return word.empty() || word.equals_insensitive("b") || word.equals_insensitive("r") || word.equals_insensitive("u") ||
         word.equals_insensitive("rb") || word.equals_insensitive("br");
}

class ConstantText {
public:
  explicit ConstantText(StringRef text) : cursor_{text.begin(), text.end()} {}

  bool check() {
    if (!isOneLine(cursor_.rest()))
      return false;
    while (!cursor_.atEnd())
      if (!token())
        return false;
    return true;
  }

private:
  bool token() {
    char c = cursor_.peek();
    if (c == '\'' || c == '"')
      return quoted("");
    if (isWordChar(c))
      return path();
    if (size_t length = endsValue_ ? 0 : lengthOfObjectText(cursor_.rest()))
      return cursor_.at += length, endsValue_ = true;
    ++cursor_.at;
    if (c == '#' || c == '\\' || c == ';' || c == '`' || (c == ':' && cursor_.peek() == '='))
      return false;
    bool isCall = c == '(' && endsValue_; // calls the value before it: (f)(x), f()(x)
    if (c != ' ')
      endsValue_ = c == ')' || c == ']' || c == '}';
    return !isCall;
  }

  bool quoted(StringRef prefix) {
    StringRef body;
    endsValue_ = true;
    return isTextPrefix(prefix) && cursor_.stringBody(body);
  }

  bool path() {
    StringRef path = cursor_.dotted();
    if (cursor_.peek() == '\'' || cursor_.peek() == '"')
      return quoted(path);
    if (isPythonKeyword(path) && !llvm::is_contained(harmlessKeywords, path))
      return false;
    Cursor ahead = cursor_;
    ahead.skipBlanks();
    endsValue_ = true;
    if (ahead.peek() != '(')
      return true;
    if (!mayBeCalled(path) && !isPythonKeyword(path))
      return false;
    cursor_.at = ahead.at + 1;
    endsValue_ = false;
    return true;
  }

  Cursor cursor_;
  bool endsValue_ = false; ///< a '(' that comes next would call the text before it
};

} // namespace

bool anyWord(StringRef text, llvm::function_ref<bool(StringRef word, StringRef rest)> visit) {
  Cursor cursor{text.begin(), text.end()};
  while (!cursor.atEnd()) {
    StringRef body;
    if (cursor.peek() == '\'' || cursor.peek() == '"') {
      if (!cursor.stringBody(body))
        return false;
    } else if (StringRef word = cursor.word(); word.empty()) {
      ++cursor.at;
    } else if (visit(word, cursor.rest())) {
      return true;
    }
  }
  return false;
}

bool isConstantText(StringRef text) { return ConstantText(text).check(); }

bool mentions(StringRef text, llvm::function_ref<bool(StringRef)> isNode) {
  return anyWord(text, [&](StringRef word, StringRef rest) {
    bool isParameter = rest.startswith("=") && !rest.startswith("==");
    return !isParameter && isNode(word);
  });
}

size_t lengthOfObjectText(StringRef text) {
  if (!text.startswith("<") || text.size() < 2 || !llvm::isAlpha(text[1]))
    return 0;
  int depth = 0;
  for (size_t i = 0; i != text.size(); ++i) {
    if (text[i] == '<')
      ++depth;
    else if (text[i] == '>' && text[i - 1] != '-' && --depth == 0)
      return i + 1;
  }
  return 0;
}

bool readsBack(StringRef text) {
  Context context;
  Graph graph(context);
  const SourceText source{"", text};
  const PlainText plain("");
  Problems problems(source, plain, 1);
  problems.mute(true);
  const NameTable names;
  Cursor cursor{text.begin(), text.end()};
  ExpressionReader reader(graph, names, problems, cursor);
  Argument argument;
  if (!reader.argument(argument) || !cursor.atEnd())
    return false;
  if (argument.is(Argument::Kind::Python))
    return argument.text() == text;
  return !argument.is(Argument::Kind::Symbolic) || argument.symbolic()->text() == text;
}

} // namespace ccgraph::fx
