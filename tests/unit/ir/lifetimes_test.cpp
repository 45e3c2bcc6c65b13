// Tests each rule of the lifetimes header on a program of a few lines; values have 64 bytes unless their type states
// otherwise.
#include "ccgraph/ir/lifetimes.h"

#include "program.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *type = "f32[16][1]cpu";
constexpr const char *twice = "f32[32][1]cpu";

class Lifetimes : public testing::Test {
protected:
  Node *relu(const char *name, Node *x) { return p.call(name, "aten.relu.default", {x}, type); }
  Node *add(const char *name, Node *a, Node *b) { return p.call(name, "aten.add.Tensor", {a, b}, type); }
  Node *allReduce(const char *name, Node *x) {
    return p.call(name, "_c10d_functional.all_reduce.default", {x, "sum", "0"}, type);
  }
  Node *allGather(const char *name, Node *x) {
    return p.call(name, "_c10d_functional.all_gather_into_tensor.default", {x, 2, "0"}, twice);
  }
  Node *wait(const char *name, Node *x, const char *result = type) {
    return p.call(name, "_c10d_functional.wait_tensor.default", {x}, result);
  }
  /// Returns "peak at node".
  std::string peak() {
    MemoryPeak found = peakMemory(p.graph);
    return std::to_string(found.bytes) + " at " + (found.at ? found.at->name().str().str() : "nothing");
  }

  Program p;
};

TEST_F(Lifetimes, NothingNeedsNothing) { EXPECT_EQ(peak(), "0 at nothing"); }

TEST_F(Lifetimes, AValueLivesFromItsStepToItsLastReader) {
  Node *x = p.input("x", type);
  Node *c = relu("c", relu("b", relu("a", x)));
  p.output({c});
  EXPECT_EQ(peak(), "192 at b"); // x, a, b; then x, b, c
}

TEST_F(Lifetimes, WhatIsReturnedLivesFromItsStepToTheEnd) {
  Node *x = p.input("x", type);
  Node *a = relu("a", x);
  Node *c = relu("c", relu("b", x));
  p.output({a, c});
  EXPECT_EQ(peak(), "256 at c"); // x, a, b, c; a is not live before its step
  p.graph.moveBefore(a, p.graph.output());
  EXPECT_EQ(peak(), "192 at c"); // x, b, c; then x, c, a
}

TEST_F(Lifetimes, ViewsKeepTheirBaseAndCostNothing) {
  Node *x = p.input("x", type);
  Node *t = p.call("t", "aten.alias.default", {relu("a", x)}, type);
  Node *b = relu("b", x);
  p.output({add("c", t, b)});
  EXPECT_EQ(peak(), "256 at c");
}

TEST_F(Lifetimes, CallerKeepsItsInputs) {
  Node *x = p.input("x", type);
  Node *b = relu("b", relu("a", x));
  p.output({b});
  EXPECT_EQ(peak(), "192 at b");
}

TEST_F(Lifetimes, WhatAutogradDoesNotCallPrimalsGoesAfterItsLastReader) {
  Node *x = p.input("tangents_1", type);
  Node *b = relu("b", relu("a", x));
  p.output({b});
  EXPECT_EQ(peak(), "128 at a");
}

TEST_F(Lifetimes, PrimalsStay) {
  Node *x = p.input("primals_1", type);
  p.input("saved", twice); // never read: live at the first step, and freed after its own
  Node *b = relu("b", relu("a", x));
  p.output({b});
  EXPECT_EQ(peak(), "192 at primals_1");
}

TEST_F(Lifetimes, AttributesStay) {
  Node *w = p.attribute("w");
  p.graph.setType(w, p.typeOf(type));
  p.output({relu("b", relu("a", w))});
  EXPECT_EQ(peak(), "192 at b");
}

TEST_F(Lifetimes, ACollectiveHoldsWhatItReadsAndYieldsToItsLastWait) {
  Node *x = p.input("x", type);
  Node *ag = allGather("ag", relu("a", x));
  Node *b = relu("b", x);
  Node *w = wait("w", ag, twice);
  p.output({b, w});
  EXPECT_EQ(peak(), "320 at b"); // x, a, ag, b
}

TEST_F(Lifetimes, AlsoWhereItCopiesItsInput) {
  Node *x = p.input("x", type);
  Node *ar = allReduce("ar", relu("a", x));
  Node *b = relu("b", x);
  Node *w = wait("w", ar);
  p.output({b, w});
  EXPECT_EQ(peak(), "256 at b");
}

TEST_F(Lifetimes, AlsoToAWaitThatComesTooLate) {
  Node *x = p.input("x", type);
  Node *ar = allReduce("ar", relu("a", x));
  wait("w", ar);
  Node *b = relu("b", x);
  wait("again", ar);
  p.output({b});
  EXPECT_EQ(peak(), "256 at b");
}

TEST_F(Lifetimes, AWaitEndsAllThatFliesInItsBuffer) {
  Node *x = p.input("x", type);
  Node *buffer = p.call("buffer", "aten.empty.memory_format", {list({64})}, "f32[64][1]cpu");
  auto gatherInto = [&](const char *name, Node *y, const char *slice, int begin) {
    Node *part = p.call(slice, "aten.slice.Tensor", {buffer, 0, begin, begin + 32}, twice);
    p.call(name, "_c10d_functional.all_gather_into_tensor_out.default", {y, 2, "0"}, {{"out", part}}, twice);
    return part;
  };
  gatherInto("one", relu("a", x), "s0", 0);
  wait("w", gatherInto("two", relu("b", x), "s1", 32), twice);
  Node *c = p.call("c", "aten.relu.default", {x}, "f32[112][1]cpu");
  p.output({relu("d", c)});
  EXPECT_EQ(peak(), "576 at d"); // x, c, d: nothing is left of a, which no wait names
}

