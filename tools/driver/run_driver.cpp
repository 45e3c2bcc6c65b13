#include "driver/run_driver.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/tolerance_file.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/engine.h"
#include "ccgraph/runtime/fixed_outputs.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/runtime/memory_need.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "ccgraph/toolkit/equivalence_check.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/node_places.h"
#include "ccgraph/toolkit/text.h"
#include "driver/run_options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

namespace ccgraph::driver {
namespace {

using namespace runtime; // NOLINT(google-build-using-namespace): a driver is glue between the folders

// One graph serves all ranks, or each rank has its own (--rank-graphs). Inputs are recorded values (--values), and then
// the outputs are compared with the recorded ones; or they are made from a seed, and then there is nothing to compare
// with: a checksum of each output is printed, so that two runs can be held against each other by their text.

/// One execution: loads, runs, compares, reports.
class RunJob {
public:
  RunJob(const RunOptions &options, Pipeline pipeline, Streams streams)
      : options_(options), pipeline_(std::move(pipeline)), streams_(streams) {}

  ExitCode run(llvm::ArrayRef<std::string> positional) {
    llvm::Error error = load(positional);
    if (!error)
      error = transform();
    if (!error)
      error = execute();
    if (!error)
      return options_.values.empty() ? reportChecksums() : reportComparison();
    printError(streams_.err, std::move(error));
    return ExitCode::Diagnosed;
  }

private:
  // One step needs the other: how many ranks there are may stand in the graph, groups that no file describes are
  // assumed for that number of ranks, and the verifier asks the groups. So all graphs are read before the ranks are
  // chosen, and verified after.
  llvm::Error load(llvm::ArrayRef<std::string> positional) {
    if (llvm::Error error = options_.pipeline.declareOps(context_))
      return error;
    llvm::ArrayRef<std::string> paths = options_.rankGraphs.empty() ? positional : llvm::ArrayRef(options_.rankGraphs);
    for (size_t i = 0; i < paths.size(); ++i) {
      llvm::Expected<InputFile> file = InputFile::open(paths[i]);
      if (!file)
        return file.takeError();
      files_.push_back(std::move(*file));
      Diagnostics warnings;
      llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context_, files_.back(), options_.selector, &warnings);
      streams_.err << toString(warnings.take());
      if (!graph)
        return graph.takeError();
      graphs_.push_back(std::move(*graph));
      if (!options_.groups.empty())
        if (llvm::Error error = loadGroups(*graphs_.back(), options_.groups[options_.groups.size() == 1 ? 0 : i]))
          return error;
    }
    if (llvm::Error error = chooseRanks())
      return error;
    for (size_t i = 0; i < paths.size(); ++i) {
      assumeGroups(*graphs_[i], request_.ranks);
      if (llvm::Error error = checkWellFormed(*graphs_[i]))
        return withPlaces(std::move(error), place(i));
    }
    return loadInputs();
  }

  llvm::Error loadGroups(Graph &graph, const std::string &path) {
    if (llvm::Error error = addGroups(graph, path))
      return error;
    llvm::Expected<ObjectMeanings> objects = loadObjects(path);
    if (!objects)
      return objects.takeError();
    request_.objects.insert(objects->begin(), objects->end());
    return llvm::Error::success();
  }

  // As --ranks says, else one for each graph of --rank-graphs, else the world size that the graph states.
  llvm::Error chooseRanks() {
    request_.ranks = options_.ranks ? options_.ranks : options_.rankGraphs.size();
    if (request_.ranks == 0)
      request_.ranks = static_cast<size_t>(graphs_.front()->worldSize.value_or(0));
    if (request_.ranks == 0)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "the graph does not say how many ranks it is for\n  note: give --ranks N");
    return llvm::Error::success();
  }

