#include "driver/run_driver.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/object_file.h"
#include "ccgraph/frontend/tolerance_file.h"
#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/runtime/seeded_inputs.h"
#include "driver/program_files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

namespace ccgraph::driver {
namespace {

using namespace runtime; // NOLINT(google-build-using-namespace): a driver is glue between the folders

constexpr size_t maxDifferences = 10;

struct RunOptions {
  std::string engine = "reference";
  size_t ranks = 0; ///< 0: not given
  std::vector<std::string> rankGraphs;
  std::vector<std::string> groups;
  std::string selector;
  std::string values;
  std::string toleranceFile;
  Tolerance tolerance;
  size_t seed = 0;
  bool help = false;
};

CommandLine declare(RunOptions &options) {
  CommandLine line("ccgraph-run GRAPH --ranks N [flags]", "Executes a graph on N ranks and compares what comes out.");
  auto close = [&](double Tolerance::*bound) {
    return [&options, bound](double value) {
      options.tolerance.bitwise = false;
      options.tolerance.*bound = value;
    };
  };
  line.addText("--engine", "NAME", "what executes: reference (the interpreter, the default)", options.engine);
  line.addCount("--ranks", "N", "number of ranks", 1, options.ranks);
  line.addList("--rank-graphs", "A,B,...", "one graph a rank, instead of GRAPH", options.rankGraphs);
  line.addList("--groups", "FILE,...", "ranks of the groups: one file for all, or one a rank", options.groups);
  line.addText("--graph", "SELECTOR", "which graph of a file of several: a name or an index", options.selector);
  line.addText("--values", "DIR", "recorded inputs and outputs: rank0.safetensors, ...; without it, seeded inputs",
               options.values);
  line.addText("--tolerance", "FILE", "tolerance.per_output of this file; without it, bitwise", options.toleranceFile);
  line.addNumber("--atol", "A", "absolute tolerance of outputs that no file names", close(&Tolerance::atol));
  line.addNumber("--rtol", "R", "relative tolerance of outputs that no file names", close(&Tolerance::rtol));
  line.addCount("--seed", "S", "seed of the inputs (0)", 0, options.seed);
  line.addSwitch("--help", "prints this", options.help);
  return line;
}

llvm::Error usage(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Error checkUsage(const RunOptions &options, llvm::ArrayRef<std::string> positional) {
  if (options.engine != "reference")
    return usage("--engine: got '" + options.engine + "', expected reference, the only engine there is");
  if (options.rankGraphs.empty() ? positional.size() != 1 : !positional.empty())
    return usage("got " + llvm::Twine(positional.size()) +
                 " graphs, expected one, or --rank-graphs with one a rank\n  note: --help lists the flags");
  if (!options.rankGraphs.empty() && options.ranks != 0 && options.ranks != options.rankGraphs.size())
    return usage("got " + llvm::Twine(options.rankGraphs.size()) + " rank graphs for " + llvm::Twine(options.ranks) +
                 " ranks, expected one a rank");
  size_t graphs = std::max<size_t>(options.rankGraphs.size(), 1);
  if (options.groups.size() > 1 && options.groups.size() != graphs)
    return usage("got " + llvm::Twine(options.groups.size()) + " group files for " + llvm::Twine(graphs) +
                 " graphs, expected one, or one each");
  return llvm::Error::success();
}

/// One execution: loads, runs, compares, reports.
class RunJob {
public:
  RunJob(RunOptions options, Streams streams) : options_(std::move(options)), streams_(streams) {}

  ExitCode run(llvm::ArrayRef<std::string> positional) {
    llvm::Error error = load(positional);
    if (!error)
      error = execute();
    if (!error)
      return options_.values.empty() ? reportChecksums() : reportComparison();
    printError(streams_.err, std::move(error));
    return ExitCode::Diagnosed;
  }

private:
  llvm::Error load(llvm::ArrayRef<std::string> positional) {
    llvm::ArrayRef<std::string> paths = options_.rankGraphs.empty() ? positional : llvm::ArrayRef(options_.rankGraphs);
    for (size_t i = 0; i < paths.size(); ++i) {
      llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context_, paths[i], options_.selector);
      if (!graph)
        return graph.takeError();
      graphs_.push_back(std::move(*graph));
      if (!options_.groups.empty())
        if (llvm::Error error = loadGroups(*graphs_.back(), options_.groups[options_.groups.size() == 1 ? 0 : i]))
          return error;
    }
    if (llvm::Error error = chooseRanks())
      return error;
    for (auto &graph : graphs_)
      for (const std::string &name : assumeGroups(*graph, request_.ranks))
        if (!llvm::is_contained(assumed_, name))
          assumed_.push_back(name);
    return loadInputs();
  }

  llvm::Error loadGroups(Graph &graph, const std::string &path) {
    if (llvm::Error error = addGroups(graph, path))
      return error;
    llvm::Expected<InputFile> file = InputFile::open(path);
    if (!file)
      return file.takeError();
    llvm::Expected<ObjectMeanings> objects = readObjectFile(file->source());
    if (!objects)
      return objects.takeError();
    request_.objects.insert(objects->begin(), objects->end());
    return llvm::Error::success();
  }

  llvm::Error chooseRanks() {
    request_.ranks = options_.ranks ? options_.ranks : options_.rankGraphs.size();
    if (request_.ranks == 0)
      request_.ranks = static_cast<size_t>(graphs_.front()->worldSize.value_or(0));
    if (request_.ranks == 0)
      return usage("the graph does not say how many ranks it is for\n  note: give --ranks N");
    return llvm::Error::success();
  }

  llvm::Error loadInputs() {
    if (!options_.values.empty()) {
      llvm::Expected<std::vector<TensorMap>> values = loadValues(options_.values, request_.ranks);
      if (!values)
        return values.takeError();
      request_.inputs = std::move(*values);
    } else {
      for (size_t rank = 0; rank < request_.ranks; ++rank)
        request_.inputs.push_back(
            seededInputs(*graphs_[graphs_.size() == 1 ? 0 : rank], static_cast<int64_t>(rank), options_.seed));
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

  llvm::Error execute() {
    for (const auto &graph : graphs_)
      request_.graphs.push_back(graph.get());
    llvm::Expected<RunResult> result = interpret(request_);
    if (!result)
      return result.takeError();
    result_ = std::move(*result);
    return llvm::Error::success();
  }

  void reportProgram() {
    size_t nodes = 0;
    for (const auto &graph : graphs_)
      nodes = std::max(nodes, graph->size());
    streams_.out << "program   " << graphs_.front()->name() << ": " << nodes << " nodes, "
                 << (graphs_.size() == 1 ? "one text for " : "a text for each of ") << request_.ranks
                 << " ranks, engine " << options_.engine << '\n';
    if (!assumed_.empty())
      streams_.out << "groups    " << llvm::join(assumed_, ", ") << ": taken as ranks 0 to " << request_.ranks - 1
                   << ", since no file says\n";
  }

  ExitCode reportComparison() {
    Comparison comparison = compareRuns({request_.inputs, result_, request_.inputs}, rules_);
    reportProgram();
    streams_.out << "compared  " << comparison.outputs << " outputs, " << comparison.elements << " elements with "
                 << options_.values << '\n';
    if (comparison.nans)
      streams_.out << "          " << comparison.nans << " elements are NaN on both sides\n";
    streams_.out << "worst     " << llvm::format("%.3g", comparison.worst);
    if (!comparison.worstOutput.empty())
      streams_.out << " (rank " << comparison.worstRank << " " << comparison.worstOutput << ")";
    streams_.out << '\n';
    if (comparison.outputs == 0)
      streams_.out << "verdict   nothing to compare\n";
    else if (comparison.equal())
      streams_.out << "verdict   equal\n";
    else
      streams_.out << "verdict   different: " << comparison.differences.size() << " of " << comparison.outputs
                   << " outputs\n";
    reportDifferences(comparison);
    return comparison.equal() && comparison.outputs != 0 ? ExitCode::Ok : ExitCode::CheckFailed;
  }

  void reportDifferences(const Comparison &comparison) {
    for (size_t i = 0; i < comparison.differences.size() && i < maxDifferences; ++i) {
      const Difference &difference = comparison.differences[i];
      streams_.err << "rank " << difference.rank << " " << difference.output << ": " << difference.message << '\n';
    }
    if (comparison.differences.size() > maxDifferences)
      streams_.err << "and " << comparison.differences.size() - maxDifferences << " more\n";
  }

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

  RunOptions options_;
  Streams streams_;
  Context context_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<std::string> assumed_;
  runtime::RunRequest request_;
  runtime::ComparisonRules rules_;
  runtime::RunResult result_;
};

} // namespace

ExitCode runMain(llvm::ArrayRef<const char *> arguments, Streams streams) {
  RunOptions options;
  CommandLine line = declare(options);
  llvm::Error error = line.parse(arguments);
  if (!error && options.help) {
    llvm::cantFail(line.printHelp(streams.out));
    return ExitCode::Ok;
  }
  if (!error)
    error = checkUsage(options, line.positional());
  if (error) {
    printError(streams.err, std::move(error));
    return ExitCode::Usage;
  }
  return RunJob(options, streams).run(line.positional());
}

} // namespace ccgraph::driver
