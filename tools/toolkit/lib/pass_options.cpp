#include "ccgraph/toolkit/pass_options.h"

#include "ccgraph/passes/options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {

static std::optional<int64_t> percentOf(llvm::StringRef text) {
  constexpr int64_t most = 10'000;
  int64_t percent = 0;
  if (!text.consume_back("%") || text.empty() || !llvm::all_of(text, llvm::isDigit) || text.getAsInteger(10, percent) ||
      percent < 1 || percent > most)
    return std::nullopt;
  return percent;
}

bool setMemoryBudget(PassManagerOptions &options, llvm::StringRef text) {
  const std::optional<int64_t> percent = percentOf(text);
  const std::optional<ByteCount> bytes = OptionText<ByteCount>::parse(text);
  if (!percent && !bytes)
    return false;
  options.memoryPercent = percent;
  options.memoryBudget = bytes ? bytes->limit : std::nullopt;
  options.limitMemory = options.hasBudget();
  return true;
}

PassManagerOptions passOptions(const PassSources &sources) {
  PassManagerOptions options = sources.chosen;
  options.spmd = options.spmd && sources.ranksDiffer.empty();
  options.verifyInput = false; // the graph is verified
  options.machine = sources.machine;
  options.durations = sources.durations;
  options.objects = &sources.objects;
  return options;
}

PassManagerOptions trialOptions(PassManagerOptions options) {
  options.predictTimes = true;
  options.predictBounds = PredictBounds::None;
  options.recordSchedules = false;
  options.explainExposed = 0;
  options.afterChange = nullptr;
  options.onFailure = nullptr;
  return options;
}

} // namespace ccgraph
