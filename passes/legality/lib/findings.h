// Findings: what the checker reports, each under a rule id, with the pass and the certificate entry
// that it concerns.
//
// A message names what was got and what was expected; the note says which pass did it, by which
// entry, and that the pipeline runs without it. For a finding is a defect of the pass, not of the
// user's graph.
//
// Ownership: owns its diagnostics; refers to the certificate for its pass's name. Never fails;
// keeps the first `limit` findings and counts the rest. Cost: the text of each finding kept, so
// checks build messages only when something is wrong.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::legality {

class Findings {
public:
  Findings(const Certificate &certificate, size_t limit) : certificate_(certificate), diagnostics_(limit) {}

  /// `rule` without the "legality." that all of them begin with. `entry` is what the certificate
  /// says about it, e.g. "merged entry 2"; empty for none.
  void add(const Node &node, llvm::StringRef rule, const llvm::Twine &message, const llvm::Twine &entry = "");
  /// Later checks rely on what earlier ones have shown, and are skipped if they found anything.
  [[nodiscard]] bool any() const { return diagnostics_.hasErrors(); }
  /// Success if there was none.
  [[nodiscard]] llvm::Error take();

private:
  const Certificate &certificate_;
  Diagnostics diagnostics_;
};

/// "'name'", or "nothing" for null.
[[nodiscard]] std::string quoted(const Node *node);

} // namespace ccgraph::legality
