#include "support/corpus.h"

#include "ccgraph/frontend/files.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;
using llvm::StringRef;

namespace ccgraph::test {

namespace {

std::vector<fs::path> roots() {
  std::vector<fs::path> found{CCGRAPH_TEST_DATA};
  for (const char *beside : {"/../shared/graphs", "/../../shared/graphs"})
    if (fs::path path = std::string(CCGRAPH_SOURCE_DIR) + beside; fs::exists(path)) {
      found = {path, CCGRAPH_TEST_DATA "/further"}; // The rest of tests/data is a copy of the named folder.
      break;
    }
  if (const char *named = std::getenv("CCGRAPH_GRAPHS")) {
    llvm::SmallVector<StringRef, 4> parts;
    StringRef(named).split(parts, ':', -1, false);
    for (StringRef part : parts)
      found.emplace_back(part.str());
  }
  return found;
}

/// Returns the file itself or its gzipped form; "" if there is neither.
std::string either(const fs::path &path) {
  for (const char *ending : {"", ".gz"})
    if (fs::path candidate = path.string() + ending; fs::exists(candidate))
      return candidate.string();
  return "";
}

std::string factsOf(const fs::path &folder, const std::string &tag) {
  const std::string file = "facts" + tag + ".json";
  fs::path above = folder.parent_path();
  for (const fs::path &candidate : {folder / file, above / "rank0" / file, above / "facts.json"})
    if (std::string path = either(candidate); !path.empty())
      return path;
  return "";
}

void add(std::vector<CapturedGraph> &found, const fs::path &readable) {
  const std::string name = readable.filename().string();
  StringRef file = name;
  if (!file.startswith("readable") || !file.contains(".py"))
    return;
  CapturedGraph graph;
  fs::path folder = readable.parent_path();
  graph.folder = folder.string();
  graph.tag = file.drop_front(StringRef("readable").size()).split(".py").first.str();
  graph.name = (folder.parent_path().filename() / folder.filename()).string() + graph.tag;
  graph.readable = readable.string();
  graph.nodes = either(folder / ("nodes" + graph.tag + ".tsv"));
  graph.subgraphs = either(folder / ("nodes_subgraphs" + graph.tag + ".tsv"));
  graph.facts = factsOf(folder, graph.tag);
  if (!graph.nodes.empty())
    found.push_back(std::move(graph));
}

TruthRow parseRow(StringRef line) {
  llvm::SmallVector<StringRef, 5> cells;
  line.split(cells, '\t');
  cells.resize(5);
  TruthRow row{cells[0].str(), cells[1].str(), cells[2].str(), cells[3].str(), {}};
  llvm::SmallVector<StringRef, 8> inputs;
  cells[4].split(inputs, ',', -1, false);
  for (StringRef input : inputs)
    row.inputs.push_back(input.str());
  return row;
}

void parseTable(const std::string &path, std::vector<TruthGraph> &out) {
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  for (StringRef rest = file->text(); !rest.empty();) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.consume_front("# "))
      out.push_back({line.str(), {}});
    else if (!line.empty() && !line.startswith("#"))
      out.back().rows.push_back(parseRow(line));
  }
}

} // namespace

std::vector<CapturedGraph> capturedGraphs(StringRef kind) {
  std::vector<CapturedGraph> found;
  for (const fs::path &root : roots())
    for (const auto &entry : fs::recursive_directory_iterator(root))
      if (kind.empty() || StringRef(entry.path().native()).contains(("/" + kind + "/").str()))
        add(found, entry.path());
  llvm::sort(found, [](const auto &a, const auto &b) { return a.readable < b.readable; });
  return found;
}

std::vector<TruthGraph> truthOf(const CapturedGraph &graph) {
  std::vector<TruthGraph> out{{"", {}}};
  parseTable(graph.nodes, out);
  if (!graph.subgraphs.empty())
    parseTable(graph.subgraphs, out);
  return out;
}

} // namespace ccgraph::test
