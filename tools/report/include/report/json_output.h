// JSON output: what --json prints in place of text, always one JSON value.
//
// A file of one graph gives an object, a file of several an array of these, in the order of the file:
// so that one call prints what one JSON reader takes. Keys stand in a fixed order.
//
// Ownership: borrows everything for the call. Failure: none; bytes that are no UTF-8 are replaced; the
// streams keep what the system said. Cost: linear in what is printed.
#pragma once

#include "ccgraph/frontend/listed_graph.h"
#include "ccgraph/ir/diagnostic.h"
#include "report/compare_orders.h"
#include "report/summary.h"

namespace ccgraph::report {

/// What --verify-only found.
struct VerifiedGraph {
  std::string input;
  std::string graph;
  size_t nodes = 0;
  bool wellFormed = false;
  std::vector<Diagnostic> findings = {};
};

/// What --compare found; only where the programs are equal.
struct ComparedFiles {
  std::string input;
  std::string compare;
  std::string verdict;
};

void printSummariesJson(llvm::raw_ostream &os, llvm::ArrayRef<Summary> summaries);
void printVerifiedJson(llvm::raw_ostream &os, llvm::ArrayRef<VerifiedGraph> graphs);
void printComparisonJson(llvm::raw_ostream &os, const ComparedFiles &files);
/// --compare without --check-equivalence.
void printOrdersJson(llvm::raw_ostream &os, const OrdersCompared &orders);
/// --list-graphs; an array also of one.
void printGraphListJson(llvm::raw_ostream &os, llvm::ArrayRef<ListedGraph> graphs);

} // namespace ccgraph::report
