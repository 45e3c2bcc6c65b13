#include "ccgraph/toolkit/measured_files.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/profile_file.h"
#include "ccgraph/frontend/trace_log.h"
#include "ccgraph/ir/durations.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <map>
#include <set>

namespace ccgraph {
namespace {


/// Returns the number of nodes of the ranks.
int64_t nodesOf(llvm::ArrayRef<int64_t> ranks, int64_t ranksPerNode) {
  std::set<int64_t> nodes;
  for (int64_t rank : ranks)
    nodes.insert(rank / ranksPerNode);
  return static_cast<int64_t>(nodes.size());
}

llvm::Error measuredError(llvm::StringRef path, std::string message, std::string repair) {
  Diagnostic diagnostic = diagnose("tool.measured", std::move(message), std::move(repair));
  diagnostic.file = path.str();
  return makeError(std::move(diagnostic));
}

/// Returns the files of a folder and its folders by name, or the path itself.
llvm::Expected<std::vector<std::string>> filesBelowPath(llvm::StringRef path) {
  if (!llvm::sys::fs::is_directory(path))
    return std::vector{path.str()};
  std::vector<std::string> files;
  std::error_code code;
  for (llvm::sys::fs::recursive_directory_iterator it(path, code), end; it != end && !code; it.increment(code))
    if (it->type() == llvm::sys::fs::file_type::regular_file)
      files.push_back(it->path());
  if (code)
    return measuredError(path, "this folder cannot be read: " + code.message(), "");
  llvm::sort(files);
  return files;
}

bool isNamedJson(llvm::StringRef path) { return path.endswith(".json") || path.endswith(".json.gz"); }
bool isNamedLog(llvm::StringRef path) { return path.endswith(".log") || path.endswith(".log.gz"); }

class MeasuredLoader {
public:
  llvm::Error add(llvm::StringRef path) {
    files_.origin += (files_.origin.empty() ? "" : ", ") + path.str();
    llvm::Expected<std::vector<std::string>> found = filesBelowPath(path);
    if (!found)
      return found.takeError();
    const bool isFolder = llvm::sys::fs::is_directory(path);
    for (const std::string &file : *found)
      if (llvm::Error error = addFile(file, isFolder))
        return error;
    return llvm::Error::success();
  }

  llvm::Expected<MeasuredFiles> take() {
    if (files_.profiles.empty())
      return measuredError(files_.origin, "got no trace, expected those that PyTorch's profiler wrote",
                           "write them with export_chrome_trace(\"rank0.json\"), one for each rank");
    return std::move(files_);
  }

private:
  llvm::Error addFile(const std::string &path, bool isOfFolder) {
    if (isNamedLog(path))
      return addLog(path);
    if (isOfFolder && !isNamedJson(path))
      return llvm::Error::success();
    llvm::Expected<InputFile> file = InputFile::open(path);
    if (!file)
      return file.takeError();
    if (isKernelProvenance(file->text()))
      return addMapping(*file);
    if (isOfFolder && !isProfile(file->text()))
      return llvm::Error::success();
    llvm::Expected<std::vector<RankProfile>> profiles = readProfiles(file->source());
    if (!profiles)
      return profiles.takeError();
    for (RankProfile &profile : *profiles)
      files_.profiles.push_back(std::move(profile));
    return llvm::Error::success();
  }

  llvm::Error addMapping(const InputFile &file) {
    llvm::Expected<KernelProvenance> mapping = readKernelProvenance(file.source());
    if (!mapping)
      return mapping.takeError();
    files_.provenance.push_back(std::move(*mapping));
    return llvm::Error::success();
  }

  llvm::Error addLog(const std::string &path) {
    llvm::Expected<std::vector<KernelProvenance>> mappings = readLoggedProvenance(path);
    if (!mappings)
      return mappings.takeError();
    for (KernelProvenance &mapping : *mappings)
      files_.provenance.push_back(std::move(mapping));
    return llvm::Error::success();
  }

  MeasuredFiles files_;
};

} // namespace

llvm::Expected<MeasuredFiles> loadMeasuredFiles(llvm::ArrayRef<std::string> paths) {
  MeasuredLoader loader;
  for (const std::string &path : paths)
    if (llvm::Error error = loader.add(path))
      return error;
  return loader.take();
}

llvm::Expected<measured::JobExplanation> explainMeasured(llvm::ArrayRef<measured::ExecutedGraph> graphs,
                                                         const MeasuredFiles &files) {
  llvm::Expected<measured::MatchedJob> job = measured::matchJob({graphs, files.profiles, files.provenance});
  if (!job)
    return job.takeError();
  return measured::explainJob(*job);
}

std::vector<CollectiveSample> samplesOf(const measured::JobExplanation &explanation, int64_t ranksPerNode) {
  std::vector<CollectiveSample> samples;
  for (const measured::CollectiveAccount &account : explanation.collectives)
    if (account.bytes)
      samples.push_back({account.kind, static_cast<int64_t>(account.members.size()),
                         nodesOf(account.members, ranksPerNode), *account.bytes, account.transfer * picosecondsOfNs});
  return samples;
}

std::vector<CollectiveSample> samplesOf(llvm::ArrayRef<RankProfile> profiles, int64_t ranksPerNode) {
  using RecordKey = std::tuple<std::string, std::vector<int64_t>, CollectiveKind, int64_t, int64_t>;
  std::map<RecordKey, CollectiveSample> shortest;
  int64_t unnumbered = 0;
  for (const RankProfile &profile : profiles)
    for (const ProfileEvent &event : profile.events) {
      if (event.collective == noCollective)
        continue;
      const ProfiledCollective &record = profile.collectives[static_cast<size_t>(event.collective)];
      const int64_t ranks = record.ranks.empty() ? record.groupSize : static_cast<int64_t>(record.ranks.size());
      if (!record.kind || !record.bytes || ranks < 2)
        continue;
      const int64_t nodes =
          record.ranks.empty() ? (ranks + ranksPerNode - 1) / ranksPerNode : nodesOf(record.ranks, ranksPerNode);
      const CollectiveSample sample{*record.kind, ranks, nodes, *record.bytes,
                                    (event.end - event.begin) * picosecondsOfNs};
      auto [place, isNew] = shortest.try_emplace(
          {record.group, record.ranks, *record.kind, *record.bytes, record.sequence ? *record.sequence : --unnumbered},
          sample);
      if (!isNew && sample.picoseconds < place->second.picoseconds)
        place->second = sample;
    }
  std::vector<CollectiveSample> samples;
  for (const auto &[key, sample] : shortest)
    samples.push_back(sample);
  return samples;
}

Durations durationsOf(const measured::GraphAccount &graph, std::string origin) {
  Durations durations;
  durations.origin = std::move(origin);
  for (const auto &[node, nanoseconds] : graph.durations)
    durations.add(node, {nanoseconds * picosecondsOfNs, DurationSource::Measured});
  return durations;
}

} // namespace ccgraph
