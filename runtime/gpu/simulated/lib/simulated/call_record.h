// CallRecord: the calls of one rank as text, one a line.
//
// Ownership: owns its text. Failure: none. Cost: none without a requested record; else that of the text.
#pragma once

#include "calls/gpu_calls.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace ccgraph::runtime {

class CallRecord {
public:
  explicit CallRecord(bool wanted) : wanted_(wanted) {}

  void add(llvm::function_ref<void(llvm::raw_ostream &)> write);
  /// Returns an address in readable form: "compute+64", and "host" for an address that is not the device's.
  [[nodiscard]] std::string place(const std::byte *address) const;
  void allocate(GpuPurpose purpose, const std::byte *memory, int64_t bytes);
  void release(const std::byte *memory) { ranges_.erase(memory); }
  [[nodiscard]] const std::string &text() const { return text_; }

private:
  struct Range {
    std::string name;
    int64_t bytes = 0;
  };
  bool wanted_;
  std::string text_;
  std::map<const std::byte *, Range> ranges_;
  std::map<GpuPurpose, size_t> numbers_;
};

} // namespace ccgraph::runtime
