// FileHeader: "format" and "version", the two members that say what a file is, for every format of ours.
//
//   {"format": "ccgraph.graph", "version": "1.0", ...
//
// Another format or major version has another meaning, so the first error is then the only one worth reporting; a
// newer minor version adds what may be ignored, and is read with a warning.
//
// Ownership: borrows the report; the words of a FileKind are literals. Failure: through the report. Cost: none worth
// naming.
#pragma once

#include "json/json_report.h"

namespace ccgraph {

/// What a format calls itself, and how messages speak of it.
struct FileKind {
  /// "ccgraph.graph"
  llvm::StringRef format;
  /// "a graph"
  llvm::StringRef noun;
  /// said where the file does not name its format
  llvm::StringRef manual;
  /// said where the file is of another format
  llvm::StringRef other;
  /// said of a newer minor version
  llvm::StringRef newer;
};

/// The text of the first member "format" of the object that a text is; empty where there is none before it ends, or
/// it is no JSON. Looks no further than that member, which stands first in files of ours.
[[nodiscard]] llvm::StringRef statedFormat(llvm::StringRef text);

class FileHeader {
public:
  FileHeader(const FileKind &kind, JsonReport &report) : kind_(kind), report_(report) {}

  /// True of "format" and "version".
  [[nodiscard]] static bool holds(llvm::StringRef key) { return key == "format" || key == "version"; }
  /// One of the two. False: nothing else of the file is worth reading.
  bool read(const JsonValue &member);
  /// Reports what is missing; `offset` is where the file's object starts.
  void finish(size_t offset);

  /// False where the file is of another format or major version, or does not say.
  [[nodiscard]] bool isOurs() const { return sawFormat_ && !foreign_; }
  /// A newer minor version: keys that are not known are no mistakes.
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
