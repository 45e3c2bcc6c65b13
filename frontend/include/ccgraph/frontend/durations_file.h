// Duration files: how long each node of a graph takes (`--durations FILE`).
//
//   # graph 5f3a...            optional: the digest of the graph (`ccgraph-opt GRAPH --json` prints it)
//   # source estimated         optional: measured (where it is left out) or estimated
//   name	us                    optional header
//   mm_default	463.225
//   all_gather_into_tensor	957.4
//
// A line is the name of a node, a tab, and decimal microseconds; other lines that start with # are comments.
// Microseconds become picoseconds here, exactly; finer fractions are rounded, halves up.
//
// The reader also accepts two kinds of JSON, which it detects by content:
//   Kineto       a trace of PyTorch's profiler: events named as nodes (record_function around each node) give their
//                times, on the GPU where they have such, else on the host; of several of one name the median.
//   Inductor     the artifact `inductor_runtime_and_tensor_meta`: {"ops": [{"name", "type", "estimated_runtime_ns"}]}.
//                All are estimates. A collective is identified by its operator alone, so the k-th one of an operator is
//                the k-th of the graph; a kernel counts where a node has its name.
//
// Ownership: a plain value; the text may be freed once this returns. Errors: up to 20, each with line and column: a
// line without its two columns, an invalid, negative or too large number, a duplicate name. A file without any node is
// an error, and so is JSON of neither kind. Cost: linear in the text; one event of JSON is in memory at a time.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/durations.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace ccgraph {

/// Reads the durations of a file. `origin` of the result is the name of the source.
[[nodiscard]] llvm::Expected<Durations> readDurationsFile(const SourceText &source);

/// Converts decimal microseconds ("12", "0.0001", "1.5e3") to picoseconds, rounded, halves up. Returns nothing for any
/// other text, and for values that do not fit into 64 bits.
[[nodiscard]] std::optional<int64_t> parseMicroseconds(llvm::StringRef text);

} // namespace ccgraph
