#include "ccgraph/ir/min_max.h"

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/internal/symbolic_text.h"

namespace ccgraph {

Dim maximum(Context &context, const Dim &a, const Dim &b) {
  return Dim(context.symbolic(callText("Max", {a.str(), b.str()})));
}

Dim minimum(Context &context, const Dim &a, const Dim &b) {
  return Dim(context.symbolic(callText("Min", {a.str(), b.str()})));
}

} // namespace ccgraph
