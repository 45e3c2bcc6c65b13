#include "driver/run_driver.h"

#include "ccgraph/frontend/tolerance_file.h"
#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/fixed_outputs.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/runtime/memory_need.h"
#include "ccgraph/toolkit/equivalence_check.h"
#include "ccgraph/toolkit/flight_files.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/text.h"
#include "driver/expected_run.h"
#include "driver/flight_job.h"
#include "driver/launcher_place.h"
#include "driver/measured_run.h"
#include "driver/paced_run.h"
#include "driver/process_launch.h"
#include "driver/progress_line.h"
#include "driver/run_options.h"
#include "driver/run_program.h"
#include "driver/run_report.h"
#include "driver/timed_runs.h"

#include <cstdlib>

namespace ccgraph::driver {
namespace {

using namespace runtime; // NOLINT(google-build-using-namespace): a driver is glue between the folders

// Inputs are recorded values (--values) or are generated from a seed. Outputs are compared with those of another graph
// on the same inputs (--expect), else with the recorded outputs. If there is neither, a checksum of each output is
// printed, so that two runs can be compared by their text.

/// One execution: loads, runs, compares, reports.
class RunJob {
public:
  /// `place` is the place of this process, if each rank has a process.
  RunJob(const RunOptions &options, Pipeline pipeline, Streams streams,
         std::optional<ProcessPlace> place = std::nullopt)
      : options_(options), pipeline_(std::move(pipeline)), streams_(streams), place_(place), program_(options, streams),
        runs_(program_, options), expected_(options, program_) {}

  ExitCode run(llvm::ArrayRef<std::string> positional) {
    if (llvm::Error error = open(positional))
      return fail(std::move(error));
    if (llvm::Error error = program_.checkUsage())
      return fail(std::move(error), ExitCode::Usage);
    if (llvm::Error error = prepare())
      return fail(std::move(error));
    if (llvm::Error error = comparesWithGraph() ? expected_.checkInputs() : llvm::Error::success())
      return fail(std::move(error), ExitCode::CheckFailed);
    if (llvm::Error error = runPrepared())
      return failedRun(std::move(error));
    if (!seesAll())
      return ExitCode::Ok;
    if (llvm::Error error = saveTimes())
      return fail(std::move(error));
    if (isPaced()) {
      report();
      return ExitCode::Ok;
    }
    if (!runs_.difference().empty()) {
      streams_.err << runs_.difference();
      return ExitCode::CheckFailed;
    }
    if (options_.expect.empty())
      return options_.values.empty() ? reportChecksums() : compare(inputs_, options_.values);
    llvm::Expected<RunResult> expected = expected_.run(inputs_);
    return expected ? compare(*expected, options_.expect) : fail(expected.takeError(), ExitCode::CheckFailed);
  }

  /// Returns the number of ranks of the program without running it.
  llvm::Expected<size_t> countRanks(llvm::ArrayRef<std::string> paths) {
    if (llvm::Error error = program_.open(paths))
      return error;
    if (llvm::Error error = program_.checkUsage())
      return error;
    if (llvm::Error error = program_.load())
      return error;
    return program_.ranks();
  }

private:
  /// Returns true if this process receives the results of all ranks.
  [[nodiscard]] bool seesAll() const { return !place_ || place_->rank == 0; }

  ExitCode fail(llvm::Error error, ExitCode code = ExitCode::Diagnosed) {
    printError(streams_.err, std::move(error));
    return code;
  }

  [[nodiscard]] bool isPaced() const { return !options_.pace.empty(); }
  [[nodiscard]] bool comparesWithGraph() const { return !options_.expect.empty() && seesAll(); }
  llvm::Error open(llvm::ArrayRef<std::string> positional) {
    ProgressLine line(streams_.err, "reading");
    return program_.open(options_.rankGraphs.empty() ? positional : llvm::ArrayRef(options_.rankGraphs));
  }
  llvm::Error runPrepared() {
    SignalRecords signals(runs_.plans(), options_.flightRecords, streams_.err);
    ProgressLine line(streams_.err, "running " + counted(program_.ranks(), "rank"));
    return runs_.run(inputs_);
  }

