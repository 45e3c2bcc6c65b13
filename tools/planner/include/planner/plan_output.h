// Writes a plan as a table for a terminal, as CSV, as JSON, and as one HTML page with the trade-off of time against
// memory.
//
// All of them name the commands that reproduce a row: the first is the program of the last microbatch with the
// optimizer, the second that of each microbatch before it, where a step has several. The time of a row is
// time(first) + (accumulation - 1) x time(second). A pipeline has one command, which writes the graphs of all ranks and
// optimizes them as a job.
//
// Ownership: borrows. Failure: none; the stream keeps its errors. Cost: linear in the rows, and for the page in the
// candidates.
#pragma once

#include "planner/plan_search.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::planner {

/// How the commands of a plan name what the plan does not choose, as words of a shell.
struct PlanNames {
  /// arguments of ccgraph-gen: "llama3-70b --seq 4096"
  std::string model;
  /// arguments for programs with an optimizer: "--optimizer sgd --clip 1"
  std::string optimizer;
  /// a preset or a file
  std::string machine;
};

struct PlanText {
  const PlanRequest &request;
  const PlanResult &result;
  PlanNames names;

  /// Returns "ccgraph-gen .. | ccgraph-opt - ..": the programs of a row, one or two.
  [[nodiscard]] std::vector<std::string> commandsOf(const PlanRow &row) const;
};

void writePlanTable(llvm::raw_ostream &os, const PlanText &plan);
void writePlanCsv(llvm::raw_ostream &os, const PlanText &plan);
void writePlanJson(llvm::raw_ostream &os, const PlanText &plan);
/// One file without references to others.
void writePlanPage(llvm::raw_ostream &os, const PlanText &plan);

} // namespace ccgraph::planner
