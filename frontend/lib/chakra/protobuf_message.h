// ProtobufMessage: encodes the few field forms of a protobuf message that traces have
// (https://protobuf.dev/programming-guides/encoding).
//
// Ownership: owns its bytes. Failure: none. Cost: linear in the bytes.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace ccgraph {

class ProtobufMessage {
public:
  /// A number of any integer type but sint and fixed. proto3 leaves out zeros, except in a oneof.
  void number(uint32_t field, uint64_t value);
  void text(uint32_t field, llvm::StringRef bytes);
  /// A repeated number, packed; nothing if there is none.
  void numbers(uint32_t field, llvm::ArrayRef<uint64_t> values);
  void message(uint32_t field, const ProtobufMessage &inner) { text(field, inner.bytes()); }

  [[nodiscard]] const std::string &bytes() const { return bytes_; }
  /// Returns the bytes after their length, as streams of messages have them.
  [[nodiscard]] std::string delimited() const;

private:
  enum WireType : uint32_t { Varint = 0, Length = 2 };
  void tag(uint32_t field, WireType type);

  std::string bytes_;
};

} // namespace ccgraph
