// readPickleOrJson: a text that is a Python pickle or JSON, as one value.
//
// Ownership: values live until `read` returns. Failure: errors of the text, and those that `read` reports: each with
// its byte in a pickle, and with its line and pointer in JSON. Cost: that of the parsers; the whole value is in memory.
#pragma once

#include "flight/pickle.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <string>

namespace ccgraph {

/// Reports what was expected in place of a value.
using ReportExpected = std::function<void(const JsonValue &got, const std::string &expected)>;

/// Calls `read` with the whole value.
[[nodiscard]] llvm::Error readPickleOrJson(const SourceText &source, const PickleForm &form,
                                           llvm::function_ref<void(const JsonValue &, const ReportExpected &)> read);

} // namespace ccgraph
