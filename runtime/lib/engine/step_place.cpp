#include "engine/step_place.h"

namespace ccgraph::runtime {

llvm::Error StepPlace::error(llvm::StringRef rule, const std::string &message, std::string repair) const {
  return makeError(
      diagnoseCall({nullptr, name}, rule, "rank " + std::to_string(rank) + ": " + message, std::move(repair)));
}

} // namespace ccgraph::runtime
