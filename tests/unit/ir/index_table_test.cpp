#include "ccgraph/ir/index_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace ccgraph;

TEST(IndexTable, FindsWhatWasInsertedAndNotErased) {
  // Few hashes, so that most elements collide, also with those at the other end of the slots.
  std::mt19937 random(7);
  std::vector<uint32_t> keys;
  std::map<uint32_t, uint32_t> expected; // key to index
  IndexTable table;
  auto hashOf = [](uint32_t key) { return key % 11 * 97; };
  auto hashAt = [&](uint32_t index) { return hashOf(keys[index]); };
  auto find = [&](uint32_t key) { return table.find(hashOf(key), [&](uint32_t index) { return keys[index] == key; }); };
  for (int round = 0; round < 3000; ++round) {
    const auto key = static_cast<uint32_t>(random() % 200);
    if (auto known = expected.find(key); known != expected.end()) {
      table.erase(known->second, hashAt);
      expected.erase(known);
    } else {
      expected[key] = static_cast<uint32_t>(keys.size());
      keys.push_back(key);
      table.insert(expected[key], hashAt);
    }
    for (uint32_t each = 0; each < 200; ++each) {
      auto known = expected.find(each);
      ASSERT_EQ(find(each), known == expected.end() ? std::nullopt : std::optional(known->second));
    }
  }
}

TEST(IndexTable, AnEmptyTableFindsNothing) {
  EXPECT_EQ(IndexTable().find(3, [](uint32_t) { return true; }), std::nullopt);
}