  llvm::Error loadInputs() {
    if (!options_.values.empty()) {
      llvm::Expected<std::vector<TensorMap>> values = loadValues(options_.values, request_.ranks);
      if (!values)
        return values.takeError();
      request_.inputs = std::move(*values);
    } else {
      // What the run needs is told from types before an input is made, since the inputs alone may be more than there
      // is.
      std::vector<const Graph *> graphs;
      for (const auto &graph : graphs_)
        graphs.push_back(graph.get());
      if (llvm::Error error = runtime::checkMemory(runtime::memoryNeed(graphs, request_.ranks).toRun(), request_.ranks,
                                                   machineMemory()))
        return error;
      // Memory was asked for before any input is made; each rank may have an equal part of it.
      const int64_t room = machineMemory() / static_cast<int64_t>(request_.ranks);
      for (size_t rank = 0; rank < request_.ranks; ++rank)
        request_.inputs.push_back(
            seededInputs(*graphs_[graphs_.size() == 1 ? 0 : rank], static_cast<int64_t>(rank), options_.seed, room));
    }
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

  /// Ranks whose texts differ keep their order across groups.
  llvm::Error transform() {
    PassManagerOptions manager = options_.pipeline.manager;
    manager.spmd &= graphs_.size() == 1;
    for (auto &graph : graphs_) {
      llvm::Expected<PipelineRun> run = runPipeline(*graph, pipeline_, manager);
      if (!run)
        return graphs_.size() == 1 ? withPlaces(run.takeError(), place(0)) : run.takeError();
      changed_ |= run->changed();
    }
    return llvm::Error::success();
  }

  llvm::Error execute() {
    for (const auto &graph : graphs_)
      request_.graphs.push_back(graph.get());
    request_.memoryLimit = machineMemory();
    llvm::Expected<RunResult> result = options_.engine == "reference" ? interpret(request_) : executePlans();
    if (!result && graphs_.size() == 1)
      return withPlaces(result.takeError(), place(0)); // says which file: there is but one
    if (!result)
      return result.takeError();
    result_ = std::move(*result);
    return llvm::Error::success();
  }

  /// Lowers each graph, has the plans verified, and runs them.
  llvm::Expected<RunResult> executePlans() {
    PlanRequest request{.ranks = request_.ranks, .inputs = request_.inputs, .memoryLimit = request_.memoryLimit};
    request.seed = options_.seed;
    for (const auto &graph : graphs_) {
      llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(*graph, {.objects = request_.objects});
      if (!plan)
        return plan.takeError();
      // Because one text serves every rank, whosever it was.
      if (graphs_.size() == 1)
        (*plan)->rank.reset();
      if (llvm::Error error = verifyPlanOrError(**plan))
        return error;
      plans_.push_back(std::move(*plan));
      request.plans.push_back(plans_.back().get());
    }
    return runPlans(*findEngine(options_.engine), request);
  }

  [[nodiscard]] GraphChoice place(size_t graph) const { return {files_[graph], options_.selector}; }

  void reportProgram() {
    size_t nodes = 0;
    for (const auto &graph : graphs_)
      nodes = std::max(nodes, graph->size());
    streams_.out << "program   " << graphs_.front()->name() << ": " << nodes << " nodes, "
                 << (graphs_.size() == 1 ? "one text for " : "a text for each of ") << request_.ranks
                 << " ranks, engine " << options_.engine << '\n';
    if (!pipeline_.passes().empty())
      streams_.out << "passes    " << options_.pipeline.spelling(0) << (changed_ ? "" : ": changed nothing") << '\n';
    std::string last;
    for (const auto &graph : graphs_)
      if (std::string assumed = assumedGroupsText(graph->groups()); !assumed.empty() && assumed != last)
        streams_.out << "assumed   " << (last = std::move(assumed)) << '\n';
  }

  // The recorded values are both the inputs and what is expected: a file of a rank holds in.*, out.* and after.* by
  // name.
  ExitCode reportComparison() {
    rules_.fixed = fixedOutputs(*graphs_.front());
    Comparison comparison = compareRuns({request_.inputs, result_, request_.inputs}, rules_);
    reportProgram();
    streams_.out << "compared  " << comparison.outputs << " outputs, " << comparison.elements << " elements with "
                 << options_.values << '\n';
    streams_.out << "worst     " << llvm::format("%.3g", comparison.worst);
    if (!comparison.worstOutput.empty())
      streams_.out << " (rank " << comparison.worstRank << " " << comparison.worstOutput << ")";
    streams_.out << "\nverdict   " << verdictText(comparison) << '\n';
    bool holds = comparison.equal() && comparison.answered();
    if (!holds)
      streams_.err << differencesText(comparison);
    return holds ? ExitCode::Ok : ExitCode::CheckFailed;
  }

  // Equal is said with what it rests on: to the bit, or how many elements only within the tolerance.
  static std::string verdictText(const Comparison &comparison) {
    if (comparison.outputs == 0)
      return "nothing to compare";
    if (!comparison.equal())
      return "different: " + std::to_string(comparison.differences.size()) + " of " +
             std::to_string(comparison.outputs) + " outputs";
    std::string how = comparison.inexact == 0 ? "equal to the bit"
                                              : "equal within the tolerance (" +
                                                    counted(comparison.inexact, "element") + " not to the bit)";
    return (comparison.answered() ? "" : "not checked: ") + equalityText(comparison, how);
  }

  // The checksum is one of bytes: it tells -0.0 from 0.0, and one NaN from another.
  ExitCode reportChecksums() {
    reportProgram();
    streams_.out << "inputs    seeded with " << options_.seed << '\n';
    for (size_t rank = 0; rank < result_.size(); ++rank)
      for (const auto &[name, tensor] : result_[rank])
        streams_.out << "rank " << rank << "  " << name << " " << tensor.typeText() << " checksum "
                     << llvm::format_hex_no_prefix(checksum(tensor), 16) << '\n';
    return ExitCode::Ok;
  }

  /// FNV-1a of the bytes.
  static uint64_t checksum(const HostTensor &tensor) {
    uint64_t hash = 0xcbf29ce484222325;
    for (std::byte byte : tensor.data)
      hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
    return hash;
  }

  const RunOptions &options_;
  Pipeline pipeline_;
  Streams streams_;
  Context context_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<std::unique_ptr<Plan>> plans_; ///< of the graphs, where an engine runs them
  std::vector<InputFile> files_;             ///< of the graphs; kept, because an error looks up where a node stands
  bool changed_ = false;                     ///< by the pipeline
  runtime::RunRequest request_;
  runtime::ComparisonRules rules_;
  runtime::RunResult result_;
};

} // namespace

ExitCode runMain(llvm::ArrayRef<const char *> arguments, Streams streams) {
  RunOptions options;
  CommandLine line = declareRunFlags(options);
  auto wrongUsage = [&](llvm::Error error) {
    printError(streams.err, std::move(error));
    return ExitCode::Usage;
  };
  if (llvm::Error error = line.parse(arguments))
    return wrongUsage(std::move(error));
  if (options.help) {
    llvm::Error error = line.printHelp(streams.out, *options.help);
    return error ? wrongUsage(std::move(error)) : ExitCode::Ok;
  }
  if (options.version) {
    streams.out << "ccgraph-run " << CCGRAPH_VERSION << '\n';
    return ExitCode::Ok;
  }
  if (llvm::Error error = checkRunUsage(options, line.positional()))
    return wrongUsage(std::move(error));
  llvm::Expected<Pipeline> pipeline = options.pipeline.pipeline(0);
  if (!pipeline)
    return wrongUsage(pipeline.takeError());
  return RunJob(options, std::move(*pipeline), streams).run(line.positional());
}

} // namespace ccgraph::driver
