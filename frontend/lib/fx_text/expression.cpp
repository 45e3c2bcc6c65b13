#include "fx_text/expression.h"

#include "ccgraph/ir/device.h"
#include "ccgraph/ir/internal/names.h"
#include "fx_text/constant_text.h"
#include "fx_text/writable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <charconv>
#include <cmath>

using llvm::StringRef;

namespace ccgraph::fx {

namespace {

constexpr int maxDepth = 200;
/// Reads None, True, False, inf, nan.
bool constant(StringRef word, Argument &out) {
  switch (word.size()) {
  case 3:
    if (word == "inf" || word == "nan")
      return out = Argument::floating(word == "inf" ? INFINITY : NAN), true;
    return false;
  case 4:
    if (word == "None")
      return out = Argument::none(), true;
    return word == "True" && (out = Argument::boolean(true), true);
  case 5:
    return word == "False" && (out = Argument::boolean(false), true);
  default:
    return false;
  }
}

bool isDelimiter(char c) { return c == ',' || c == ')' || c == ']' || c == '}' || c == ':' || c == ';'; }

/// Parses the whole text as a finite or infinite number in decimal notation.
bool parseFloat(StringRef text, double &value) {
  auto [end, status] = std::from_chars(text.begin(), text.end(), value);
  if (status == std::errc::result_out_of_range) // Python reads 1e999 as inf and 1e-999 as 0.
    value = text.contains_insensitive("e-") ? 0 : text.startswith("-") ? -INFINITY : INFINITY;
  return end == text.end() && status != std::errc::invalid_argument;
}

} // namespace

bool ExpressionReader::expected(StringRef what, std::string repair) {
  return problems_.error(cursor_.at, "got " + quoteHere(cursor_.at, cursor_.end) + ", expected " + what.str(),
                         std::move(repair));
}

// Reads an argument by its first character: a bracket, a quote, a digit or sign, or a word. The text after the value
// then decides whether the argument is complete. A delimiter ends it. An operator, as in "2*s0 + 1", makes the whole an
// expression, whose text is kept. So "s0" is a symbol, "s0 + 1" a symbolic expression, and "torch.float32" a dtype.
//
// Python in an unknown form, such as "functools.partial(f, 1)", is kept as its text too, since it may be a constant
// argument of a user-defined operator. But such a text must not mention a node, as in "f(mm)": the edge from the node
// would be lost, and a pass could move it. So mentionsNode looks at each word.
bool ExpressionReader::argument(Argument &out) {
  llvm::SaveAndRestore<int> nesting(depth_, depth_ + 1);
  if (depth_ > maxDepth)
    return problems_.error(cursor_.at, "got brackets that nest more than " + std::to_string(maxDepth) + " deep");
  const char *start = cursor_.at;
  if (!atom(out))
    return false;
  cursor_.skipBlanks();
  return cursor_.atEnd() || isDelimiter(*cursor_.at) || arithmetic(start, out);
}

bool ExpressionReader::atom(Argument &out) {
  switch (char c = cursor_.peek()) {
  case '[':
    return ++cursor_.at, sequence(Argument::Kind::List, out);
  case '(':
    return ++cursor_.at, parenthesised(out);
  case '{':
    return ++cursor_.at, dictionary(out);
  case '\'':
  case '"':
    return string(out);
  case '-':
  case '.':
    return number(out);
  case '<':
    return objectText(out);
  default:
    if (c >= '0' && c <= '9')
      return number(out);
    return isWordChar(c) ? wordValue(out) : expected("a value");
  }
}

// Python allows a comma after the last element, "(a, b,)", so a closing bracket may follow a comma.
bool ExpressionReader::separator(char close, bool &done) {
  cursor_.skipBlanks();
  done = cursor_.take(close);
  if (done)
    return true;
  if (!cursor_.take(','))
    return expected(std::string("',' or '") + close + "'");
  cursor_.skipLines();
  done = cursor_.take(close);
  return true;
}

bool ExpressionReader::element(char close, llvm::SmallVectorImpl<Argument> &out) {
  cursor_.skipBlanks();
  for (bool done = cursor_.take(close); !done;)
    if (!argument(out.emplace_back()) || !separator(close, done))
      return false;
  return true;
}

bool ExpressionReader::sequence(Argument::Kind kind, Argument &out) {
  llvm::SmallVector<Argument, 8> elements;
  if (!element(kind == Argument::Kind::List ? ']' : ')', elements))
    return false;
  out = builder_.sequence(kind, elements);
  return true;
}

// As in Python, (a) is a, (a,) is a tuple of one, and () is an empty tuple: the comma makes the tuple.
bool ExpressionReader::parenthesised(Argument &out) {
  const char *inside = cursor_.at;
  llvm::SmallVector<Argument, 8> elements;
  if (!element(')', elements))
    return false;
  bool comma = StringRef(inside, static_cast<size_t>(cursor_.at - inside - 1)).rtrim().endswith(",");
  if (elements.size() == 1 && !comma)
    out = elements.front();
  else
    out = builder_.sequence(Argument::Kind::Tuple, elements);
  return true;
}

bool ExpressionReader::dictionary(Argument &out) {
  llvm::SmallVector<NamedArgument, 8> entries;
  cursor_.skipBlanks();
  for (bool done = cursor_.take('}'); !done;) {
    Argument key;
    const char *place = cursor_.at;
    if (!argument(key))
      return false;
    if (!key.is(Argument::Kind::String))
      return problems_.error(place, "got a dictionary key that is no string, expected a string");
    if (!cursor_.takeAfterBlanks(':'))
      return expected("':' after the key");
    cursor_.skipBlanks();
    NamedArgument &entry = entries.emplace_back();
    entry.name = context_.identifier(key.text());
    if (!argument(entry.value) || !separator('}', done))
      return false;
  }
  out = builder_.dict(entries);
  return true;
}

bool ExpressionReader::string(Argument &out) {
  const char *start = cursor_.at;
  StringRef body;
  if (!cursor_.stringBody(body))
    return problems_.error(start, "got a string without its closing quote");
  if (!body.contains('\\'))
    return out = builder_.string(body), true;
  std::optional<std::string> text = unescapePython(body);
  if (!text)
    return problems_.error(start, "got a string with a malformed escape, expected \\n, \\x1b, \\u00e9 or the like");
  out = builder_.string(*text);
  return true;
}

// A minus and a plus belong to the number after an "e": 1e-05. Integers that do not fit into 64 bits, and complex
// numbers such as 2j, have no value here and are kept as text.
bool ExpressionReader::number(Argument &out) {
  const char *start = cursor_.at;
  cursor_.take('-');
  if (StringRef word = cursor_.rest(); word.startswith("inf") && !(word.size() > 3 && isWordChar(word[3])))
    return cursor_.at += 3, out = Argument::floating(-INFINITY), true;
  while (!cursor_.atEnd() && (isWordChar(*cursor_.at) || *cursor_.at == '.' ||
                              ((*cursor_.at == '-' || *cursor_.at == '+') && (cursor_.at[-1] | 32) == 'e')))
    ++cursor_.at;
  StringRef text = cursor_.since(start);
  int64_t integer = 0;
  double real = 0;
  StringRef digits = text.ltrim('-');
  if (!text.getAsInteger(10, integer))
    out = Argument::integer(integer);
  else if (!digits.empty() && // Beyond 64 bits: kept, never calculated with.
           (llvm::all_of(digits, llvm::isDigit) || (digits.endswith("j") && parseFloat(text.drop_back(), real))))
    out = Argument::word(Argument::Kind::Python, context_.identifier(text));
  else if (parseFloat(text, real))
    out = Argument::floating(real);
  else
    return cursor_.at = start, expected("a number");
  return true;
}

// Reads a word by the text after it: "torch.float32" has a dot, "device(...)" and "slice(...)" a bracket. Another call,
// and a word before a quote, as in b'ab' or f'x', are Python that is kept as text. A bare word is a constant or a name.
bool ExpressionReader::wordValue(Argument &out) {
  const char *start = cursor_.at;
  StringRef name = cursor_.word();
  switch (cursor_.peek()) {
  case '.':
    cursor_.at = start;
    return dottedValue(start, out);
  case '(':
    if (name == "device" || name == "slice")
      return ++cursor_.at, name == "device" ? device(out) : slice(out);
    return pythonText(start, out);
  case '\'':
  case '"':
    return pythonText(start, out);
  default:
    return constant(name, out) || reference(name, out);
  }
}

// A plain name is one of three: a node; a statement with an error (null in the table, already reported); or a symbol.
// PyTorch prints "s0" for a size whether or not a node yields it.
bool ExpressionReader::reference(StringRef name, Argument &out) {
  auto found = names_.find(name);
  if (found != names_.end()) {
    if (found->second == nullptr)
      return false;
    out = builder_.operand(found->second);
    return true;
  }
  if (isSymbolName(name)) {
    out = Argument::symbolic(context_.symbolic(name));
    return true;
  }
  return problems_.error(name.begin(), "got the name '" + name.str() + "', which no line above defines",
                         "print the whole graph; a definition must precede its uses");
}

bool ExpressionReader::dottedValue(const char *start, Argument &out) {
  StringRef name = cursor_.dotted();
  auto [root, rest] = name.split('.');
  if (root == "torch" && rest == "device" && cursor_.take('('))
    return device(out);
  if (root == "torch" && cursor_.peek() != '(')
    return torchValue(name, out);
  if (names_.count(root) || root == "self")
    return problems_.error(start, "got '" + name.str() + "' inside an argument, expected a plain name",
                           "torch.fx gives each attribute a line of its own: x = self.x");
  return pythonText(start, out);
}

bool ExpressionReader::torchValue(StringRef name, Argument &out) {
  StringRef word = name.drop_front(StringRef("torch.").size());
  auto kind = isMemoryFormat(word) ? Argument::Kind::MemoryFormat
              : isLayout(word)     ? Argument::Kind::Layout
                                   : Argument::Kind::Python;
  if (std::optional<DType> dtype = parseTorchDType(word))
    out = Argument::dtype(*dtype);
  else
    out = Argument::word(kind, context_.identifier(kind == Argument::Kind::Python ? name : word));
  return true;
}

// Both forms of PyTorch reduce to named parts: device(type='cuda', index=0) and device('cuda', 0).
bool ExpressionReader::device(Argument &out) {
  const char *place = cursor_.at;
  CallArguments call;
  if (!callArguments(call))
    return false;
  static constexpr StringRef keys[] = {"type", "index"};
  for (const Argument &argument : call.positional)
    call.keyword.push_back({context_.identifier(keys[call.keyword.empty() ? 0 : 1]), argument});
  Device result;
  bool good = !call.keyword.empty();
  for (const auto &[name, value] : call.keyword) {
    std::optional<Device> named =
        name.str() == "type" && value.is(Argument::Kind::String) ? parseDevice(context_, value.text()) : std::nullopt;
    if (named)
      result = *named;
    else if (name.str() == "index" && value.is(Argument::Kind::Int))
      result.index = static_cast<int>(value.integer());
    else
      good = false;
  }
  if (!good || !result.kind)
    return problems_.error(place, "got a malformed device, expected device(type='cuda', index=0)");
  out = Argument::device(result);
  return true;
}

// As in Python, slice(4) is slice(None, 4, None): a single part is the stop.
bool ExpressionReader::slice(Argument &out) {
  const char *place = cursor_.at;
  llvm::SmallVector<Argument, 3> parts;
  if (!element(')', parts))
    return false;
  if (parts.empty() || parts.size() > 3)
    return problems_.error(place,
                           "got a slice of " + std::to_string(parts.size()) + " parts, expected start, stop, step");
  if (parts.size() == 1)
    parts.insert(parts.begin(), Argument::none());
  parts.resize(3);
  out = builder_.sequence(Argument::Kind::Slice, parts);
  return true;
}

bool ExpressionReader::slicePart(Argument &out) {
  cursor_.skipBlanks();
  out = Argument::none();
  return StringRef(":,]").contains(cursor_.peek()) || argument(out);
}

bool ExpressionReader::subscriptItem(Argument &out) {
  if (cursor_.peek() == ']' || cursor_.peek() == ',')
    return expected("an index");
  if (!slicePart(out))
    return false;
  if (cursor_.peek() != ':')
    return true;
  Argument parts[3] = {out};
  for (int i = 1; i != 3 && cursor_.take(':'); ++i)
    if (!slicePart(parts[i]))
      return false;
  out = builder_.sequence(Argument::Kind::Slice, parts);
  return true;
}

// x[0] has the index 0, x[0,] and x[0, 1] have tuples, and x[1:2] has slice(1, 2, None).
bool ExpressionReader::subscript(Argument &out) {
  const char *start = cursor_.at;
  llvm::SmallVector<Argument, 4> items;
  for (bool done = false; !done;) {
    cursor_.skipBlanks();
    if (!subscriptItem(items.emplace_back()) || !separator(']', done))
      return false;
  }
  bool comma = cursor_.since(start).drop_back().rtrim().endswith(",");
  out = items.size() == 1 && !comma ? items.front() : builder_.sequence(Argument::Kind::Tuple, items);
  return true;
}

bool ExpressionReader::mentionsNode(StringRef text) const {
  return mentions(text, [&](StringRef word) { return names_.count(word) != 0; });
}

// Reads the repr() of an object, which PyTorch prints where there is no literal: <built-in function add>.
bool ExpressionReader::objectText(Argument &out) {
  size_t length = lengthOfObjectText(cursor_.rest());
  StringRef text = cursor_.rest().take_front(length);
  if (!isConstantText(text) || text.empty())
    return expected("a value");
  cursor_.at += length;
  out = Argument::word(Argument::Kind::Python, context_.identifier(text));
  return true;
}

bool ExpressionReader::pythonText(const char *start, Argument &out) {
  cursor_.at = start;
  cursor_.skipExpression();
  StringRef text = cursor_.since(start).rtrim();
  if (mentionsNode(text))
    return problems_.error(start, "got the expression '" + text.str() + "' over nodes inside an argument",
                           "torch.fx gives each call a line and a name of its own");
  if (!isConstantText(text))
    return problems_.error(
        start, "got the expression " + quoteHere(text.begin(), text.end()) + ", expected a constant",
        "an argument is a literal, a name, or the call of a class: any other call would run with the text");
  out = Argument::word(Argument::Kind::Python, context_.identifier(text));
  return true;
}

bool ExpressionReader::arithmetic(const char *start, Argument &out) {
  if (findOperator(cursor_.rest(), PythonOperator::Form::Binary) == nullptr)
    return true; // The caller reports what it expects here.
  if (!pythonText(start, out))
    return false;
  if (anyWord(out.text(), [](StringRef word, StringRef) { return isSymbolName(word); }))
    out = Argument::symbolic(context_.symbolic(out.text()));
  return true;
}

// A word and a '=' make a keyword argument; a word and "==" begin a comparison. So the word is read first, and the
// cursor is reset where it was not a keyword.
bool ExpressionReader::oneCallArgument(CallArguments &out) {
  const char *start = cursor_.at;
  StringRef name = cursor_.word();
  cursor_.skipBlanks();
  if (name.empty() || cursor_.peek() != '=' || cursor_.rest().startswith("==")) {
    cursor_.at = start;
    if (!out.keyword.empty())
      return expected("a keyword argument, since one is before it");
    return argument(out.positional.emplace_back());
  }
  Identifier key = context_.identifier(name);
  if (llvm::any_of(out.keyword, [&](const NamedArgument &other) { return other.name == key; }))
    return problems_.error(start, "got the keyword '" + name.str() + "' twice");
  if (!isArgumentName(name))
    return problems_.error(start, "got the keyword " + quoteHere(name.begin(), name.end()) +
                                      ", expected an identifier of Python");
  ++cursor_.at;
  cursor_.skipBlanks();
  NamedArgument &entry = out.keyword.emplace_back();
  entry.name = key;
  return argument(entry.value);
}

bool ExpressionReader::callArguments(CallArguments &out) {
  cursor_.skipBlanks();
  for (bool done = cursor_.take(')'); !done;)
    if (!oneCallArgument(out) || !separator(')', done))
      return false;
  return true;
}

} // namespace ccgraph::fx
