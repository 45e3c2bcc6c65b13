#include "ccgraph/toolkit/pass_options.h"

namespace ccgraph {

PassManagerOptions passOptions(const PassSources &sources) {
  PassManagerOptions options = sources.chosen;
  options.spmd = options.spmd && sources.ranksDiffer.empty();
  options.verifyInput = false; // the graph is verified
  options.machine = sources.machine;
  options.durations = sources.durations;
  options.objects = &sources.objects;
  return options;
}

} // namespace ccgraph
