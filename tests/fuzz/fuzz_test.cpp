// Tests every reader with damaged files: no crash, no hang, no invalid input accepted, and every refusal with place and
// reason.
//
// A run is the same on every machine. These environment variables change the run:
//   CCGRAPH_FUZZ_SEED=N      other damage (1)
//   CCGRAPH_FUZZ_CASES=N     texts a reader (150)
//   CCGRAPH_FUZZ_SECONDS=N   as many texts as fit into this time a reader
//   CCGRAPH_FUZZ_KEEP=DIR    each text is written to DIR/<reader> before it is read: after a crash it is the one
#include "fuzz/mutator.h"
#include "fuzz/subjects.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <gtest/gtest.h>

using namespace ccgraph::test;

namespace {

using Clock = std::chrono::steady_clock;
/// A text that takes longer counts as a hang. Processor time, so that the load of the machine does not matter.
constexpr std::clock_t longestCase = 10 * CLOCKS_PER_SEC;

uint64_t setting(const char *name, uint64_t otherwise) {
  const char *value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// The limit of a run: a number of texts, or a time.
class Budget {
public:
  [[nodiscard]] bool allows(uint64_t index) const {
    return seconds_ ? Clock::now() - start_ < std::chrono::seconds(seconds_) : index < cases_;
  }

private:
  uint64_t cases_ = setting("CCGRAPH_FUZZ_CASES", 150);
  uint64_t seconds_ = setting("CCGRAPH_FUZZ_SECONDS", 0);
  Clock::time_point start_ = Clock::now();
};

void keep(llvm::StringRef reader, const std::string &text) {
  if (const char *folder = std::getenv("CCGRAPH_FUZZ_KEEP"))
    std::ofstream(std::string(folder) + "/" + reader.str(), std::ios::binary) << text;
}

class FuzzTest : public testing::TestWithParam<FuzzSubject> {};

} // namespace

TEST_P(FuzzTest, DamageIsRefusedOrHarmless) {
  const FuzzSubject &subject = GetParam();
  const std::vector<std::string> corpus = subject.corpus();
  ASSERT_FALSE(corpus.empty());
  const uint64_t seed = setting("CCGRAPH_FUZZ_SEED", 1);
  Budget budget;
  uint64_t index = 0;
  for (; budget.allows(index); ++index) {
    Mutator mutator((seed << 32U) + index);
    std::string text = mutator.mutate(corpus[mutator.below(corpus.size())], corpus);
    keep(subject.name, text);
    std::clock_t start = std::clock();
    ASSERT_EQ(subject.complaint(text), "") << "seed " << seed << ", text " << index << ":\n" << text.substr(0, 8000);
    ASSERT_LT(std::clock() - start, longestCase) << "seed " << seed << ", text " << index;
  }
  RecordProperty("texts", std::to_string(index)); // tests/evidence/fuzz makes a table of it
}

TEST_P(FuzzTest, WhatIsNotDamagedIsHarmless) {
  for (const std::string &text : GetParam().corpus())
    EXPECT_EQ(GetParam().complaint(text), "") << text.substr(0, 8000);
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTest, testing::ValuesIn(fuzzSubjects().begin(), fuzzSubjects().end()),
                         [](const auto &info) { return info.param.name.str(); });
