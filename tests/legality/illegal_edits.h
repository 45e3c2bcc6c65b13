// Illegal edits: one wrong step each, made on a legal result, illegal by construction.
//
// Each edit takes a legal result and breaks one rule, of its own choosing where there are several
// places. With `coverUp` it also edits the certificate so that it tells of the wrong step as a
// dishonest pass would; without, the certificate stays what the honest pass wrote.
//
// Ownership: edits change the result's graph and certificate in place. Failure: false where the
// result offers no place for that edit; the result is then unchanged. Cost: a few passes over the
// graph.
#pragma once

#include "legality/legal_results.h"

namespace ccgraph::test {

struct Trial {
  LegalResult &result;
  Random &random;
  bool coverUp = false;

  [[nodiscard]] Graph &graph() const { return *result.graph; }
  [[nodiscard]] Certificate &certificate() const { return result.certificate; }
};

struct IllegalEdit {
  llvm::StringRef name;
  bool (*apply)(Trial &trial);
  bool swap = false; ///< a moved entry makes it legal, so it is tried with the certificate untouched only
};
/// Sorted by name.
[[nodiscard]] llvm::ArrayRef<IllegalEdit> illegalEdits();

// The edits, by what they break (illegal_*.cpp).
bool swapCollectives(Trial &trial);
bool moveBeforeOperand(Trial &trial);
bool moveWaitAfterUse(Trial &trial);
bool moveReadBeforeWrite(Trial &trial);
bool moveWriteIntoFlight(Trial &trial);
bool moveAcrossDomain(Trial &trial);
bool dropOrderingEdge(Trial &trial);

bool dropWait(Trial &trial);
bool dropCollective(Trial &trial);
bool readInFlight(Trial &trial);
bool waitOnAnother(Trial &trial);
bool claimFalseTwin(Trial &trial);
bool swapOperands(Trial &trial);
bool addHiddenWrite(Trial &trial);

bool useAnotherGroup(Trial &trial);
bool useAnotherReduction(Trial &trial);
bool mergeAcrossDependence(Trial &trial);
bool takeWrongSlice(Trial &trial);
bool swapReplacements(Trial &trial);
bool swapMembers(Trial &trial);

// What they share.

/// States the present issue order of every group, and declares that the pass reorders collectives.
void stateAllOrders(Trial &trial);
/// Puts a copy of the node in its place and covers the exchange up in the certificate; `map` gives
/// the operands of the copy.
Node *replaceByCopy(Trial &trial, Node *node, llvm::function_ref<Node *(uint32_t)> map);
/// Live nodes that pass.
[[nodiscard]] std::vector<Node *> nodesWhere(const Graph &graph, llvm::function_ref<bool(const Node &)> pass);
/// True if all operands and ordering edges of `node` stand before `place`.
[[nodiscard]] bool operandsBefore(const Node *node, const Node *place);
/// True if `to` needs `from`, by data or ordering edges.
[[nodiscard]] bool reaches(const Node *from, const Node *to);

} // namespace ccgraph::test
