// Findings: the checker's reports, each under a rule id, with the pass and the certificate entry that it concerns.
//
// A message states what was got and what was expected. The note names the pass and the entry, and explains that the
// pipeline runs without the pass. A finding is a defect of the pass, not of the user's graph.
//
// Ownership: owns its diagnostics; refers to the certificate for its pass's name. Failure: none; keeps the first
// `limit` findings and counts the rest. Cost: the text of each finding kept, so checks build messages only when there
// is an error.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::legality {

class Findings {
public:
  Findings(const Certificate &certificate, size_t limit) : certificate_(certificate), diagnostics_(limit) {}

  /// `rule`: without the common prefix "legality.". `entry`: the node's entry in the certificate, e.g. "merged entry
  /// 2"; empty for none.
  void add(const Node &node, llvm::StringRef rule, const llvm::Twine &message, const llvm::Twine &entry = "");
  /// Returns true if there is a finding. Later checks rely on what earlier checks have shown, and are skipped in that
  /// case.
  [[nodiscard]] bool any() const { return diagnostics_.hasErrors(); }
  /// Returns success if there was no finding.
  [[nodiscard]] llvm::Error take();

private:
  const Certificate &certificate_;
  Diagnostics diagnostics_;
};

/// Returns "'name'", or "nothing" for null.
[[nodiscard]] std::string quoted(const Node *node);

} // namespace ccgraph::legality
