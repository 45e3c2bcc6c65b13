// VisibleStream prints the output of a tool, with control characters replaced by their codes.
//
// Names, paths and comments of a dump may contain any character. A terminal executes control characters: they could
// move, erase or color lines, and so falsify the output. So the stream passes on no control character except line ends
// and tabs; a tool sets colors through changeColor.
//
// Ownership: borrows the stream below, which must outlive it. Failure: that of the stream below. Cost: one test for
// each byte.
#pragma once

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::driver {

class VisibleStream final : public llvm::raw_ostream {
public:
  /// Uses the buffering of the stream below.
  explicit VisibleStream(llvm::raw_ostream &below);
  ~VisibleStream() override;

  [[nodiscard]] bool is_displayed() const override { return below_.is_displayed(); }
  [[nodiscard]] bool has_colors() const override { return below_.has_colors(); }
  raw_ostream &changeColor(enum Colors color, bool bold, bool background) override;
  raw_ostream &resetColor() override;
  raw_ostream &reverseColor() override;

private:
  void write_impl(const char *bytes, size_t size) override;
  [[nodiscard]] uint64_t current_pos() const override { return written_; }
  void escape(unsigned char c);

  llvm::raw_ostream &below_;
  uint64_t written_ = 0;
  bool holdsLead_ = false; ///< the last byte was 0xc2; the next byte decides whether it begins a control character
};

} // namespace ccgraph::driver
