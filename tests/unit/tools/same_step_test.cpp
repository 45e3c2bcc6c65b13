// The steps of tests/data/same-step, and of the folder CCGRAPH_PAIRS: each answer is that of truth.json.
#include "ccgraph/checks/same_step_files.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace ccgraph {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> casesIn(const fs::path &folder) {
  std::vector<fs::path> cases;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "truth.json"))
      cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  return cases;
}

std::vector<fs::path> allCases() {
  std::vector<fs::path> cases = casesIn(fs::path(CCGRAPH_TEST_DATA) / "same-step");
  if (const char *more = std::getenv("CCGRAPH_PAIRS"))
    for (const fs::path &path : casesIn(more))
      cases.push_back(path);
  return cases;
}

/// Returns the files PREFIX0, PREFIX1, ... of a folder; a file may end in .gz.
std::vector<std::string> numbered(const fs::path &folder, const std::string &prefix, const std::string &suffix) {
  std::vector<std::string> files;
  while (true) {
    fs::path path = folder / (prefix + std::to_string(files.size()) + suffix);
    if (!fs::exists(path))
      path += ".gz";
    if (!fs::exists(path))
      return files;
    files.push_back(path.string());
  }
}
std::string readable(const fs::path &folder) {
  fs::path path = folder / "readable.py";
  return fs::exists(path) ? path.string() : path.string() + ".gz";
}

llvm::json::Value readJson(const fs::path &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path.string());
  if (!buffer)
    return nullptr;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse((*buffer)->getBuffer());
  return value ? std::move(*value) : (llvm::consumeError(value.takeError()), llvm::json::Value(nullptr));
}

llvm::StringSet<> textsOf(const llvm::json::Object &object, llvm::StringRef key) {
  llvm::StringSet<> texts;
  if (const llvm::json::Array *array = object.getArray(key))
    for (const llvm::json::Value &value : *array)
      if (auto text = value.getAsString())
        texts.insert(*text);
  return texts;
}

class SameStepFiles : public testing::TestWithParam<fs::path> {};

TEST_P(SameStepFiles, TheAnswerIsTheTruth) {
  const fs::path &folder = GetParam();
  StepFiles files;
  files.single = readable(folder / "single");
  files.parallel = numbered(folder / "parallel", "rank", ".py");
  if (files.parallel.empty())
    files.parallel = {readable(folder / "parallel")};
  files.groups = numbered(folder / "parallel", "groups.rank", ".json");
  if (files.groups.empty())
    files.groups = {(folder / "facts.json").string()};
  files.placements = (folder / "io.json").string();
  llvm::json::Value read = readJson(folder / "truth.json");
  const llvm::json::Object *truth = read.getAsObject();
  ASSERT_TRUE(truth);
  Diagnostics warnings;
  llvm::Expected<equality::StepAnswer> answer = compareStepFiles(files, warnings);
  ASSERT_TRUE(static_cast<bool>(answer)) << llvm::toString(answer.takeError());
  auto equal = truth->getBoolean("equal");
  ASSERT_TRUE(equal);
  ASSERT_TRUE(answer->equal) << answer->assumed.front();
  EXPECT_EQ(*answer->equal, *equal);
  llvm::StringSet<> wrong = textsOf(*truth, "outputs_wrong");
  EXPECT_EQ(answer->wrong.size(), wrong.size());
  for (const equality::WrongOutput &output : answer->wrong)
    EXPECT_TRUE(wrong.count(output.of)) << output.of;
  llvm::StringSet<> where = textsOf(*truth, "where"), near = textsOf(*truth, "where_near");
  bool found = answer->where.empty() && where.empty();
  for (const equality::StepPlace &place : llvm::ArrayRef(answer->where).take_front(3))
    found |= where.count(place.node) != 0 || near.count(place.node) != 0;
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(Pairs, SameStepFiles, testing::ValuesIn(allCases()), [](const auto &info) {
  std::string name = info.param.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name + "_" + std::to_string(info.index);
});

} // namespace
} // namespace ccgraph
