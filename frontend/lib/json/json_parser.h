// parseJson: simdjson, made to hand over one value at a time.
//
// The sink decides, container by container, whether it wants the members one by one or the whole as
// one JsonValue, so a file of a million nodes is read in the memory of one. simdjson first finds
// where each token starts, then walks over these on demand. Only json_parser.cpp knows simdjson;
// what it refuses is put into words by jsonSyntaxError().
//
// Ownership: values belong to the parser and are gone when value() returns; keys of a JsonOpening
// likewise. Errors: the text is not JSON, or nests deeper than maxJsonDepth; at most one, with
// line, column and pointer; how much of what stands before it the sink has seen is not said. Cost:
// linear, about 5 ns a byte, 4 bytes a token, and a copy of the text where it has no slack
// (SourceText::slack).
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "json/json_value.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// Deeper nesting is refused, because readers recurse over values.
inline constexpr unsigned maxJsonDepth = 200;

/// What opens: an array or object, its key where it is a member, and where it starts.
struct JsonOpening {
  JsonKind kind = JsonKind::Object;
  llvm::StringRef key;
  size_t offset = 0;
};

/// What the parser tells; a reader derives from it. Calls come in the order of the text, and never after one that
/// returned false.
class JsonSink {
public:
  virtual ~JsonSink() = default;
  /// True: the members come one by one, then leave() is called. False: the container comes whole.
  virtual bool enter(const JsonOpening &opening) = 0;
  /// The end of the innermost container that was entered.
  virtual void leave() = 0;
  /// A whole value. False stops the parser without an error of its own.
  [[nodiscard]] virtual bool value(const JsonValue &value) = 0;
};

/// Feeds the sink; the error is the first place where the text is no JSON.
[[nodiscard]] llvm::Error parseJson(const SourceText &source, JsonSink &sink);

} // namespace ccgraph
