#include "fx_text/problems.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::fx {

namespace {

/// Appends the kept diagnostics and the count of the others.
void append(Diagnostics &to, const Diagnostics &from) {
  for (const Diagnostic &diagnostic : from.kept())
    to.add(diagnostic);
  for (size_t i = from.kept().size(); i < from.numErrors(); ++i)
    to.add({});
}

} // namespace

bool Problems::error(const char *place, std::string message, std::string repair) {
  if (muted_)
    return false;
  if (current_.numErrors() >= limit_) {
    current_.add({});
    return false;
  }
  current_.add(diagnoseAt(*source_, offsetOf(place), std::move(message), std::move(repair)));
  return false;
}

void Problems::warning(const char *place, std::string message, std::string repair) {
  Diagnostic &warning =
      warnings_.emplace_back(diagnoseAt(*source_, offsetOf(place), std::move(message), std::move(repair)));
  warning.severity = Severity::Warning;
}

bool Problems::aboveOperators(const char *place, std::string message, std::string repair) {
  above_ = true;
  return error(place, std::move(message), std::move(repair));
}

// Errors of a graph wait in current_ until its end, because only then its kind is known. The errors of a graph of
// operators count. A graph above operators is set aside with its errors, and one warning reports that it was left out.
std::string Problems::endGraph(const EndedGraph &graph) {
  bool isAside = above_ || (graph.isLogged && current_.hasErrors());
  append(isAside ? aside_ : diagnostics_, current_);
  std::string reason;
  if (isAside) {
    reason = current_.kept().front().message;
    Diagnostic &warning = warnings_.emplace_back(diagnoseAt(*source_, offsetOf(graph.place),
                                                            "left out the graph '" + graph.name.str() + "': " + reason,
                                                            above_ ? "it is Dynamo's own graph" : ""));
    warning.severity = Severity::Warning;
  }
  current_ = Diagnostics(limit_);
  above_ = false;
  return reason;
}

llvm::Error Problems::take() {
  append(diagnostics_, current_);
  return makeError((diagnostics_.hasErrors() ? diagnostics_ : aside_).take());
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
