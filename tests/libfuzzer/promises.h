// Checks with libFuzzer the properties that every reader must have for any bytes: no crash, no hang, and refusals with
// place and reason. The types of an accepted input are inferred, and it is verified and written again, which must not
// crash either.
//
// Ownership: borrows. Failure: a broken property is printed and aborts the program, which libFuzzer detects. Cost:
// reads the input once and visits the result once.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>

namespace ccgraph::test {

/// Returns the bytes from libFuzzer as text.
[[nodiscard]] llvm::StringRef textOf(const uint8_t *data, size_t size);
/// Checks readGraphs on any text of one or several graphs.
void holdGraphReader(llvm::StringRef text);
/// Checks TraceLog: a log is listed whatever is damaged, and a graph that is listed as readable can be read.
void holdTraceReader(llvm::StringRef text);
/// Checks readPlan: an accepted plan is verified, and printed as JSON, text and DOT.
void holdPlanReader(llvm::StringRef text);
/// Checks the readers of pipeline schedules and of job files on the same text. Not that of contracts: toml++ 3.3
/// reaches TOML_UNREACHABLE where a letter beyond ASCII is no part of a string or comment
/// (is_non_ascii_horizontal_whitespace).
void holdCheckReaders(llvm::StringRef text);
/// Checks gzip streams: the input size bounds the output size.
void holdGzipReader(llvm::StringRef bytes);

} // namespace ccgraph::test
