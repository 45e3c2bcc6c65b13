#include "analysis/own_program.h"

namespace ccgraph {

OwnProgram::OwnProgram(Graph &graph, PassContext &context) : graph_(graph), context_(context) {
  const BoundTypes *types = context.analyses().boundTypes();
  if (!types)
    return;
  copy_ = graph.clone();
  costs_.emplace(context.costs(), *copy_);
  types->unbind(*copy_);
  analyses_.emplace(*copy_);
  ofCopy_.emplace(context.certificate().pass, context.settingFor(*analyses_, *costs_));
}

void editOwnProgram(Graph &graph, PassContext &context, llvm::function_ref<void()> edit) {
  if (const BoundTypes *types = context.analyses().boundTypes())
    types->edit(graph, edit);
  else
    edit();
}

} // namespace ccgraph
