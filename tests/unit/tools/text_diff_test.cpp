// Tests unified diffs: hunks, moves, and which lines stay when others must move.
#include "ccgraph/toolkit/text_diff.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

std::string diff(llvm::StringRef before, llvm::StringRef after, const DiffOptions &options = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool differ = writeUnifiedDiff(os, {"a", before}, {"b", after}, options);
  EXPECT_EQ(differ, !os.str().empty());
  return os.str();
}

std::string numbers(size_t from, size_t to) {
  std::string text;
  for (size_t i = from; i < to; ++i)
    text += std::to_string(i) + "\n";
  return text;
}

} // namespace

TEST(TextDiff, OfEqualTextsIsEmpty) {
  EXPECT_EQ(diff("x\ny\n", "x\ny\n"), "");
  EXPECT_EQ(diff("", ""), "");
}

TEST(TextDiff, ShowsWhatCameAndWentWithContext) {
  EXPECT_EQ(diff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nnew\n6\n7\n8\n"), "--- a\n+++ b\n"
                                                                            "@@ -2,7 +2,7 @@\n"
                                                                            " 2\n 3\n 4\n-5\n+new\n 6\n 7\n 8\n");
}

TEST(TextDiff, ShowsAMoveInBothPlaces) {
  std::string after = "1\n2\n" + numbers(4, 21) + "3\n" + numbers(21, 25);
  EXPECT_EQ(diff(numbers(1, 25), after), "--- a\n+++ b\n"
                                         "@@ -1,6 +1,5 @@\n"
                                         " 1\n 2\n-3  # moved to line 20, 17 down\n 4\n 5\n 6\n"
                                         "@@ -18,6 +17,7 @@\n"
                                         " 18\n 19\n 20\n+3  # moved from line 3\n 21\n 22\n 23\n");
}

TEST(TextDiff, TellsOnceOfLinesThatMoveTogether) {
  std::string after = numbers(10, 30) + numbers(7, 10) + numbers(1, 7) + "end\n";
  std::string text = diff(numbers(1, 30) + "end\n", after);
  EXPECT_NE(text.find("-1  # 6 lines moved to line 24, 20 down\n-2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("-7  # 3 lines moved to line 21, 20 down\n-8\n"), std::string::npos) << text;
  EXPECT_NE(text.find("+1  # 6 lines moved from line 1\n+2\n"), std::string::npos) << text;
}

TEST(TextDiff, MovesWhatWeighsLess) {
  auto weight = [](llvm::StringRef line) { return line.startswith("wait") ? 1U : 2U; };
  EXPECT_EQ(diff("wait\nmm\n", "mm\nwait\n", {.weight = weight}),
            "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-wait  # moved to line 2, 1 down\n mm\n+wait  # moved from line 1\n");
  EXPECT_EQ(diff("mm\nwait\n", "wait\nmm\n", {.weight = weight}),
            "--- a\n+++ b\n@@ -1,2 +1,2 @@\n+wait  # moved from line 2\n mm\n-wait  # moved to line 1, 1 up\n");
}

TEST(TextDiff, SaysWhereAHunkIs) {
  auto heading = [](llvm::StringRef line) { return "in " + line.str(); };
  EXPECT_EQ(diff("x\n", "y\n", {.heading = heading}), "--- a\n+++ b\n@@ -1 +1 @@ in x\n-x\n+y\n");
}

TEST(TextDiff, SaysMoreOfALineThatOnlyOneTextHas) {
  auto note = [](llvm::StringRef line) { return line == "x" ? "gone" : ""; };
  EXPECT_EQ(diff("x\n1\n", "1\ny\n", {.note = note}), "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x  # gone\n 1\n+y\n");
}

TEST(TextDiff, PairsEqualLinesInTheirOrder) {
  EXPECT_EQ(diff("x\nx\ny\n", "x\ny\nx\n"), "--- a\n+++ b\n@@ -1,3 +1,3 @@\n x\n+y  # moved from line 3\n x\n"
                                            "-y  # moved to line 2, 1 up\n");
}

TEST(TextDiff, CountsTheLinesThatAMovePasses) {
  EXPECT_EQ(diff("x\n1\n2\n3\n", "new\nnewer\n1\n2\nx\n3\n"), "--- a\n+++ b\n@@ -1,4 +1,6 @@\n"
                                                              "-x  # moved to line 5, 2 down\n+new\n+newer\n 1\n 2\n"
                                                              "+x  # moved from line 1\n 3\n");
}

TEST(TextDiff, OfNothingAndSomethingIsAllOfIt) {
  EXPECT_EQ(diff("", "x\ny\n"), "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+x\n+y\n");
  EXPECT_EQ(diff("x\ny\n", ""), "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-x\n-y\n");
}

/// Both texts can be reconstructed from the diff, for any order.
TEST(TextDiff, HoldsBothTexts) {
  constexpr size_t lines = 20'000,
                   step = 7919; // a prime that does not divide the number of lines, so it gives a permutation of all
                                // lines
  std::string before, after, fromBefore, fromAfter;
  for (size_t i = 0; i < lines; ++i) {
    before += "line " + std::to_string(i) + "\n";
    after += "line " + std::to_string(i * step % lines) + "\n";
  }
  std::string text = diff(before, after, {.context = lines});
  llvm::SmallVector<llvm::StringRef, 0> parts;
  llvm::StringRef(text).split(parts, '\n', -1, /*KeepEmpty=*/false);
  parts.erase(parts.begin(), parts.begin() + 3);
  for (llvm::StringRef line : parts) {
    std::string content = line.drop_front().split("  # ").first.str() + "\n";
    fromBefore += line.front() == '+' ? "" : content;
    fromAfter += line.front() == '-' ? "" : content;
  }
  EXPECT_EQ(fromBefore, before);
  EXPECT_EQ(fromAfter, after);
}

} // namespace ccgraph
