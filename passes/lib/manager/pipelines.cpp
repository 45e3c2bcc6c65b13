#include "ccgraph/passes/pipeline.h"

#include "ccgraph/passes/registry.h"

#include <cassert>

namespace ccgraph {

namespace {

Pass &add(Pipeline &pipeline, llvm::StringRef pass) {
  std::unique_ptr<Pass> made = createPass(pass);
  assert(made && "a level names a pass that is not registered");
  Pass &added = *made;
  pipeline.append(std::move(made));
  return added;
}

/// schedule-overlap at the level that searches longer.
void setThorough(Pass &pass) {
  pass.set("walks", "200");
  pass.set("beam", "512");
}

/// One form for everything, and nothing moved yet: what follows sees calls, not their wrappers.
void addNormalize(Pipeline &pipeline) {
  add(pipeline, "inline-control-deps"); // because a collective in a wrapper is invisible to every pass below
  // Because the passes below know the functional forms best, and merge no other.
  add(pipeline, "functionalize-collectives");
}

/// Fewer collectives, before anything is paid for moving them.
void addSimplify(Pipeline &pipeline) {
  add(pipeline, "deduplicate-collectives");    // because a repetition that goes may leave its reader the only one
  add(pipeline, "eliminate-dead-collectives"); // because nobody should wait for what nobody reads
}

void addSchedule(Pipeline &pipeline, unsigned level) {
  // Because order and buckets are one decision, which needs the waits where the input has them only to know what the
  // program takes now.
  if (level >= 2) {
    Pass &pass = add(pipeline, "schedule-overlap");
    if (level >= 3)
      setThorough(pass);
  }
  // Because a wait that stands later than the model asks hides what the model does not see, as far as memory lets it.
  add(pipeline, "sink-waits");
}

} // namespace

Pipeline pipelineOfLevel(unsigned level) {
  assert(level <= maxLevel && "no such level");
  Pipeline pipeline;
  if (level == 0)
    return pipeline;
  addNormalize(pipeline);
  addSimplify(pipeline);
  addSchedule(pipeline, level);
  return pipeline;
}

} // namespace ccgraph
