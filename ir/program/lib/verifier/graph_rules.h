// Shared declarations of the three families of verifier rules: the report, and the entry point of each family.
//
// A family visits the graph once in program order and reports findings with the id of a rule of verifierRules(). It
// relies on no other family, so one broken rule does not hide the rest.
//
// Ownership: a Report refers to the graph and the options, and owns its findings until they are drained. Failure: none;
// a family skips a node that it cannot judge, because an operand is missing or has no type. Cost: a finding costs its
// text; a bounded multiple of the limit of errors is kept and the rest only counted, so a badly malformed graph stays
// cheap.
#pragma once

#include "ccgraph/ir/storage.h"
#include "ccgraph/ir/verifier.h"

namespace ccgraph::verifier {

/// One finding. `repair` becomes a note.
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
  /// Adds a finding about a node.
  void add(const Node &node, Finding finding);
  /// Adds a finding about the graph as a whole; it comes after those about nodes.
  void add(Finding finding);
  /// Adds another component's diagnostic about a node, with the id of a verifier rule.
  void forward(const Node &node, llvm::StringRef rule, llvm::Error error);
  /// Moves the findings out, in program order; `path` precedes the names of a subgraph's nodes.
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

/// Returns `x`, the form in which messages quote a value.
[[nodiscard]] std::string quoted(const Node &node);

/// Whether the graph has a parent: some facts about a subgraph are known only to its parent.
enum class Scope : uint8_t { Whole, Subgraph };

/// Checks that each argument of a collective or wait is of the kind that its schema accepts; a part of checkTypes.
void checkArguments(Report &report, const Node &node);

/// The families, one function each; see verifier.h for their rules. checkAsync has its own traversal besides
/// AsyncPairs, because it reports the element and the part of a buffer in flight at each step, and treats a return as a
/// wait. Both use Access::Complete to find what a wait completes.
void checkStructure(Report &report);
void checkTypes(Report &report);
void checkAsync(Report &report, const VerifyOptions &options, Scope scope);
/// The rules of copies to the host's memory and back, a part of checkAsync.
void checkHostCopies(Report &report, const StorageMap &storages, Scope scope);

} // namespace ccgraph::verifier
