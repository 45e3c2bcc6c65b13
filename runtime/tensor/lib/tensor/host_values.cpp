#include "tensor/host_values.h"

#include <cstring>

namespace ccgraph::runtime {
namespace {

template <typename Number>
HostTensor hostNumber(DType dtype, Number number) {
  HostTensor host;
  host.dtype = dtype;
  host.data.resize(sizeof number);
  std::memcpy(host.data.data(), &number, sizeof number);
  return host;
}

} // namespace

int64_t hostBytes(const Value &value) {
  if (!value.is(Value::Kind::Tensor))
    return 0;
  return saturatingMultiply(value.tensor().numElements(), value.tensor().elementSize());
}

std::optional<HostTensor> hostValue(const Value &value) {
  switch (value.kind()) {
  case Value::Kind::Tensor:
    return value.tensor().toHost();
  case Value::Kind::Bool:
    return hostNumber(DType::Bool, static_cast<uint8_t>(value.boolean()));
  case Value::Kind::Int:
    return hostNumber(DType::I64, value.integer());
  case Value::Kind::Float:
    return hostNumber(DType::F64, value.floating());
  case Value::Kind::Complex:
    return hostNumber(DType::C128, value.complex());
  case Value::Kind::None:
  case Value::Kind::String:
  case Value::Kind::DType:
  case Value::Kind::Device:
  case Value::Kind::List:
  case Value::Kind::Slice:
  case Value::Kind::Opaque:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Value> numberOf(const HostTensor &host) {
  if (!host.sizes.empty())
    return std::nullopt;
  Tensor tensor = Tensor::fromHost(host);
  if (host.dtype == DType::Bool)
    return Value::boolean(host.data.front() != std::byte{0});
  if (host.dtype == DType::F64)
    return Value::floating(*reinterpret_cast<const double *>(tensor.data()));
  if (host.dtype == DType::I64)
    return Value::integer(*reinterpret_cast<const int64_t *>(tensor.data()));
  return std::nullopt;
}

} // namespace ccgraph::runtime