TEST_F(Lifetimes, WithoutAWaitToTheEnd) {
  Node *x = p.input("x", type);
  allGather("ag", relu("a", x));
  p.output({relu("b", x)});
  EXPECT_EQ(peak(), "320 at b"); // x, a, ag, b
}

TEST_F(Lifetimes, ElementsOfAListHaveTheBytesThatTheirReadersTell) {
  Node *x = p.input("x", type);
  Node *pair = p.call("pair", "aten.topk.default", {x, 4}); // print_readable shows no type for it
  Node *values = p.call("values", "operator.getitem", {pair, 0}, "f32[4][1]cpu");
  Node *places = p.call("places", "operator.getitem", {pair, 1}, "i64[4][1]cpu");
  p.output({values, places});
  EXPECT_EQ(peak(), "112 at pair"); // 64 + 16 + 32
}

TEST_F(Lifetimes, AListThatIsTypedSaysSoItself) {
  Node *x = p.input("x", type);
  Node *pair = p.call("pair", "aten.topk.default", {x, 4});
  p.graph.setType(pair, p.listType({"f32[4][1]cpu", "i64[4][1]cpu"}));
  Node *values = p.call("values", "operator.getitem", {pair, 0}, "f32[4][1]cpu");
  p.output({values});
  EXPECT_EQ(peak(), "112 at pair");
}

TEST_F(Lifetimes, ALongListIsHeldToItsLastWait) {
  constexpr int count = 300; // more than the number of waits that are counted as holders
  std::vector<Item> inputs;
  for (int i = 0; i < count; ++i)
    inputs.emplace_back(relu(("a" + std::to_string(i)).c_str(), i ? p.graph.front() : p.input("x", type)));
  Node *all = p.call("all", "_c10d_functional.all_reduce_coalesced.default", {list(inputs), "sum", "0"});
  for (int i = 0; i < count; ++i)
    wait(("w" + std::to_string(i)).c_str(),
         p.call(("e" + std::to_string(i)).c_str(), "operator.getitem", {all, i}, type));
  p.output({});
  EXPECT_EQ(peakMemory(p.graph).bytes, 64 + 2 * count * 64);
  StorageMap storages(p.graph);
  std::vector<StorageLife> lives = storageLives(p.graph, storages, AsyncPairs(p.graph, storages)).storages;
  EXPECT_TRUE(lives[1].lastWaitOnly);
  EXPECT_LE(lives[1].holders.size(), 3U);
  EXPECT_EQ(lives[1].holders.back()->name().str(), "w299");
}

TEST_F(Lifetimes, ALongListOfWhatTheCallerHoldsLivesOnItsOwn) {
  constexpr int count = 300;
  std::vector<Item> inputs;
  for (int i = 0; i < count; ++i)
    inputs.emplace_back(p.input(("x" + std::to_string(i)).c_str(), type));
  Node *all = p.call("all", "_c10d_functional.all_reduce_coalesced.default", {list(inputs), "sum", "0"});
  for (int i = 0; i < count; ++i)
    wait(("w" + std::to_string(i)).c_str(),
         p.call(("e" + std::to_string(i)).c_str(), "operator.getitem", {all, i}, type));
  p.output({});
  EXPECT_EQ(peakMemory(p.graph).bytes, 2 * count * 64);
}

TEST_F(Lifetimes, AnElementOfALongListLivesToTheLastGetItem) {
  constexpr int count = 600; // more than the number of getitems that are counted as holders
  Node *x = p.input("x", "f32[9600][1]cpu");
  Node *all = p.call("all", "aten.split_copy.Tensor", {x, 16});
  for (int i = 0; i < count; ++i)
    relu(("r" + std::to_string(i)).c_str(),
         p.call(("e" + std::to_string(i)).c_str(), "operator.getitem", {all, i}, type));
  p.output({});
  EXPECT_EQ(peakMemory(p.graph).bytes, count * 64 + count * 64 + 64);
  StorageMap storages(p.graph);
  std::vector<StorageLife> lives = storageLives(p.graph, storages, AsyncPairs(p.graph, storages)).storages;
  EXPECT_LE(lives[1].holders.size(), 4U);
  EXPECT_TRUE(lives[1].lastWaitOnly);
}

TEST_F(Lifetimes, WaitsAndGetItemsOfAListShareWhatTheyHold) {
  constexpr int count = 200;
  std::vector<Item> inputs;
  for (int i = 0; i < count; ++i)
    inputs.emplace_back(relu(("a" + std::to_string(i)).c_str(), i ? p.graph.front() : p.input("x", type)));
  Node *all = p.call("all", "_c10d_functional.all_reduce_coalesced.default", {list(inputs), "sum", "0"});
  for (int i = 0; i < count; ++i)
    wait(("w" + std::to_string(i)).c_str(),
         p.call(("e" + std::to_string(i)).c_str(), "operator.getitem", {all, i}, type));
  p.output({});
  EXPECT_EQ(peakMemory(p.graph).bytes, 64 + 2 * count * 64);
  StorageMap storages(p.graph);
  StorageLives lives = storageLives(p.graph, storages, AsyncPairs(p.graph, storages));
  ASSERT_EQ(lives.shared.size(), 2U);
  size_t holders = 0;
  for (const StorageLife &life : lives.storages)
    holders += life.holders.size();
  EXPECT_LE(holders, 8U * count);
  EXPECT_EQ(lives.shared[0].held.size() + lives.shared[1].held.size(), 3U * count);
  for (const SharedHold &shared : lives.shared)
    EXPECT_EQ(shared.holders.size(), count - 1U);
}

} // namespace
} // namespace ccgraph::test
