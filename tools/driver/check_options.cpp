#include "driver/check_options.h"

#include "ccgraph/ir/text.h"
#include "driver/output_paths.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::driver {
namespace {

llvm::Error usage(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

void addContractFlags(CommandLine &line, CheckOptions &options) {
  line.beginTopic("contracts", "the communication that a step may have",
                  "GRAPH is a log, or a file with the graphs of one rank's training step. docs/contracts.md explains "
                  "contracts.");
  line.addText("--expect", "FILE", "compare the step with this contract (TOML)", options.expect);
  line.addText("--write-contract", "FILE", "write a contract that the step satisfies with nothing to spare",
               options.writeContract);
}

void addPipelineFlags(CommandLine &line, CheckOptions &options) {
  line.beginTopic(
      "schedules", "the schedule of a pipeline",
      "JOB is a schedule in PyTorch's CSV form: a line for each rank, a cell for each action, such as 1F0.");
  line.addCount("--stages", "N", "number of stages (one more than the largest in the file)", 1,
                [&options](size_t stages) { options.stages = stages; });
  line.addText("--stage-graphs", "FILE", "forward and backward graphs of the stages (JSON, docs/jobs.md)",
               options.stageGraphs);
  line.addText("--stage-sizes", "TYPE", "without graphs: what a stage sends to the next, such as \"bf16[4, 4096]\"",
               options.stageSizes);
}

void addSameStepFlags(CommandLine &line, CheckOptions &options) {
  line.beginTopic(
      "same-step", "the parallel step, and the step of one device or another parallel form",
      "GRAPH is a job file, the graph that every rank runs, or one for each rank. docs/same-step.md explains "
      "the answer. Exit codes: 0 the same, 1 not the same, 3 cannot be decided, 2 wrong input.");
  line.addFileList(
      "--same-as", "FILE,...",
      "compare the outputs of all ranks with those of this graph of one device, or of this job: a job file, or "
      "the graphs of its ranks",
      options.sameAs);
  line.addText("--placements", "FILE", "how the ranks hold the inputs and outputs of that graph (JSON)",
               options.placements);
  line.addFileList("--same-as-groups", "FILE,...", "of the job of --same-as: as --groups", options.sameAsGroups);
  line.addText("--same-as-placements", "FILE", "of the job of --same-as: as --placements (those of --placements)",
               options.sameAsPlacements);
  line.addRanks("--same-as-ranks", "of the job of --same-as: as --ranks", options.sameAsRanks);
  line.addCount("--trials", "N", "evaluations, each with other numbers (2)", 1,
                [&options](size_t trials) { options.trials = trials; });
  line.addSwitch("--numerics",
                 "list the outputs that are bitwise equal, and where others make sums in another order or dtype, with "
                 "bounds in ulps (docs/numerics.md); without --placements both are programs of one job",
                 options.numerics);
  line.addText("--engine", "NAME",
               "with --numerics: the engine whose order of sums over ranks counts: any, local, mpi (any)",
               options.engine);
  line.addText("--sizes", "NAME",
               "sizes at which the steps are evaluated: own; reduced: smaller ones with the same relations; automatic: "
               "reduced if their own take much time or memory (automatic)",
               options.sizes);
}

void addPlacementFlags(CommandLine &line, CheckOptions &options) {
  line.beginTopic(
      "placements", "how the ranks hold each value",
      "GRAPH is a job file, the graph that every rank runs, or one for each rank. docs/placements.md explains the "
      "answer. Exit codes: 0 no finding, 1 a finding, 3 cannot be decided, 2 wrong input.");
  line.addSwitch("--infer-placements",
                 "say for each value and mesh axis whether it is replicated, sharded, a partial sum or varying",
                 options.inferPlacements);
}

/// Returns a flag that was given and that only schedules have.
std::string scheduleFlag(const CheckOptions &options) {
  return options.stages != 0 ? "--stages" : options.stageSizes.empty() ? "--stage-graphs" : "--stage-sizes";
}

/// Checks the files that are written.
llvm::Error checkOutputs(const CheckOptions &options, llvm::ArrayRef<std::string> positional) {
  for (auto [flag, path] :
       {std::pair("--sarif", &options.sarif), {"--dot", &options.dot}, {"--report", &options.report}})
    if (options.json && *path == "-")
      return usage("--json with " + llvm::Twine(flag) + " -: expected one of them on standard output\n  note: " + flag +
                   " FILE writes a file");
  const NamedPath outputs[] = {{"--write-contract", options.writeContract},
                               {"--sarif", options.sarif},
                               {"--dot", options.dot},
                               {"--report", options.report}};
  std::vector<NamedPath> inputs = {{"--expect", options.expect}, {"--stage-graphs", options.stageGraphs}};
  for (const std::string &path : positional)
    inputs.push_back({"GRAPH", path});
  for (const std::string &path : options.groups)
    inputs.push_back({"--groups", path});
  return checkOutputPaths(outputs, inputs);
}

llvm::Error checkJobUsage(const CheckOptions &options) {
  if (options.machine.empty() || options.maxResident == 0)
    return llvm::Error::success();
  return usage("--max-resident with --machine: expected one of them, since the machine states the number too");
}

llvm::Error checkContractUsage(const CheckOptions &options, llvm::ArrayRef<std::string> positional) {
  if (!options.isOfContract())
    return checkJobUsage(options);
  for (auto [flag, isGiven] : {std::pair("--replay", options.replay),
                               {"--max-resident", options.maxResident != 0},
                               {"--dot", !options.dot.empty()},
                               {"--report", !options.report.empty()}})
    if (isGiven)
      return usage(llvm::Twine(flag) + " with a contract: expected one of them, since a contract is about one rank");
  if (!options.expect.empty() && !options.writeContract.empty())
    return usage("--expect with --write-contract: expected one of them");
  if (!options.writeContract.empty() && !options.sarif.empty())
    return usage("--sarif with --write-contract: expected --expect, since only a comparison has findings");
  if (positional.size() > 1 || options.groups.size() > 1)
    return usage("--expect: got several " + llvm::Twine(positional.size() > 1 ? "graphs" : "group files") +
                 ", expected one: a contract is about the step of one rank");
  return llvm::Error::success();
}

llvm::Error checkNumericsUsage(const CheckOptions &options) {
  if (!options.numerics && !options.engine.empty())
    return usage("--engine without --numerics: expected both, since no other check depends on the order of sums");
  if (!options.numerics)
    return llvm::Error::success();
  if (options.sameAs.empty())
    return usage("--numerics without --same-as: expected the program to compare with\n  note: ccgraph-check --same-as "
                 "before.py after.py --numerics");
  for (auto [flag, isGiven] : {std::pair("--same-as-placements", !options.sameAsPlacements.empty()),
                               {"--same-as-ranks", options.sameAsRanks != 0}})
    if (isGiven)
      return usage("--numerics with " + llvm::Twine(flag) +
                   ": expected two programs of one job, or with --placements the step of one device");
  if (!options.placements.empty() && options.sameAs.size() > 1)
    return usage("--numerics with --placements: got " + llvm::Twine(options.sameAs.size()) +
                 " graphs after --same-as, expected the one of one device");
  if (options.trials != 0 && options.placements.empty())
    return usage(
        "--trials with --numerics: expected --placements too, since two programs of one job are not evaluated");
  constexpr llvm::StringLiteral engines[] = {"", "any", "local", "mpi"};
  if (!llvm::is_contained(engines, options.engine))
    return badValue("--engine", options.engine, "any, local or mpi");
  return llvm::Error::success();
}

llvm::Error checkSameStepUsage(const CheckOptions &options) {
  if (llvm::Error error = checkNumericsUsage(options))
    return error;
  for (auto [flag, isGiven] : {std::pair("--trials", options.trials != 0),
                               {"--sizes", !options.sizes.empty()},
                               {"--same-as-groups", !options.sameAsGroups.empty()},
                               {"--same-as-placements", !options.sameAsPlacements.empty()},
                               {"--same-as-ranks", options.sameAsRanks != 0}})
    if (isGiven && options.sameAs.empty())
      return usage(llvm::Twine(flag) + " without --same-as: expected the graph of one device, or the other job, too");
  if (!options.sizes.empty() && !options.sizesOfSteps())
    return badValue("--sizes", options.sizes, "automatic, own or reduced");
  if (options.sameAs.empty() && !options.inferPlacements) {
    if (!options.placements.empty())
      return usage("--placements without --same-as: expected the graph of one device too, or --infer-placements");
    return llvm::Error::success();
  }
  const std::string command = options.sameAs.empty() ? "--infer-placements" : "--same-as";
  if (!options.sameAs.empty() && options.inferPlacements)
    return usage("--same-as with --infer-placements: expected one of them");
  for (auto [flag, isGiven] : {std::pair("--replay", options.replay),
                               {"--max-resident", options.maxResident != 0},
                               {"--machine", !options.machine.empty()},
                               {"--under", !options.under.empty()},
                               {"--dot", !options.dot.empty()},
                               {"--report", !options.report.empty()},
                               {"--sarif", !options.sarif.empty()},
                               {"a contract", options.isOfContract()},
                               {"a schedule", options.isOfSchedule()}})
    if (isGiven)
      return usage(command + " with " + llvm::Twine(flag) + ": expected one of them");
  return llvm::Error::success();
}

std::string semanticsNames() {
  std::vector<std::string> names;
  for (jobs::Semantics semantics : jobs::allSemantics)
    names.push_back(jobs::semanticsName(semantics).str());
  return llvm::join(names, ", ");
}

} // namespace

CommandLine declareCheckFlags(CheckOptions &options) {
  CommandLine line("ccgraph-check JOB|GRAPH...|LOGS [flags]",
                   "Checks that the graphs of all ranks match and that no rank waits for ever.");
  line.addFileList("--groups", "FILE,...", "ranks of the groups: one file for all graphs, or one for each",
                   options.groups);
  line.addList("--under", "NAME,...",
               "semantics to check (all): dataflow, streams (PyTorch with NCCL, gloo), one-at-a-time, blocking, "
               "blocking-buffered",
               options.under);
  line.addRanks("--ranks", "number of ranks of a job whose one GRAPH every rank runs", options.ranks);
  line.addSwitch("--replay", "repeat the job on the local engine, and compare how it ends", options.replay);
  line.addCount("--max-resident", "N", "most communicators of one rank whose kernels can be resident at once", 1,
                [&options](size_t most) { options.maxResident = most; });
  line.addText("--machine", "NAME|FILE",
               "machine that states this number, and for which a contract's exposed communication is predicted",
               options.machine);
  line.addSwitch("--json", "print the verdict and the findings as JSON", options.json);
  line.addText("--sarif", "FILE", "write the findings as SARIF 2.1.0, for code review tools", options.sarif);
  line.addText("--dot", "FILE", "draw the ranks that wait for each other, in the DOT language", options.dot);
  line.addText("--report", "FILE", "write a page with the findings and a timeline for each rank (HTML)",
               options.report);
  line.addSwitch("--version", "print the version", options.version);
  line.addHelp("print this help, or the help of a topic", options.help);
  addContractFlags(line, options);
  addPipelineFlags(line, options);
  addSameStepFlags(line, options);
  addPlacementFlags(line, options);
  return line;
}

llvm::Error checkCheckUsage(const CheckOptions &options, llvm::ArrayRef<std::string> positional) {
  if (positional.empty())
    return usage("got no graph, expected a job file, one graph for each rank, or one graph for all\n  note: --help "
                 "lists the flags");
  if (llvm::Error error = checkSameStepUsage(options))
    return error;
  if (options.isOfContract() && options.isOfSchedule())
    return usage(scheduleFlag(options) + " with a contract: expected one of them, since a contract is about graphs");
  if (llvm::Error error = checkContractUsage(options, positional))
    return error;
  if (llvm::Error error = checkOutputs(options, positional))
    return error;
  if (!options.stageGraphs.empty() && !options.stageSizes.empty())
    return usage("--stage-sizes with --stage-graphs: expected one of them, since the graphs state the sizes");
  if (options.isOfSchedule() && positional.size() > 1)
    return usage(scheduleFlag(options) + ": got " + llvm::Twine(positional.size()) + " files, expected one schedule");
  if (options.ranks != 0 && positional.size() > 1)
    return usage("--ranks: got " + llvm::Twine(positional.size()) +
                 " graphs, expected one that every rank runs\n  note: several graphs are those of ranks 0, 1, ...");
  for (const std::string &word : options.under)
    if (!jobs::parseSemantics(word))
      return badValue("--under", word, "some of: " + semanticsNames());
  return llvm::Error::success();
}

std::optional<equality::StepSizesChoice> CheckOptions::sizesOfSteps() const {
  if (sizes == "own")
    return equality::StepSizesChoice::Own;
  if (sizes == "reduced")
    return equality::StepSizesChoice::Reduced;
  if (sizes.empty() || sizes == "automatic")
    return equality::StepSizesChoice::Automatic;
  return std::nullopt;
}

std::vector<jobs::Semantics> CheckOptions::semantics() const {
  if (under.empty())
    return {jobs::allSemantics.begin(), jobs::allSemantics.end()};
  std::vector<jobs::Semantics> list;
  for (const std::string &word : under)
    list.push_back(*jobs::parseSemantics(word));
  return list;
}

} // namespace ccgraph::driver
