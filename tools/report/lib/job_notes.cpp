#include "report/job_notes.h"

#include "ccgraph/ir/text.h"
#include "ccgraph/toolkit/group_assumption.h"

namespace ccgraph::report {

namespace {

std::string subgraphText(const SubgraphFacts &facts) {
  return "calls of subgraphs (" + facts.target + ") run " + counted(facts.collectives, "collective") +
         ": no pass moves them, and the predicted times leave them out";
}

} // namespace

std::vector<JobNote> jobNotes(const Summary &summary) {
  std::vector<JobNote> notes;
  if (!summary.ranksDiffer.empty())
    notes.push_back(
        {"ranks",
         summary.ranksDiffer + "; so the order across groups is kept and nothing is merged, as with --ranks-differ"});
  if (summary.after.subgraphs.collectives != 0)
    notes.push_back({"subgraphs", subgraphText(summary.after.subgraphs)});
  const bool predicts = summary.run.timeBefore && summary.run.timeBefore->total > 0;
  if (!predicts)
    return notes;
  if (!summary.groupGuess.empty())
    notes.push_back({"guessed", summary.groupGuess});
  if (!summary.machineGuess.empty())
    notes.push_back({"device", summary.machineGuess});
  return notes;
}

} // namespace ccgraph::report
