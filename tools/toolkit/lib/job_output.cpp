#include "ccgraph/toolkit/job_output.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/json_graph.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <set>

namespace ccgraph {
namespace {

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

} // namespace

llvm::Expected<JobRewrite> rewriteJobInto(const std::string &folder, const JobRewriteRequest &request,
                                          Diagnostics &warnings) {
  JobWriter writer(folder);
  if (llvm::Error error = writer.open())
    return error;
  llvm::Expected<JobRewrite> result = rewriteJob(
      request, [&](const JobGraph &from, const Graph &graph) { return writer.write(from, graph); }, warnings);
  if (!result)
    return result.takeError();
  if (llvm::Error error = writer.writeJobFile())
    return error;
  return result;
}

} // namespace ccgraph
