#include "conformance/engine_under_test.h"

namespace ccgraph::test {
namespace {

const runtime::Engine *engine = nullptr;
runtime::ProcessPlace place;
std::vector<std::string> kernels = {"builtin"};

} // namespace

void setEngineUnderTest(const runtime::Engine &chosen, runtime::ProcessPlace own) {
  engine = &chosen;
  place = own;
}
const runtime::Engine &engineUnderTest() { return *engine; }

void setKernelsUnderTest(std::vector<std::string> providers) { kernels = std::move(providers); }
const std::vector<std::string> &kernelsUnderTest() { return kernels; }

bool runsRanks(size_t ranks) { return !engine->isSpread() || ranks == place.ranks; }

bool runsPaced() { return engine->abilities().paces; }

bool addsInItsOwnOrder() { return engine->name() == "nccl"; }

// A device chooses its own order, so seeds have no effect.
uint64_t seedsToTry(uint64_t most) { return engine->name() == "nccl" ? 1 : most; }

std::vector<size_t> rankCounts(size_t most) {
  std::vector<size_t> counts;
  for (size_t ranks = 1; ranks <= most; ++ranks)
    if (runsRanks(ranks))
      counts.push_back(ranks);
  return counts;
}

bool runs(size_t rank) { return !engine->isSpread() || place.rank == rank; }

bool sees(size_t rank) { return runs(rank) || place.rank == 0; }

runtime::RunResult mustRun(const runtime::PlanRequest &request) {
  llvm::Expected<runtime::RunResult> results = runPlans(*engine, request);
  if (!results)
    llvm::report_fatal_error(results.takeError());
  return std::move(*results);
}

} // namespace ccgraph::test
