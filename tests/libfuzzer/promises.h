// Promises: what every reader owes to any bytes, as libFuzzer asks it: no crash, no hang, and a refusal that says where and
// why. What is read has its types inferred, is verified and is written again, which must not crash either.
//
// Ownership: borrows. Failure: a broken promise prints what it is and aborts, which is how libFuzzer learns of it. Cost: one
// reading, and one walk of what was read.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>

namespace ccgraph::test {

/// The bytes that libFuzzer hands over.
[[nodiscard]] llvm::StringRef textOf(const uint8_t *data, size_t size);
/// Of readGraphs: any text of a graph or of several.
void holdGraphReader(llvm::StringRef text);
/// Of TraceLog: a log is listed whatever is damaged, and what is listed as read is read when it is asked for.
void holdTraceReader(llvm::StringRef text);
/// Of readPlan: what is read is verified, and printed as JSON, text and DOT.
void holdPlanReader(llvm::StringRef text);
/// Of gzip streams: what comes out is bounded by what went in.
void holdGzipReader(llvm::StringRef bytes);

} // namespace ccgraph::test
