// Memory is counted per run: whoever frees a tensor, its bytes go back to the run that made it; and running out is an
// error.
#include "process/memory_limit.h"

#include "ccgraph/runtime/memory_need.h"
#include "support/rank_program.h"
#include "unit/runtime/kernels/kernel_testing.h"

#include <thread>

namespace ccgraph::runtime::testing {
namespace {

Tensor bytes(int64_t count) { return Tensor::zeros(DType::U8, {count}); }

/// Returns why the run fails; empty if it does not.
std::string refusal(const RunRequest &request) {
  llvm::Expected<RunResult> result = interpret(request);
  return result ? "" : llvm::toString(result.takeError());
}

TEST(MemoryLimit, CountsWhatItsOwnRunHolds) {
  MemoryLimit limit(100);
  Tensor held = bytes(80);
  EXPECT_THROW(bytes(21), OutOfMemory);
  held = Tensor();
  EXPECT_EQ(bytes(100).numElements(), 100);
}

TEST(MemoryLimit, TakesNothingBackThatAnotherRunMade) {
  auto first = std::make_unique<MemoryLimit>(100);
  Tensor outlives = bytes(80);
  first.reset();
  MemoryLimit second(100);
  Tensor held = bytes(90);
  outlives = Tensor();
  EXPECT_THROW(bytes(20), OutOfMemory);
}

TEST(MemoryLimit, CountsWhatAnotherThreadFrees) {
  MemoryLimit limit(100);
  Tensor held = bytes(80);
  std::thread([moved = std::exchange(held, Tensor())]() mutable { moved = Tensor(); }).join();
  EXPECT_EQ(bytes(100).numElements(), 100);
}

TEST(MemoryLimit, CountsWhatAStorageGrowsBy) {
  MemoryLimit limit(100);
  Tensor held = bytes(40);
  held.resize({90}, {1});
  EXPECT_THROW(bytes(20), OutOfMemory);
  EXPECT_THROW(held.resize({110}, {1}), OutOfMemory);
}

TEST(MemoryLimit, CountsWorkingMemory) {
  MemoryLimit limit(100);
  Scratch<double> working(10);
  EXPECT_THROW(bytes(21), OutOfMemory);
  EXPECT_THROW(working.resize(20), OutOfMemory);
  Scratch<double>().swap(working);
  EXPECT_EQ(bytes(100).numElements(), 100);
}

TEST(MemoryLimit, CountsWhatTheCallerGets) {
  // The tensor has four bytes, and each result shows 800 bytes of it.
  test::RankProgram program(1, "x: \"f32[1]\"\n a = aten.expand.default(x, [200])\n return (a, a)");
  program.legibleInput({1});
  RunRequest request = program.request();
  request.memoryLimit = 3200;
  EXPECT_EQ(refusal(request), "");
  request.memoryLimit = 1600;
  EXPECT_EQ(refusal(request), "error: the results need 800 bytes, more than this run may hold [run.memory]\n"
                              "  note: run fewer ranks, or the program with smaller sizes\n");
}

TEST(RunKernel, SaysThatMemoryRunsOut) {
  int64_t many = int64_t{1} << 32;
  EXPECT_NE(failure("aten.zeros.default", {integers({many, many, many})}).find("needs at least"), std::string::npos);
}

test::RankProgram doubled(size_t ranks) {
  test::RankProgram program(ranks, "x: \"f32[100]\"\n y: \"f32[100]\" = aten.mul.Tensor(x, 2)\n return (y,)");
  program.legibleInput({100});
  return program;
}

TEST(MemoryNeed, IsToldFromTypesForAllRanksTogether) {
  test::RankProgram program = doubled(3);
  MemoryNeed need = memoryNeed(&program.graph(), 3);
  EXPECT_EQ(need.inputs, 3 * 400);
  EXPECT_EQ(need.peak, 3 * 800);
  EXPECT_EQ(need.outputs, 3 * 400);
  EXPECT_EQ(need.toCompare(), 3 * 2000);
}

TEST(MemoryNeed, RefusesARunBeforeItStarts) {
  test::RankProgram program = doubled(2);
  RunRequest request = program.request();
  // Kernels also need working memory, and the caller gets copies.
  request.memoryLimit = 6000;
  EXPECT_EQ(refusal(request), "");
  request.memoryLimit = 1599;
  EXPECT_EQ(refusal(request),
            "error: 2 ranks need 1.6 KiB together, 800 B each, and the limit is 1.6 KiB [run.memory]\n"
            "  note: run at most 1 rank, or the program with smaller sizes\n");
}

TEST(MemoryNeed, SaysThatNotEvenOneRankFits) {
  std::string text = llvm::toString(checkMemory(int64_t{64} << 35, 64, int64_t{24} << 30));
  EXPECT_NE(text.find("64 ranks need 2.0 TiB together, 32.0 GiB each, and the limit is 24.0 GiB"), std::string::npos)
      << text;
  EXPECT_NE(text.find("one rank alone does not fit"), std::string::npos) << text;
}

} // namespace
} // namespace ccgraph::runtime::testing
