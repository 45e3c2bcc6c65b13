#include "ccgraph/ir/certificate.h"

#include "llvm/Support/ErrorHandling.h"

namespace ccgraph {

llvm::StringRef layoutName(BucketLayout layout) {
  switch (layout) {
  case BucketLayout::Grouped:
    return "grouped";
  case BucketLayout::Flat:
    return "flat";
  }
  llvm_unreachable("all layouts are named");
}

} // namespace ccgraph
