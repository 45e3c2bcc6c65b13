// VisibleStream: what a tool prints, with control characters as their codes.
//
// Names, paths and comments of a dump may hold anything. A terminal obeys control characters: it would move, erase or colour lines that say
// something else. So none reaches a terminal, a pipe or a file but line ends and tabs; colours that a tool means go through changeColor.
//
// Ownership: borrows the stream below, which must outlive it. Failure: that of the stream below. Cost: one look at each byte.
#pragma once

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::driver {

class VisibleStream final : public llvm::raw_ostream {
public:
  /// Buffered as the stream below is.
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
  bool holdsLead_ = false; ///< the last byte was 0xc2, of which the next decides whether it begins a control character
};

} // namespace ccgraph::driver
