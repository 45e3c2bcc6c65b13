#include "driver/run_options.h"

#include "ccgraph/ir/machine.h"
#include "ccgraph/ir/text.h"
#include "driver/output_paths.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <cmath>

namespace ccgraph::driver {
namespace {

llvm::Error usage(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Returns the names, sorted.
std::vector<std::string> engineNames() {
  std::vector<std::string> names = {"reference"};
  for (const runtime::Engine *engine : runtime::allEngines())
    names.push_back(engine->name().str());
  llvm::sort(names);
  return names;
}

void addDeadline(CommandLine &line, std::chrono::milliseconds &deadline) {
  line.add({"--deadline", "SECONDS", "longest wait of a rank for its peers (600)",
            [&deadline](llvm::StringRef text) -> llvm::Error {
              constexpr double shortest = 0.001, longest = 1e6;
              double seconds = 0;
              if (text.getAsDouble(seconds) || !(seconds >= shortest && seconds <= longest))
                return badValue("--deadline", text, "0.001 to 1000000 seconds");
              deadline = std::chrono::milliseconds(std::llround(seconds * 1000));
              return llvm::Error::success();
            }});
}

} // namespace

static void addToleranceFlags(CommandLine &line, RunOptions &options) {
  auto close = [&](double Tolerance::*bound) {
    return [&options, bound](double value) {
      options.tolerance.bitwise = false;
      options.tolerance.*bound = value;
    };
  };
  line.addText("--tolerance", "FILE", "tolerance.per_output of this file; without it, bitwise", options.toleranceFile);
  line.addNumber("--atol", "A", "absolute tolerance of outputs that no file lists", close(&Tolerance::atol));
  line.addNumber("--rtol", "R", "relative tolerance of outputs that no file lists", close(&Tolerance::rtol));
}

/// Adds the flags for files that a run writes.
static void addFileFlags(CommandLine &line, RunOptions &options) {
  line.addText("--trace", "FILE",
               "write the last run as a Chrome trace: a process for each rank, a thread for each stream",
               options.trace);
  line.addText("--durations", "FILE", "write the duration of each node, by the names of the input graph",
               options.durations);
  line.addText("--calls", "FILE",
               "with nccl-recorded: write each call of streams, events and communicators, rank by rank; -: to stdout",
               options.calls);
}

static void addFaultFlag(CommandLine &line, RunOptions &options) {
  line.beginTopic("faults", "injected faults, to test how they are reported",
                  "STEP is a step of the plan: its index, or the name of its node.");
  line.add({"--fault", "KIND:RANK:STEP", "one of: " + faultKindsText() + "; slow takes :MILLISECONDS at the end",
            [&options](llvm::StringRef text) -> llvm::Error {
              llvm::Expected<FaultFlag> flag = parseFaultFlag(text);
              if (!flag)
                return flag.takeError();
              options.faults.push_back(std::move(*flag));
              return llvm::Error::success();
            }});
}

CommandLine declareRunFlags(RunOptions &options) {
  CommandLine line("ccgraph-run GRAPH|PLAN --ranks N [flags]",
                   "Executes a graph or a plan on N ranks, and compares the outputs.");
  line.addText("--engine", "NAME",
               "reference (the interpreter; default for a GRAPH); for a plan: local (a thread for each rank), mpi (a "
               "process for each rank, with mpirun), nccl (a process and a device for each rank, with a launcher) or "
               "nccl-recorded (the calls that devices would receive, run on the CPU)",
               options.engine);
  line.chooseFrom({"local", "mpi", "nccl", "nccl-recorded", "reference"});
  line.addRanks("--ranks", "number of ranks", options.ranks);
  line.addList("--kernels", "NAME,...",
               "kernel providers, in order of preference; reference uses them for operators without a builtin kernel: "
               "builtin (without it), torch (PyTorch's kernels), cuda (on a device)",
               options.kernels);
  line.addCount("--streams", "N",
                "number of communication streams of a plan, shared by the groups (default: one for each group)", 1,
                [&](size_t streams) { options.streams = streams; });
  line.addFileList("--rank-graphs", "A,B,...", "one graph or plan for each rank, instead of GRAPH", options.rankGraphs);
  line.addFileList("--groups", "FILE,...", "ranks of the groups: one file for all ranks, or one for each rank",
                   options.groups);
  line.addText("--graph", "SELECTOR", "graph to read from a file of several: a name or an index", options.selector);
  line.addText("--values", "DIR", "recorded inputs and outputs: rank0.safetensors, ...; without it, seeded inputs",
               options.values);
  line.addText("--expect", "FILE",
               "compare with the outputs of this graph, which the interpreter executes on the same inputs",
               options.expect);
  addToleranceFlags(line, options);
  line.addCount("--seed", "S",
                "seed of the inputs (0), and of a random order of a plan's steps (default: the fastest order)", 0,
                [&](size_t seed) { options.seed = seed; });
  line.addCount("--repeat", "K", "run K times, compare the results, and print the time of a run", 1,
                [&](size_t runs) { options.repeat = runs; });
  addDeadline(line, options.deadline);
  line.addText("--flight-records", "DIR",
               "folder for each rank's last calls and steps, written on an error, a timeout or a signal",
               options.flightRecords);
  addFileFlags(line, options);
  line.addSwitch("--capture", "with nccl and nccl-recorded: capture the plan as a CUDA graph, and launch it",
                 options.capture);
  line.addText("--job-folder", "DIR", "with nccl: shared folder for the rendezvous of all ranks", options.jobFolder);
  line.addText("--job-address", "AT",
               "with nccl, instead of a folder: HOST:PORT on rank 0's host, or :PORT on this host only (default: "
               "MASTER_ADDR, and the port after MASTER_PORT)",
               options.jobAddress);
  line.addText("--pace", "FILE",
               "compute nothing: a step takes its node's microseconds from the file, or the predicted time; "
               "'predicted': always the predicted time",
               options.pace);
  line.addText("--machine", "NAME",
               "machine for predicted times: " + llvm::join(machinePresetNames(), ", ") + ", or a FILE",
               options.pipeline.machine);
  line.chooseFrom(machinePresetNames());
  line.addText(
      "--analyze", "DIR",
      "run nothing: find the rank that blocks the run of these flight records, ours or PyTorch's (exit code 3: found)",
      options.analyze);
  addPipelineFlags(line, options.pipeline, 0);
  line.addSwitch("--version", "print the version", options.version);
  line.addHelp("print this help, or the help of a topic", options.help);
  line.beginTopic("checks", "checks of the passes");
  addCheckFlags(line, options.pipeline);
  addFaultFlag(line, options);
  return line;
}

static llvm::Error checkPaths(const RunOptions &options, llvm::ArrayRef<std::string> positional) {
  const NamedPath outputs[] = {
      {"--trace", options.trace}, {"--durations", options.durations}, {"--calls", options.calls}};
  std::vector<NamedPath> inputs = {{"--expect", options.expect},
                                   {"--tolerance", options.toleranceFile},
                                   {"--pace", options.pace},
                                   {"--machine", options.pipeline.machine},
                                   {"--ops", options.pipeline.opFile}};
  auto add = [&](const char *flag, llvm::ArrayRef<std::string> paths) {
    for (const std::string &path : paths)
      inputs.push_back({flag, path});
  };
  add("GRAPH", positional);
  add("--rank-graphs", options.rankGraphs);
  add("--groups", options.groups);
  return checkOutputPaths(outputs, inputs);
}

// Graphs are given either as one file for all ranks or by --rank-graphs, one file for each rank; group files pair up
// with them. A wrong number of files is reported here, before any file is read.
llvm::Error checkRunUsage(const RunOptions &options, llvm::ArrayRef<std::string> positional) {
  if (!options.engine.empty() && options.engine != "reference" && !runtime::findEngine(options.engine))
    return usage("--engine: got '" + visibleText(options.engine) +
                 "', expected one of: " + llvm::join(engineNames(), ", "));
  for (const std::string &name : options.kernels)
    if (!runtime::findKernelProvider(name))
      return usage("--kernels: got '" + visibleText(name) +
                   "', expected some of: " + llvm::join(runtime::kernelProviderNames(), ", "));
  if (!options.analyze.empty())
    return positional.empty() && options.rankGraphs.empty()
               ? llvm::Error::success()
               : usage("--analyze: got graphs besides, expected none\n  note: it reads the files of an earlier run");
  if (options.rankGraphs.empty() ? positional.size() != 1 : !positional.empty())
    return usage("got " + llvm::Twine(positional.size()) +
                 " graphs, expected one, or --rank-graphs with one for each rank\n  note: --help lists the flags");
  if (!options.rankGraphs.empty() && options.ranks != 0 && options.ranks != options.rankGraphs.size())
    return usage("got " + llvm::Twine(options.rankGraphs.size()) + " rank graphs for " + llvm::Twine(options.ranks) +
                 " ranks, expected one for each rank");
  size_t graphs = std::max<size_t>(options.rankGraphs.size(), 1);
  if (!options.pace.empty() && (!options.values.empty() || !options.expect.empty() || !options.faults.empty()))
    return usage("--pace: got --values, --expect or --fault besides, expected none of them\n  note: a run with --pace "
                 "computes no values that could be compared");
  if (options.groups.size() > 1 && options.groups.size() != graphs)
    return usage("got " + llvm::Twine(options.groups.size()) + " group files for " + llvm::Twine(graphs) +
                 " graphs, expected one, or one each");
  return checkPaths(options, positional);
}

} // namespace ccgraph::driver
