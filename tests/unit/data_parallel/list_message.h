// messageOf: the error of a list of traced tensors, as text.
//
// Ownership: a plain value. Failure: none. Cost: linear in the text.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/tracer/tensor.h"

namespace ccgraph::test {

/// Returns an empty text if there is no error.
inline std::string messageOf(const tracer::TensorList &list) {
  if (list.size() == 0 || !list[0].error())
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, *list[0].error());
  return os.str();
}

} // namespace ccgraph::test
