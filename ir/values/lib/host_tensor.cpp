#include "ccgraph/ir/host_tensor.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {

int64_t HostTensor::numElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

std::string HostTensor::typeText() const {
  std::string text = shortName(dtype).str() + "[";
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : "") + llvm::itostr(sizes[i]);
  return text + "]";
}

} // namespace ccgraph
