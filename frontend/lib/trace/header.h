// Headers of TORCH_TRACE records: the lines that describe the payload that follows.
//
//   V1121 08:54:34.206000 27731 torch/_dynamo/output_graph.py:2993] {"aot_joint_graph": {}, "rank": 0, ...}
//
// The first member names the artefact, or is `artifact` or `graph_dump`, which contain the name; `has_payload` is the
// MD5 of the payload. The text before the logger's own prefix (`[default1]:`) is the same on each line of one process.
//
// Ownership: a HeaderLine borrows its line, a TraceHeader owns its texts. Failure: an empty result: the line is not a
// header, or its JSON is damaged. Cost: a search of the line; the JSON is parsed only where it names a payload.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace ccgraph {

struct HeaderLine {
  llvm::StringRef prefix; ///< text before the logger's prefix
  llvm::StringRef json;
};

struct TraceHeader {
  std::string kind; ///< "aot_joint_graph", or the name of an artifact or a graph dump
  std::string name; ///< its own name, as "dump_file" has one; else empty
  std::optional<int64_t> rank;
  std::string compileId;           ///< "0/0", "0/0_1"; empty where it names no frame
  std::string md5;                 ///< of the payload, in hexadecimal digits; empty where there is no payload
  bool holdsJson = false;          ///< the payload is JSON and no text
  bool ofCompiledAutograd = false; ///< the compilation is that of a backward pass which compiled autograd traced
};

[[nodiscard]] std::optional<HeaderLine> findHeader(llvm::StringRef line);

/// Returns whether the line is a header of the trace's logger that is cut off.
[[nodiscard]] bool isBrokenHeader(llvm::StringRef line);

/// Parses a header; returns nothing where it is not a JSON object. Without "has_payload" in the text nothing is parsed,
/// and `md5` is empty.
[[nodiscard]] std::optional<TraceHeader> parseHeader(llvm::StringRef json);

/// Parses a header, whether or not it has a payload.
[[nodiscard]] std::optional<TraceHeader> parseWholeHeader(llvm::StringRef json);

/// Returns whether every payload of this kind is a graph, whatever its text. Payloads of other kinds may also contain
/// one.
[[nodiscard]] bool isGraphKind(llvm::StringRef kind);

} // namespace ccgraph
