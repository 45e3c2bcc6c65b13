// Headers of TORCH_TRACE records: what a line says of the payload that follows it.
//
//   V1121 08:54:34.206000 27731 torch/_dynamo/output_graph.py:2993] {"aot_joint_graph": {}, "rank": 0, "frame_id": 0, ...}
//
// The first member names the artefact, or is `artifact` or `graph_dump`, which hold the name; `has_payload` is the MD5 of
// the payload. What stands before the logger's own words (`[default1]:`) is the same on each line of one process.
//
// Ownership: a HeaderLine borrows its line, a TraceHeader owns what it holds. Failure: an empty result: the line is no
// header, or its JSON is damaged. Cost: a search of the line; the JSON is parsed only where it names a payload.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace ccgraph {

struct HeaderLine {
  llvm::StringRef prefix; ///< before the logger's words
  llvm::StringRef json;
};

struct TraceHeader {
  std::string kind; ///< "aot_joint_graph", or the name of an artifact or a graph dump
  std::string name; ///< of its own, as "dump_file" has one; else empty
  std::optional<int64_t> rank;
  std::string compileId;           ///< "0/0", "0/0_1"; empty where it names no frame
  std::string md5;                 ///< of the payload, in hexadecimal digits; empty where there is no payload
  bool holdsJson = false;          ///< the payload is JSON and no text
  bool ofCompiledAutograd = false; ///< the compilation is that of a backward pass which compiled autograd traced
};

[[nodiscard]] std::optional<HeaderLine> findHeader(llvm::StringRef line);

/// The words of the trace's logger, broken off before their end.
[[nodiscard]] bool isBrokenHeader(llvm::StringRef line);

/// Error (empty): no JSON object. Without "has_payload" in the text nothing is parsed, and `md5` is empty.
[[nodiscard]] std::optional<TraceHeader> parseHeader(llvm::StringRef json);

/// The same, whether or not there is a payload.
[[nodiscard]] std::optional<TraceHeader> parseWholeHeader(llvm::StringRef json);

/// Whether a payload of this kind is a graph, whatever it looks like. Others may hold one all the same.
[[nodiscard]] bool isGraphKind(llvm::StringRef kind);

} // namespace ccgraph
