// Terms of sums over microbatches: of which microbatch a call is the term, and which terms add up.
#include "microbatch_sums.h"

#include <gtest/gtest.h>

namespace ccgraph::equality {
namespace {

Match partOf(uint64_t whole, int64_t microbatch) {
  Match match;
  match.isNone = false;
  match.factor = fromPlain(1);
  match.wholes = {whole};
  match.microbatch = microbatch;
  return match;
}
Match valueOf(uint64_t content) {
  Match match;
  match.isNone = false;
  match.factor = fromPlain(1);
  match.content = content;
  return match;
}

TEST(MicrobatchSums, ACallOfPartsOfOneMicrobatchIsItsTerm) {
  const Match first = partOf(7, 2), second = partOf(8, 2), weight = valueOf(9);
  EXPECT_EQ(microbatchOfTerm({{&first, 7}, {&second, 8}, {&weight, 9}}), 2);
}

TEST(MicrobatchSums, PartsOfTwoMicrobatchesAreNoTerm) {
  const Match first = partOf(7, 2), second = partOf(8, 1);
  EXPECT_EQ(microbatchOfTerm({{&first, 7}, {&second, 8}}), std::nullopt);
}

TEST(MicrobatchSums, PartsOfOtherValuesAreNoTerm) {
  const Match first = partOf(7, 2), weight = valueOf(9);
  EXPECT_EQ(microbatchOfTerm({{&first, 6}}), std::nullopt);
  EXPECT_EQ(microbatchOfTerm({{&first, 7}, {&weight, 8}}), std::nullopt);
}

TEST(MicrobatchSums, AMultipleIsNoTerm) {
  Match twice = partOf(7, 2);
  twice.factor = fromPlain(2);
  EXPECT_EQ(microbatchOfTerm({{&twice, 7}}), std::nullopt);
}

TEST(MicrobatchSums, WholeValuesAreNoTerm) {
  const Match weight = valueOf(9);
  EXPECT_EQ(microbatchOfTerm({{&weight, 9}}), std::nullopt);
}

TEST(MicrobatchSums, DifferentTermsOfOneValueAddUp) {
  const MicrobatchTerms first{5, {0, 2}}, second{5, {1}};
  const std::optional<MicrobatchTerms> sum = sumOfTerms(first, second);
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(sum->sum, 5U);
  EXPECT_EQ(sum->microbatches, (std::set<int64_t>{0, 1, 2}));
  EXPECT_FALSE(sumOfTerms(first, first).has_value());
  EXPECT_FALSE(sumOfTerms(first, {6, {1}}).has_value());
}

} // namespace
} // namespace ccgraph::equality
