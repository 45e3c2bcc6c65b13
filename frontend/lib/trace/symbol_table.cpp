#include "trace/symbol_table.h"

#include "json/member_sink.h"

using llvm::StringRef;

namespace ccgraph {

void SymbolTable::note(const HeaderLine &line) {
  if (!line.json.startswith("{\"create_symbol\""))
    return;
  std::string symbol;
  int64_t value = -1;
  MemberSink sink("", [&](const JsonValue &member) {
    const JsonValue *name = member.key == "create_symbol" ? member.member("symbol") : nullptr;
    const JsonValue *text = name ? member.member("val") : nullptr;
    if (text && name->is(JsonKind::String) && text->is(JsonKind::String) && !text->text.getAsInteger(10, value))
      symbol = name->text.str();
  });
  if (llvm::Error error = parseJson({"", line.json}, sink))
    return llvm::consumeError(std::move(error));
  std::optional<TraceHeader> header = parseWholeHeader(line.json);
  if (!symbol.empty() && value >= 0 && header)
    hints_[{line.prefix.str(), header->compileId}].emplace_back(symbol, value);
}

SymbolTable::Hints SymbolTable::hintsOf(StringRef prefix, const std::string &compileId) const {
  auto known = hints_.find({prefix.str(), compileId});
  return known == hints_.end() ? Hints() : known->second;
}

} // namespace ccgraph
