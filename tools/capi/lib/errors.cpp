#include "handles.h"

#include "llvm/ADT/StringExtras.h"

using namespace ccgraph;

namespace ccgraph::capi {

ccgraph_error *toError(llvm::Error error, int32_t kind) {
  if (!error)
    return nullptr;
  auto result = std::make_unique<ccgraph_error>();
  result->kind = kind;
  llvm::handleAllErrors(
      std::move(error),
      [&](const DiagnosticError &known) { llvm::append_range(result->diagnostics, known.diagnostics()); },
      [&](const llvm::ErrorInfoBase &other) { result->diagnostics.push_back({.message = other.message()}); });
  for (const Diagnostic &diagnostic : result->diagnostics)
    result->notes.push_back(llvm::join(diagnostic.notes, "\n"));
  result->text = toString(result->diagnostics);
  return result.release();
}

ccgraph_error *usage(std::string message, std::string repair) {
  return toError(makeError(diagnose("api.usage", std::move(message), std::move(repair))), CCGRAPH_USAGE);
}

} // namespace ccgraph::capi

uint32_t ccgraph_abi_version(void) { return CCGRAPH_ABI_MAJOR << 16U | CCGRAPH_ABI_MINOR; }
const char *ccgraph_version(void) { return CCGRAPH_VERSION; }

int32_t ccgraph_error_kind(const ccgraph_error *error) { return error ? error->kind : 0; }
const char *ccgraph_error_text(const ccgraph_error *error) { return error ? error->text.c_str() : ""; }
size_t ccgraph_error_count(const ccgraph_error *error) { return error ? error->diagnostics.size() : 0; }

int32_t ccgraph_error_at(const ccgraph_error *error, size_t index, ccgraph_diagnostic *out) {
  if (!error || index >= error->diagnostics.size() || !out || out->struct_size < sizeof(ccgraph_diagnostic))
    return 0;
  const Diagnostic &found = error->diagnostics[index];
  out->severity = found.severity == Severity::Error ? CCGRAPH_SEVERITY_ERROR : CCGRAPH_SEVERITY_WARNING;
  out->line = found.line;
  out->column = found.column;
  out->rule = found.rule.c_str();
  out->file = found.file.c_str();
  out->where = found.where.c_str();
  out->message = found.message.c_str();
  out->notes = error->notes[index].c_str();
  return 1;
}

void ccgraph_error_free(ccgraph_error *error) { delete error; }

const char *ccgraph_text_data(const ccgraph_text *text) { return text ? text->text.c_str() : ""; }
size_t ccgraph_text_size(const ccgraph_text *text) { return text ? text->text.size() : 0; }
void ccgraph_text_free(ccgraph_text *text) { delete text; }
