#include "ccgraph/ir/internal/arena.h"

#include <gtest/gtest.h>

#include <random>

using namespace ccgraph;

namespace {

bool overlap(int64_t a, int64_t aBytes, int64_t b, int64_t bBytes) { return a < b + bBytes && b < a + aBytes; }

/// Returns two live blocks that overlap; "" if there are none.
std::string clash(llvm::ArrayRef<ArenaBlock> blocks, const ArenaPlacement &placement) {
  for (size_t i = 0; i < blocks.size(); ++i)
    for (size_t j = i + 1; j < blocks.size(); ++j)
      if (blocks[i].begin <= blocks[j].end && blocks[j].begin <= blocks[i].end && blocks[i].bytes && blocks[j].bytes &&
          overlap(placement.offsets[i], blocks[i].bytes, placement.offsets[j], blocks[j].bytes))
        return std::to_string(i) + " and " + std::to_string(j);
  return "";
}

std::vector<ArenaBlock> randomBlocks(uint32_t seed, size_t count) {
  std::mt19937 random(seed);
  std::vector<ArenaBlock> blocks;
  for (size_t i = 0; i < count; ++i) {
    uint32_t begin = random() % 100;
    uint32_t length = random() % 20;
    blocks.push_back({static_cast<int64_t>(random() % 1000), begin, begin + length});
  }
  return blocks;
}

TEST(Arena, BlocksThatAreAliveAtOnceDoNotOverlap) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::vector<ArenaBlock> blocks = randomBlocks(seed, 1 + seed % 60);
    ArenaPlacement placement = placeBlocks(blocks, 64);
    EXPECT_EQ(clash(blocks, placement), "") << "seed " << seed;
    EXPECT_GE(placement.bytes, mostLiveBytes(blocks));
    for (size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(placement.offsets[i] % 64, 0);
      EXPECT_LE(placement.offsets[i] + blocks[i].bytes, placement.bytes);
    }
  }
}

TEST(Arena, ManyBlocksArePlacedToo) {
  std::vector<ArenaBlock> blocks = randomBlocks(1, 5000);
  ArenaPlacement placement = placeBlocks(blocks, 64);
  EXPECT_EQ(clash(blocks, placement), "");
}

TEST(Arena, BlocksThatFollowOneAnotherShareTheirBytes) {
  ArenaBlock blocks[] = {{128, 0, 1}, {128, 2, 3}, {128, 4, 5}};
  EXPECT_EQ(placeBlocks(blocks, 64).bytes, 128);
}

TEST(Arena, ABlockIsStillAliveAtItsLastMoment) {
  ArenaBlock blocks[] = {{128, 0, 2}, {128, 2, 3}};
  EXPECT_EQ(placeBlocks(blocks, 64).bytes, 256);
  EXPECT_EQ(mostLiveBytes(blocks), 256);
}

TEST(Arena, NothingTakesNothing) {
  ArenaBlock blocks[] = {{0, 0, 9}, {64, 1, 2}};
  EXPECT_EQ(placeBlocks(blocks, 64).bytes, 64);
  EXPECT_EQ(placeBlocks({}, 64).bytes, 0);
}

/// In the order of time, the last block fits in no gap: 0..512 and 1024..1536 are free, and it needs 1024. In the order
/// of size, it is placed before the blocks that leave the gaps.
TEST(Arena, ThePlacementBySizeIsTakenWhereItIsSmaller) {
  ArenaBlock blocks[] = {{512, 0, 1}, {512, 0, 4}, {512, 0, 1}, {1024, 2, 4}};
  EXPECT_EQ(placeBlocks(blocks, 64).bytes, 1536);
}

/// For each of these, exactly one order gives the smallest arena.
TEST(Arena, TheSmallestOfAllPlacementsIsTaken) {
  ArenaBlock peakByEnd[] = {{1024, 1, 4}, {2048, 2, 2}, {2048, 5, 5}, {1536, 4, 6}};
  ArenaBlock peakByArea[] = {{2048, 5, 6}, {1024, 1, 4}, {1536, 3, 6}, {1536, 1, 2}};
  ArenaBlock size[] = {{2048, 2, 3}, {512, 1, 2}, {2048, 1, 1}, {2048, 3, 6}};
  EXPECT_EQ(placeBlocks(peakByEnd, 64).bytes, mostLiveBytes(peakByEnd));
  EXPECT_EQ(placeBlocks(peakByArea, 64).bytes, mostLiveBytes(peakByArea));
  EXPECT_EQ(placeBlocks(size, 64).bytes, mostLiveBytes(size));
}

} // namespace
