// The text of a device: "cpu", "cuda:0"; "cuda" where no index is known. Types, the JSON format and messages spell it so.
//
// Ownership: a device's kind is the context's. Failure: a text that is no device gives an empty optional. Cost: linear in the text.
#pragma once

#include "ccgraph/ir/context.h"

#include <optional>
#include <string>

namespace ccgraph {

[[nodiscard]] std::string deviceText(const Device &device);
/// A word, or a word, a colon and an index from 0; "" is the device of which nothing is known.
[[nodiscard]] std::optional<Device> parseDevice(Context &context, llvm::StringRef text);

} // namespace ccgraph
