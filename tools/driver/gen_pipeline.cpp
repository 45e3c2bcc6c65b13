#include "driver/gen_pipeline.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/pipeline_file.h"
#include "ccgraph/ir/pipeline_verifier.h"
#include "models/pipeline_step.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

namespace ccgraph::driver {
namespace {

using models::Parallelism;

/// The ranks that run one graph.
struct RankClass {
  std::string file;
  int64_t pipelineRank = 0;
  std::vector<int64_t> ranks;
};

/// Returns "-cp1-tp0", without the kinds of parallelism that the job does not have.
std::string placeText(const Parallelism &parallel, int64_t place) {
  std::string text;
  if (parallel.context > 1)
    text += "-cp" + std::to_string(place / parallel.tensor);
  if (parallel.tensor > 1)
    text += "-tp" + std::to_string(place % parallel.tensor);
  return text;
}

/// Ranks of a stage run one graph, unless they have different parts of the vocabulary or of a sequence.
std::vector<RankClass> rankClasses(const Parallelism &parallel, llvm::StringRef extension) {
  const int64_t places = parallel.context * parallel.tensor;
  std::vector<RankClass> classes;
  for (int64_t rank = 0; rank != parallel.pipeline; ++rank)
    for (int64_t place = 0; place != places; ++place) {
      RankClass one;
      one.file = "pp" + std::to_string(rank) + placeText(parallel, place) + extension.str();
      one.pipelineRank = rank;
      for (int64_t inner = place; inner < parallel.ranksOfStage(); inner += places)
        one.ranks.push_back(rank * parallel.ranksOfStage() + inner);
      classes.push_back(std::move(one));
    }
  return classes;
}

class PipelineWriter {
public:
  PipelineWriter(const GenOptions &options, const PipelineSchedule &schedule)
      : options_(options), schedule_(schedule),
        classes_(rankClasses(options.request.parallel, options.emit == "fx" ? ".py" : ".json")) {}

  llvm::Error write() {
    if (std::error_code error = llvm::sys::fs::create_directories(options_.output)) {
      Diagnostic diagnostic;
      diagnostic.rule = "gen.folder";
      diagnostic.file = options_.output;
      diagnostic.message = "cannot create this folder: " + error.message();
      return makeError(std::move(diagnostic));
    }
    for (const RankClass &one : classes_)
      if (llvm::Error error = writeRank(one))
        return error;
    if (llvm::Error error = writeJson("groups.json", [&](llvm::json::OStream &json) { writeGroups(json); }))
      return error;
    if (llvm::Error error = writeJson("job.json", [&](llvm::json::OStream &json) { writeJob(json); }))
      return error;
    return writeFile(path("schedule.csv"), [&](llvm::raw_ostream &os) {
      writePipelineSchedule(os, schedule_);
      return llvm::Error::success();
    });
  }

private:
  [[nodiscard]] std::string path(llvm::StringRef name) const {
    llvm::SmallString<128> path(options_.output);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

  llvm::Error writeRank(const RankClass &one) {
    models::GenerateRequest request = options_.request;
    if (one.ranks.size() == 1 || request.parallel.isOfOneRank())
      request.rank = one.ranks.front();
    Context context;
    auto graph = models::generatePipelineRank(context, request, schedule_, one.pipelineRank);
    if (!graph)
      return graph.takeError();
    return writeFile(path(one.file), [&](llvm::raw_ostream &os) {
      return options_.emit == "fx" ? writeFxText(os, **graph) : writeCheckedJsonGraph(os, **graph);
    });
  }

  llvm::Error writeJson(llvm::StringRef name, llvm::function_ref<void(llvm::json::OStream &)> write) {
    return writeFile(path(name), [&](llvm::raw_ostream &os) {
      llvm::json::OStream json(os, 1);
      json.object([&] { write(json); });
      os << '\n';
      return llvm::Error::success();
    });
  }

  void writeGroups(llvm::json::OStream &json) const {
    json.attribute("world_size", options_.request.parallel.world());
    json.attributeObject("groups", [&] {
      std::vector<int64_t> all;
      for (int64_t rank = 0; rank != options_.request.parallel.world(); ++rank)
        all.push_back(rank);
      json.attributeObject("0", [&] { json.attribute("ranks", all); });
      for (const Group &group : models::groupsOf(options_.request.parallel))
        json.attributeObject(group.name, [&] {
          if (group.partition.empty())
            json.attribute("ranks", group.ranks);
          else
            json.attribute("partition", group.partition);
          json.attribute("desc", group.description);
        });
    });
  }

  void writeJob(llvm::json::OStream &json) const {
    json.attributeArray("graphs", [&] {
      for (const RankClass &one : classes_)
        json.object([&] {
          json.attribute("graph", one.file);
          json.attribute("ranks", one.ranks);
        });
    });
    json.attribute("groups", "groups.json");
  }

  const GenOptions &options_;
  const PipelineSchedule &schedule_;
  std::vector<RankClass> classes_;
};

} // namespace

llvm::Error writePipeline(const GenOptions &options) {
  llvm::Expected<PipelineSchedule> schedule = models::makePipelineSchedule(options.pipeline);
  if (!schedule)
    return schedule.takeError();
  PipelineSchedule whole = withTransfers(*schedule);
  return PipelineWriter(options, whole).write();
}

llvm::Error writeSchedule(const GenOptions &options, llvm::raw_ostream &out) {
  llvm::Expected<PipelineSchedule> schedule = models::makePipelineSchedule(options.pipeline);
  if (!schedule)
    return schedule.takeError();
  auto write = [&](llvm::raw_ostream &os) {
    writePipelineSchedule(os, *schedule);
    return llvm::Error::success();
  };
  return options.output.empty() || options.output == "-" ? write(out) : writeFile(options.output, write);
}

} // namespace ccgraph::driver