  llvm::Error prepareRuns() {
    std::optional<Pace> pace;
    if (isPaced()) {
      llvm::Expected<std::vector<StepTimes>> times = timesOfProgram(program_);
      if (!times)
        return times.takeError();
      stepTimes_ = std::move(*times);
      pace = paceOf(stepTimes_);
    }
    auto saveRecords = [this](llvm::ArrayRef<FlightRecord> records) {
      if (options_.flightRecords.empty())
        return;
      if (llvm::Error error = saveFlightRecords(options_.flightRecords, records)) {
        printError(streams_.err, std::move(error));
        saved_ = false;
      }
    };
    return runs_.prepare(saveRecords, std::move(pace));
  }

  llvm::Error saveCalls() {
    auto write = [&](llvm::raw_ostream &os) {
      std::vector<std::string> calls = runs_.plans()->recordedCalls();
      for (size_t rank = 0; rank < calls.size(); ++rank)
        os << "rank " << rank << '\n' << calls[rank];
      return llvm::Error::success();
    };
    return options_.calls == "-" ? write(streams_.out) : writeFile(options_.calls, write);
  }

  llvm::Error saveTimes() {
    if (llvm::Error error = options_.calls.empty() ? llvm::Error::success() : saveCalls())
      return error;
    if (llvm::Error error =
            options_.trace.empty() ? llvm::Error::success() : saveTrace(options_.trace, runs_.traces().records))
      return error;
    return options_.durations.empty() ? llvm::Error::success()
                                      : saveDurations(options_.durations, program_, runs_.times());
  }

  ExitCode failedRun(llvm::Error error) {
    error = program_.placed(std::move(error));
    std::string explanation;
    llvm::raw_string_ostream os(explanation);
    if (program_.runsPlans())
      explainFailure(os, error, {runs_.flightRecords(), !place_}, saved_ ? options_.flightRecords : "");
    ExitCode code = fail(std::move(error));
    streams_.err << os.str();
    return code;
  }

  // Inputs belong to the original program, so they are generated before a pass changes it. A run that does not fit into
  // memory is rejected before that: a plan when it is prepared, a graph by its types.
  llvm::Error prepare() {
    ProgressLine line(streams_.err, "reading and preparing");
    if (llvm::Error error = program_.load())
      return error;
    if (llvm::Error error = comparesWithGraph() ? expected_.load(streams_.err) : llvm::Error::success())
      return error;
    if (llvm::Error error = loadTolerances())
      return error;
    if (program_.isPlanned()) {
      if (llvm::Error error = prepareRuns())
        return program_.placed(std::move(error));
      return loadInputs();
    }
    if (llvm::Error error = loadInputs())
      return error;
    if (llvm::Error error = program_.transform(pipeline_))
      return error;
    if (llvm::Error error = program_.runsPlans() ? program_.lower() : llvm::Error::success())
      return error;
    return program_.placed(prepareRuns());
  }

  /// Returns the graphs that run in the memory of this machine: one that serves every rank, or one for each rank.
  [[nodiscard]] std::vector<const Graph *> graphsOfHost() const {
    std::vector<const Graph *> all = program_.graphs(), here;
    if (!place_ || all.size() < 2)
      return all;
    for (size_t rank : place_->hostRanks)
      if (rank < all.size()) // more processes than ranks are rejected later
        here.push_back(all[rank]);
    return here;
  }

