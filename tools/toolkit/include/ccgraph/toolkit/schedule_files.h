// Loads a schedule file that a user names.
//
// Ownership: plain values. Failure: DiagnosticErrors with file and line; warnings go to the collector. Cost: that of
// the reader.
#pragma once

#include "ccgraph/frontend/schedule_file.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<Schedule> loadSchedule(llvm::StringRef path, Diagnostics &warnings);

} // namespace ccgraph
