#include "fuzz/complaints.h"

#include "llvm/Support/ConvertUTF.h"

namespace ccgraph::test {
namespace {

/// A line may contain three parts, each cut to some hundred bytes.
constexpr size_t longestLine = 4000;

std::string complaintAboutLine(llvm::StringRef line) {
  if (line.size() > longestLine)
    return "a line of " + std::to_string(line.size()) + " bytes: " + line.take_front(200).str();
  const auto *bytes = line.bytes_begin();
  if (!llvm::isLegalUTF8String(&bytes, line.bytes_end()))
    return "no UTF-8: " + line.str();
  for (char c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return "a control character: " + line.str();
  return "";
}

} // namespace

std::string complaintAbout(const Diagnostic &diagnostic) {
  if (diagnostic.file.empty() && diagnostic.where.empty())
    return "a diagnostic has no place: " + diagnostic.message;
  if (llvm::StringRef(diagnostic.message).trim().empty())
    return "a diagnostic says nothing";
  std::string text = toString(diagnostic);
  llvm::SmallVector<llvm::StringRef, 8> lines;
  llvm::StringRef(text).rtrim('\n').split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (std::string complaint = complaintAboutLine(line); !complaint.empty())
      return "a diagnostic prints " + complaint;
  return "";
}

std::string complaintAbout(llvm::ArrayRef<Diagnostic> diagnostics) {
  for (const Diagnostic &diagnostic : diagnostics)
    if (std::string complaint = complaintAbout(diagnostic); !complaint.empty())
      return complaint;
  return "";
}

std::string complaintAbout(llvm::Error error) {
  std::string complaint;
  size_t found = 0;
  llvm::handleAllErrors(
      std::move(error),
      [&](const DiagnosticError &known) {
        found += known.diagnostics().size();
        for (const Diagnostic &diagnostic : known.diagnostics())
          // The line that counts the omitted errors has no place.
          if (complaint.empty() && !llvm::StringRef(diagnostic.message).endswith("more errors are not shown"))
            complaint = complaintAbout(diagnostic);
      },
      [&](const llvm::ErrorInfoBase &other) { complaint = "an error is no diagnostic: " + other.message(); });
  return complaint.empty() && found == 0 ? "an error without a diagnostic" : complaint;
}

} // namespace ccgraph::test
