#include "driver/opt_whole_job.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/job_file.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/job_rewrite.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <set>

namespace ccgraph::driver {
namespace {

constexpr const char *defaultPipeline = "schedule-overlap{buckets=none}";

llvm::Error usage(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Most flags are about one graph.
llvm::Error checkFlags(const OptOptions &options) {
  static const std::set<std::string> known = {
      "-o", "--pipeline", "--machine", "--collectives", "--memory-budget", "-O0", "-O1", "-O2", "-O3"};
  for (const report::GivenFlag &flag : options.given)
    if (known.count(flag.name) == 0)
      return usage(flag.name + " with a job file: expected a flag that is about all graphs: -o, -O, --pipeline, "
                               "--machine, --collectives, --memory-budget");
  if (options.output.empty() || options.output == "-")
    return usage("got a job file without -o FOLDER, expected the folder for the rewritten graphs");
  return llvm::Error::success();
}

/// Writes the rewritten graphs and the job file that lists them.
class JobWriter {
public:
  explicit JobWriter(std::string folder) : folder_(std::move(folder)) {}

  llvm::Error open() const {
    if (std::error_code error = llvm::sys::fs::create_directories(folder_)) {
      Diagnostic diagnostic = diagnose("job.output", "cannot create this folder: " + error.message());
      diagnostic.file = folder_;
      return makeError(std::move(diagnostic));
    }
    return llvm::Error::success();
  }

  llvm::Error write(const JobGraph &from, const Graph &graph) {
    std::string name = nameOf(from.path);
    entries_.push_back({name, from.ranks});
    return writeFile(path(name), [&](llvm::raw_ostream &os) { return writeCheckedJsonGraph(os, graph); });
  }

  llvm::Error writeJobFile() const {
    return writeFile(path("job.json"), [&](llvm::raw_ostream &os) {
      llvm::json::OStream json(os, 1);
      json.object([&] {
        json.attributeArray("graphs", [&] {
          for (const auto &[name, ranks] : entries_)
            json.object([&] {
              json.attribute("graph", name);
              json.attribute("ranks", llvm::json::Array(ranks));
            });
        });
      });
      os << '\n';
      return llvm::Error::success();
    });
  }

private:
  [[nodiscard]] std::string path(llvm::StringRef name) const {
    llvm::SmallString<128> path(folder_);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

  /// Graphs of different folders may have one name.
  std::string nameOf(llvm::StringRef from) {
    std::string stem = llvm::sys::path::stem(from).str(), name = stem + ".json";
    for (size_t i = 1; name == "job.json" || !names_.insert(name).second; ++i)
      name = stem + "_" + std::to_string(i) + ".json";
    return name;
  }

  std::string folder_;
  std::set<std::string> names_;
  std::vector<std::pair<std::string, std::vector<int64_t>>> entries_;
};

void print(llvm::raw_ostream &os, const JobRewrite &result, size_t graphs) {
  os << counted(result.ranks, "rank") << ": the passes changed " << result.changed << " of " << counted(graphs, "graph")
     << '\n';
  if (!result.reason.empty()) {
    os << "each rank keeps its order across groups: " << result.reason << '\n';
    return;
  }
  os << "the orders of all ranks were changed together and proved: ";
  std::string names;
  for (jobs::Semantics safe : result.safe)
    names += (names.empty() ? "" : ", ") + jobs::semanticsName(safe).str();
  os << (names.empty() ? "no verdict is worse than before" : "no rank waits for ever under " + names) << '\n';
}

llvm::Error rewrite(const OptOptions &options, Streams streams) {
  if (llvm::Error error = checkFlags(options))
    return error;
  bool isChosen = options.pipeline.level || options.pipeline.text;
  llvm::Expected<Pipeline> pipeline =
      isChosen ? options.pipeline.pipeline(defaultLevel) : Pipeline::parse(defaultPipeline);
  if (!pipeline)
    return pipeline.takeError();
  llvm::Expected<RunCosts> costs = loadRunCosts({options.pipeline.machine, options.pipeline.collectives, ""}, {});
  if (!costs)
    return costs.takeError();
  Diagnostics warnings;
  llvm::Expected<std::vector<JobDescription>> described = describeJobs({options.input}, {}, warnings);
  if (!described)
    return described.takeError();
  JobWriter writer(options.output);
  if (llvm::Error error = writer.open())
    return error;
  JobRewriteRequest request{described->front(), *pipeline, options.pipeline.manager, costs->machine};
  llvm::Expected<JobRewrite> result = rewriteJob(
      request, [&](const JobGraph &from, const Graph &graph) { return writer.write(from, graph); }, warnings);
  streams.err << toString(warnings.take());
  if (!result)
    return result.takeError();
  print(streams.out, *result, described->front().graphs.size());
  return writer.writeJobFile();
}

} // namespace

bool isWholeJob(const std::string &input) {
  // A job file is named so; any other file would be inflated and read a second time for this question.
  llvm::StringRef name = input;
  if (!(name.endswith(".json") || name.endswith(".json.gz")) || llvm::sys::fs::is_directory(input))
    return false;
  llvm::Expected<InputFile> file = InputFile::open(input);
  if (file)
    return isJobFile(file->text());
  llvm::consumeError(file.takeError()); // it is reported where the graph is read
  return false;
}

ExitCode runWholeJob(const OptOptions &options, Streams streams) {
  llvm::Error error = rewrite(options, streams);
  if (!error)
    return ExitCode::Ok;
  ExitCode code = error.isA<DiagnosticError>() ? ExitCode::Diagnosed : ExitCode::Usage;
  printError(streams.err, std::move(error));
  return code;
}

} // namespace ccgraph::driver
