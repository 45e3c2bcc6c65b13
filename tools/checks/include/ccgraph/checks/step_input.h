// Reads the graphs of one training step of one rank, as a contract is about them (contract_check.h).
//
// A log or a folder of logs holds several graphs of a step. Of each, the version that runs is read: Inductor's own
// result if the log has it, else the graph from which passes start (logged_step.h). Labels are the roles in the step
// ("forward", "backward"); where several graphs have one role, the id of the compilation follows ("backward 0/1"). All
// graphs of any other file belong to the step, and their names are the labels.
//
// Groups come from the log, then from the group file, then from assumeGroups. Each graph is verified.
//
// Ownership: the graphs live in `context`. Failure: an error of the readers or of the verifier, with its place. Cost:
// that of the readers.
#pragma once

#include "ccgraph/checks/communication_facts.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/toolkit/machine_choice.h"

namespace ccgraph {

struct TrainingStepInput {
  GraphList graphs;
  /// by graph
  std::vector<std::string> labels;
  /// the GPUs that a log lists
  HostGpus gpus;

  [[nodiscard]] std::vector<LabeledGraph> labeled() const;
};

struct TrainingStepSource {
  /// "-" is standard input
  std::string path;
  /// empty: none
  std::string groups;
};

[[nodiscard]] llvm::Expected<TrainingStepInput> readTrainingStep(Context &context, const TrainingStepSource &source,
                                                                 Diagnostics &warnings);

} // namespace ccgraph
