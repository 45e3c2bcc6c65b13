#include "fx_text/scope.h"

using llvm::StringRef;

namespace ccgraph::fx {

namespace {

/// "(t1, t2)" -> its elements, split at commas outside brackets.
llvm::SmallVector<StringRef, 4> splitList(StringRef text) {
  llvm::SmallVector<StringRef, 4> pieces;
  int depth = 0;
  const char *start = text.begin();
  auto flush = [&](const char *end) {
    StringRef piece = StringRef(start, static_cast<size_t>(end - start)).trim();
    if (!piece.empty())
      pieces.push_back(piece);
    start = end + 1;
  };
  for (const char &c : text) {
    depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      flush(&c);
  }
  flush(text.end());
  return pieces;
}

// A graph above AOTAutograd may hold tensors of Python classes, which define the meaning of their operators themselves.
// Such a graph is rejected as one above operators, not because of an invalid type.

/// "DTensor(f32[8][1]cuda:0, S(0))"
bool namesSubclass(StringRef text) {
  return !text.empty() && text.front() >= 'A' && text.front() <= 'Z' && text.drop_while(isWordChar).startswith("(");
}

bool parseOne(Session &session, StringRef text, const Type *&out) {
  llvm::Expected<const Type *> type = parseType(session.context, text);
  if (type)
    return out = *type, true;
  std::string reason = llvm::toString(type.takeError());
  if (namesSubclass(text))
    return session.problems.aboveOperators(
        text.begin(), "got the type '" + text.str() + "' of a tensor subclass, expected a plain tensor",
        "AOTAutograd's graphs (TORCH_LOGS=aot_graphs) hold the plain tensors that it is made of");
  return session.problems.error(
      text.begin(), reason, "types are spelled as print_readable spells them: bf16[8, 4][4, 1]cuda:0, f32[2], Sym(u0)");
}

bool parseList(Session &session, StringRef text, const Type *&out) {
  llvm::SmallVector<const Type *, 4> elements;
  for (StringRef piece : splitList(text.drop_front().drop_back())) {
    const Type *element = nullptr;
    if (piece != "-" && !parseOne(session, piece, element))
      return false;
    elements.push_back(element);
  }
  out = session.context.list(elements);
  return true;
}

} // namespace

// A graph of a million nodes has some hundred distinct types, so the text of each is parsed once. An invalid one is
// kept as null: it is reported at its first occurrence, and fails silently at every later one.
bool readType(Session &session, StringRef text, const Type *&out) {
  auto [entry, isNew] = session.types.try_emplace(text, nullptr);
  if (!isNew)
    return out = entry->second, out != nullptr;
  bool isList = text.startswith("(") && text.endswith(")");
  if (!(isList ? parseList(session, text, out) : parseOne(session, text, out)))
    return false;
  session.types[text] = out;
  return true;
}

// Two forms may follow a colon: a string, x: "f32[2][1]cpu", which states the type, and Python's own, x: torch.Tensor
// or x: Optional[int]. The latter is too imprecise and is skipped.
bool readAnnotation(Session &session, Cursor &cursor, const Type *&out) {
  cursor.skipBlanks();
  const char *place = cursor.at;
  if (cursor.peek() == '"' || cursor.peek() == '\'') {
    StringRef text;
    if (!cursor.stringBody(text))
      return session.problems.error(place, "got a type without its closing quote");
    return readType(session, text, out);
  }
  if (cursor.dotted().empty())
    return session.problems.error(place, "got " + quoteHere(place, cursor.end) + ", expected a type after ':'");
  if (cursor.take('['))
    while (!cursor.take(']')) {
      cursor.skipExpression();
      if (!cursor.take(',') && cursor.peek() != ']')
        return session.problems.error(cursor.at, "got " + quoteHere(cursor.at, cursor.end) +
                                                     " in a type, expected ',' or the closing ']'");
    }
  return true;
}

} // namespace ccgraph::fx
