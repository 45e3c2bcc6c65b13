// FileHeader: reads "format" and "version", the two members that identify a file, for every format of ours.
//
//   {"format": "ccgraph.graph", "version": "1.0", ...
//
// Another format or major version has another meaning, so the first error is then the only one that is reported. A
// newer minor version adds optional keys and is read with a warning.
//
// Ownership: borrows the report; the words of a FileKind are literals. Failure: through the report. Cost: negligible.
#pragma once

#include "json/json_report.h"

namespace ccgraph {

/// The name of a format, and the words for it in messages.
struct FileKind {
  /// "ccgraph.graph"
  llvm::StringRef format;
  /// "a graph"
  llvm::StringRef noun;
  /// note where the file does not name its format
  llvm::StringRef manual;
  /// note where the file has another format
  llvm::StringRef other;
  /// note for a newer minor version
  llvm::StringRef newer;
};

/// Returns the text of the first member "format" of the object in a text. Empty where there is none before the object
/// ends, or where the text is not JSON. Reads no further than that member, which is the first in files of ours.
[[nodiscard]] llvm::StringRef statedFormat(llvm::StringRef text);

class FileHeader {
public:
  FileHeader(const FileKind &kind, JsonReport &report) : kind_(kind), report_(report) {}

  /// Returns true for "format" and "version".
  [[nodiscard]] static bool holds(llvm::StringRef key) { return key == "format" || key == "version"; }
  /// Reads one of the two. Returns false where the rest of the file must not be read.
  bool read(const JsonValue &member);
  /// Reports missing members; `offset` is the start of the file's object.
  void finish(size_t offset);

  /// Reads both of a file that is held as a whole. Returns false, and has reported why, where the rest of the file must
  /// not be read.
  [[nodiscard]] bool readFrom(const JsonValue &file);

  /// Returns false where the file has another format or major version, or states neither.
  [[nodiscard]] bool isOurs() const { return sawFormat_ && !foreign_; }
  /// Returns true for a newer minor version, in which unknown keys are not errors.
  [[nodiscard]] bool isNewer() const { return newer_; }

private:
  bool readFormat(const JsonValue &value);
  bool readVersion(const JsonValue &value);

  const FileKind &kind_;
  JsonReport &report_;
  bool sawFormat_ = false;
  bool sawVersion_ = false;
  bool foreign_ = false;
  bool newer_ = false;
};

} // namespace ccgraph
