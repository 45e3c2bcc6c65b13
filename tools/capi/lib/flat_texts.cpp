#include "flat_texts.h"

#include "ccgraph/ir/context.h"

namespace ccgraph::capi {
namespace {

/// Returns the text up to the next ';' that is not in an inner list; `rest` keeps the text after it.
llvm::StringRef takeElement(llvm::StringRef &rest) {
  unsigned depth = 0;
  size_t end = 0;
  for (; end < rest.size() && (depth > 0 || rest[end] != ';'); ++end)
    depth += rest[end] == '(' ? 1U : rest[end] == ')' && depth > 0 ? -1U : 0U;
  llvm::StringRef element = rest.take_front(end);
  rest = rest.drop_front(std::min(end + 1, rest.size()));
  return element;
}

} // namespace

llvm::Expected<const Type *> parseFlatType(Context &context, llvm::StringRef text) {
  if (text == "-")
    return nullptr;
  llvm::StringRef rest = text;
  if (!rest.consume_front("("))
    return parseType(context, text);
  if (!rest.consume_back(")"))
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "type '%s': expected ')' at its end",
                                   text.str().c_str());
  std::vector<const Type *> elements;
  while (!rest.empty()) {
    llvm::Expected<const Type *> element = parseFlatType(context, takeElement(rest));
    if (!element)
      return element.takeError();
    elements.push_back(*element);
  }
  return context.list(elements);
}

std::string flatTypeText(const Type *type) {
  if (!type)
    return "-";
  if (!type->isList())
    return type->str();
  std::string text = "(";
  for (const Type *element : type->elements())
    text += (text.size() > 1 ? ";" : "") + flatTypeText(element);
  return text + ")";
}

} // namespace ccgraph::capi
