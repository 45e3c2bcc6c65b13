#include "ccgraph/frontend/source_text.h"

#include <algorithm>

namespace ccgraph {

// In "ab\ncd" the byte at offset 4, 'd', has the line 1 + one newline before it = 2, and the column 4 - 3 + 1 = 2.
SourcePosition positionAt(llvm::StringRef text, size_t offset) {
  llvm::StringRef before = text.take_front(offset);
  size_t lineStart = before.rfind('\n');
  size_t column = lineStart == llvm::StringRef::npos ? before.size() : before.size() - lineStart - 1;
  return {static_cast<unsigned>(before.count('\n') + 1), static_cast<unsigned>(column + 1)};
}

SourcePosition positionAt(const SourceText &source, size_t offset) {
  SourcePosition position = positionAt(source.text, offset);
  if (source.cut == nullptr || source.cut->lines.empty())
    return position;
  size_t index = std::min<size_t>(position.line, source.cut->lines.size()) - 1;
  return {static_cast<unsigned>(source.cut->lines[index]), position.column + static_cast<unsigned>(source.cut->indent)};
}

Diagnostic diagnoseAt(const SourceText &source, size_t offset, std::string message, std::string repair) {
  Diagnostic diagnostic;
  SourcePosition position = positionAt(source, offset);
  diagnostic.file = source.name;
  diagnostic.line = position.line;
  diagnostic.column = position.column;
  diagnostic.message = std::move(message);
  if (!repair.empty())
    diagnostic.notes.push_back(std::move(repair));
  return diagnostic;
}

} // namespace ccgraph
