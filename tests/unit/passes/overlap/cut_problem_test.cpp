// Tests the bounds of programs whose regions may run in pieces: hand-written cases, and the best of all orders of
// random small programs with explicit pieces.
#include "schedule/overlap/bound.h"
#include "schedule/overlap/cut_problem.h"
#include "unit/passes/overlap/exact_schedule.h"
#include "unit/passes/overlap/problem_text.h"
#include "unit/passes/overlap/random_problem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdio>
#include <random>

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

/// Returns the bound in picoseconds, rounded up. Rates are rounded, so times are a million times as long for it.
int64_t boundWith(Problem problem, const std::vector<CutRegion> &regions) {
  constexpr int64_t scale = 1'000'000;
  for (Step &step : problem.steps)
    step.picoseconds *= scale;
  // A transfer of half the bytes takes half the time.
  problem.estimatedTime = [steps = problem.steps](uint32_t launch, int64_t bytes) {
    return steps[launch].picoseconds * bytes / std::max<int64_t>(steps[launch].bytes, 1);
  };
  const int64_t bound = lowerBounds(withCuts(problem, regions)).anyMerging.picoseconds;
  return static_cast<int64_t>(llvm::divideCeil(static_cast<uint64_t>(bound), scale));
}

int64_t boundOf(llvm::StringRef program, const std::vector<CutRegion> &regions) {
  return boundWith(problemOf(program).problem, regions);
}

/// The program with the members of one region in two pieces, of which the first has `share` of 10 parts.
class Pieces {
public:
  Pieces(const Problem &whole, const std::vector<uint32_t> &members, int64_t share)
      : whole_(whole), members_(members), share_(share), made_(whole.steps.size()) {}

  Problem make() {
    for (uint32_t step = 0; step < whole_.steps.size(); ++step)
      if (isMember(step))
        for (size_t piece : {0, 1})
          add(step, piece);
      else
        add(step, 2);
    problem_.streams = whole_.streams;
    return std::move(problem_);
  }

private:
  [[nodiscard]] bool isMember(uint32_t step) const { return llvm::is_contained(members_, step); }
  /// `piece` 2: the whole step
  void add(uint32_t step, size_t piece) {
    Step made = whole_.steps[step];
    const int64_t first = made.picoseconds * share_ / 10;
    made.picoseconds = piece == 0 ? first : piece == 1 ? made.picoseconds - first : made.picoseconds;
    made_[step].push_back(static_cast<uint32_t>(problem_.steps.size()));
    problem_.steps.push_back(made);
    problem_.before.append(mapped(whole_.before[step], piece));
    problem_.completes.append(mapped(whole_.completes[step], piece));
    problem_.holds.append({});
  }
  /// A piece needs its piece of each other member, and the whole of every other step.
  std::vector<uint32_t> mapped(llvm::ArrayRef<uint32_t> steps, size_t piece) {
    std::vector<uint32_t> images;
    for (uint32_t step : steps)
      if (piece < 2 && isMember(step))
        images.push_back(made_[step][piece]);
      else
        llvm::append_range(images, made_[step]);
    llvm::sort(images);
    return images;
  }

  const Problem &whole_;
  const std::vector<uint32_t> &members_;
  int64_t share_;
  std::vector<std::vector<uint32_t>> made_;
  Problem problem_;
};

/// Returns a launch, its wait, perhaps what computes its input, and perhaps a reader; empty if the program has none.
std::vector<uint32_t> randomRegion(const Problem &problem, std::mt19937_64 &random) {
  std::vector<uint32_t> waits;
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    if (!problem.completes[step].empty())
      waits.push_back(step);
  if (waits.empty())
    return {};
  const uint32_t wait = waits[random() % waits.size()], launch = problem.completes[wait][0];
  std::vector<uint32_t> members = {launch, wait};
  const uint32_t input = problem.before[launch][0];
  if (random() % 2 && !problem.steps[input].input && problem.steps[input].kind == StepKind::Compute)
    members.push_back(input);
  for (uint32_t step = wait + 1; step + 1 < problem.steps.size(); ++step)
    if (problem.steps[step].kind == StepKind::Compute && llvm::is_contained(problem.before[step], wait) && random() % 4)
      members.push_back(step);
  llvm::sort(members);
  return members;
}

} // namespace

TEST(CutProblem, APieceNeedsOnePieceOfWhatIsBeforeIt) {
  // In pieces, the product follows the first piece of the gather at once, and ends with the last one.
  constexpr llvm::StringLiteral program = "a compute 10\n"
                                          "g launch 30 bytes 8 needs a\n"
                                          "w wait completes g\n"
                                          "p compute 40 needs w\n"
                                          "z compute 5 needs p\n";
  EXPECT_EQ(boundOf(program, {}), 85);
  EXPECT_EQ(boundOf(program, {{{1, 2, 3}, {}}}), 55);
}

