// Summary describes what a run of ccgraph-opt did, on one screen.
//
// It answers these questions in this order: how long the step takes, how fast it could be, and which collectives are
// exposed; how many collectives there are; what each pass moved or merged, and what it left alone and why; memory; what
// was assumed; what was checked, with which verdict; time. Numbers come from the graphs and the remarks of the passes,
// so a new pass appears without a change here.
//
// Ownership: plain values. Failure: none; the streams keep the system's error. Cost: linear in the remarks.
#pragma once

#include "ccgraph/ir/group_table.h"
#include "ccgraph/measured/explain.h"
#include "ccgraph/measured/memory.h"
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
  double choice = 0; ///< of trials that decide how passes choose nodes
  double passes = 0;
  double checks = 0; ///< verifier and legality, without equivalence
  double equivalence = 0;
  double predictions = 0; ///< times, memory and bounds, and copies for the checks
  double write = 0;
};

/// A value of a symbol on which the predicted times depend.
struct UsedSize {
  std::string symbol;
  int64_t value = 0;
  bool isGiven = false; ///< by the user; otherwise by the trace
};

struct Summary {
  std::string input;  ///< path
  std::string graph;  ///< name
  std::string choice; ///< which graph of a log was chosen, and where the others are; empty if the file has no choice
  std::string inductorOrder;      ///< the order in which Inductor issues the input's collectives; empty if no log
                                  ///< states it
  std::optional<StepReport> step; ///< for a log: the training step that contains the graph
  std::optional<measured::JobExplanation> measured; ///< the explanation of measured traces, if there are any; the
                                                    ///< first of its graphs is this graph
  std::optional<measured::MemoryComparison> memory; ///< a memory snapshot beside the peak before the passes
  std::vector<UsedSize> sizes;                      ///< the values of symbols on which the times depend
  std::string unboundSymbol;                        ///< a symbol without a value; empty if there is none
  std::string level;                                ///< "-O2", or the pipeline as given
  std::string pipeline;                             ///< canonical text
  std::vector<GivenFlag> given;                     ///< flags of the command line
  GraphFacts before;
  GraphFacts after;
  PipelineRun run;
  GroupTable groups;
  std::string unknownGroups; ///< groups that collectives name and no table holds
  size_t warnings = 0;       ///< of the verifier, on the input
  bool verifyEach = true;
  bool checkedLegality = true;
  bool spmd = true;
  std::string ranksDiffer;  ///< why the ranks run different programs, if a log or the graph shows it
  std::string ranksAgree;   ///< "ranks 0 to 3", whose graphs were compared and are one program
  std::string groupGuess;   ///< the guessed ranks on which the times depend
  std::string machineGuess; ///< what is wrong with the machine, if none was given
  std::string nodes;        ///< "64 ranks on 8 nodes of 8", if the ranks need several nodes of the machine
  bool budgetGiven = false;
  bool machineGiven = false;
  std::optional<Rounding> rounding; ///< empty if --bitwise was given or the check was not requested
  std::vector<Advice> advice;       ///< largest saving first; also empty if it was not requested
  bool advised = false;
  std::string equivalence; ///< the verdict in a sentence; empty: not requested
  PhaseTimes times;
};

enum class Color : bool { No, Yes };
/// Prints everything but the times of this run of the tool, so that the same input gives the same text.
void printSummary(llvm::raw_ostream &os, const Summary &summary, Color color);
/// Prints how long the tool took.
void printPhaseTimes(llvm::raw_ostream &os, const Summary &summary, Color color);

/// The remarks of one pass with the same kind and reason, counted.
struct RemarkCount {
  RemarkKind kind = RemarkKind::Missed;
  std::string reason;
  size_t count = 0;
};
/// Sorts by kind, then by frequency, then by name.
[[nodiscard]] std::vector<RemarkCount> countRemarks(const PassRun &run);

} // namespace ccgraph::report
