#include "rendezvous/result_bytes.h"

namespace ccgraph::runtime {

std::vector<std::byte> encodeResults(const TensorMap &values) {
  ByteWriter to;
  to.number(static_cast<int64_t>(values.size()));
  for (const auto &[name, value] : values) {
    to.text(name);
    to.number(static_cast<int64_t>(value.dtype));
    to.numbers(value.sizes);
    to.number(static_cast<int64_t>(value.data.size()));
    to.raw(value.data.data(), value.data.size());
  }
  return std::move(to.bytes);
}

TensorMap decodeResults(llvm::ArrayRef<std::byte> bytes) {
  ByteReader from(bytes);
  TensorMap values;
  for (auto left = from.number(); left > 0 && from.isWhole(); --left) {
    HostTensor &value = values[from.text()];
    value.dtype = static_cast<DType>(from.number());
    value.sizes = from.numbers();
    value.data.resize(from.length(1));
    from.take(value.data.data(), value.data.size());
  }
  return values;
}

} // namespace ccgraph::runtime
