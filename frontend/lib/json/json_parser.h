// parseJson: parses JSON with simdjson and passes on one value at a time.
//
// The sink decides for each container whether it receives the members one by one or the whole as one JsonValue. So a
// file of a million nodes is read in the memory of one node. simdjson first finds the start of each token, then walks
// over these on demand. Only json_parser.cpp uses simdjson; jsonSyntaxError() describes the texts that it rejects.
//
// Ownership: values belong to the parser and are freed when value() returns; keys of a JsonOpening likewise. Errors:
// the text is not JSON, or nests deeper than maxJsonDepth. There is at most one error, with line, column and pointer;
// the sink may have received any part of the text before it. Cost: linear, about 5 ns a byte, 4 bytes a token, and a
// copy of the text where it has no slack (SourceText::slack).
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "json/json_value.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// Deepest nesting; deeper nesting is rejected, because readers recurse over values.
inline constexpr unsigned maxJsonDepth = 200;

/// An opening container: an array or object, its key where it is a member, and its start.
struct JsonOpening {
  JsonKind kind = JsonKind::Object;
  llvm::StringRef key;
  size_t offset = 0;
};

/// The receiver of the parser's calls; a reader derives from it. Calls come in the order of the text, and never after
/// one that returned false.
class JsonSink {
public:
  virtual ~JsonSink() = default;
  /// Returns true to receive the members one by one, followed by leave(); false to receive the container whole.
  virtual bool enter(const JsonOpening &opening) = 0;
  /// Ends the innermost container that was entered.
  virtual void leave() = 0;
  /// Receives a whole value. Returning false stops the parser without an error of its own.
  [[nodiscard]] virtual bool value(const JsonValue &value) = 0;
};

/// Feeds the sink. Fails at the first place where the text is not JSON.
[[nodiscard]] llvm::Error parseJson(const SourceText &source, JsonSink &sink);

} // namespace ccgraph
