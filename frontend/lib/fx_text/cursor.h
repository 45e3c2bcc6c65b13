// Cursor: a place in a text, and the few moves that a hand-written scanner needs.
//
// A cursor sees one statement: `end` is the end of its line (or of its header, which may run over lines). Reading past
// the end yields '\0', so that callers need no second test; a '\0' in the text looks the same and is refused where it
// stands.
//
// Ownership: borrows the text. Fails never. Cost: each move is linear in what it passes.
#pragma once

#include "fx_text/python.h"

namespace ccgraph::fx {

/// A plain value: copying one marks a place to come back to.
struct Cursor {
  const char *at = nullptr;
  const char *end = nullptr;

  /// At the end of the statement, not of the text.
  [[nodiscard]] bool atEnd() const { return at == end; }
  /// The character here, '\0' at the end.
  [[nodiscard]] char peek() const { return at != end ? *at : '\0'; }
  /// What is left of the statement: for a look ahead by more than one character.
  [[nodiscard]] llvm::StringRef rest() const { return {at, static_cast<size_t>(end - at)}; }
  /// What was passed since `start`, an earlier value of `at`.
  [[nodiscard]] llvm::StringRef since(const char *start) const { return {start, static_cast<size_t>(at - start)}; }

  /// Blanks, and the line ends of a header that runs over lines.
  void skipBlanks() {
    while (at != end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
      ++at;
  }
  /// The same, and the comments after what stands on lines of its own.
  void skipLines() {
    for (skipBlanks(); peek() == '#'; skipBlanks())
      while (at != end && *at != '\n')
        ++at;
  }
  /// Takes one character if it comes next.
  bool take(char c) {
    if (peek() != c || atEnd())
      return false;
    return ++at, true;
  }
  /// The same after blanks, which are passed in either case.
  bool takeAfterBlanks(char c) { return skipBlanks(), take(c); }

  /// The word here, perhaps empty: `name`, `None`, `12`.
  llvm::StringRef word() {
    const char *start = at;
    while (at != end && isWordChar(*at))
      ++at;
    return since(start);
  }
  /// Words joined by dots: `torch.ops.aten.mm.default`.
  llvm::StringRef dotted() {
    const char *start = at;
    while (at != end && (isWordChar(*at) || *at == '.'))
      ++at;
    return since(start);
  }

  /// Inside of the string literal that begins here, without quotes and still escaped. False where it does not end.
  bool stringBody(llvm::StringRef &body) {
    char quote = *at++;
    const char *start = at;
    while (at != end && *at != quote && *at != '\n')
      at += *at == '\\' && at + 1 != end ? 2 : 1;
    body = since(start);
    return take(quote);
  }

  /// Passes a Python expression: up to a comma, colon, semicolon or closing bracket outside of its own brackets and
  /// strings.
  void skipExpression() {
    for (int depth = 0; at != end; ++at) {
      if (*at == '\'' || *at == '"') {
        llvm::StringRef body;
        if (!stringBody(body))
          return;
        --at;
      } else if (llvm::StringRef("([{").contains(*at)) {
        ++depth;
      } else if (llvm::StringRef(")]}").contains(*at)) {
        if (depth-- == 0)
          return;
      } else if (depth == 0 && llvm::StringRef(",:;").contains(*at)) {
        return;
      }
    }
  }
};

} // namespace ccgraph::fx
