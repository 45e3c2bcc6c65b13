// What the three families of verifier rules share: where they report, and how each is entered.
//
// A family walks the graph once in program order and reports findings with the id of a rule of
// verifierRules(); it relies on no other family, so that one broken rule does not hide the rest.
//
// Ownership: a Report refers to the graph and the options, and owns its findings until they are
// drained. Failure: none; what a family cannot judge, because an operand is missing or has no type,
// it passes over. Cost: a finding costs its text; of errors a bounded multiple of the limit is
// kept, the rest is only counted, so a hopeless graph stays cheap.
#pragma once

#include "ccgraph/ir/storage.h"
#include "ccgraph/ir/verifier.h"

namespace ccgraph::verifier {

/// One thing found. `repair` becomes a note.
struct Finding {
  Severity severity = Severity::Error;
  llvm::StringRef rule;
  std::string message;
  std::string repair;
};

/// The findings of all families on one graph, without its subgraphs.
class Report {
public:
  Report(const Graph &graph, const VerifyOptions &options) : graph_(graph), options_(options) {}

  [[nodiscard]] const Graph &graph() const { return graph_; }
  /// A finding about a node.
  void add(const Node &node, Finding finding);
  /// A finding about the graph as a whole; it comes after those about nodes.
  void add(Finding finding);
  /// A diagnostic of somebody else about a node, given the id of our rule.
  void forward(const Node &node, llvm::StringRef rule, llvm::Error error);
  /// Moves the findings out, in program order; `path` stands before the names of a subgraph's nodes.
  void drainInto(Diagnostics &out, llvm::StringRef path);

private:
  struct Entry {
    const Node *node;
    Diagnostic diagnostic;
  };
  void push(const Node *node, Diagnostic diagnostic);

  const Graph &graph_;
  const VerifyOptions &options_;
  std::vector<Entry> entries_;
  size_t errors_ = 0;
  size_t uncounted_ = 0;
};

/// `x`, as messages quote a value.
[[nodiscard]] std::string quoted(const Node &node);

/// What a subgraph cannot know of itself, and its parent does.
enum class Scope : uint8_t { Whole, Subgraph };

/// Each argument of a collective or wait is of the kind that its schema takes; a part of checkTypes.
void checkArguments(Report &report, const Node &node);

/// The families, one function each; see verifier.h for what they ask. checkAsync keeps a walk of its own beside Flights,
/// because it names the element and the part of a buffer that flies at each step, and lets a return land it too; what a
/// wait waits on both take from Access::Land.
void checkStructure(Report &report);
void checkTypes(Report &report);
void checkAsync(Report &report, const VerifyOptions &options, Scope scope);

} // namespace ccgraph::verifier
