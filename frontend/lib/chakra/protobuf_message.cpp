#include "chakra/protobuf_message.h"

namespace ccgraph {
namespace {

void appendVarint(std::string &bytes, uint64_t value) {
  constexpr uint64_t low = 0x7f, more = 0x80;
  constexpr unsigned bits = 7;
  for (; value > low; value >>= bits)
    bytes.push_back(static_cast<char>((value & low) | more));
  bytes.push_back(static_cast<char>(value));
}

} // namespace

void ProtobufMessage::tag(uint32_t field, WireType type) {
  constexpr unsigned bitsOfType = 3;
  appendVarint(bytes_, field << bitsOfType | type);
}

void ProtobufMessage::number(uint32_t field, uint64_t value) {
  tag(field, Varint);
  appendVarint(bytes_, value);
}

void ProtobufMessage::text(uint32_t field, llvm::StringRef bytes) {
  tag(field, Length);
  appendVarint(bytes_, bytes.size());
  bytes_.append(bytes.begin(), bytes.end());
}

void ProtobufMessage::numbers(uint32_t field, llvm::ArrayRef<uint64_t> values) {
  if (values.empty())
    return;
  std::string packed;
  for (uint64_t value : values)
    appendVarint(packed, value);
  text(field, packed);
}

std::string ProtobufMessage::delimited() const {
  std::string all;
  appendVarint(all, bytes_.size());
  return all + bytes_;
}

} // namespace ccgraph
