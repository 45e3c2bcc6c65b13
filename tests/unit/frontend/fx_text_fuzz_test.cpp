// Tests that reading ends for any bytes, and that accepted input can be written and read again.
#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"

#include <gtest/gtest.h>

#include <random>

using namespace ccgraph;

namespace {

std::string dataFile(const char *path) {
  auto file = InputFile::open(std::string(CCGRAPH_TEST_DATA) + path);
  return file ? file->text().str() : (llvm::consumeError(file.takeError()), "");
}

std::string written(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  FxTextOptions whole;
  whole.listTypes = true;
  if (llvm::Error error = writeFxText(os, graph, whole))
    ADD_FAILURE() << "what was read is not written: " << llvm::toString(std::move(error));
  return os.str();
}

/// Reads a text; on success, the written text of the graph must read back to the same text.
void tryText(llvm::StringRef text) {
  Context context;
  auto read = readFxText(context, {"fuzz.py", text});
  if (!read)
    return llvm::consumeError(read.takeError());
  for (const auto &graph : *read) {
    std::string once = written(*graph);
    auto again = readFxText(context, {"again.py", once});
    if (again)
      EXPECT_EQ(written(*again->front()), once);
    else
      ADD_FAILURE() << llvm::toString(again.takeError()) << once;
  }
}

const char *const seeds[] = {"/small/moe_uneven_w2/bw/readable.py", "/small/dp_clip_w2/readable.py"};

} // namespace

TEST(FxTextFuzzTest, EveryTruncationEnds) {
  for (const char *seed : seeds) {
    std::string text = dataFile(seed);
    ASSERT_FALSE(text.empty());
    for (size_t length = 0; length < text.size(); length += 7)
      tryText(llvm::StringRef(text).take_front(length));
  }
}

TEST(FxTextFuzzTest, EveryFlippedByteEnds) {
  std::mt19937 random(7);
  const llvm::StringRef bytes("()[]{}'\":;,.=#\\ \n\t-+0aN\0\xff\x1b", 27);
  for (const char *seed : seeds) {
    const std::string text = dataFile(seed);
    for (int round = 0; round != 1500; ++round) {
      std::string broken = text;
      for (unsigned flips = 1 + random() % 3; flips != 0; --flips)
        broken[random() % broken.size()] = bytes[random() % bytes.size()];
      tryText(broken);
    }
  }
}
