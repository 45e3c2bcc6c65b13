// Guards: what a program was told while it was traced and has made constants of: "group tp has 4 ranks".
//
// A tracer that folds such a fact notes it here, so that the graph is refused where the fact is another: with another
// group file, on another rank. Guards are a member of the JSON format, [{"fact": "size", "of": "tp", "value": 4}, ...], and
// travel with the graph as its foreign members do; in FX text they are a comment below the header, "# guards: [...]".
//
//   fact    of        value
//   rank    a group   this rank's place in it, -1 outside
//   size    a group   number of ranks
//   ranks   a group   global ranks, in order
//   member  a group   whether this rank is one of them
//   tag     a group   its tag
//   name    a group   its name: that there is a group of this name
//
// Ownership: plain values. Failure: checkGuards names each fact that is another now, and guards that are none. What
// nobody can tell of a graph (the rank, where one text serves every rank; groups, where nobody has said of any who is in it)
// contradicts nothing.
// Cost: linear in the guards.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ccgraph {

struct Guard {
  std::string fact;
  /// name of the group
  std::string of;
  /// as JSON: 4, true, "tag", [0, 1]
  std::string value;
  friend bool operator==(const Guard &, const Guard &) = default;
};

/// Replaces the guards of a graph.
void setGuards(Graph &graph, const std::vector<Guard> &guards);
/// The guards as JSON, on one line; empty where there are none.
[[nodiscard]] llvm::StringRef guardsText(const Graph &graph);
/// Replaces the guards of a graph by such a text, which is judged where it is asked (guardsOf).
void setGuardsText(Graph &graph, llvm::StringRef text);
/// Error: guards.syntax, where the member is no list of guards.
[[nodiscard]] llvm::Expected<std::vector<Guard>> guardsOf(const Graph &graph);
/// Error: guards.syntax, or guards.fact for each fact that does not hold of the graph as it is.
[[nodiscard]] llvm::Error checkGuards(const Graph &graph);

} // namespace ccgraph
