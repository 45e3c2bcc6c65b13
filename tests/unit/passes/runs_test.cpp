// Tests the cost of bringing launches together.
#include "schedule/coalesce/runs.h"

#include "analysis/program_facts.h"
#include "support/program_builder.h"

#include "ccgraph/ir/lifetimes.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// r(i) = relu(r(i-1)); c(i) = all_reduce(r(i)); w(i) = wait(c(i)); all waits are returned.
class Chain {
public:
  explicit Chain(int length) : graph_(context_), p_(graph_) {
    const Type *type = p_.f32({4});
    Node *last = p_.input("x", type);
    for (int i = 0; i < length; ++i) {
      last = p_.call("aten.relu.default", type, {last});
      Node *launch =
          p_.call("_c10d_functional.all_reduce.default", type, {last, llvm::StringRef("sum"), llvm::StringRef("0")});
      waits_.push_back(p_.call("_c10d_functional.wait_tensor.default", type, {launch}));
      launches_.push_back(launch);
    }
    p_.output(waits_);
  }

  /// Merges the launches in program order into one bucket, and returns the number of moves. Expects `verdict` each
  /// time.
  int64_t joinAll(int64_t budget, JoinVerdict verdict) {
    ProgramFacts facts(graph_);
    CommGroups groups(graph_, true);
    Dependences dependences(facts, groups);
    Runs runs({graph_, facts, dependences, BucketLayout::Grouped, INT64_MAX}, budget);
    OpenBucket bucket = bucketOf(0);
    for (size_t i = 1; i < launches_.size(); ++i) {
      OpenBucket newcomer = bucketOf(i);
      EXPECT_EQ(runs.join(bucket, newcomer), verdict);
    }
    return runs.numMoves();
  }

  [[nodiscard]] int64_t peak() const { return peakMemory(graph_).bytes; }
  [[nodiscard]] std::string order() const {
    std::string text;
    for (const Node *node : graph_)
      text += node->name().str().str() + " ";
    return text;
  }

private:
  [[nodiscard]] OpenBucket bucketOf(size_t index) const {
    OpenBucket bucket;
    Candidate candidate;
    candidate.launch = launches_[index];
    candidate.wait = waits_[index];
    candidate.inputBytes = candidate.outputBytes = 16;
    bucket.members = {candidate};
    bucket.firstWait = bucket.lastWait = candidate.wait;
    return bucket;
  }

  Context context_;
  Graph graph_;
  ProgramBuilder p_;
  std::vector<Node *> launches_, waits_;
};

// The whole run once moved for each member that joined it.
TEST(Runs, ALongRunStaysWhereFewNodesCanMove) {
  constexpr int length = 200;
  Chain chain(length);
  EXPECT_LE(chain.joinAll(INT64_MAX, JoinVerdict::Joined), int64_t{4} * length);
}

TEST(Runs, JoinedLaunchesFollowAllTheirInputs) {
  Chain chain(3);
  EXPECT_EQ(chain.joinAll(INT64_MAX, JoinVerdict::Joined), 4);
  EXPECT_EQ(chain.order(), "x relu relu_1 relu_2 all_reduce all_reduce_1 all_reduce_2 wait_tensor wait_tensor_1 "
                           "wait_tensor_2 output ");
}

TEST(Runs, MovesBeyondTheBudgetAreUndone) {
  Chain chain(3);
  std::string before = chain.order();
  EXPECT_GT(chain.joinAll(chain.peak() - 1, JoinVerdict::OverBudget), 0);
  EXPECT_EQ(chain.order(), before);
}

} // namespace
} // namespace ccgraph::test
