// JSON as text: the place of a value, and the canonical form of a value.
//
// Everything here works on bytes that the parser has already accepted (or accepted up to an error), so it scans rather
// than parses. Places are computed for errors only, and only foreign keys are rewritten. The writer of graphs uses the
// functions for strings and numbers.
//
// Ownership: results own their text. Failure: none; on bytes that are not JSON a pointer is a best guess. Cost: linear
// in the text scanned; a pointer scans from the start of the text.
#pragma once

#include "json/json_value.h"

#include "llvm/Support/raw_ostream.h"

#include <string>

namespace ccgraph {

/// Returns the position after the closing quote of the string that starts at `offset`; the end of the text where it is
/// not closed.
[[nodiscard]] size_t endOfJsonString(llvm::StringRef text, size_t offset);

/// Returns the RFC 6901 pointer of the value that holds the byte at `offset`, e.g. "/nodes/3/args/0"; "" for the whole
/// text. Linear in the offset.
[[nodiscard]] std::string jsonPointerAt(llvm::StringRef text, size_t offset);
/// Escapes one step of such a pointer ('~' becomes "~0", '/' becomes "~1"), or reverses this.
[[nodiscard]] std::string escapePointerStep(llvm::StringRef step);
[[nodiscard]] std::string unescapePointerStep(llvm::StringRef step);

/// Returns the text of the value on one line, with one blank after each ',' and ':' and none elsewhere. A second
/// application changes nothing.
[[nodiscard]] std::string canonicalJson(llvm::StringRef text, const JsonValue &value);

/// Returns the text of the value, shortened, for "got ..." in errors.
[[nodiscard]] std::string excerptOf(llvm::StringRef text, const JsonValue &value);

/// Writes a quoted string. Bytes that are not UTF-8 become U+FFFD, because JSON readers reject them.
void writeJsonString(llvm::raw_ostream &os, llvm::StringRef text);
/// Writes the text between the quotes.
void writeJsonStringBody(llvm::raw_ostream &os, llvm::StringRef text);
/// Writes the shortest decimal that reads back as this double, always with '.' or 'e'. Not for inf and nan.
void writeJsonDouble(llvm::raw_ostream &os, double value);

} // namespace ccgraph
