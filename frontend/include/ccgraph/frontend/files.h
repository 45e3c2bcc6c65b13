// Files: bytes in and bytes out, the same way for every format.
//
// Input is mapped into memory where the file is large enough for that to pay; `-` is standard
// input, and gzip is recognised by its content. Output goes to a temporary beside the target
// (beside the file that a symbolic link means) and is renamed when complete, so that a failed run
// leaves no half-written file and never spoils the one that was there. Devices, pipes and standard
// output cannot be replaced: they are written as they are.
//
// Ownership: InputFile owns its bytes; views into it die with it. Errors: a DiagnosticError with
// the path and what the system said, with no exception and no message printed here. Cost: opening a
// mapped file is O(1); standard input is read, and gzip inflated, into one buffer, the latter of
// about `mostInflatedBytes` at most. A device such as /dev/zero has no end and is refused.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace ccgraph {

/// A pipe that gives more than this is refused: no text of a graph is larger.
inline constexpr size_t mostStreamBytes = size_t(4) << 30;
/// A gzip file of `compressed` bytes that inflates to more is refused: graphs, which repeat themselves, inflate to 20 to 80 times their size.
[[nodiscard]] constexpr size_t mostInflatedBytes(size_t compressed) {
  constexpr size_t always = size_t(64) << 20;
  constexpr size_t most = 100;
  return compressed > mostStreamBytes / most ? mostStreamBytes
         : compressed * most > always        ? compressed * most
                                             : always;
}

/// One input, open for reading as long as the object lives. A mapped file must not shrink meanwhile: the system ends a
/// program that reads past the end.
class InputFile {
public:
  /// Opens `path`; "-" reads standard input to its end. Compressed input is inflated here, so that
  /// no reader knows of it.
  [[nodiscard]] static llvm::Expected<InputFile> open(llvm::StringRef path);

  /// A text that was cut out of the file `name`, as if it were a file of its own whose lines have the numbers of `cut`.
  [[nodiscard]] static InputFile ofText(std::string name, std::string text, CutLines cut);

  [[nodiscard]] llvm::StringRef text() const { return mapped_ ? mapped_->getBuffer() : llvm::StringRef(inflated_); }
  /// As given, or "<stdin>": what diagnostics print.
  [[nodiscard]] const std::string &name() const { return name_; }
  /// Valid until this object dies or is moved from.
  [[nodiscard]] SourceText source() const { return {name_, text(), slack(), cut_.get()}; }
  /// Lets the system take back the memory of a mapped file; what is read again afterwards comes from the file.
  void releaseMemory() const {
    if (mapped_)
      mapped_->dontNeedIfMmap();
  }

private:
  explicit InputFile(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] size_t slack() const;
  std::string name_;
  std::unique_ptr<llvm::MemoryBuffer> mapped_;
  std::string inflated_; ///< where the input was compressed
  std::unique_ptr<CutLines> cut_;
};

/// Calls `write` once with a stream to `path`; "-" is standard output. An error of `write` or of
/// the stream is returned, and the file is then as it was before, unless it is a stream that cannot
/// take anything back.
[[nodiscard]] llvm::Error writeFile(llvm::StringRef path, llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

} // namespace ccgraph
