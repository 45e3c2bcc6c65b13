#include "driver/opt_options.h"

#include "ccgraph/ir/machine.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/runtime/kernel_provider.h"
#include "driver/output_paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

#include <limits>

namespace ccgraph::driver {
namespace {

llvm::Error usage(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::optional<OutputFormat> formatOf(llvm::StringRef word) {
  return llvm::StringSwitch<std::optional<OutputFormat>>(word)
      .Case("json", OutputFormat::Json)
      .Case("fx", OutputFormat::FxText)
      .Case("schedule", OutputFormat::Schedule)
      .Case("chakra", OutputFormat::Chakra)
      .Case("plan", OutputFormat::Plan)
      .Case("plan-text", OutputFormat::PlanText)
      .Case("plan-dot", OutputFormat::PlanDot)
      .Default(std::nullopt);
}

void addMainFlags(CommandLine &line, OptOptions &options) {
  line.addText("-o", "FILE",
               "output file: JSON, FX text for .py, a .plan.json, .schedule.json or .et; - is standard output",
               options.output);
  addPipelineFlags(line, options.pipeline, 2);
  line.addText("--schedule", "FILE",
               "apply a schedule that --emit schedule wrote for this graph, instead of a pipeline", options.schedule);
  line.addText("--groups", "FILE", "ranks of each group: {\"groups\": {\"0\": {\"ranks\": [0, 1]}}}", options.groups);
  line.add({"--bind", "SYMBOL=N", "predict and schedule for this size of a dynamic dimension: s0=4096, or s0=4096,s1=8",
            [&options](llvm::StringRef text) -> llvm::Error {
              llvm::Expected<SymbolValues> values = parseSymbolValues(text);
              if (!values) {
                llvm::consumeError(values.takeError());
                return badValue("--bind", text, "symbols and their sizes, such as s0=4096,s1=8");
              }
              llvm::append_range(options.sizes, *values);
              return llvm::Error::success();
            }});
  line.addText("--machine", "NAME",
               "machine for predicted times: " + llvm::join(machinePresetNames(), ", ") + ", or a FILE",
               options.pipeline.machine);
  line.chooseFrom(machinePresetNames());
  line.addText("--durations", "FILE", "measured microseconds of each node, instead of predicted times: name<tab>us",
               options.pipeline.durations);
  line.addFileList(
      "--measured", "PATH",
      "explain the traces that PyTorch's profiler wrote of all ranks, a folder or files, and use their times",
      options.measured);
  line.addFileList("--step-graphs", "FILE",
                   "with --measured: the other graphs that a step executes; a log has those of its step already",
                   options.stepGraphs);
  line.addText("--snapshot", "FILE",
               "memory snapshot of torch.cuda.memory._dump_snapshot(), compared with the graph as read",
               options.memorySnapshot);
  line.addText(
      "--fit-machine", "NAME",
      "fit a machine of this name to timed collectives: traces or output of nccl-tests -J in place of GRAPH, or "
      "GRAPH with --measured",
      options.fitMachine);
  line.addFileList("--collectives", "FILE", "measured collectives: output of nccl-tests -J, or a profiler trace",
                   options.pipeline.collectives);
  line.addRanks("--check-equivalence", "run the graph before and after on N ranks and compare the outputs",
                options.equivalenceRanks);
  line.addSwitch("--summary", "print the summary even if the graph goes to standard output", options.summary);
  line.add({"--exposed", "[N]",
            "list the N most exposed collectives, with the limiting factor and the first user of each",
            [&options](llvm::StringRef text) -> llvm::Error {
              size_t count = 0;
              if (!text.empty() && (text.getAsInteger(10, count) || count == 0))
                return badValue("--exposed", text, "a whole number from 1 on, or nothing for all");
              options.exposed = count;
              return llvm::Error::success();
            }});
  line.addSwitch("--advise", "try further ways to shorten the step, and print how much each saves", options.advise);
  line.addOptional("--remarks", "REGEX",
                   "print what was done to each node, or why nothing was done; only lines that match REGEX",
                   options.views.remarks);
  line.addSwitch("--verify-only", "only check whether the graph is well formed", options.verifyOnly);
  line.addSwitch("--list-graphs", "list the graphs of a file, of a log, or of a folder of logs", options.listGraphs);
  line.addText("--graph", "SELECTOR",
               "graph to read: an index, a name, or KIND or KIND@COMPILATION of a log; 'rank N:' may precede",
               options.selector);
  line.addSwitch("--list-passes", "list the passes", options.listPasses);
  line.addText("--help-pass", "NAME", "describe a pass and its options", options.helpPass);
  line.chooseFrom(namesOfPasses());
  line.addSwitch("--version", "print the version", options.version);
  line.addHelp("print this help, or the help of a topic", options.help);
}

// The flags of a topic have a screen of their own, such as --help=output, and are not on the first screen.
void addOutputFlags(CommandLine &line, OptOptions &options) {
  line.beginTopic("output", "output files and formats",
                  "Results go to standard output or to -o; all other output goes to standard error.");
  line.add({"--emit", "FORM",
            "json or fx: the graph; schedule: its order and buckets; chakra: an execution trace for simulators; plan, "
            "plan-text, plan-dot: the lowered plan of a rank",
            [&options](llvm::StringRef text) -> llvm::Error {
              if (!formatOf(text))
                return badValue("--emit", text, "json, fx, schedule, chakra, plan, plan-text or plan-dot");
              options.emit = text.str();
              return llvm::Error::success();
            }});
  line.chooseFrom({"json", "fx", "schedule", "chakra", "plan", "plan-text", "plan-dot"});
  line.addCount("--streams", "N",
                "with a plan: number of communication streams, shared by the groups (default: one for each group)", 1,
                [&](size_t streams) { options.streams = streams; });
  line.addSwitch("--json", "print one JSON value: an object, or an array of objects for several graphs", options.json);
  line.addSwitch("--csv", "with --exposed: the list as comma-separated values", options.csv);
  line.addSwitch("--timing", "print the times of each pass, of its checks, and of the choice of nodes", options.timing);
  line.addSwitch("--print-after-change", "print the graph as FX text after each pass that changed it",
                 options.printAfterChange);
  line.add({"--print-plan-after", "PHASE", "with a plan: print it after the phase steps, copies, layout or events",
            [&options](llvm::StringRef text) -> llvm::Error {
              if (!llvm::is_contained(loweringPhases(), text))
                return badValue("--print-plan-after", text, "steps, copies, layout or events");
              options.printPlanAfter = text.str();
              return llvm::Error::success();
            }});
  line.chooseFrom({"steps", "copies", "layout", "events"});
  line.addSwitch("--drop-types", "drop the types of all results, and infer them again", options.dropTypes);
}

void addChecksTopic(CommandLine &line, OptOptions &options) {
  line.beginTopic(
      "checks", "checks, operators, ranks, exit codes",
      "Exit codes: 0 success, 1 bad input or output, 2 bad usage, 3 a requested check failed or was impossible,\n4 a "
      "defect of ccgraph (--reproducer writes a file that shows it). --check-equivalence also exits with 3 if\nall "
      "elements of an output are NaN or infinite, or if no output could distinguish the two graphs.");
  line.addSwitch("--strict", "treat a collective without a wait as an error, not as a warning", options.strict);
  line.add({"--split-group", "GROUP:KIND",
            "give all collectives of one kind a second group of the same ranks: 0:all_gather",
            [&options](llvm::StringRef text) -> llvm::Error {
              llvm::Expected<GroupSplit> split = parseGroupSplit(text);
              if (!split) {
                llvm::consumeError(split.takeError());
                return badValue("--split-group", text, "GROUP:KIND such as 0:all_gather");
              }
              options.splits.push_back(std::move(*split));
              return llvm::Error::success();
            }});
  line.addText(
      "--reproducer", "FILE",
      "with exit code 4: file for the graph that shows the defect (default: a new file in the temporary folder)",
      options.reproducer);
  line.addText("--values", "DIR", "inputs of --check-equivalence: rank0.safetensors, ...; without it, seeded numbers",
               options.values);
  line.addCount("--seed", "S", "seed of these numbers (0)", 0, [&](size_t seed) { options.seed = seed; });
  line.addList("--kernels", "NAME,...",
               "kernel providers of --check-equivalence for operators that no builtin kernel computes: torch "
               "(PyTorch's kernels)",
               options.kernels);
  addCheckFlags(line, options.pipeline);
}

// A flag that another flag would override is rejected, because the user expects it to have an effect.
llvm::Error checkTogether(const OptOptions &options) {
  if (!options.values.empty() && options.equivalenceRanks == 0)
    return usage("--values is for --check-equivalence N, which is not given");
  if (!options.kernels.empty() && options.equivalenceRanks == 0)
    return usage("--kernels is for --check-equivalence N, which is not given");
  for (const std::string &name : options.kernels)
    if (!runtime::findKernelProvider(name))
      return usage("--kernels: got '" + name +
                   "', expected some of: " + llvm::join(runtime::kernelProviderNames(), ", "));
  if (!options.compare.empty() && options.writesGraphs())
    return usage("--compare runs no pass and writes no graph, but -o or --emit is given");
  if (options.csv && !options.exposed)
    return usage("--csv is for --exposed, which is not given");
  if (options.csv && options.json)
    return usage("got --csv and --json, which print one list in two forms\n  note: give one of them");
  if (options.advise && (options.verifyOnly || !options.compare.empty()))
    return usage("--advise runs the passes, which --verify-only and --compare do not");
  if (options.advise && !options.schedule.empty())
    return usage("--schedule fixes the schedule, and --advise tries other ones: expected one of them");
  if (options.verifyOnly && options.exposed)
    return usage("--verify-only runs no pass and predicts nothing, but --exposed is given");
  if (!options.measured.empty() && !options.pipeline.durations.empty())
    return usage("--measured and --durations both state how long nodes take: expected one of them");
  if (!options.stepGraphs.empty() && options.measured.empty())
    return usage("--step-graphs names graphs that traces execute: expected --measured too");
  if (!options.measured.empty() && (options.verifyOnly || !options.compare.empty()))
    return usage("--measured explains times, which --verify-only and --compare do not");
  if (!options.memorySnapshot.empty() && (options.verifyOnly || options.exposed || !options.compare.empty()))
    return usage("--snapshot is part of the summary, which --verify-only, --exposed and --compare do not print");
  if (!options.compare.empty() && options.exposed)
    return usage("--compare runs no pass and predicts nothing, but --exposed is given");
  if (!options.schedule.empty() && (options.pipeline.level || options.pipeline.text))
    return usage("--schedule fixes the passes: expected neither -O nor --pipeline beside it");
  if (options.streams > 0 && !options.writesPlans())
    return usage("--streams needs a plan: give --emit plan or -o FILE.plan.json");
  if (!options.printPlanAfter.empty() && !options.writesPlans())
    return usage("--print-plan-after needs a plan: give --emit plan or -o FILE.plan.json");
  if (!options.schedule.empty() && !options.pipeline.stopAfter.empty())
    return usage("--schedule fixes the passes, and --stop-after is for a pipeline: expected one of them");
  if (options.verifyOnly && options.writesGraphs())
    return usage("--verify-only writes no graph, but -o or --emit is given");
  if (llvm::StringRef view = options.views.given(); !view.empty() && (options.verifyOnly || options.listGraphs))
    return usage(view + " shows what the passes make, and " + (options.verifyOnly ? "--verify-only" : "--list-graphs") +
                 " runs none");
  if (llvm::StringRef view = options.views.given(); !view.empty() && !options.compare.empty())
    if (view != "--report" || options.equivalenceRanks != 0)
      return usage(view + " shows what the passes make, and --compare runs none" +
                   (view == "--report" ? "\n  note: without --check-equivalence the report shows both orders" : ""));
  if (options.views.diff && options.writesToStdout())
    return usage("got --diff and the graph, which both go to standard output, expected one of them\n  note: -o FILE "
                 "writes the graph elsewhere");
  return checkViewFlags(options.views);
}

llvm::Error checkFitPaths(const OptOptions &options) {
  std::vector<NamedPath> inputs = {{"--machine", options.pipeline.machine}};
  for (const std::string &path : options.timedFiles)
    inputs.push_back({"FILE", path});
  const NamedPath output[] = {{"-o", options.output}};
  return checkOutputPaths(output, inputs);
}

llvm::Error checkPaths(const OptOptions &options) {
  const NamedPath outputs[] = {{"-o", options.output},
                               {"--report", options.views.report},
                               {"--trace", options.views.trace},
                               {"--remarks-file", options.views.remarksFile},
                               {"--reproducer", options.reproducer}};
  std::vector<NamedPath> inputs = {{"GRAPH", options.input},
                                   {"--groups", options.groups},
                                   {"--schedule", options.schedule},
                                   {"--compare", options.compare},
                                   {"--ops", options.pipeline.opFile},
                                   {"--machine", options.pipeline.machine},
                                   {"--durations", options.pipeline.durations},
                                   {"--snapshot", options.memorySnapshot}};
  for (const std::string &path : options.pipeline.collectives)
    inputs.push_back({"--collectives", path});
  for (const std::string &path : options.measured)
    inputs.push_back({"--measured", path});
  for (const std::string &path : options.stepGraphs)
    inputs.push_back({"--step-graphs", path});
  return checkOutputPaths(outputs, inputs);
}

} // namespace

// --emit sets the format; without it, the name of the file does: "-o x.py" is FX text, everything else is JSON.
size_t OptOptions::explainedCollectives() const {
  constexpr size_t ofSummary = 3, all = std::numeric_limits<size_t>::max();
  if (!views.report.empty())
    return all;
  return !exposed ? ofSummary : *exposed == 0 ? all : *exposed;
}

OutputFormat OptOptions::format() const {
  if (!emit.empty())
    return *formatOf(emit);
  llvm::StringRef name(output);
  if (name.endswith(".plan.json"))
    return OutputFormat::Plan;
  if (name.endswith(".schedule.json"))
    return OutputFormat::Schedule;
  if (name.endswith(".et"))
    return OutputFormat::Chakra;
  return name.endswith(".py") ? OutputFormat::FxText : OutputFormat::Json;
}

CommandLine optCommandLine(OptOptions &options) {
  CommandLine line(
      "ccgraph-opt GRAPH [flags]",
      "Reads the graph of a distributed program, overlaps its communication with computation, proves that\nthe rewrite "
      "is safe, and writes the graph. GRAPH is ccgraph.graph JSON, FX text as print_readable and\nTORCH_LOGS print it, "
      "or a TORCH_TRACE log or folder; files may be gzipped; - is standard input. A plan is\nprinted as a table. A job "
      "file names the graphs of all ranks, which are rewritten together.");
  addMainFlags(line, options);
  addOutputFlags(line, options);
  addViewFlags(line, options.views);
  line.addText("--compare", "FILE",
               "run no pass; compare the time and memory of two orders, or with --check-equivalence their values",
               options.compare);
  addChecksTopic(line, options);
  return line;
}

// Requests for help or a list need no graph, so they are handled before the number of files is checked.
llvm::Error parseOptOptions(CommandLine &line, OptOptions &options, llvm::ArrayRef<const char *> arguments) {
  if (llvm::Error error = line.parse(arguments))
    return error;
  if (options.help || options.version || options.listPasses || !options.helpPass.empty())
    return llvm::Error::success();
  options.given = line.given().vec();
  if (!options.fitMachine.empty() && options.measured.empty()) {
    if (line.positional().empty())
      return usage("--fit-machine fits timed collectives, but no file is given\n  note: ccgraph-opt --fit-machine NAME "
                   "FILE..., or GRAPH --measured PATH");
    options.timedFiles = line.positional().vec();
    return checkFitPaths(options);
  }
  if (line.positional().size() != 1)
    return usage("got " + llvm::Twine(line.positional().size()) +
                 " graph files, expected one\n  note: ccgraph-opt GRAPH [flags]; --help lists the flags");
  options.input = line.positional().front();
  if (llvm::Error error = checkTogether(options))
    return error;
  return checkPaths(options);
}

} // namespace ccgraph::driver
