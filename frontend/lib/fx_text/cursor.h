// Cursor: a place in a text, and the few moves that a simple scanner needs.
//
// A cursor sees one statement: `end` is the end of its line (or of its header, which may run over lines). Reading past
// the end yields '\0', so callers need no second test. A '\0' in the text looks the same and is rejected there.
//
// Ownership: borrows the text. Never fails. Cost: each move is linear in the characters that it skips.
#pragma once

#include "fx_text/python.h"

namespace ccgraph::fx {

/// A plain value: a copy marks a place to return to.
struct Cursor {
  const char *at = nullptr;
  const char *end = nullptr;

  /// Returns true at the end of the statement, not of the text.
  [[nodiscard]] bool atEnd() const { return at == end; }
  /// Returns the character here, '\0' at the end.
  [[nodiscard]] char peek() const { return at != end ? *at : '\0'; }
  /// Returns the rest of the statement, for a lookahead of more than one character.
  [[nodiscard]] llvm::StringRef rest() const { return {at, static_cast<size_t>(end - at)}; }
  /// Returns the text since `start`, an earlier value of `at`.
  [[nodiscard]] llvm::StringRef since(const char *start) const { return {start, static_cast<size_t>(at - start)}; }

  /// Skips blanks, and the line ends of a header that runs over lines.
  void skipBlanks() {
    while (at != end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
      ++at;
  }
  /// Skips blanks, line ends, and comments.
  void skipLines() {
    for (skipBlanks(); peek() == '#'; skipBlanks())
      while (at != end && *at != '\n')
        ++at;
  }
  /// Consumes one character if it comes next.
  bool take(char c) {
    if (peek() != c || atEnd())
      return false;
    return ++at, true;
  }
  /// Consumes one character after blanks; the blanks are skipped in either case.
  bool takeAfterBlanks(char c) { return skipBlanks(), take(c); }

  /// Reads the word here, perhaps empty: `name`, `None`, `12`.
  llvm::StringRef word() {
    const char *start = at;
    while (at != end && isWordChar(*at))
      ++at;
    return since(start);
  }
  /// Reads words joined by dots: `torch.ops.aten.mm.default`.
  llvm::StringRef dotted() {
    const char *start = at;
    while (at != end && (isWordChar(*at) || *at == '.'))
      ++at;
    return since(start);
  }

  /// Reads the inside of the string literal that begins here, without quotes and still escaped. Returns false where it
  /// does not end.
  bool stringBody(llvm::StringRef &body) {
    char quote = *at++;
    const char *start = at;
    while (at != end && *at != quote && *at != '\n')
      at += *at == '\\' && at + 1 != end ? 2 : 1;
    body = since(start);
    return take(quote);
  }

  /// Skips a Python expression: up to a comma, colon, semicolon or closing bracket outside its own brackets and
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
