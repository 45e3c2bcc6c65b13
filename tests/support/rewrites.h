// Rewrites by hand: graphs from a few lines of text, edits, and what the legality checker says of them.
//
// Ownership: a RewriteBench owns the context and the graph; nodes belong to the graph. Fails: a
// text that does not read, or a name that no node has, ends the test program with a message: it is
// the test that is wrong. Cost: a verdict is one run of the legality checker.
#pragma once

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/snapshot.h"
#include "ccgraph/legality/legality.h"

#include <string>
#include <vector>

namespace ccgraph::test {

/// Makes `target(arguments)` before `position`. `type` as print_readable spells it; empty where unknown.
Node *makeCall(Node *position, llvm::StringRef name, llvm::StringRef target, std::vector<Actual> arguments,
               llvm::StringRef type = "");
/// Gives a call other arguments; the certificate is not told.
void setCall(Node *node, const std::vector<Actual> &arguments);

/// Rule ids of the findings, without "legality.", each once, sorted. Empty: accepted.
[[nodiscard]] std::vector<std::string> refusals(const GraphSnapshot &before, const Graph &after,
                                                const Certificate &certificate,
                                                const LegalityOptions &options = {.reordersCollectives = true});

/// A graph, its snapshot, and the certificate of the edits that a test makes.
class RewriteBench {
public:
  /// The forward function's inputs and its lines, and the classes of its subgraphs, if any. Takes the snapshot.
  void load(llvm::StringRef inputs, llvm::StringRef lines, llvm::StringRef subgraphs = "");
  /// Takes the snapshot again: what was edited so far belongs to the graph before.
  void snapshot() { before_ = std::make_unique<GraphSnapshot>(graph()); }
  [[nodiscard]] Graph &graph() { return *graphs_.front(); }
  /// The live node of this name.
  [[nodiscard]] Node *operator[](llvm::StringRef name);
  void move(llvm::StringRef name, llvm::StringRef before) { graph().moveBefore((*this)[name], (*this)[before]); }
  /// What the checker says, as rule ids joined by a blank: "" is acceptance.
  [[nodiscard]] std::string verdict(LegalityOptions options = {});
  /// The whole text of the diagnostics.
  [[nodiscard]] std::string text(LegalityOptions options = {});

  Certificate certificate;
  /// of the pass that the test plays, whatever the options of verdict() say
  bool reordersCollectives = true;

private:
  Context context_;
  GraphList graphs_;
  std::unique_ptr<GraphSnapshot> before_;
};

} // namespace ccgraph::test
