#include "schedule/overlap/replay.h"
#include "schedule/overlap/walk.h"
#include "unit/passes/overlap/problem_text.h"

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

struct Walked {
  NamedProblem named;
  Schedule schedule;
  [[nodiscard]] std::string order() const { return named.str(schedule.order); }
};

Walked walkOf(llvm::StringRef text, const Policy &policy) {
  Walked result{problemOf(text), {}};
  Tasks tasks(result.named.problem);
  LateCurve late = lateCurve(result.named.problem, tasks);
  result.schedule = walk(result.named.problem, tasks, late, policy).schedule;
  Replay judged = replay(result.named.problem, result.schedule);
  EXPECT_EQ(judged.total, result.schedule.picoseconds);
  EXPECT_EQ(judged.peakBytes, result.schedule.peakBytes);
  return result;
}

constexpr const char *twoLayers = "p input 0\n"
                                  "g launch 10 bytes 4 key 0 makes 4 needs p\n"
                                  "wg wait completes g\n"
                                  "a compute 2000 makes 1 needs wg holds g\n"
                                  "h launch 10 bytes 4 key 0 makes 4 needs p\n"
                                  "wh wait completes h\n"
                                  "b compute 2000 makes 1 needs wh holds h needs a\n"
                                  "o compute 0 needs b\n";

} // namespace

TEST(Walk, PrefetchesWhatIsNeededNext) { EXPECT_EQ(walkOf(twoLayers, {}).order(), "p g h wg a wh b o"); }

TEST(Walk, APrefetchGoesNoEarlierThanItsLead) {
  constexpr const char *text = "p input 0\n"
                               "a compute 2000 needs p\n"
                               "b compute 2000 needs a\n"
                               "h launch 10 needs p\n"
                               "wh wait completes h\n"
                               "c compute 2000 needs wh needs b\n"
                               "o compute 0 needs c\n";
  Policy policy;
  EXPECT_EQ(walkOf(text, policy).order(), "p h a b wh c o");
  policy.lead = 0;
  EXPECT_EQ(walkOf(text, policy).order(), "p a h b wh c o");
}

TEST(Walk, APrefetchGoesOnlyWhereItsBytesFit) {
  Policy policy;
  policy.budget = 8;
  EXPECT_EQ(walkOf(twoLayers, policy).schedule.peakBytes, 6);
  policy.budget = 9;
  EXPECT_EQ(walkOf(twoLayers, policy).schedule.peakBytes, 9);
}

TEST(Walk, PrefetchesThatGoTogetherAreOneBucket) {
  Policy policy;
  constexpr const char *text = "p input 0\n"
                               "a compute 2000 needs p\n"
                               "g launch 10 bytes 4 key 0 needs p\n"
                               "h launch 10 bytes 4 key 0 needs p\n"
                               "wg wait completes g\n"
                               "b compute 2000 needs wg needs a\n"
                               "wh wait completes h\n"
                               "c compute 2000 needs wh needs b\n"
                               "o compute 0 needs c\n";
  policy.prefetchBytes = 8;
  Walked walked = walkOf(text, policy);
  ASSERT_EQ(walked.schedule.buckets.size(), 1U);
  EXPECT_EQ(walked.named.str(walked.schedule.buckets.front()), "g h");
  policy.prefetchBytes = 7;
  EXPECT_TRUE(walkOf(text, policy).schedule.buckets.empty());
}

namespace {

/// A backward pass: the gradient of a weight feeds a reduction, and that of the activation feeds the next layer's
/// exchange.
constexpr const char *backward = "p input 0\n"
                                 "d1 compute 100 needs p\n"
                                 "w1 compute 100 needs d1\n"
                                 "x1 launch 100 needs d1\n"
                                 "wx1 wait completes x1\n"
                                 "d2 compute 100 needs wx1\n"
                                 "w2 compute 100 needs d2\n"
                                 "x2 launch 100 needs d2\n"
                                 "wx2 wait completes x2\n"
                                 "d3 compute 100 needs wx2\n"
                                 "d4 compute 1000 needs d3\n"
                                 "d5 compute 1000 needs d4\n"
                                 "o compute 0 needs d5 needs w1 needs w2\n";

} // namespace

TEST(Walk, WhatLiesAsideFillsStalls) {
  Policy policy;
  policy.keepBack = unlimited;
  Walked walked = walkOf(backward, policy);
  EXPECT_EQ(walked.order(), "p d1 x1 w1 wx1 d2 x2 w2 wx2 d3 d4 d5 o");
  EXPECT_EQ(walked.schedule.picoseconds, 2500);
}

TEST(Walk, KeepsNothingBackUnlessToldTo) { EXPECT_EQ(walkOf(backward, {}).schedule.picoseconds, 2500); }

TEST(Walk, AWaitNobodyNeedsComesBeforeTheLastStep) {
  EXPECT_EQ(walkOf("p input 0\n"
                   "a compute 10 needs p\n"
                   "r launch 10 needs a\n"
                   "w wait completes r\n"
                   "v view needs w\n"
                   "b compute 10 needs a\n"
                   "o compute 0 needs b\n",
                   {})
                .order(),
            "p a r b w v o");
}

// The walk once took the second transfer to begin before computation had waited for the first. So its clock was wrong,
// and computation stalled where it had work: the all_reduce after a reduce_scatter of HSDP.
TEST(Walk, WhatReadsATransferInFlightGoesAfterItHasCompleted) {
  EXPECT_EQ(walkOf("p input 0\n"
                   "d compute 100 makes 1 needs p\n"
                   "r launch 50 stream 0 bytes 4 needs d\n"
                   "wr wait completes r\n"
                   "a launch 50 stream 1 bytes 4 needs wr\n"
                   "wa wait completes a\n"
                   "e compute 100 needs d\n"
                   "f compute 100 needs e\n"
                   "o compute 0 needs wa needs f\n",
                   {})
                .order(),
            "p d r e wr a f wa o");
}

namespace {

/// A gather that only the gradient of a weight reads, long after its input; `m` needs the most memory.
std::string lateGather(unsigned bytes) {
  return "p input 0\n"
         "s compute 1000 makes 4 needs p\n"
         "m compute 1000 makes 8 needs s\n"
         "l compute 1000 makes 1 needs m\n"
         "g launch 100 bytes 4 makes " +
         std::to_string(bytes) +
         " needs s\n"
         "wg wait completes g\n"
         "w compute 10 makes 1 needs wg holds g needs l\n"
         "d compute 1000 needs l\n"
         "e compute 1000 needs d\n"
         "o compute 0 needs e needs w\n";
}

} // namespace

// Its result is live until the gradient is computed, though no other step waits for the gradient.
TEST(Walk, ALateGatherGoesOnlyWhereItsBytesFit) {
  constexpr unsigned gathered = 8, least = 13;
  Policy policy;
  policy.budget = least;
  EXPECT_EQ(walkOf(lateGather(gathered), policy).order(), "p s m l g d e wg w o");
  EXPECT_EQ(walkOf(lateGather(gathered), policy).schedule.peakBytes, least);
  policy.budget = least + gathered;
  EXPECT_EQ(walkOf(lateGather(gathered), policy).order(), "p s g m l wg w d e o");
}

TEST(Walk, ALateLaunchWithASmallResultGoesAtOnce) {
  constexpr unsigned reduced = 4;
  EXPECT_EQ(walkOf(lateGather(reduced), {}).order(), "p s g m wg l w d e o");
}
