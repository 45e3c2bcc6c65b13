// Tests layouts: how the legality checker tracks elements through views, copies and collectives.
#include "exchanges.h"
#include "layout.h"

#include <gtest/gtest.h>

namespace ccgraph::legality {
namespace {

Layout source(uint32_t number, std::initializer_list<int64_t> sizes) { return whole(number, false, IntList(sizes)); }

Runs joined(std::initializer_list<Run> list) {
  Runs runs;
  for (const Run &one : list)
    append(runs, one);
  return runs;
}

TEST(Layout, JoinsWhatContinues) {
  Runs runs;
  append(runs, {0, 0, 4, 1, false});
  append(runs, {0, 4, 2, 1, false});
  append(runs, {0, 7, 1, 1, false});
  append(runs, {0, 0, 0, 2, false});
  EXPECT_EQ(runs, (Runs{{0, 0, 6, 1, false}, {6, 7, 1, 1, false}}));
}

TEST(Layout, TakesAcrossRuns) {
  Runs from;
  append(from, {0, 0, 4, 1, false});
  append(from, {0, 0, 4, 2, false});
  Runs to;
  take(from, 3, 3, to);
  EXPECT_EQ(to, (Runs{{0, 3, 1, 1, false}, {1, 0, 2, 2, false}}));
}

TEST(Layout, ConcatenatesRowsAlternately) {
  Layout values[] = {source(1, {2, 3}), source(2, {2, 1})};
  auto cat = concatenate(values, 1);
  ASSERT_TRUE(cat);
  EXPECT_EQ(cat->sizes, (IntList{2, 4}));
  EXPECT_EQ(*cat->runs, (Runs{{0, 0, 3, 1, false}, {3, 0, 1, 2, false}, {4, 3, 3, 1, false}, {7, 1, 1, 2, false}}));
  EXPECT_FALSE(concatenate(values, 0)) << "other dimensions differ";
  EXPECT_FALSE(concatenate(values, 2)) << "no such dimension";
}

TEST(Layout, LooksThroughAWindow) {
  Layout value = source(1, {2, 6});
  Excerpt excerpt = excerptOf(value);
  excerpt.base = 2;
  excerpt.sizes[1] = 3;
  auto part = look(value, excerpt);
  ASSERT_TRUE(part);
  EXPECT_EQ(*part->runs, (Runs{{0, 2, 3, 1, false}, {3, 8, 3, 1, false}}));
  EXPECT_EQ(part->strides, (IntList{6, 1}));
}

TEST(Layout, ReshapesWhereMemoryAllowsIt) {
  Layout value = source(1, {2, 6});
  Excerpt excerpt = excerptOf(value);
  excerpt.sizes[1] = 4;
  Layout part = *look(value, excerpt);
  auto split = reshape(part, {2, 2, 2}, false);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->strides, (IntList{6, 2, 1}));
  EXPECT_FALSE(reshape(part, {8}, false)) << "a view cannot cross the gap";
  auto copy = reshape(part, {8}, true);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->strides, (IntList{1}));
  EXPECT_FALSE(reshape(part, {9}, true)) << "another number of elements";
}

TEST(Layout, ReshapesEmptyAndScalarValues) {
  EXPECT_TRUE(reshape(source(1, {0, 3}), {3, 0}, false));
  EXPECT_TRUE(reshape(source(1, {}), {1, 1}, false));
  EXPECT_FALSE(reshape(source(1, {}), {0}, false));
}

// --- Exchanges -------------------------------------------------------------------------------------------------------

class ExchangeTest : public testing::Test {
protected:
  void member(std::initializer_list<int64_t> sizes, std::vector<int64_t> sent = {},
              std::vector<int64_t> received = {}) {
    Call call = call_;
    call.inputSplits = std::move(sent);
    call.outputSplits = std::move(received);
    auto number = static_cast<uint32_t>(shipment_.sources.size());
    shipment_.sources.push_back({number, IntList(sizes)});
    shipment_.members.push_back({number, std::move(call)});
  }
  /// Returns the sentence of the refusal, or "".
  std::string why(const Layout &input) {
    auto outcome = exchange(call_, shipment_, input);
    if (auto *layout = std::get_if<Layout>(&outcome)) {
      result_ = *layout;
      return "";
    }
    return std::get<std::string>(outcome);
  }
  void kind(CollectiveKind kind) {
    spec_.kind = kind;
    call_.spec = &spec_;
    call_.groupSize = 2;
  }

  CollectiveSpec spec_;
  Call call_;
  Shipment shipment_;
  Layout result_;
};

TEST_F(ExchangeTest, GathersInRankOrder) {
  kind(CollectiveKind::AllGather);
  member({2});
  member({1});
  Layout values[] = {source(0, {2}), source(1, {1})};
  EXPECT_EQ(why(*concatenate(values, 0)), "");
  EXPECT_EQ(result_.sizes, (IntList{6}));
  EXPECT_EQ(*result_.runs, (Runs{{0, 0, 2, 0, true}, {2, 0, 1, 1, true}, {3, 2, 2, 0, true}, {5, 1, 1, 1, true}}));
}

TEST_F(ExchangeTest, ScattersOnlyWhatIsInterleaved) {
  kind(CollectiveKind::ReduceScatter);
  member({4});
  member({2});
  Layout rows[] = {source(0, {2, 2}), source(1, {2, 1})};
  EXPECT_EQ(why(*reshape(*concatenate(rows, 1), {6}, false)), "");
  EXPECT_EQ(*result_.runs, (Runs{{0, 0, 2, 0, true}, {2, 0, 1, 1, true}}));
  Layout flats[] = {source(0, {4}), source(1, {2})};
  EXPECT_NE(why(*concatenate(flats, 0)).find("does not send"), std::string::npos);
}

TEST_F(ExchangeTest, TransposesWholeChunksInBucketOrder) {
  kind(CollectiveKind::AllToAll);
  member({3}, {1, 2}, {2, 2});
  member({2}, {1, 1}, {0, 3});
  call_.inputSplits = {2, 3};
  call_.outputSplits = {2, 5};
  Runs sent = joined({{0, 0, 1, 0, false}, {0, 0, 1, 1, false}, {0, 1, 2, 0, false}, {0, 1, 1, 1, false}});
  EXPECT_EQ(why(contiguous({5}, sent)), "");
  EXPECT_EQ(*result_.runs, (Runs{{0, 0, 4, 0, true}, {4, 0, 3, 1, true}}));
  call_.outputSplits = {3, 4};
  EXPECT_NE(why(contiguous({5}, sent)).find("expects from rank 0"), std::string::npos);
  call_.outputSplits = {2, 5};
  Runs wrong = joined({{0, 0, 1, 1, false}, {0, 0, 1, 0, false}, {0, 1, 2, 0, false}, {0, 1, 1, 1, false}});
  EXPECT_NE(why(contiguous({5}, wrong)).find("bucket order"), std::string::npos);
}

TEST_F(ExchangeTest, RefusesResultsThatAreSentAgain) {
  kind(CollectiveKind::AllReduce);
  member({2});
  EXPECT_EQ(why(whole(0, true, IntList{2})), "sends elements that a collective has already made");
}

} // namespace
} // namespace ccgraph::legality
