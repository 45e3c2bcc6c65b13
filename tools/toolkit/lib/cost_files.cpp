#include "ccgraph/toolkit/cost_files.h"

#include "ccgraph/frontend/collective_samples_file.h"
#include "ccgraph/frontend/durations_file.h"
#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/machine_file.h"
#include "ccgraph/frontend/trace_log.h"
#include "ccgraph/ir/digest.h"
#include "trace_durations.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

namespace ccgraph {
namespace {

llvm::Error mismatch(const Durations &durations, std::string message, std::string repair) {
  Diagnostic diagnostic = diagnose("tool.durations", std::move(message), std::move(repair));
  diagnostic.file = durations.origin;
  return makeError(std::move(diagnostic));
}

} // namespace

// A preset takes precedence, so that a file in the folder cannot change the meaning of a name; ./h100x8 means the file.
llvm::Expected<Machine> loadMachine(llvm::StringRef nameOrPath) {
  if (std::optional<Machine> preset = machinePreset(nameOrPath))
    return *preset;
  if (nameOrPath != "-" && !llvm::sys::fs::exists(nameOrPath)) {
    Diagnostic diagnostic = diagnose("tool.machine", "there is neither a preset nor a file of this name",
                                     "the machines are " + llvm::join(machinePresetNames(), ", "));
    diagnostic.file = nameOrPath.str();
    return makeError(std::move(diagnostic));
  }
  llvm::Expected<InputFile> file = InputFile::open(nameOrPath);
  if (!file)
    return file.takeError();
  return readMachineFile(file->source());
}

llvm::Expected<Durations> loadDurations(llvm::StringRef path) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return readDurationsFile(file->source());
}

llvm::Expected<DurationFile> DurationFile::load(llvm::StringRef path) {
  DurationFile file;
  if (!TraceLog::isTrace(path)) {
    auto durations = loadDurations(path);
    if (!durations)
      return durations.takeError();
    file.durations_ = std::move(*durations);
    return file;
  }
  auto estimates = readTraceEstimates(path);
  if (!estimates)
    return estimates.takeError();
  file.durations_.origin = path.str();
  if (estimates->empty())
    return mismatch(file.durations_,
                    "this log holds no estimates, expected one of fx_compute_nodes_runtime_estimation, "
                    "fx_collectives_analytical_estimation and inductor_runtime_and_tensor_meta",
                    "compile with torch._inductor.config.aten_distributed_optimizations.enable_overlap_scheduling, "
                    "or leave --durations away");
  file.estimates_ = std::move(*estimates);
  return file;
}

DurationFile DurationFile::of(Durations durations) {
  DurationFile file;
  file.durations_ = std::move(durations);
  return file;
}

llvm::Error DurationFile::holdTo(const Graph &graph) {
  if (estimates_)
    durations_ = matchEstimates(*estimates_, graph);
  return checkDurations(durations_, graph);
}

Durations DurationFile::estimatesOf(const Graph &graph) const {
  assert(estimates_ && "the file is a log");
  return matchEstimates(*estimates_, graph);
}

Machine orDefault(const std::optional<Machine> &machine) { return machine ? *machine : *machinePreset(defaultMachine); }

llvm::Expected<RunCosts> loadRunCosts(const CostNames &names, const HostGpus &gpus) {
  RunCosts costs;
  if (names.machine.empty()) {
    costs.machine = machineOfGpus(gpus);
  } else {
    llvm::Expected<Machine> machine = loadMachine(names.machine);
    if (!machine)
      return machine.takeError();
    costs.machine = std::move(*machine);
  }
  for (const std::string &path : names.collectives) {
    costs.machine = orDefault(costs.machine);
    if (llvm::Error error = addCollectives(*costs.machine, path))
      return error;
  }
  if (names.durations.empty())
    return costs;
  llvm::Expected<DurationFile> durations = DurationFile::load(names.durations);
  if (!durations)
    return durations.takeError();
  costs.durations = std::move(*durations);
  return costs;
}

llvm::Error addCollectives(Machine &machine, llvm::StringRef path) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  auto samples = readCollectiveSamples(file->source(), machine.ranksPerNode);
  if (!samples)
    return samples.takeError();
  llvm::append_range(*samples, machine.measured);
  machine.measured = sortedSamples(std::move(*samples));
  return llvm::Error::success();
}

llvm::Error checkDurations(const Durations &durations, const Graph &graph) {
  if (!durations.digest.empty())
    if (std::string digest = digestOf(graph).str(); digest != durations.digest)
      return mismatch(durations,
                      "durations of the graph with digest " + durations.digest + ", but this graph has " + digest,
                      "give durations that were measured for this graph");
  auto isTimed = [&](const Node *node) {
    return durations.find(node->name().str()) || durations.calls(node->target().str());
  };
  if (llvm::none_of(graph, isTimed))
    return mismatch(durations, "no node of these durations is in graph '" + graph.name().str() + "'",
                    "give durations that were measured for this graph, or choose another one with --graph");
  return llvm::Error::success();
}

} // namespace ccgraph
