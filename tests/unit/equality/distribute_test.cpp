// The part of each rank, by placement.
#include "distribute.h"

#include <gtest/gtest.h>

#include <numeric>

namespace ccgraph::equality {
namespace {

Array counted(IntListRef sizes) {
  Words words(static_cast<size_t>(productOf(sizes)));
  std::iota(words.begin(), words.end(), Word{0});
  return makeArray(Kind::Integer, sizes, std::move(words));
}

Words partWords(const TensorPlacement &placement, const std::vector<NamedAxis> &mesh, IntListRef sizes, int64_t rank) {
  llvm::Expected<Array> part = partOf(counted(sizes), placement, mesh, rank, {});
  if (!part) {
    ADD_FAILURE() << llvm::toString(part.takeError());
    return {};
  }
  return *part->words;
}

TensorPlacement sharded(std::vector<int64_t> dims) {
  TensorPlacement placement;
  for (int64_t dim : dims)
    placement.axes.push_back({AxisPlacement::Kind::Shard, dim});
  return placement;
}

TEST(Distribute, UnevenShardsAreThoseOfTorchChunk) {
  std::vector<NamedAxis> mesh = {{"tp", 3}};
  EXPECT_EQ(partWords(sharded({0}), mesh, {7}, 0), (Words{0, 1, 2}));
  EXPECT_EQ(partWords(sharded({0}), mesh, {7}, 2), (Words{6}));
  EXPECT_EQ(partWords(sharded({0}), mesh, {4}, 2), Words());
}

TEST(Distribute, TheMajorAxisCutsFirstUnlessTheSplitOrderStatesAnother) {
  std::vector<NamedAxis> mesh = {{"fsdp", 2}, {"tp", 2}};
  TensorPlacement placement = sharded({0, 0});
  EXPECT_EQ(partWords(placement, mesh, {4}, 1), (Words{1}));
  placement.splitOrder = {1, 0};
  EXPECT_EQ(partWords(placement, mesh, {4}, 1), (Words{2}));
}

TensorPlacement headTail(int64_t dim) {
  TensorPlacement placement = sharded({dim});
  placement.axes.front().isHeadTail = true;
  return placement;
}

TEST(Distribute, ARankHoldsAChunkFromTheHeadAndOneFromTheTail) {
  std::vector<NamedAxis> mesh = {{"cp", 3}};
  EXPECT_EQ(partWords(headTail(0), mesh, {12}, 0), (Words{0, 1, 10, 11}));
  EXPECT_EQ(partWords(headTail(0), mesh, {12}, 2), (Words{4, 5, 6, 7}));
  EXPECT_EQ(partWords(headTail(1), mesh, {2, 6}, 1), (Words{1, 4, 7, 10}));
}

TEST(Distribute, WhatIsHeldFromBothEndsDividesByTwiceTheRanks) {
  llvm::Expected<Array> part = partOf(counted({9}), headTail(0), {{"cp", 3}}, 0, {});
  EXPECT_EQ(llvm::toString(part.takeError()), "head_tail(0) of 9 elements, expected a multiple of 6");
}

TEST(Distribute, AFusedWeightIsCutInEachPart) {
  TensorPlacement placement = sharded({1});
  placement.as = {3, 2, 2};
  EXPECT_EQ(partWords(placement, {{"tp", 2}}, {6, 2}, 1), (Words{2, 3, 6, 7, 10, 11}));
}

TEST(Distribute, PartsOfDifferentSizesAreCutEach) {
  std::vector<NamedAxis> mesh = {{"fsdp", 3}, {"tp", 2}};
  TensorPlacement placement = sharded({0, 0});
  placement.parts = {8, 2, 2};
  placement.asAxes = {1};
  EXPECT_EQ(partWords(placement, mesh, {12}, 1), (Words{4, 5}));
  EXPECT_EQ(partWords(placement, mesh, {12}, 5), (Words{9, 11}));
  placement.parts = {8, 2};
  llvm::Expected<Array> part = partOf(counted({12}), placement, mesh, 0, {});
  EXPECT_EQ(llvm::toString(part.takeError()), "the parts [8, 2] are not dimension 0 of [12]");
}

TEST(Distribute, AShardInTheSizeOfTheFirstOneIsPadded) {
  EXPECT_TRUE(isPaddedShard({3}, {1}, {3}));
  EXPECT_FALSE(isPaddedShard({3}, {3}, {3}));
  EXPECT_FALSE(isPaddedShard({4}, {1}, {3}));
  EXPECT_EQ(*paddedTo(counted({1}), {3}).words, (Words{0, 0, 0}));
  EXPECT_EQ(*withoutPadding(counted({3, 2}), {1, 2}).words, (Words{0, 1}));
}

TEST(Distribute, OtherAxesCutWhatARankSeesOfAFusedWeight) {
  std::vector<NamedAxis> mesh = {{"fsdp", 3}, {"tp", 2}};
  TensorPlacement placement = sharded({0, 1});
  placement.as = {3, 2, 2};
  placement.asAxes = {1};
  EXPECT_EQ(partWords(placement, mesh, {6, 2}, 3), (Words{6, 7}));
}

TEST(Distribute, PartsOfASumAddUp) {
  Field field(3);
  TensorPlacement placement;
  placement.axes = {{AxisPlacement::Kind::PartialSum, 0}, {AxisPlacement::Kind::PartialAvg, 0}};
  std::vector<NamedAxis> mesh = {{"a", 2}, {"b", 3}};
  Array whole = makeArray(Kind::Float, {2}, {field.draw(1), field.draw(2)});
  Array sum = filled(Kind::Float, {2}, 0);
  for (int64_t rank = 0; rank != 6; ++rank) {
    llvm::Expected<Array> part = partOf(whole, placement, mesh, rank, {&field, 5});
    ASSERT_TRUE(static_cast<bool>(part));
    sum = addedArrays(sum, *part);
  }
  EXPECT_TRUE(sameWords(scaledArray(sum, field.inverse(numberOfInteger(3))), whole));
}

/// The tensor that is cut for all ranks, and joined again.
std::string joinedText(const TensorPlacement &placement, const std::vector<NamedAxis> &mesh, IntListRef sizes) {
  Field field(3);
  Words words;
  for (int64_t i = 0; i != productOf(sizes); ++i)
    words.push_back(field.draw(static_cast<uint64_t>(i)));
  Array whole = makeArray(Kind::Float, sizes, words);
  std::vector<Array> parts;
  std::vector<IntList> partSizes;
  for (int64_t rank = 0; rank != numRanks(mesh); ++rank) {
    llvm::Expected<Array> part = partOf(whole, placement, mesh, rank, {&field, 5});
    if (!part)
      return llvm::toString(part.takeError());
    partSizes.push_back(part->sizes);
    parts.push_back(*part);
  }
  llvm::Expected<Array> joined = joinedParts(parts, placement, mesh, wholeSizes(partSizes, placement, mesh));
  if (!joined)
    return llvm::toString(joined.takeError());
  return joined->sizes == whole.sizes && sameWords(*joined, whole) ? "the whole" : intListText(joined->sizes);
}

TEST(Distribute, JoiningIsTheReverseOfCutting) {
  std::vector<NamedAxis> mesh = {{"a", 3}, {"b", 2}};
  EXPECT_EQ(joinedText(sharded({0, 1}), mesh, {7, 3}), "the whole");
  TensorPlacement both = sharded({0, 0});
  EXPECT_EQ(joinedText(both, mesh, {12, 2}), "the whole");
  both.splitOrder = {1, 0};
  EXPECT_EQ(joinedText(both, mesh, {11, 2}), "the whole");
  TensorPlacement partial;
  partial.axes = {{AxisPlacement::Kind::PartialAvg, 0}, {AxisPlacement::Kind::Shard, 0}};
  EXPECT_EQ(joinedText(partial, mesh, {5, 2}), "the whole");
  EXPECT_EQ(joinedText(headTail(1), {{"cp", 4}}, {3, 16}), "the whole");
}

TEST(Distribute, AFusedWeightIsJoinedInEachPart) {
  std::vector<NamedAxis> mesh = {{"fsdp", 3}, {"tp", 2}};
  TensorPlacement placement = sharded({0, 1});
  placement.as = {3, 4, 2};
  placement.asAxes = {1};
  EXPECT_EQ(joinedText(placement, mesh, {12, 2}), "the whole");
}

TEST(Distribute, PartsOfOtherSizesCannotBeJoined) {
  std::vector<NamedAxis> mesh = {{"a", 2}};
  llvm::Expected<Array> joined = joinedParts({counted({2, 3}), counted({2, 4})}, sharded({0}), mesh, {4, 3});
  ASSERT_FALSE(static_cast<bool>(joined));
  EXPECT_EQ(llvm::toString(joined.takeError()), "the sizes [2, 4] and [2, 3] of two ranks are no parts of one tensor");
}

} // namespace
} // namespace ccgraph::equality
