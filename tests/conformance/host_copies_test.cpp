// Tests copies to the host's memory and back by plan: the value comes back whatever the order of the steps, in memory
// that another value has used meanwhile. An engine on a device rejects such a plan.
#include "conformance/engine_under_test.h"
#include "support/rank_program.h"

#include "ccgraph/passes/lower.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

// big2 may take the bytes of v, which is freed by h.
constexpr llvm::StringLiteral program = R"(x: "f32[4, 4][4, 1]cpu"
  v: "f32[4, 4][4, 1]cpu" = aten.mm.default(x, x)
  o: "f32[4, 4][4, 1]cpu" = ao.offload.default(v)
  a: "f32[4, 4][4, 1]cpu" = aten.mul.Tensor(v, 2)
  h: "f32[4, 4][4, 1]cpu" = ao.wait_tensor.default(o, v)
  b: "f32[4, 4][4, 1]cpu" = aten.mul.Tensor(a, 3)
  c: "f32[4, 4][4, 1]cpu" = aten.sub.Tensor(b, x)
  l: "f32[4, 4][1, 4]cpu" = ao.reload.default(h, device(type='cpu'), [4, 4], [1, 4])
  d: "f32[4, 4][4, 1]cpu" = aten.mul.Tensor(c, 2)
  w: "f32[4, 4][1, 4]cpu" = ao.wait_tensor.default(l, h)
  e: "f32[4, 4][4, 1]cpu" = aten.mm.default(d, w)
  return (e,))";

TEST(HostCopies, BringTheValueBack) {
  if (!runsRanks(2))
    return;
  RankProgram reference(2, program);
  reference.legibleInput({4, 4});
  const std::unique_ptr<Plan> plan = llvm::cantFail(lowerGraph(reference.graph(), {}));
  runtime::PlanRequest request{.plans = {plan.get()}, .ranks = 2, .inputs = reference.request().inputs};
  for (uint64_t seed = 0; seed < seedsToTry(16); ++seed) {
    request.seed = seed;
    llvm::Expected<runtime::RunResult> results = runPlans(engineUnderTest(), request);
    if (!results) {
      EXPECT_NE(llvm::toString(results.takeError()).find("[run.host-memory]"), std::string::npos);
      EXPECT_NE(engineUnderTest().name(), "local");
      return;
    }
    for (size_t rank : {0U, 1U})
      if (sees(rank)) {
        EXPECT_EQ(numbersOf((*results)[rank].at("out.0")), reference.output(rank)) << "rank " << rank;
      }
  }
}

} // namespace
} // namespace ccgraph::test
