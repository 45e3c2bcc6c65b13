// Illegal edits make one wrong change each to a legal result, illegal by construction.
//
// Each edit breaks one rule, at a random place if there are several. With `coverUp`, the edit also changes the
// certificate to describe the wrong change, as a dishonest pass would; otherwise the certificate stays as the honest
// pass wrote it.
//
// Ownership: edits change the result's graph and certificate in place. Failure: returns false if the result has no
// place for the edit; the result is then unchanged. Cost: a few passes over the graph.
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
  bool swap = false; ///< a moved entry makes the edit legal, so it is tried only with an unchanged certificate
};
/// Sorted by name.
[[nodiscard]] llvm::ArrayRef<IllegalEdit> illegalEdits();

// The edits, sorted into files by what they break (illegal_*.cpp).
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

// Functions that the edits share.

/// States the present issue order of every group, and declares that the pass reorders collectives.
void stateAllOrders(Trial &trial);
/// Replaces the node by a copy and covers up the replacement in the certificate; `map` gives the operands of the copy.
Node *replaceByCopy(Trial &trial, Node *node, llvm::function_ref<Node *(uint32_t)> map);
/// Returns the live nodes for which `pass` is true.
[[nodiscard]] std::vector<Node *> nodesWhere(const Graph &graph, llvm::function_ref<bool(const Node &)> pass);
/// Returns true if all operands and ordering edges of `node` come before `place`.
[[nodiscard]] bool operandsBefore(const Node *node, const Node *place);
/// Returns true if `to` depends on `from`, by data or ordering edges.
[[nodiscard]] bool reaches(const Node *from, const Node *to);

} // namespace ccgraph::test
