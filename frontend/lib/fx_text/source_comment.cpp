#include "fx_text/source_comment.h"

#include "ccgraph/ir/internal/names.h"
#include "ccgraph/ir/text.h"
#include "fx_text/cursor.h"

#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace ccgraph::fx {

namespace {

constexpr StringRef annotationWord = "Annotation: ";
constexpr StringRef fileWord = "File: ";
constexpr StringRef noTrace = "No stacktrace found for following nodes";

/// Removes "{...}" from the front of `text` and returns it; empty where it is not closed.
StringRef takeDictionary(StringRef &text) {
  if (!text.startswith("{"))
    return {};
  Cursor cursor{text.begin() + 1, text.end()};
  while (!cursor.atEnd() && cursor.peek() != '}') {
    cursor.skipExpression();
    if (!cursor.atEnd() && cursor.peek() != '}')
      ++cursor.at;
  }
  if (!cursor.take('}'))
    return {};
  StringRef dictionary = cursor.since(text.begin());
  text = text.drop_front(dictionary.size());
  return dictionary;
}

/// Parses "path:12 in forward, code: text"; returns false where the place has another form.
bool parsePlace(Context &context, StringRef text, Frame &frame) {
  auto [place, code] = text.split(", code: ");
  size_t in = place.rfind(" in ");
  if (in == StringRef::npos)
    return false;
  auto [file, line] = place.take_front(in).rsplit(':');
  if (line.getAsInteger(10, frame.line))
    return false;
  frame.file = context.identifier(file);
  frame.function = context.identifier(place.drop_front(in + 4));
  frame.code = context.identifier(code);
  return true;
}

} // namespace

// Parses a comment from the front: "Annotation: {...}", words of PyTorch's, "File: ". The place after it is searched
// from the back, because a path may contain " in " and ":" itself: "/a in b/m.py:12 in forward, code: y = x".
std::optional<Frame> parseSourceComment(Context &context, StringRef comment) {
  Frame frame;
  StringRef text = comment.drop_front().ltrim().rtrim("\r");
  if (text.consume_front(annotationWord)) {
    frame.annotation = context.identifier(takeDictionary(text));
    text = text.ltrim();
  }
  StringRef prefix = text.take_front(text.find(fileWord));
  if (prefix.size() != text.size()) {
    if (!parsePlace(context, text.drop_front(prefix.size() + fileWord.size()), frame))
      return std::nullopt;
  } else if (!prefix.consume_back(noTrace)) {
    return std::nullopt;
  }
  prefix = prefix.trim();
  if (!prefix.empty())
    frame.prefix = context.identifier(prefix);
  return frame;
}

// The inverse of parseSourceComment: joins the parts with the same words, so a text is printed back as it was read. A
// frame of a JSON file may hold line breaks, after which a comment would end.
void printSourceComment(llvm::raw_ostream &os, const Frame &frame) {
  auto print = [&](Identifier text) {
    llvm::ListSeparator tab("\t"); // of a line of source: the one control character that is harmless here
    for (StringRef part : llvm::split(text.str(), "\t"))
      os << tab << visibleText(part);
  };
  os << "# ";
  if (frame.annotation)
    os << annotationWord, print(frame.annotation), os << ' ';
  if (frame.prefix)
    print(frame.prefix), os << ' ';
  if (!frame.file) {
    os << noTrace;
    return;
  }
  os << fileWord, print(frame.file), os << ':' << frame.line << " in ";
  print(frame.function), os << ", code: ", print(frame.code);
}

} // namespace ccgraph::fx
