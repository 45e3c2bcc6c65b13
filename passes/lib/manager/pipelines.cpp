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

void addSchedule(Pipeline &pipeline) {
  add(pipeline, "sink-waits");
}

} // namespace

Pipeline pipelineOfLevel(unsigned level) {
  assert(level <= maxLevel && "no such level");
  Pipeline pipeline;
  if (level == 0)
    return pipeline;
  addSchedule(pipeline);
  return pipeline;
}

} // namespace ccgraph