  llvm::Error loadInputs() {
    if (isPaced()) {
      inputs_.resize(program_.ranks());
      return llvm::Error::success();
    }
    if (!options_.values.empty()) {
      llvm::Expected<std::vector<TensorMap>> values = loadValues(options_.values, program_.ranks());
      if (!values)
        return values.takeError();
      inputs_ = std::move(*values);
      return llvm::Error::success();
    }
    // The required memory is computed from types before an input is generated, since the inputs alone may exceed the
    // memory.
    const std::vector<const Graph *> graphs = graphsOfHost();
    const size_t ranks = place_ ? place_->hostRanks.size() : program_.ranks();
    if (!program_.isPlanned())
      if (llvm::Error error = checkMemory(memoryNeed(graphs, ranks).toRun(), ranks, machineMemory()))
        return error;
    // Each rank may use an equal part of the memory.
    const int64_t room = machineMemory() / static_cast<int64_t>(ranks);
    for (size_t rank = 0; rank < program_.ranks(); ++rank)
      inputs_.push_back(seesAll() || rank == place_->rank ? program_.seededInputs(rank, room) : TensorMap());
    return llvm::Error::success();
  }

  llvm::Error loadTolerances() {
    rules_.otherwise = options_.tolerance;
    if (options_.toleranceFile.empty())
      return llvm::Error::success();
    llvm::Expected<InputFile> file = InputFile::open(options_.toleranceFile);
    if (!file)
      return file.takeError();
    llvm::Expected<ToleranceMap> tolerances = readToleranceFile(file->source());
    if (!tolerances)
      return tolerances.takeError();
    rules_.perOutput = std::move(*tolerances);
    return llvm::Error::success();
  }

  void findFixedOutputs() {
    rules_.fixed =
        program_.isPlanned() ? fixedOutputs(*program_.plans().front()) : fixedOutputs(*program_.graphs().front());
    if (options_.expect.empty())
      return;
    std::set<std::string> theirs = fixedOutputs(expected_.graph());
    std::erase_if(rules_.fixed, [&](const std::string &name) { return theirs.count(name) == 0; });
  }

  /// A folder of recorded values holds in.*, out.* and after.* by name, and the results of a run have the same names
  /// except in.*.
  ExitCode compare(const std::vector<TensorMap> &expected, const std::string &with) {
    findFixedOutputs();
    Comparison comparison = compareRuns({expected, runs_.result(), inputs_}, rules_);
    report();
    printComparison(streams_.out, comparison, with);
    bool holds = comparison.equal() && comparison.answered();
    if (!holds)
      streams_.err << differencesText(comparison);
    return holds ? ExitCode::Ok : ExitCode::CheckFailed;
  }

  ExitCode reportChecksums() {
    report();
    streams_.out << "inputs    seeded with " << options_.seed.value_or(0) << '\n';
    printChecksums(streams_.out, runs_.result());
    return ExitCode::Ok;
  }

  void report() {
    printProgram(streams_.out, program_);
    if (!pipeline_.passes().empty())
      streams_.out << "passes    " << options_.pipeline.levelText(0) << (program_.changed() ? "" : ": changed nothing")
                   << '\n';
    printAssumed(streams_.out, program_);
    printPlans(streams_.out, program_, inputs_);
    if (isPaced()) {
      printPace(streams_.out, program_, stepTimes_.front(), {runs_.traces().statedEnds, runs_.seconds()});
      return printCommunication(streams_.out, runs_.times());
    }
    if (!options_.repeat)
      return;
    printTimes(streams_.out, runs_.seconds());
    printStepTimes(streams_.out, runs_.times());
    printCommunication(streams_.out, runs_.times());
  }

  const RunOptions &options_;
  Pipeline pipeline_;
  Streams streams_;
  std::optional<ProcessPlace> place_;
  RunProgram program_;
  TimedRuns runs_;
  ExpectedRun expected_;
  std::vector<TensorMap> inputs_;
  std::vector<StepTimes> stepTimes_; ///< by plan, if the run has simulated durations
  ComparisonRules rules_;
  bool saved_ = true; ///< false if a failed run could not write the requested flight records
};

// --- A process for each rank ------------------------------------------------------------------------------------

/// A call of ccgraph-run.
struct RunCall {
  const RunOptions &options;
  Pipeline pipeline;
  llvm::ArrayRef<const char *> arguments;
  llvm::ArrayRef<std::string> positional;

