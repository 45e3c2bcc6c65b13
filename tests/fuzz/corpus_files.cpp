#include "fuzz/corpus_files.h"

#include "support/golden_file.h"
#include "tool_cases/tool_case.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;
using llvm::StringRef;

namespace ccgraph::test {
namespace {

std::vector<std::string> pathsBelow(const std::string &folder, StringRef ending) {
  std::vector<std::string> paths;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && StringRef(entry.path().native()).endswith(ending))
      paths.push_back(entry.path().string());
  llvm::sort(paths);
  return paths;
}

std::string contentOf(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string bytesOfCase(StringRef title, std::string text) {
  if (!title.startswith("bytes "))
    return text;
  llvm::erase_if(text, [](char c) { return !llvm::isHexDigit(c); });
  return llvm::fromHex(text);
}

} // namespace

std::vector<std::string> dataFiles(StringRef ending, size_t largest, size_t step) {
  std::vector<std::string> texts;
  size_t seen = 0;
  for (const std::string &path : pathsBelow(CCGRAPH_TEST_DATA, ending))
    if (fs::file_size(path) <= largest && seen++ % step == 0)
      texts.push_back(contentOf(path));
  return texts;
}

std::vector<std::string> seedFiles(StringRef folder) {
  std::vector<std::string> texts;
  for (const std::string &path : pathsBelow((CCGRAPH_SOURCE_DIR "/tests/fuzz/seeds/" + folder).str(), ""))
    texts.push_back(contentOf(path));
  return texts;
}

std::vector<std::string> caseFiles(llvm::function_ref<bool(StringRef)> accept) {
  std::vector<std::string> texts;
  for (const std::string &path : pathsBelow(CCGRAPH_SOURCE_DIR "/tests/diagnostics", ".case")) {
    ToolCase tool = llvm::cantFail(ToolCase::parse(path, contentOf(path)));
    for (auto &[title, text] : tool.files)
      if (std::string bytes = bytesOfCase(title, text); accept(bytes))
        texts.push_back(std::move(bytes));
  }
  return texts;
}

std::vector<std::string> goldenSections(StringRef section) {
  std::vector<std::string> texts;
  for (const std::string &path : findGoldens(CCGRAPH_SOURCE_DIR "/tests/golden")) {
    GoldenFile file = llvm::cantFail(GoldenFile::parse(path, contentOf(path)));
    if (const GoldenSection *found = file.find(section))
      texts.push_back(found->text);
  }
  return texts;
}

} // namespace ccgraph::test
