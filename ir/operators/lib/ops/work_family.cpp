// Names and sets of families of work.
#include "ccgraph/ir/work.h"

#include "llvm/Support/ErrorHandling.h"

namespace ccgraph {

llvm::StringRef workFamilyName(WorkFamily family) {
  switch (family) {
  case WorkFamily::None:
    return "none";
  case WorkFamily::Movement:
    return "movement";
  case WorkFamily::Lookup:
    return "lookup";
  case WorkFamily::Pointwise:
    return "pointwise";
  case WorkFamily::Reduction:
    return "reduction";
  case WorkFamily::MatMul:
    return "matmul";
  case WorkFamily::Convolution:
    return "convolution";
  case WorkFamily::Attention:
    return "attention";
  case WorkFamily::Other:
    return "other";
  case WorkFamily::Uncounted:
    return "uncounted";
  }
  llvm_unreachable("no such family");
}

bool isFusible(WorkFamily family) {
  return family == WorkFamily::Movement || family == WorkFamily::Lookup || family == WorkFamily::Pointwise ||
         family == WorkFamily::Reduction;
}

bool isProduct(WorkFamily family) {
  return family == WorkFamily::MatMul || family == WorkFamily::Convolution || family == WorkFamily::Attention;
}

} // namespace ccgraph
