#include "json/json_report.h"

#include "ccgraph/ir/internal/names.h"
#include "json/json_text.h"

namespace ccgraph {

Diagnostic JsonReport::at(size_t offset, std::string message, std::string repair) const {
  Diagnostic diagnostic = diagnoseAt(source_, offset, std::move(message), std::move(repair));
  diagnostic.where = jsonPointerAt(source_.text, offset);
  return diagnostic;
}

void JsonReport::error(size_t offset, std::string message, std::string repair) {
  // Each place costs a scan of the text, so errors that will not be printed are only counted.
  errors_.add(errors_.numErrors() < limit_ ? at(offset, std::move(message), std::move(repair)) : Diagnostic());
}

void JsonReport::warning(size_t offset, std::string message, std::string repair) {
  if (warnings_.size() == limit_)
    return;
  warnings_.push_back(at(offset, std::move(message), std::move(repair)));
  warnings_.back().severity = Severity::Warning;
}

void JsonReport::expected(const JsonValue &got, const llvm::Twine &what, std::string repair) {
  if (errors_.numErrors() >= limit_)
    return errors_.add({});
  error(got.offset, ("expected " + what + ", got " + excerptOf(source_.text, got)).str(), std::move(repair));
}

// The parser ends at its first error; this adds it to the errors that readers found before it.
void JsonReport::giveWarnings(Diagnostics *warnings) {
  for (Diagnostic &warning : std::exchange(warnings_, {}))
    if (warnings)
      warnings->add(std::move(warning));
}

llvm::Error JsonReport::take(llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [&](const DiagnosticError &other) {
    for (const Diagnostic &diagnostic : other.diagnostics())
      errors_.add(diagnostic);
  });
  if (!errors_.hasErrors())
    return llvm::Error::success();
  return makeError(errors_.take());
}

std::optional<int64_t> JsonReport::integer(const JsonValue &value, llvm::StringRef what) {
  if (value.is(JsonKind::Integer))
    return value.integer;
  expected(value, what);
  return std::nullopt;
}

std::optional<llvm::StringRef> JsonReport::string(const JsonValue &value, llvm::StringRef what) {
  if (value.is(JsonKind::String))
    return value.text;
  expected(value, what);
  return std::nullopt;
}

std::optional<llvm::StringRef> JsonReport::line(const JsonValue &value, llvm::StringRef what) {
  std::optional<llvm::StringRef> text = string(value, what);
  if (!text || isOneLine(*text))
    return text;
  expected(value, what + " without control characters");
  return std::nullopt;
}

} // namespace ccgraph
