#include "process_groups/group_error.h"

namespace ccgraph::runtime {

llvm::Error groupError(llvm::StringRef rule, llvm::StringRef where, std::string message, std::string repair) {
  Diagnostic diagnostic = diagnose(rule, std::move(message), std::move(repair));
  diagnostic.where = where.str();
  return makeError(std::move(diagnostic));
}

std::vector<Diagnostic> diagnosticsOf(llvm::Error error) {
  std::vector<Diagnostic> all;
  llvm::handleAllErrors(
      std::move(error),
      [&](const DiagnosticError &found) {
        all.insert(all.end(), found.diagnostics().begin(), found.diagnostics().end());
      },
      [&](const llvm::ErrorInfoBase &other) {
        all.emplace_back();
        all.back().message = other.message();
      });
  return all;
}

} // namespace ccgraph::runtime
