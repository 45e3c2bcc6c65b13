#include "ccgraph/runtime/engine.h"

#include "local/local_engine.h"
#include "mpi/mpi_engine.h"
#include "nccl/nccl_engine.h"
#include "simulated/recorded_engine.h"

namespace ccgraph::runtime {

llvm::ArrayRef<const Engine *> allEngines() {
  static const Engine *const engines[] = {&localEngine(), &mpiEngine(), &ncclEngine(), &recordedEngine()};
  return engines;
}

const Engine *findEngine(llvm::StringRef name) {
  for (const Engine *engine : allEngines())
    if (engine->name() == name)
      return engine;
  return nullptr;
}

llvm::Expected<RunResult> runPlans(const Engine &engine, const PlanRequest &request) {
  llvm::Expected<std::unique_ptr<PreparedPlans>> plans = engine.prepare(request);
  if (!plans)
    return plans.takeError();
  return (*plans)->run(request.inputs);
}

} // namespace ccgraph::runtime
