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

/// Sets how many trial schedules a pass that searches computes.
void setTrials(Pass &pass, llvm::StringRef walks) {
  pass.set("walks", walks);
  pass.set("beam", "512");
}

/// Configures a pass that searches, for the level that searches longer.
void setThorough(Pass &pass) { setTrials(pass, "200"); }

/// One canonical form, without moves: the passes that follow see calls, not their wrappers.
void addNormalize(Pipeline &pipeline) {
  add(pipeline, "inline-control-deps"); // a collective in a wrapper is invisible to every pass below
  add(pipeline, "inline-subgraphs");    // and so is one in a layer that is a subgraph
  // The passes below support the functional forms best, and merge no other.
  add(pipeline, "functionalize-collectives");
}

/// Removes collectives before the cost of moving them.
void addSimplify(Pipeline &pipeline, unsigned level) {
  add(pipeline, "deduplicate-collectives");    // removing a repetition may leave its reader the only one
  add(pipeline, "eliminate-dead-collectives"); // no rank should wait for a result without a reader
  // These exchange memory for time. The first three free memory that the last one may use. All but chunk-rows compare
  // schedules.
  if (level >= 3) {
    add(pipeline, "chunk-rows").set("when", "faster");
    Pass &recompute = add(pipeline, "recompute-values");
    recompute.set("when", "always");
    // Where the machine has a link to the host, a value may be kept there instead. One pass decides, since a value that
    // is better offloaded should not be computed again, or the reverse.
    recompute.set("offload", "below-peak");
    setThorough(recompute);
    setThorough(add(pipeline, "keep-gathered"));
  }
}

/// Other nodes for the schedule, where the best schedule with them is faster.
void addChunks(Pipeline &pipeline, unsigned level) {
  // A collective between two products that depend on each other overlaps with nothing, in no order. This compares
  // schedules too, so it follows the passes that remove collectives. It has the trial schedules of -O2: with more, it
  // chooses the same pieces on the captured steps with tensor parallelism, and takes twice as long.
  if (level >= 3)
    setTrials(add(pipeline, "chunk-collectives"), "16");
}

void addSchedule(Pipeline &pipeline, unsigned level) {
  // Order and buckets are one decision, and it needs the waits at their input positions only to compute the present
  // step time.
  if (level >= 2) {
    Pass &pass = add(pipeline, "schedule-overlap");
    if (level >= 3)
      setThorough(pass);
  }
  // A wait that is later than the model requires overlaps delays that the model does not predict, as far as memory
  // permits.
  add(pipeline, "sink-waits");
}

} // namespace

Pipeline pipelineOfLevel(unsigned level) {
  assert(level <= maxLevel && "no such level");
  Pipeline pipeline;
  if (level == 0)
    return pipeline;
  addNormalize(pipeline);
  addSimplify(pipeline, level);
  addChunks(pipeline, level);
  addSchedule(pipeline, level);
  return pipeline;
}

} // namespace ccgraph