TEST(CutProblem, WhatReadsAMemberNeedsAllBeforeItWhole) {
  // The transfer is longer than the product, and z needs both.
  EXPECT_EQ(boundOf("g launch 30 bytes 8\n"
                    "w wait completes g\n"
                    "p compute 10 needs w\n"
                    "z compute 5 needs p\n",
                    {{{0, 1, 2}, {}}}),
            35);
}

TEST(CutProblem, WhatAPieceReadsFromOutsideIsWhole) {
  // The launch needs b and a, and one piece of p.
  EXPECT_EQ(boundOf("b compute 20\n"
                    "a compute 10\n"
                    "p compute 10 needs a\n"
                    "g launch 30 bytes 8 needs p needs b\n"
                    "w wait completes g\n",
                    {{{2, 3, 4}, {}}}),
            60);
}

TEST(CutProblem, RegionsThatShareAStepAreOne) {
  constexpr llvm::StringLiteral program = "g launch 30 bytes 8\n"
                                          "w wait completes g\n"
                                          "p compute 30 needs w\n"
                                          "h launch 30 bytes 8 stream 1 needs p\n"
                                          "v wait completes h\n";
  EXPECT_EQ(boundOf(program, {{{0, 1, 2}, {}}}), 60);
  EXPECT_EQ(boundOf(program, {{{0, 1, 2}, {}}, {{2, 3, 4}, {}}}), 30);
}

/// A gather whose result is moved before it is multiplied.
constexpr llvm::StringLiteral movedGather = "g launch 30 bytes 8\n"
                                            "w wait completes g\n"
                                            "m compute 20 needs w\n"
                                            "p compute 50 needs m\n";

TEST(CutProblem, WhatMayBeAbsentTakesNoTime) {
  EXPECT_EQ(boundOf(movedGather, {{{0, 1, 2, 3}, {}}}), 70);
  EXPECT_EQ(boundOf(movedGather, {{{0, 1, 2, 3}, {2}}}), 50);
}

TEST(CutProblem, EachPieceMayBeRounded) {
  NamedProblem named = problemOf("g launch 3 bytes 8\n"
                                 "w wait completes g\n"
                                 "p compute 50 needs w\n");
  EXPECT_EQ(lowerBounds(withCuts(named.problem, {{{0, 1, 2}, {}, 4}})).anyMerging.picoseconds, 46);
  EXPECT_EQ(lowerBounds(withCuts(named.problem, {{{0, 1, 2}, {}, 4}, {{2}, {}, 2}})).anyMerging.picoseconds, 46);
}

TEST(CutProblem, AStepBetweenTwoMembersIsOneToo) { EXPECT_EQ(boundOf(movedGather, {{{0, 1, 3}, {}}}), 50); }

TEST(CutProblem, ATransferInPiecesHasTheBestRate) {
  NamedProblem named = problemOf("g launch 30000 bytes 8\n"
                                 "w wait completes g\n");
  named.problem.estimatedTime = [](uint32_t, int64_t bytes) -> int64_t { return bytes < 8 ? 2000 * bytes : 30000; };
  EXPECT_EQ(lowerBounds(named.problem).anyMerging.picoseconds, 30000);
  // Pieces of less than 8 bytes take 16000 together. The time of each may be rounded up by one.
  const int64_t cut = lowerBounds(withCuts(named.problem, {{{0, 1}, {}}})).anyMerging.picoseconds;
  EXPECT_LE(cut, 16000);
  EXPECT_GE(cut, 16000 - 8);
}

TEST(CutProblemAgainstAllOrders, IsNeverAboveTheOptimumOfWholeOrPieces) {
  unsigned tried = 0, faster = 0, met = 0;
  for (unsigned seed = 1; seed <= 1500; ++seed) {
    Problem problem = randomProblem(seed, 2 + seed % 3);
    std::mt19937_64 random(seed);
    std::vector<uint32_t> members = randomRegion(problem, random);
    if (members.empty() || problem.steps.size() + members.size() > 16)
      continue;
    const std::optional<int64_t> whole = exactSchedule(problem, unlimited);
    if (!whole)
      continue;
    ++tried;
    const int64_t bound = boundWith(problem, {{members, {}}});
    ASSERT_LE(bound, *whole) << "seed " << seed;
    int64_t best = *whole;
    for (int64_t share : {1, 3, 5, 8}) {
      std::optional<int64_t> cut = exactSchedule(Pieces(problem, members, share).make(), unlimited);
      ASSERT_TRUE(cut) << "seed " << seed;
      ASSERT_LE(bound, *cut) << "seed " << seed << ", the first piece has " << share << " of 10 parts";
      best = std::min(best, *cut);
    }
    faster += best < *whole;
    met += bound == best;
  }
  std::printf("%u programs: pieces are faster in %u, and the bound is the optimum in %u\n", tried, faster, met);
  EXPECT_GE(tried, 500U);
  EXPECT_GE(faster, 50U);
  EXPECT_GE(met, 50U);
}
