// Tests that the reader either reads a graph or reports errors for any bytes: it never crashes, and a graph that it
// reads can be written and read again.
#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/json_graph.h"

#include <gtest/gtest.h>

#include <random>

using namespace ccgraph;

namespace {

std::string everyFeature() {
  auto file = InputFile::open(CCGRAPH_TEST_DATA "/json/every-feature.json");
  return file ? file->text().str() : llvm::toString(file.takeError());
}

/// Returns true if the text was read.
bool survives(llvm::StringRef text) {
  Context context;
  auto graph = readJsonGraph(context, {"t.json", text});
  if (!graph) {
    EXPECT_FALSE(llvm::toString(graph.takeError()).empty());
    return false;
  }
  std::string written;
  llvm::raw_string_ostream os(written);
  writeJsonGraph(os, **graph);
  os.flush();
  auto again = readJsonGraph(context, {"again.json", written});
  EXPECT_TRUE(static_cast<bool>(again)) << text.str() << "\n" << written;
  if (!again)
    llvm::consumeError(again.takeError());
  return true;
}

} // namespace

TEST(JsonMutation, NoPrefixOfAFileIsReadAsAGraph) {
  std::string text = everyFeature();
  size_t end = text.rfind('}');
  for (size_t length = 0; length <= end; length += length < 200 ? 1 : 7)
    EXPECT_FALSE(survives(llvm::StringRef(text).take_front(length))) << length;
}

TEST(JsonMutation, NoFlippedByteCrashesTheReader) {
  std::string text = everyFeature();
  std::mt19937 random(7);
  size_t read = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string changed = text;
    for (unsigned flips = 1 + random() % 3; flips > 0; --flips)
      changed[random() % changed.size()] = static_cast<char>(random());
    read += survives(changed);
  }
  EXPECT_GT(read, 100U) << "some changes are harmless: names, text, numbers";
}

TEST(JsonMutation, NoRepeatedOrDroppedPieceCrashesTheReader) {
  std::string text = everyFeature();
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string changed = text;
    size_t at = random() % changed.size();
    size_t length = random() % 60;
    if (round % 2)
      changed.erase(at, length);
    else
      changed.insert(random() % changed.size(), changed.substr(at, length));
    survives(changed);
  }
}
