#include "simulated/call_record.h"

namespace ccgraph::runtime {

void CallRecord::add(llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (!wanted_)
    return;
  llvm::raw_string_ostream os(text_);
  write(os);
  os << '\n';
}

void CallRecord::allocate(GpuPurpose purpose, const std::byte *memory, int64_t bytes) {
  constexpr llvm::StringLiteral names[] = {"inputs", "compute", "communication", "growing"};
  std::string name = names[static_cast<size_t>(purpose)].str();
  if (size_t before = numbers_[purpose]++)
    name += std::to_string(before + 1);
  ranges_[memory] = {name, bytes};
  add([&](llvm::raw_ostream &os) { os << "allocate " << name << ", " << bytes << " bytes"; });
}

std::string CallRecord::place(const std::byte *address) const {
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin())
    return "host";
  const auto &[begin, range] = *std::prev(after);
  // An empty row may be at the end of its memory.
  if (address > begin + range.bytes)
    return "host";
  return address == begin ? range.name : range.name + "+" + std::to_string(address - begin);
}

} // namespace ccgraph::runtime
