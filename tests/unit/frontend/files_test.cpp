#include "ccgraph/frontend/files.h"

#include "ccgraph/frontend/read_graph.h"

#include "llvm/Support/FileSystem.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <zlib.h>

using namespace ccgraph;

namespace {

class Files : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("ccgraph-files", folder_)); }
  void TearDown() override { llvm::sys::fs::remove_directories(folder_); }

  std::string path(llvm::StringRef name) { return (folder_ + "/" + name).str(); }
  std::string make(llvm::StringRef name, llvm::StringRef bytes) {
    std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }
  std::string textOf(llvm::StringRef path) {
    auto file = InputFile::open(path);
    return file ? file->text().str() : "error: " + llvm::toString(file.takeError());
  }
  size_t numEntries() {
    std::error_code code;
    size_t count = 0;
    for (llvm::sys::fs::directory_iterator entry(folder_, code), end; entry != end; entry.increment(code))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder_;
};

std::string gzip(llvm::StringRef text) {
  std::string out(text.size() + 100, '\0');
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

llvm::Error writeText(llvm::raw_ostream &os) { return os << "new", llvm::Error::success(); }

} // namespace

TEST_F(Files, GzipIsReadAsItIsByContentNotByName) {
  std::string text(200'000, 'x');
  EXPECT_EQ(textOf(make("a.py", gzip(text))), text);
  EXPECT_EQ(textOf(make("b.gz", text)), text);
  EXPECT_EQ(textOf(make("two", gzip("one ") + gzip("two"))), "one two") << "members in a row are one text";
  EXPECT_EQ(textOf(make("empty", "")), "");
}

TEST_F(Files, ABrokenGzipIsAnError) {
  std::string whole = gzip(std::string(10'000, 'x') + "end");
  for (size_t length = 2; length < whole.size(); ++length)
    EXPECT_NE(textOf(make("cut.gz", llvm::StringRef(whole).take_front(length))).find("the gzip stream ends early"),
              std::string::npos)
        << length;
  whole[whole.size() / 2] ^= 0x55;
  EXPECT_NE(textOf(make("bad.gz", whole)).find("error: "), std::string::npos);
}

TEST_F(Files, AGzipThatInflatesBeyondAHundredTimesItsSizeIsRefused) {
  // Zeros inflate to a thousand times their size, and texts of graphs to eighty times at most; up to 64 MiB are always
  // accepted.
  constexpr size_t mebi = size_t(1) << 20;
  EXPECT_EQ(textOf(make("small.gz", gzip(std::string(64 * mebi, 'x')))).size(), 64 * mebi);
  std::string bomb = make("bomb.gz", gzip(std::string(65 * mebi, '\0')));
  std::string error = textOf(bomb);
  EXPECT_NE(error.find("inflates to more than 67108864, expected at most 100 times its size"), std::string::npos)
      << error;
  EXPECT_EQ(mostInflatedBytes(3'000'000), 300'000'000U);
  EXPECT_EQ(mostInflatedBytes(size_t(1) << 40), mostStreamBytes);
}

TEST_F(Files, ADeviceWithoutEndIsRefused) {
  for (const char *device : {"/dev/zero", "/dev/urandom", "/dev/full"})
    EXPECT_NE(textOf(device).find("got a device, which has no end, expected a file or a pipe"), std::string::npos)
        << device;
  EXPECT_EQ(textOf("/dev/null"), "");
}

TEST_F(Files, APipeIsReadToItsEnd) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path("pipe")) << std::string(200'000, 'x'); });
  EXPECT_EQ(textOf(path("pipe")), std::string(200'000, 'x'));
  writer.join();
}

TEST_F(Files, TheModeOfAFileThatIsReplacedStays) {
  namespace fs = llvm::sys::fs;
  for (fs::perms mode : {fs::owner_read | fs::owner_write, fs::all_read | fs::owner_write}) {
    std::string target = make("out", "old");
    ASSERT_FALSE(fs::setPermissions(target, mode));
    llvm::cantFail(writeFile(target, writeText));
    EXPECT_EQ(textOf(target), "new");
    EXPECT_EQ(*fs::getPermissions(target), mode);
  }
}

TEST_F(Files, AMissingFileSaysWhichAndWhy) {
  EXPECT_EQ(textOf(path("none")), "error: " + path("none") + ": error: cannot read: No such file or directory\n");
  EXPECT_NE(textOf(folder_).find("cannot read: Is a directory"), std::string::npos);
}

TEST_F(Files, AFailedWriteLeavesTheOldFileAndNothingElse) {
  make("out", "old");
  auto error = writeFile(path("out"), [](llvm::raw_ostream &os) {
    os << "half";
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "no");
  });
  EXPECT_EQ(llvm::toString(std::move(error)), "no");
  EXPECT_EQ(textOf(path("out")), "old");
  EXPECT_EQ(numEntries(), 1U);
  EXPECT_FALSE(writeFile(path("out"), writeText));
  EXPECT_EQ(textOf(path("out")), "new");
  EXPECT_EQ(numEntries(), 1U);
}

TEST_F(Files, ALinkIsWrittenThroughAndADeviceIsWrittenTo) {
  make("target", "old");
  ASSERT_FALSE(llvm::sys::fs::create_link(path("target"), path("link")));
  EXPECT_FALSE(writeFile(path("link"), writeText));
  EXPECT_EQ(textOf(path("target")), "new");
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(path("link")));
  EXPECT_FALSE(writeFile("/dev/null", writeText));
  EXPECT_TRUE(llvm::sys::fs::exists("/dev/null"));
}

TEST_F(Files, APlaceThatCannotBeWrittenIsNamed) {
  auto error = llvm::toString(writeFile(path("no/such/folder/out"), writeText));
  EXPECT_NE(error.find(path("no/such/folder/out")), std::string::npos) << error;
  EXPECT_NE(error.find("cannot write here"), std::string::npos) << error;
  EXPECT_FALSE(llvm::toString(writeFile(folder_, writeText)).empty());
  EXPECT_FALSE(llvm::toString(writeFile("/dev/full", writeText)).empty());
}

TEST(Positions, CountLinesAndBytes) {
  auto place = [](llvm::StringRef text, size_t offset) {
    auto position = positionAt(text, offset);
    return std::pair(position.line, position.column);
  };
  using P = std::pair<unsigned, unsigned>;
  EXPECT_EQ(place("ab\ncd", 0), P(1, 1));
  EXPECT_EQ(place("ab\ncd", 2), P(1, 3));
  EXPECT_EQ(place("ab\ncd", 3), P(2, 1));
  EXPECT_EQ(place("ab\ncd", 99), P(2, 3));
  EXPECT_EQ(place("", 0), P(1, 1));
}

TEST(Formats, AreFoundByContent) {
  EXPECT_EQ(detectGraphFormat("\n {\"format\""), GraphFormat::Json);
  EXPECT_EQ(detectGraphFormat("\xef\xbb\xbf{}"), GraphFormat::Json);
  EXPECT_EQ(detectGraphFormat("I0401 x] class f:\n def forward(self):"), GraphFormat::FxText);
  EXPECT_EQ(detectGraphFormat(""), std::nullopt);
  EXPECT_EQ(detectGraphFormat("PK\x03\x04"), GraphFormat::ExportArchive);
  EXPECT_EQ(detectGraphFormat("{\"graph_module\": {}}"), GraphFormat::ExportJson);
  Context context;
  auto graphs = readGraphs(context, {"x.bin", "PK"});
  ASSERT_FALSE(graphs);
  EXPECT_NE(llvm::toString(graphs.takeError()).find("x.bin: error: this is no graph"), std::string::npos);
}
