// The text of a device: "cpu", "cuda:0"; "cuda" if the index is unknown. Types, the JSON format and messages use this
// form.
//
// Ownership: the context owns a device's kind. Failure: a text that is no device gives an empty optional. Cost: linear
// in the text.
#pragma once

#include "ccgraph/ir/context.h"

#include <optional>
#include <string>

namespace ccgraph {

[[nodiscard]] std::string deviceText(const Device &device);
/// Parses a word, or a word, a colon and an index from 0; "" is the unknown device.
[[nodiscard]] std::optional<Device> parseDevice(Context &context, llvm::StringRef text);

} // namespace ccgraph
