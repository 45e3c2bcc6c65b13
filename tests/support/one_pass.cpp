#include "support/one_pass.h"

#include "ccgraph/passes/pipeline.h"

namespace ccgraph::test {

OnePass runOnePass(Graph &graph, const std::string &pipeline) {
  Pipeline passes = llvm::cantFail(Pipeline::parse(pipeline));
  Pass &pass = *passes.passes().front();
  Analyses analyses(graph);
  CostsOnDemand costs(graph, *machinePreset(defaultMachine), nullptr);
  PassContext context(pass.name(), {analyses, costs});
  llvm::cantFail(pass.run(graph, context));
  return {std::move(context.certificate()), {.reordersCollectives = pass.reordersCollectives()}};
}

} // namespace ccgraph::test
