#include "ccgraph/passes/pipeline.h"

#include "ccgraph/passes/registry.h"

#include <cassert>

namespace ccgraph {

namespace {

void add(Pipeline &pipeline, llvm::StringRef pass) {
  std::unique_ptr<Pass> made = createPass(pass);
  assert(made && "a level names a pass that is not registered");
  pipeline.append(std::move(made));
}

/// One form for everything, and nothing moved yet: what follows sees calls, not their wrappers.
void addNormalize(Pipeline &pipeline) {
  add(pipeline, "inline-control-deps"); // because a collective in a wrapper is invisible to every pass below
}

/// Fewer collectives, before anything is paid for moving them.
void addSimplify(Pipeline &pipeline) {
  add(pipeline, "deduplicate-collectives");    // because a repetition that goes may leave its reader the only one
  add(pipeline, "eliminate-dead-collectives"); // because nobody should wait for what nobody reads
}

void addSchedule(Pipeline &pipeline, bool wide) {
  // Because a late wait only makes a transfer's operands live longer, and most operands live on
  // anyway.
  add(pipeline, "sink-waits");
  if (!wide)
    return;
  // Because waits that have sunk leave stretches between launch and wait in which a partner is
  // still free, and a bucket needs its memory before launches that rise have spent the budget.
  add(pipeline, "coalesce-collectives");
  // Because a bucket rises as one, as far as the last of its inputs and what is left of the budget
  // let it.
  add(pipeline, "raise-collectives");
}

} // namespace

Pipeline pipelineOfLevel(unsigned level) {
  assert(level <= maxLevel && "no such level");
  Pipeline pipeline;
  if (level == 0)
    return pipeline;
  addNormalize(pipeline);
  addSimplify(pipeline);
  // Because there is no search yet that could use more time, -O3 is -O2.
  addSchedule(pipeline, level >= 2);
  return pipeline;
}

} // namespace ccgraph
