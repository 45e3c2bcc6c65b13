// Files: bytes in and bytes out, the same way for every format.
//
// Input is mapped into memory where the file is large enough for a mapping to pay off; `-` is standard input, and gzip
// is recognised by its content. Output goes to a temporary file beside the target (of a symbolic link: beside the file
// it points to) and is renamed when complete. So a failed run leaves no half-written file and never damages an existing
// one. Devices, pipes and standard output cannot be replaced: they are written as they are.
//
// Ownership: InputFile owns its bytes; views into it die with it. Errors: a DiagnosticError with the path and the
// system's message; nothing throws or prints here. Cost: opening a mapped file is O(1); standard input is read into one
// buffer, and gzip is inflated into one of about `mostInflatedBytes` at most. A device such as /dev/zero has no end and
// is rejected.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace ccgraph {

/// Limit of a pipe in bytes; longer input is rejected, since no text of a graph is larger.
inline constexpr size_t mostStreamBytes = size_t(4) << 30;
/// Returns the most bytes that a gzip file of `compressed` bytes may inflate to; a larger one is rejected. Graphs
/// repeat themselves and inflate to 20 to 80 times their size.
[[nodiscard]] constexpr size_t mostInflatedBytes(size_t compressed) {
  constexpr size_t always = size_t(64) << 20;
  constexpr size_t most = 100;
  return compressed > mostStreamBytes / most ? mostStreamBytes
         : compressed * most > always        ? compressed * most
                                             : always;
}

/// One input that is open for reading as long as the object lives. A mapped file must not shrink meanwhile: the system
/// ends a program that reads past the end.
class InputFile {
public:
  /// Opens `path`; "-" reads standard input to its end. Compressed input is inflated here, so readers see plain text
  /// only.
  [[nodiscard]] static llvm::Expected<InputFile> open(llvm::StringRef path);

  /// Wraps a text that was cut out of the file `name`, as if it were a file of its own. Its lines have the numbers of
  /// `cut`.
  [[nodiscard]] static InputFile ofText(std::string name, std::string text, CutLines cut);

  [[nodiscard]] llvm::StringRef text() const { return mapped_ ? mapped_->getBuffer() : llvm::StringRef(inflated_); }
  /// The path as given, or "<stdin>": the name that diagnostics print.
  [[nodiscard]] const std::string &name() const { return name_; }
  /// The result is valid until this object is destroyed or moved from.
  [[nodiscard]] SourceText source() const { return {name_, text(), slack(), cut_.get()}; }
  /// Lets the system take back the memory of a mapped file; later reads load from the file again.
  void releaseMemory() const {
    if (mapped_)
      mapped_->dontNeedIfMmap();
  }

private:
  explicit InputFile(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] size_t slack() const;
  std::string name_;
  std::unique_ptr<llvm::MemoryBuffer> mapped_;
  std::string inflated_; ///< the text, where the input was compressed
  std::unique_ptr<CutLines> cut_;
};

/// Calls `write` once with a stream to `path`; "-" is standard output. Returns an error of `write` or of the stream.
/// The file is then as it was before, unless it is a stream that cannot take anything back.
[[nodiscard]] llvm::Error writeFile(llvm::StringRef path, llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

} // namespace ccgraph
