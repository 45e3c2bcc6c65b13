// What a frame says of the user's program.
//
// Ownership: the texts are the context's. Failure: none. Cost: linear in the annotation.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

/// "layers.0" of an annotation such as {'module_fqn': 'layers.0'}; empty where it names none.
[[nodiscard]] inline llvm::StringRef moduleOf(const Frame &frame) {
  if (!frame.annotation)
    return {};
  return frame.annotation.str().split("'module_fqn': '").second.split('\'').first;
}

} // namespace ccgraph
