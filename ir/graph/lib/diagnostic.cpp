#include "ccgraph/ir/diagnostic.h"

#include "ccgraph/ir/text.h"

namespace ccgraph {

char DiagnosticError::ID = 0;

namespace {

llvm::StringRef severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  }
  llvm_unreachable("all severities are named");
}

std::string frameText(const Frame &frame) {
  std::string text = frame.file.str().str() + ":" + std::to_string(frame.line);
  if (frame.function)
    text += " in " + frame.function.str().str();
  if (frame.code)
    text += ": " + frame.code.str().str();
  return text;
}

constexpr size_t longestText = 1000;
constexpr size_t keptBefore = 500;
constexpr size_t keptAfter = 300;

/// Messages quote the input, which may contain anything. Terminal control characters are escaped, and the middle of a
/// very long text is left out.
void printQuoting(llvm::raw_ostream &os, llvm::StringRef text) {
  if (text.size() <= longestText) {
    os << visibleText(text);
    return;
  }
  os << visibleText(text.take_front(keptBefore));
  os << " ... [" << text.size() - keptBefore - keptAfter << " bytes] ... ";
  os << visibleText(text.take_back(keptAfter));
}

} // namespace

// The format of compilers, which editors can follow:
//   step.json:12:5: error: mm_1: reads 'view', which is later; expected it before [structure.order]
//     note: move 'view' up or 'mm_1' down
void print(llvm::raw_ostream &os, const Diagnostic &diagnostic) {
  if (!diagnostic.file.empty()) {
    printQuoting(os, diagnostic.file);
    os << ':';
    if (diagnostic.line)
      os << diagnostic.line << ':';
    if (diagnostic.column)
      os << diagnostic.column << ':';
    os << ' ';
  }
  os << severityName(diagnostic.severity) << ": ";
  if (!diagnostic.where.empty()) {
    printQuoting(os, diagnostic.where);
    os << ": ";
  }
  printQuoting(os, diagnostic.message);
  if (!diagnostic.rule.empty())
    os << " [" << diagnostic.rule << ']';
  os << '\n';
  for (const std::string &note : diagnostic.notes) {
    os << "  note: ";
    printQuoting(os, note);
    os << '\n';
  }
}

std::string toString(llvm::ArrayRef<Diagnostic> diagnostics) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Diagnostic &diagnostic : diagnostics)
    print(os, diagnostic);
  return text;
}

Diagnostic diagnose(llvm::StringRef rule, std::string message, std::string repair) {
  Diagnostic result;
  result.rule = rule.str();
  result.message = std::move(message);
  if (!repair.empty())
    result.notes.push_back(std::move(repair));
  return result;
}

Diagnostic diagnose(const Node &node, llvm::StringRef rule, std::string message, std::string repair) {
  Diagnostic result = diagnose(rule, std::move(message), std::move(repair));
  result.where = node.name().str().str();
  if (std::string source = sourceText(node); !source.empty())
    result.notes.push_back("from " + source);
  return result;
}

std::string sourceText(const Node &node) {
  const Frame &frame = node.graph()->frames()[node.frame()];
  return frame.file ? frameText(frame) : "";
}

// With a limit of 20, the 21st error and later ones are only counted: "5 more errors are not shown". Warnings are never
// dropped here.
void Diagnostics::add(Diagnostic diagnostic) {
  bool isError = diagnostic.severity == Severity::Error;
  errors_ += isError;
  if (!isError || errors_ <= limit_)
    kept_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> Diagnostics::take() {
  if (errors_ > limit_) {
    Diagnostic more;
    more.message = std::to_string(errors_ - limit_) + " more errors are not shown";
    kept_.push_back(std::move(more));
  }
  errors_ = 0;
  return std::move(kept_);
}

void DiagnosticError::log(llvm::raw_ostream &os) const {
  for (const Diagnostic &diagnostic : diagnostics_)
    print(os, diagnostic);
}

std::error_code DiagnosticError::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

llvm::Error makeError(Diagnostic diagnostic) { return llvm::make_error<DiagnosticError>(std::move(diagnostic)); }
llvm::Error makeError(std::vector<Diagnostic> diagnostics) {
  return llvm::make_error<DiagnosticError>(std::move(diagnostics));
}

} // namespace ccgraph
