#include "driver/visible_stream.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::driver {
namespace {

constexpr unsigned char leadByte = 0xc2; // first byte of U+0080 to U+00BF in UTF-8

bool isControl(unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }
bool isSpecial(unsigned char c) { return isControl(c) || c == leadByte; }

} // namespace

VisibleStream::VisibleStream(llvm::raw_ostream &below) : below_(below) {
  if (below.GetBufferSize() == 0)
    SetUnbuffered();
}

VisibleStream::~VisibleStream() {
  flush();
  if (holdsLead_)
    below_ << static_cast<char>(leadByte);
  below_.flush();
}

llvm::raw_ostream &VisibleStream::changeColor(enum Colors color, bool bold, bool background) {
  flush();
  below_.changeColor(color, bold, background);
  return *this;
}
llvm::raw_ostream &VisibleStream::resetColor() {
  flush();
  below_.resetColor();
  return *this;
}
llvm::raw_ostream &VisibleStream::reverseColor() {
  flush();
  below_.reverseColor();
  return *this;
}

void VisibleStream::escape(unsigned char c) {
  below_ << "\\x" << llvm::hexdigit(c >> 4U, /*LowerCase=*/true) << llvm::hexdigit(c & 15U, /*LowerCase=*/true);
}

// Passes long stretches without control characters to the stream below in one piece.
void VisibleStream::write_impl(const char *bytes, size_t size) {
  llvm::StringRef rest(bytes, size);
  written_ += size;
  while (!rest.empty()) {
    auto c = static_cast<unsigned char>(rest.front());
    if (std::exchange(holdsLead_, false)) {
      if (c >= 0x80 && c < 0xa0) {
        escape(leadByte);
        escape(c);
        rest = rest.drop_front();
        continue;
      }
      below_ << static_cast<char>(leadByte);
    }
    llvm::StringRef plain = rest.take_until([](char each) { return isSpecial(static_cast<unsigned char>(each)); });
    below_ << plain;
    rest = rest.drop_front(plain.size());
    if (rest.empty())
      return;
    c = static_cast<unsigned char>(rest.front());
    rest = rest.drop_front();
    if (c == leadByte)
      holdsLead_ = true;
    else
      escape(c);
  }
}

} // namespace ccgraph::driver
