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
  line.addText("--sarif", "FILE", "write the findings as SARIF 2.1.0, for code review tools", options.sarif);
  line.addText("--machine", "NAME|FILE", "machine for which exposed communication is predicted (the contract's)",
               options.machine);
}

void addPipelineFlags(CommandLine &line, CheckOptions &options) {
  line.beginTopic(
      "schedules", "the schedule of a pipeline",
      "JOB is a schedule in PyTorch's CSV form: a line for each rank, a cell for each action, such as 1F0.");
  line.addCount("--stages", "N", "number of stages (one more than the largest in the file)", 1,
                [&options](size_t stages) { options.stages = stages; });
}

llvm::Error checkContractUsage(const CheckOptions &options, llvm::ArrayRef<std::string> positional) {
  if (!options.isOfContract()) {
    for (auto [flag, value] : {std::pair("--sarif", &options.sarif), {"--machine", &options.machine}})
      if (!value->empty())
        return usage(llvm::Twine(flag) + " without --expect: expected a contract\n  note: --expect FILE names it");
    return llvm::Error::success();
  }
  if (options.json && options.sarif == "-")
    return usage("--json with --sarif -: expected one of them on standard output\n  note: --sarif FILE writes a file");
  if (!options.expect.empty() && !options.writeContract.empty())
    return usage("--expect with --write-contract: expected one of them");
  if (!options.writeContract.empty() && !options.sarif.empty())
    return usage("--sarif with --write-contract: expected --expect, since only a comparison has findings");
  if (positional.size() > 1 || options.groups.size() > 1)
    return usage("--expect: got several " + llvm::Twine(positional.size() > 1 ? "graphs" : "group files") +
                 ", expected one: a contract is about the step of one rank");
  const NamedPath outputs[] = {{"--write-contract", options.writeContract}, {"--sarif", options.sarif}};
  std::vector<NamedPath> inputs = {{"--expect", options.expect}, {"GRAPH", positional.front()}};
  if (!options.groups.empty())
    inputs.push_back({"--groups", options.groups.front()});
  return checkOutputPaths(outputs, inputs);
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
  line.addList("--groups", "FILE,...", "ranks of the groups: one file for all graphs, or one for each", options.groups);
  line.addList("--under", "NAME,...",
               "semantics to check (all): dataflow, streams (PyTorch with NCCL, gloo), one-at-a-time, blocking, "
               "blocking-buffered",
               options.under);
  line.addRanks("--ranks", "number of ranks of a job whose one GRAPH every rank runs", options.ranks);
  line.addSwitch("--json", "print the verdict and the findings as JSON", options.json);
  line.addSwitch("--version", "print the version", options.version);
  line.addHelp("print this help, or the help of a topic", options.help);
  addContractFlags(line, options);
  addPipelineFlags(line, options);
  return line;
}

llvm::Error checkCheckUsage(const CheckOptions &options, llvm::ArrayRef<std::string> positional) {
  if (positional.empty())
    return usage("got no graph, expected a job file, one graph for each rank, or one graph for all\n  note: --help "
                 "lists the flags");
  if (options.isOfContract() && options.stages != 0)
    return usage("--stages with a contract: expected one of them, since a contract is about graphs");
  if (llvm::Error error = checkContractUsage(options, positional))
    return error;
  if (options.stages != 0 && positional.size() > 1)
    return usage("--stages: got " + llvm::Twine(positional.size()) + " files, expected one schedule");
  if (options.ranks != 0 && positional.size() > 1)
    return usage("--ranks: got " + llvm::Twine(positional.size()) +
                 " graphs, expected one that every rank runs\n  note: several graphs are those of ranks 0, 1, ...");
  for (const std::string &word : options.under)
    if (!jobs::parseSemantics(word))
      return badValue("--under", word, "some of: " + semanticsNames());
  return llvm::Error::success();
}

std::vector<jobs::Semantics> CheckOptions::semantics() const {
  std::vector<jobs::Semantics> list;
  for (const std::string &word : under)
    list.push_back(*jobs::parseSemantics(word));
  return list;
}

} // namespace ccgraph::driver
