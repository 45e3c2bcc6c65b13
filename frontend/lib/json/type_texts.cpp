#include "json/type_texts.h"

#include "json/json_text.h"

namespace ccgraph {

static void spell(const Type *type, std::string &out) {
  if (!type) {
    out += "null";
    return;
  }
  if (!type->isList()) {
    llvm::raw_string_ostream os(out);
    writeJsonString(os, type->str());
    return;
  }
  out += '[';
  for (size_t i = 0; i < type->elements().size(); ++i) {
    out += i ? ", " : "";
    spell(type->elements()[i], out);
  }
  out += ']';
}

llvm::StringRef TypeTexts::json(const Type *type) {
  std::string &text = texts_[type];
  if (text.empty())
    spell(type, text);
  return text;
}

} // namespace ccgraph
