// Summary: what a run of ccgraph-opt did, on one screen.
//
// It answers, in this order: how long the step takes, how fast it could be, and which collectives nothing
// hides; how many collectives there are;
// what each pass moved or merged, and what it left alone and why; memory; what was assumed;
// what was checked, and with what verdict; time. Numbers come from the graphs and the remarks of
// the passes, so a new pass appears without a change here.
//
// Ownership: plain values. Failure: none; the streams keep what the system said. Cost: linear in
// the remarks.
#pragma once

#include "ccgraph/ir/group_table.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/advice.h"
#include "ccgraph/toolkit/graph_facts.h"
#include "report/given_flag.h"
#include "report/rounding.h"
#include "report/step_report.h"

#include <string>
#include <vector>

namespace ccgraph::report {

/// Wall-clock seconds.
struct PhaseTimes {
  double read = 0;
  double passes = 0;
  double checks = 0; ///< verifier and legality, equivalence not included
  double equivalence = 0;
  double write = 0;
};

struct Summary {
  std::string input;  ///< path
  std::string graph;  ///< name
  std::string choice; ///< which graph of a log it is, and where the others are; empty where the file has no choice
  std::string inductorOrder;      ///< in which order Inductor issues the input's collectives; empty where no log says
  std::optional<StepReport> step; ///< of a log: the training step that the graph is a part of
  std::string sizes;            ///< which values of symbols the times rest on: "s0 = 4096 (--bind), s1 = 8 (as traced)"
  std::string unboundSymbol;    ///< a symbol without a value; empty where there is none
  std::string level;            ///< "-O2", or the pipeline as given
  std::string pipeline;         ///< canonical text
  std::vector<GivenFlag> given; ///< of the command line
  GraphFacts before;
  GraphFacts after;
  PipelineRun run;
  GroupTable groups;
  std::string unknownGroups; ///< names that collectives mention and no table holds
  size_t warnings = 0;       ///< of the verifier, on the input
  bool verifyEach = true;
  bool checkedLegality = true;
  bool spmd = true;
  std::string ranksDiffer;  ///< why ranks run different programs, where a log or the graph shows it
  std::string ranksAgree;   ///< "ranks 0 to 3", whose graphs were compared and are one program
  std::string groupGuess;   ///< on which guessed ranks the times depend
  std::string machineGuess; ///< what is wrong with the machine, where nobody has given one
  bool budgetGiven = false;
  bool machineGiven = false;
  std::optional<Rounding> rounding; ///< empty where --bitwise was given, or nobody asked
  std::vector<Advice> advice;       ///< most first; empty where it was not asked for too
  bool advised = false;
  std::string equivalence; ///< verdict in a sentence; empty: not asked for
  PhaseTimes times;
};

enum class Color : bool { No, Yes };
void printSummary(llvm::raw_ostream &os, const Summary &summary, Color color);

/// What one pass did, added up over its remarks of one kind and reason.
struct RemarkCount {
  RemarkKind kind = RemarkKind::Missed;
  std::string reason;
  size_t count = 0;
};
/// By kind, then the most frequent first, then by name.
[[nodiscard]] std::vector<RemarkCount> countRemarks(const PassRun &run);

} // namespace ccgraph::report
