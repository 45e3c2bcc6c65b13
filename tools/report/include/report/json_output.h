// Prints the JSON of --json in place of text, always one JSON value.
//
// A file of one graph gives an object, and a file of several graphs gives an array of objects in the order of the file.
// One call thus prints what one JSON reader accepts. Keys have a fixed order.
//
// Ownership: borrows everything for the call. Failure: none; bytes that are not UTF-8 are replaced; the streams keep
// the system's error. Cost: linear in the output.
#pragma once

#include "ccgraph/frontend/listed_graph.h"
#include "ccgraph/ir/diagnostic.h"
#include "report/compare_orders.h"
#include "report/summary.h"

namespace ccgraph::report {

/// The result of --verify-only.
struct VerifiedGraph {
  std::string input;
  std::string graph;
  size_t nodes = 0;
  bool wellFormed = false;
  std::vector<Diagnostic> findings = {};
};

/// The result of --compare for equal programs.
struct ComparedFiles {
  std::string input;
  std::string compare;
  std::string verdict;
};

void printSummariesJson(llvm::raw_ostream &os, llvm::ArrayRef<Summary> summaries);
void printVerifiedJson(llvm::raw_ostream &os, llvm::ArrayRef<VerifiedGraph> graphs);
void printComparisonJson(llvm::raw_ostream &os, const ComparedFiles &files);
/// Prints --compare without --check-equivalence.
void printOrdersJson(llvm::raw_ostream &os, const OrdersCompared &orders);
/// Prints --list-graphs; always an array, even for one graph.
void printGraphListJson(llvm::raw_ostream &os, llvm::ArrayRef<ListedGraph> graphs);

} // namespace ccgraph::report
