#include "flight/flight_words.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

struct Word {
  llvm::StringLiteral ours;
  llvm::StringLiteral theirs;
};

constexpr Word words[] = {
    {"u8", "Byte"},
    {"i8", "Char"},
    {"i16", "Short"},
    {"i32", "Int"},
    {"i64", "Long"},
    {"u16", "UInt16"},
    {"u32", "UInt32"},
    {"u64", "UInt64"},
    {"f16", "Half"},
    {"bf16", "BFloat16"},
    {"f32", "Float"},
    {"f64", "Double"},
    {"c32", "ComplexHalf"},
    {"c64", "ComplexFloat"},
    {"c128", "ComplexDouble"},
    {"b8", "Bool"},
    {"f8e4m3fn", "Float8_e4m3fn"},
    {"f8e5m2", "Float8_e5m2"},
};

} // namespace

std::string dtypeOfFlight(llvm::StringRef word) {
  const Word *found = llvm::find_if(words, [&](const Word &entry) { return entry.theirs == word; });
  return found == std::end(words) ? word.str() : found->ours.str();
}

std::string flightWordOf(llvm::StringRef dtype) {
  const Word *found = llvm::find_if(words, [&](const Word &entry) { return entry.ours == dtype; });
  return found == std::end(words) ? dtype.str() : found->theirs.str();
}

} // namespace ccgraph
