// Tests random programs in the tracing API: every recorded program verifies, runs, and computes the same after -O2.
#include "traced.h"

#include "ccgraph/ir/op_def.h"
#include "support/random_api_program.h"

namespace ccgraph::test {
namespace {

constexpr uint32_t numPrograms = 150;

TEST(RandomApiPrograms, VerifyRunAndComputeTheSameAfterO2) {
  size_t collectives = 0, differentiated = 0;
  for (uint32_t seed = 0; seed != numPrograms; ++seed) {
    Context context;
    llvm::Expected<RandomApiProgram> program = makeRandomApiProgram(context, seed);
    ASSERT_TRUE(static_cast<bool>(program)) << "seed " << seed << ": " << llvm::toString(program.takeError());
    collectives +=
        llvm::count_if(*program->graph, [](const Node *node) { return node->op() && node->op()->collective; });
    differentiated += program->isDifferentiated;
    ASSERT_EQ(differencesAfterO2(*program->graph, program->ranks), "") << "seed " << seed << "\n"
                                                                       << callsOf(*program->graph);
  }
  EXPECT_GT(collectives, numPrograms * size_t{10});
  EXPECT_GT(differentiated, numPrograms / size_t{5});
}

} // namespace
} // namespace ccgraph::test
