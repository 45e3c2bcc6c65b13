#include "findings.h"

namespace ccgraph::legality {

// A finding is a defect of ccgraph, so the suggested repair is a way around it.
void Findings::add(const Node &node, llvm::StringRef rule, const llvm::Twine &message, const llvm::Twine &entry) {
  std::string where = entry.str();
  std::string repair = "pass '" + certificate_.pass + "' may not do this" +
                       (where.empty() ? std::string() : " (its certificate, " + where + ")") +
                       ": run the pipeline without it, and report the graph";
  diagnostics_.add(diagnose(node, ("legality." + rule).str(), message.str(), repair));
}

llvm::Error Findings::take() { return any() ? makeError(diagnostics_.take()) : llvm::Error::success(); }

std::string quoted(const Node *node) { return node ? "'" + node->name().str().str() + "'" : "nothing"; }

} // namespace ccgraph::legality
