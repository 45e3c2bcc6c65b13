#include "ccgraph/ir/device.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {

std::string deviceText(const Device &device) {
  std::string text = device.kind.str().str();
  return device.index >= 0 ? text + ":" + llvm::itostr(device.index) : text;
}

// "cuda:0" has an index and "cuda" has none (-1). "" is the unknown device of a type without one. ":0" and "cuda:x" are
// errors.
std::optional<Device> parseDevice(Context &context, llvm::StringRef text) {
  auto [kind, index] = text.split(':');
  Device device;
  bool clean = llvm::all_of(kind, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!clean || (text.contains(':') && (kind.empty() || index.getAsInteger(10, device.index) || device.index < 0)))
    return std::nullopt;
  if (!kind.empty())
    device.kind = context.identifier(kind);
  return device;
}

} // namespace ccgraph
