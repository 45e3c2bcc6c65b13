// Helps tests to rewrite graphs: builds a graph from a few lines of text, edits it, and returns the verdict of the
// legality checker.
//
// Ownership: a RewriteBench owns the context and the graph; the graph owns the nodes. Failure: a text that cannot be
// read, or a name without a node, ends the test program with a message, since the test itself is wrong. Cost: a verdict
// is one run of the legality checker.
#pragma once

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/snapshot.h"
#include "ccgraph/legality/legality.h"

#include <string>
#include <vector>

namespace ccgraph::test {

/// Makes `target(arguments)` before `position`. `type` has the form of print_readable; empty if unknown.
Node *makeCall(Node *position, llvm::StringRef name, llvm::StringRef target, std::vector<Actual> arguments,
               llvm::StringRef type = "");
/// Sets other arguments of a call without an entry in the certificate.
void setCall(Node *node, const std::vector<Actual> &arguments);

/// Returns the rule ids of the findings, without "legality.", each once, sorted. An empty result means accepted.
[[nodiscard]] std::vector<std::string> refusals(const GraphSnapshot &before, const Graph &after,
                                                const Certificate &certificate,
                                                const LegalityOptions &options = {.reordersCollectives = true});

/// A graph, its snapshot, and the certificate of the edits that a test makes.
class RewriteBench {
public:
  /// Reads the forward function's inputs and its lines, and the classes of its subgraphs, if any. Takes the snapshot.
  void load(llvm::StringRef inputs, llvm::StringRef lines, llvm::StringRef subgraphs = "");
  /// Takes the snapshot again: the edits so far then belong to the graph before.
  void snapshot() { before_ = std::make_unique<GraphSnapshot>(graph()); }
  [[nodiscard]] Graph &graph() { return *graphs_.front(); }
  /// Returns the live node of this name.
  [[nodiscard]] Node *operator[](llvm::StringRef name);
  void move(llvm::StringRef name, llvm::StringRef before) { graph().moveBefore((*this)[name], (*this)[before]); }
  /// Adds an entry of equal-pieces: the first of the matched nodes are replaced by these values, and all of them go.
  /// `made`: the new nodes, the values among them.
  void replaceByPieces(const std::vector<std::string> &matched, const std::vector<Node *> &values,
                       const std::vector<Node *> &made);
  /// Returns the checker's verdict as rule ids joined by a blank: "" is acceptance.
  [[nodiscard]] std::string verdict(LegalityOptions options = {});
  /// Returns the whole text of the diagnostics.
  [[nodiscard]] std::string text(LegalityOptions options = {});

  Certificate certificate;
  /// a property of the pass that the test simulates, whatever the options of verdict() are
  bool reordersCollectives = true;

private:
  Context context_;
  GraphList graphs_;
  std::unique_ptr<GraphSnapshot> before_;
};

} // namespace ccgraph::test
