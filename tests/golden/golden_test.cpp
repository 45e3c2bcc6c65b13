// Makes a test of every tests/golden/**/*.golden. `ccgraph_golden --update` writes the results into the files as the
// new expectations, but never while any other promise of that file is broken (see support/golden_runner.h).
#include "support/golden_runner.h"
#include "support/test_name.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/passes/pipeline.h"
#include "ccgraph/passes/registry.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

using namespace ccgraph;
using namespace ccgraph::test;
using llvm::StringRef;

namespace {

bool updating = false;

const std::string &goldenFolder() {
  static const std::string folder = std::string(CCGRAPH_SOURCE_DIR) + "/tests/golden";
  return folder;
}

llvm::Expected<GoldenFile> readGolden(const std::string &path) {
  auto file = InputFile::open(path);
  if (!file)
    return file.takeError();
  return GoldenFile::parse(path, file->text());
}

std::string sectionText(const GoldenFile &file, StringRef name) {
  const GoldenSection *section = file.find(name);
  return section ? section->text : "";
}

void compare(const GoldenFile &file, const GoldenOutcome &outcome) {
  EXPECT_EQ(outcome.diagnostics, sectionText(file, "diagnostics")) << "in --- diagnostics";
  EXPECT_EQ(outcome.output, sectionText(file, "output")) << "in --- output";
  if (file.find("remarks") != nullptr) {
    EXPECT_EQ(outcome.remarks, sectionText(file, "remarks")) << "in --- remarks";
  }
}

void update(GoldenFile file, const GoldenOutcome &outcome) {
  std::string before = file.str();
  if (outcome.diagnostics.empty()) {
    file.erase("diagnostics");
    file.set("output", outcome.output);
    if (file.find("remarks") != nullptr)
      file.set("remarks", outcome.remarks);
  } else {
    file.erase("output");
    file.erase("remarks");
    file.set("diagnostics", outcome.diagnostics);
  }
  if (file.str() == before)
    return;
  llvm::Error error =
      writeFile(file.path, [&](llvm::raw_ostream &os) { return os << file.str(), llvm::Error::success(); });
  EXPECT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
}

void checkGolden(const std::string &path) {
  llvm::Expected<GoldenFile> file = readGolden(path);
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  SCOPED_TRACE(StringRef(file->preamble).split('\n').first.str());
  llvm::Expected<GoldenOutcome> outcome = runGolden(*file);
  ASSERT_TRUE(static_cast<bool>(outcome)) << path << ": " << llvm::toString(outcome.takeError());
  for (const std::string &promise : outcome->broken)
    ADD_FAILURE() << promise << (updating ? "\nnot updated, because this does not hold" : "");
  if (!outcome->broken.empty() && updating)
    return;
  updating ? update(std::move(*file), *outcome) : compare(*file, *outcome);
}

class GoldenTest : public testing::TestWithParam<std::string> {};

std::string nameOf(const testing::TestParamInfo<std::string> &info) {
  return testName(std::filesystem::relative(info.param, goldenFolder()).replace_extension().string());
}

} // namespace

TEST_P(GoldenTest, HoldsWhatItSays) { checkGolden(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, GoldenTest, testing::ValuesIn(findGoldens(goldenFolder())), nameOf);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoldenTest);

/// A golden is in the folder of the pass that it tests, and its pipeline runs that pass.
TEST(GoldenFolderTest, EachFolderIsNamedForAPassThatItsGoldensRun) {
  std::vector<StringRef> passes = passNames();
  for (const std::string &path : findGoldens(goldenFolder())) {
    std::string folder = std::filesystem::path(path).parent_path().filename().string();
    EXPECT_TRUE(folder == "pipelines" || llvm::is_contained(passes, folder)) << path << ": no pass has this name";
    llvm::Expected<GoldenFile> file = readGolden(path);
    ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
    EXPECT_TRUE(folder == "pipelines" || StringRef(sectionText(*file, "pipeline")).contains(folder)) << path;
  }
}

namespace {

/// The combined content of one pass's goldens.
struct Coverage {
  unsigned goldens = 0;
  unsigned refusals = 0; ///< goldens in which a possible change is not made
  std::string remarks;
};

Coverage coverageOf(StringRef pass) {
  Coverage coverage;
  for (const std::string &path : findGoldens(goldenFolder() + "/" + pass.str())) {
    llvm::Expected<GoldenFile> file = readGolden(path);
    if (!file) {
      llvm::consumeError(file.takeError());
      continue;
    }
    ++coverage.goldens;
    std::string remarks = sectionText(*file, "remarks");
    coverage.refusals += sectionText(*file, "output") == "unchanged\n" || StringRef(remarks).contains(": missed: ");
    coverage.remarks += remarks;
  }
  return coverage;
}

} // namespace

/// Each pass needs fifteen goldens, of which at least two in five are refusals, and each reason that the pass can give
/// must occur in one.
TEST(GoldenFolderTest, EachPassShowsItsRewritesItsRefusalsAndAllOfItsReasons) {
  for (StringRef name : passNames()) {
    SCOPED_TRACE(name.str());
    Coverage coverage = coverageOf(name);
    EXPECT_GE(coverage.goldens, 15U);
    EXPECT_GE(5 * coverage.refusals, 2 * coverage.goldens);
    std::unique_ptr<Pass> pass = createPass(name);
    for (const Reason *reason : pass->reasons())
      EXPECT_TRUE(StringRef(coverage.remarks).contains("[" + reason->id() + "]"))
          << "no golden shows [" << reason->id() << "]: " << reason->help();
  }
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i)
    updating |= StringRef(argv[i]) == "--update";
  return RUN_ALL_TESTS();
}
