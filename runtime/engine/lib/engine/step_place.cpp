#include "engine/step_place.h"

namespace ccgraph::runtime {

llvm::Error StepPlace::error(llvm::StringRef rule, const std::string &message, std::string repair) const {
  return makeError(
      diagnoseCall({nullptr, name}, rule, "rank " + std::to_string(rank) + ": " + message, std::move(repair)));
}

llvm::Error StepPlace::outOfMemory(const std::string &asked) const {
  return error("run.memory", "needs " + asked + ", more than this run may hold",
               "run fewer ranks, or the program with smaller sizes");
}

} // namespace ccgraph::runtime
