#include "tool_cases/tool_case.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/toolkit/equivalence_check.h"
#include "ccgraph/toolkit/text.h"
#include "driver/entry_driver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace fs = std::filesystem;
using llvm::StringRef;

namespace ccgraph::test {
namespace {

constexpr StringRef separator = "--- ";
/// before a line of text that would otherwise begin a section
constexpr StringRef escaped = "\\--- ";

/// Returns the member for a section's text.
std::string *placeOf(ToolCase &tool, StringRef title) {
  if (title == "arguments")
    return &tool.arguments;
  if (title == "exit")
    return &tool.exit;
  if (title == "stdout")
    return &tool.out;
  if (title == "stderr")
    return &tool.err;
  if (!title.startswith("file ") && !title.startswith("bytes "))
    return nullptr;
  tool.files.emplace_back(title.str(), "");
  return &tool.files.back().second;
}

void writeInput(StringRef title, StringRef text) {
  auto [kind, name] = title.split(' ');
  std::string bytes = text.str();
  if (kind == "bytes") {
    llvm::erase_if(bytes, [](char c) { return !llvm::isHexDigit(c); });
    bytes = llvm::fromHex(bytes);
  }
  fs::path path(name.str());
  if (path.has_parent_path())
    fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  EXPECT_TRUE(file.flush().good()) << name.str() << " cannot be written";
}

std::string replaced(std::string text, StringRef from, StringRef to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Returns a text that does not depend on the clock or on the folder of the project.
std::string stable(StringRef text) {
  std::string out;
  while (!text.empty()) {
    size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    out += text.startswith("time ") ? "time\n" : text.take_front(length).str();
    text = text.drop_front(length);
  }
  out = replaced(std::move(out), "the limit is " + bytesText(machineMemory()), "the limit is {memory}");
  return replaced(std::move(out), CCGRAPH_TEST_DATA, "{data}");
}

std::vector<std::string> wordsOf(StringRef line) {
  std::vector<std::string> words;
  while (!(line = line.ltrim()).empty()) {
    StringRef word = line.front() == '\'' ? line.drop_front().split('\'').first : line.split(' ').first.rtrim();
    line = line.drop_front(word.size() + (line.front() == '\'' ? 2 : 0));
    words.push_back(replaced(word.str(), "{data}", CCGRAPH_TEST_DATA));
  }
  return words;
}

/// Creates an empty working directory for its lifetime.
class EmptyFolder {
public:
  EmptyFolder() : before_(fs::current_path()) {
    std::string name = (fs::temp_directory_path() / "ccgraph-case-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    fs::current_path(folder_);
  }
  ~EmptyFolder() {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  EmptyFolder(const EmptyFolder &) = delete;
  EmptyFolder &operator=(const EmptyFolder &) = delete;

private:
  fs::path before_;
  fs::path folder_;
};

driver::ExitCode call(llvm::ArrayRef<std::string> words, driver::Streams streams) {
  std::vector<const char *> arguments;
  for (const std::string &word : words.drop_front())
    arguments.push_back(word.c_str());
  return driver::entryMainAs(words.front(), arguments, streams);
}

class ToolCaseTest : public testing::Test {
public:
  ToolCaseTest(std::string path, bool update) : path_(std::move(path)), update_(update) {}
  void TestBody() override {
    auto file = InputFile::open(path_);
    ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
    auto expected = ToolCase::parse(path_, file->text());
    ASSERT_TRUE(static_cast<bool>(expected)) << llvm::toString(expected.takeError());
    ToolCase got = runToolCase(*expected);
    if (update_)
      return llvm::cantFail(
          writeFile(path_, [&](llvm::raw_ostream &os) { return os << got.str(), llvm::Error::success(); }));
    EXPECT_EQ(got.exit, expected->exit) << expected->intent;
    EXPECT_EQ(got.out, expected->out) << expected->intent;
    EXPECT_EQ(got.err, expected->err) << expected->intent;
  }

private:
  std::string path_;
  bool update_;
};

std::vector<std::string> casesBelow(const std::string &folder) {
  std::vector<std::string> paths;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".case")
      paths.push_back(entry.path().string());
  llvm::sort(paths);
  return paths;
}

std::string testName(const std::string &path) {
  std::string name = fs::path(path).stem().string();
  for (char &c : name)
    c = llvm::isAlnum(c) ? c : '_';
  return name;
}

} // namespace

llvm::Expected<ToolCase> ToolCase::parse(std::string path, StringRef text) {
  ToolCase tool;
  tool.path = std::move(path);
  std::string *place = &tool.intent;
  unsigned number = 0;
  while (!text.empty()) {
    size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    StringRef line = text.take_front(length);
    text = text.drop_front(length);
    ++number;
    if (!line.startswith(separator)) {
      *place += line.drop_front(line.startswith(escaped) ? 1 : 0);
      continue;
    }
    place = placeOf(tool, line.drop_front(separator.size()).rtrim());
    if (!place)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     tool.path + ":" + std::to_string(number) +
                                         ": expected arguments, file NAME, bytes NAME, exit, stdout or stderr");
  }
  return tool;
}

std::string ToolCase::str() const {
  auto section = [](StringRef title, StringRef text) {
    std::string lines = replaced(("\n" + text).str(), ("\n" + separator).str(), ("\n" + escaped).str());
    return (separator + title + lines).str();
  };
  std::string text = intent + section("arguments", arguments);
  for (const auto &[title, content] : files)
    text += section(title, content);
  text += section("exit", exit);
  if (!out.empty())
    text += section("stdout", out);
  if (!err.empty())
    text += section("stderr", err);
  return text;
}

ToolCase runToolCase(const ToolCase &expected) {
  EmptyFolder folder;
  ToolCase got = expected;
  for (const auto &[title, text] : expected.files)
    writeInput(title, text);
  std::string out;
  std::string err;
  llvm::raw_string_ostream outStream(out);
  llvm::raw_string_ostream errStream(err);
  auto code = call(wordsOf(StringRef(expected.arguments).rtrim()), {outStream, errStream});
  got.exit = std::to_string(static_cast<int>(code)) + "\n";
  got.out = stable(outStream.str());
  got.err = stable(errStream.str());
  return got;
}

int runToolCases(int argc, char **argv, const std::string &folder) {
  testing::InitGoogleTest(&argc, argv);
  bool update = llvm::is_contained(llvm::ArrayRef(argv + 1, static_cast<size_t>(argc - 1)), StringRef("--update"));
  for (const std::string &path : casesBelow(folder))
    testing::RegisterTest("Case", testName(path).c_str(), nullptr, nullptr, path.c_str(), 1,
                          [=]() -> testing::Test * { return new ToolCaseTest(path, update); });
  return RUN_ALL_TESTS();
}

} // namespace ccgraph::test
