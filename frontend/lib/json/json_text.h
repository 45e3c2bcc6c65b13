// JSON as text: where a value stands, and how one is spelled canonically.
//
// Everything here works on bytes that the parser has already accepted (or accepted up to an error),
// so it scans rather than parses; places are looked for errors only, and only foreign keys are
// respelled. Writing strings and numbers is what the writer of graphs is made of.
//
// Ownership: results own their text. Failure: none; on bytes that are no JSON a pointer is as good
// as can be told. Cost: linear in the text scanned; a pointer scans from the start of the text.
#pragma once

#include "json/json_value.h"

#include "llvm/Support/raw_ostream.h"

#include <string>

namespace ccgraph {

/// The next byte from `offset` on that is no blank, comma or colon.
[[nodiscard]] size_t skipJsonSeparators(llvm::StringRef text, size_t offset);

/// After the closing quote of the string that starts at `offset`; the end of the text where it is not closed.
[[nodiscard]] size_t endOfJsonString(llvm::StringRef text, size_t offset);

/// RFC 6901 pointer of the value that holds the byte at `offset`, e.g. "/nodes/3/args/0"; "" for
/// the whole text. Linear in the offset.
[[nodiscard]] std::string jsonPointerAt(llvm::StringRef text, size_t offset);
/// One step of such a pointer: '~' becomes "~0", '/' becomes "~1"; and back.
[[nodiscard]] std::string escapePointerStep(llvm::StringRef step);
[[nodiscard]] std::string unescapePointerStep(llvm::StringRef step);

/// The value as the text spells it, on one line, with one blank after each ',' and ':' and none
/// elsewhere. Spelling it so again changes nothing.
[[nodiscard]] std::string canonicalJson(llvm::StringRef text, const JsonValue &value);

/// What an error says it got: the value as it stands, shortened.
[[nodiscard]] std::string excerptOf(llvm::StringRef text, const JsonValue &value);

/// A quoted string. Bytes that are not UTF-8 become U+FFFD, because no JSON reader takes them.
void writeJsonString(llvm::raw_ostream &os, llvm::StringRef text);
/// What stands between its quotes.
void writeJsonStringBody(llvm::raw_ostream &os, llvm::StringRef text);
/// The shortest decimal that reads back as this double, always with '.' or 'e'. Not for inf and nan.
void writeJsonDouble(llvm::raw_ostream &os, double value);

} // namespace ccgraph
