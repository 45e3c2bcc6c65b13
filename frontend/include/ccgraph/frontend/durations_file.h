// Duration files: how long each node of a graph takes (`--durations FILE`).
//
//   # graph 5f3a...            optional: the digest of the graph that they are of (`ccgraph-opt GRAPH --json` prints it)
//   # source estimated         optional: measured (where it is left out) or estimated
//   name	us                    optional header
//   mm_default	463.225
//   all_gather_into_tensor	957.4
//
// A line is the name of a node, a tab, and decimal microseconds; other lines that start with # are
// comments. Microseconds become picoseconds here, exactly; what is finer is rounded, halves up.
//
// Ownership: a plain value; the text may go once this returns. Errors: up to 20, each with line and column: a
// line without its two columns, a number that is none, is negative or does not fit, a name that stands twice; a
// file without any node. Cost: linear in the text.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/durations.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace ccgraph {

/// `origin` of the result is the name of the source.
[[nodiscard]] llvm::Expected<Durations> readDurationsFile(const SourceText &source);

/// Picoseconds of decimal microseconds ("12", "0.0001", "1.5e3"), rounded, halves up; empty for any other text, and for
/// what 64 bits do not hold.
[[nodiscard]] std::optional<int64_t> parseMicroseconds(llvm::StringRef text);

} // namespace ccgraph
