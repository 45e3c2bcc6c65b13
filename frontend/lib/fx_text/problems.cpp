#include "fx_text/problems.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::fx {

bool Problems::error(const char *place, std::string message, std::string repair) {
  if (diagnostics_.numErrors() >= limit_) {
    diagnostics_.add({});
    return false;
  }
  size_t offset = static_cast<size_t>(place - plain_->text().begin());
  diagnostics_.add(diagnoseAt(*source_, plain_->originalOffset(offset), std::move(message), std::move(repair)));
  return false;
}

std::string quoteHere(const char *place, const char *end) {
  constexpr size_t shown = 40;
  llvm::StringRef rest(place, static_cast<size_t>(end - place));
  rest = rest.take_until([](char c) { return c == '\n'; }).rtrim();
  if (rest.empty())
    return "the end of the line";
  std::string text = "'";
  for (char c : rest.take_front(shown))
    text += llvm::isPrint(c) || static_cast<unsigned char>(c) >= 128 ? c : '?';
  return text + (rest.size() > shown ? "...'" : "'");
}

} // namespace ccgraph::fx