  [[nodiscard]] llvm::ArrayRef<std::string> paths() const {
    return options.rankGraphs.empty() ? positional : llvm::ArrayRef(options.rankGraphs);
  }
};

/// Reads the program once, so that its errors are reported once and the number of ranks is known.
ExitCode launchRanks(const Engine &engine, RunCall call, Streams streams) {
  if (llvm::Error error = engine.checkAvailable()) {
    printError(streams.err, std::move(error));
    return ExitCode::Diagnosed;
  }
  if (llvm::is_contained(call.paths(), "-")) {
    streams.err << "error: --engine mpi: got standard input, expected files, which each rank's process reads\n"
                   "  note: save it to a file first\n";
    return ExitCode::Usage;
  }
  llvm::Expected<size_t> ranks = RunJob(call.options, std::move(call.pipeline), streams).countRanks(call.paths());
  if (ranks) {
    ExitCode code = launchProcesses(call.arguments, *ranks, streams);
    if (code != ExitCode::Ok)
      explainRecords(streams.err, call.options.flightRecords);
    return code;
  }
  printError(streams.err, ranks.takeError());
  return ExitCode::Diagnosed;
}

/// Only rank 0 prints, or another rank in its place if rank 0 cannot.
ExitCode runOneRank(const Engine &engine, RunCall call, Streams streams) {
  llvm::Expected<ProcessPlace> place = engine.join(call.options.deadline);
  if (!place) {
    printError(streams.err, place.takeError());
    streams.err.flush();
    // The process exits immediately, because an abandoned call into MPI may hold a lock that a normal exit waits for.
    std::_Exit(static_cast<int>(ExitCode::Diagnosed));
  }
  std::string errors;
  llvm::raw_null_ostream nowhere;
  llvm::raw_string_ostream kept(errors);
  Streams own = place->rank == 0 ? streams : Streams{nowhere, kept};
  ExitCode code = RunJob(call.options, std::move(call.pipeline), own, *place).run(call.positional);
  if (code != ExitCode::Ok && place->rank != 0 && engine.reports())
    streams.err << kept.str();
  streams.out.flush();
  streams.err.flush();
  return static_cast<ExitCode>(engine.leave(static_cast<int>(code)));
}

} // namespace

ExitCode runMain(llvm::ArrayRef<const char *> arguments, Streams streams) {
  RunOptions options;
  CommandLine line = declareRunFlags(options);
  if (llvm::Error error = line.parse(arguments))
    return rejectUsage(streams, std::move(error));
  if (auto code = answerCommonFlags(line, {"ccgraph-run", options.help, options.version}, streams))
    return *code;
  if (llvm::Error error = checkRunUsage(options, line.positional()))
    return rejectUsage(streams, std::move(error));
  if (!options.analyze.empty())
    return analyzeRecords(options.analyze, streams);
  llvm::Expected<Pipeline> pipeline = options.pipeline.pipeline(0);
  if (!pipeline)
    return rejectUsage(streams, pipeline.takeError());
  if (!options.flightRecords.empty() && !isLaunched())
    if (llvm::Error error = clearFlightRecords(options.flightRecords)) {
      printError(streams.err, std::move(error));
      return ExitCode::Diagnosed;
    }
  const Engine *engine = findEngine(options.engine);
  if (!engine || !engine->isSpread())
    return RunJob(options, std::move(*pipeline), streams).run(line.positional());
  RunCall call{options, std::move(*pipeline), arguments, line.positional()};
  if (engine->abilities().needsPlace) {
    llvm::Expected<JobPlace> place = placeOfLauncher({options.jobFolder, options.jobAddress});
    if (!place)
      return rejectUsage(streams, place.takeError());
    engine->setPlace(*place);
    return runOneRank(*engine, std::move(call), streams);
  }
  return isLaunched() ? runOneRank(*engine, std::move(call), streams) : launchRanks(*engine, std::move(call), streams);
}

} // namespace ccgraph::driver
