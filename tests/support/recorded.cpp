#include "support/recorded.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/object_file.h"
#include "ccgraph/frontend/tolerance_file.h"
#include "ccgraph/toolkit/graph_files.h"
#include "support/corpus.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>

namespace ccgraph::test {
namespace {

namespace path = llvm::sys::path;

std::string joined(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<128> result(folder);
  path::append(result, name);
  return result.str().str();
}

std::vector<std::string> valueFolders(llvm::StringRef folder) {
  std::vector<std::string> found;
  for (llvm::StringRef name : {"values", "values2"})
    if (llvm::sys::fs::is_directory(joined(folder, name)))
      found.push_back(joined(folder, name));
  return found;
}

size_t rankOf(const std::string &graph) {
  size_t rank = 0;
  llvm::StringRef folder = path::filename(path::parent_path(graph));
  (void)folder.substr(4).getAsInteger(10, rank);
  return rank;
}

size_t countRanks(llvm::StringRef values) {
  size_t ranks = 0;
  while (llvm::sys::fs::exists(joined(values, "rank" + std::to_string(ranks) + ".safetensors")))
    ++ranks;
  return ranks;
}

template <typename T, typename Reader>
llvm::Error readFile(const std::string &file, Reader reader, T &into) {
  llvm::Expected<InputFile> input = InputFile::open(file);
  if (!input)
    return input.takeError();
  llvm::Expected<T> value = reader(input->source());
  if (!value)
    return value.takeError();
  into = std::move(*value);
  return llvm::Error::success();
}

} // namespace

std::vector<RecordedProgram> recordedPrograms() {
  std::map<std::string, RecordedProgram> byFolder;
  for (const CapturedGraph &graph : capturedGraphs("small")) {
    bool perRank = path::filename(graph.folder).startswith("rank");
    std::string folder = perRank ? path::parent_path(graph.folder).str() : graph.folder;
    RecordedProgram &program = byFolder[folder];
    program.values = valueFolders(folder);
    program.name = (path::filename(path::parent_path(folder)) + "/" + path::filename(folder)).str();
    program.graphs.push_back(graph.readable);
    program.facts.push_back(graph.facts);
  }
  std::vector<RecordedProgram> programs;
  for (auto &[folder, program] : byFolder) {
    auto byRank = [](const std::string &a, const std::string &b) { return rankOf(a) < rankOf(b); };
    if (program.graphs.size() > 1) {
      llvm::sort(program.graphs, byRank);
      llvm::sort(program.facts, byRank);
    }
    if (!program.values.empty())
      programs.push_back(std::move(program));
  }
  return programs;
}

llvm::Expected<LoadedProgram> load(Context &context, const RecordedProgram &program, const std::string &values) {
  LoadedProgram loaded;
  loaded.request.ranks = countRanks(values);
  for (size_t i = 0; i < program.graphs.size(); ++i) {
    llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context, program.graphs[i]);
    if (!graph)
      return graph.takeError();
    if (llvm::Error error = addGroups(**graph, program.facts[i]))
      return error;
    loaded.request.graphs.push_back(graph->get());
    loaded.graphs.push_back(std::move(*graph));
  }
  if (llvm::Error error = readFile(program.facts.front(), readObjectFile, loaded.request.objects))
    return error;
  if (llvm::Error error = readFile(program.facts.front(), readToleranceFile, loaded.rules.perOutput))
    return error;
  llvm::Expected<std::vector<TensorMap>> inputs = loadValues(values, loaded.request.ranks);
  if (!inputs)
    return inputs.takeError();
  loaded.request.inputs = std::move(*inputs);
  return loaded;
}

} // namespace ccgraph::test
