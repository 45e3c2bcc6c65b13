// PlanWords: readable names for the windows, values and steps of one plan.
//
// A buffer is called by its name, and also by its index where two have the same name ("x#3"). A device that all windows
// share is not repeated for each.
//
// Ownership: borrows the plan; texts are the caller's. Failure: none. Cost: built in one walk over the plan; a text is
// linear in its parts.
#pragma once

#include "ccgraph/ir/plan.h"

#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

namespace ccgraph {

class PlanWords {
public:
  explicit PlanWords(const Plan &plan);

  /// "x", "x#3"
  [[nodiscard]] llvm::StringRef buffer(BufferId buffer) const { return buffers_[buffer]; }
  /// Returns "x+16 f32[4, 4]", "n2 Sym(u0)", "[x f32[4], None]"; `mark` follows the name of each buffer.
  [[nodiscard]] std::string value(const PlanValue &value, llvm::StringRef mark = "") const;
  /// Returns the operator or the communication: "aten.mm.default", "send to 1 on pp and 1 more".
  [[nodiscard]] std::string headline(const PlanStep &step) const;
  /// Returns the whole step: "aten.mm.default(x f32[4, 4], w f32[4, 4]) -> mm f32[4, 4]".
  [[nodiscard]] std::string sentence(const PlanStep &step) const;
  /// Returns the device of all windows; empty where there are none, or several.
  [[nodiscard]] llvm::StringRef device() const { return device_; }

private:
  void nameBuffers();
  void findDevice();
  [[nodiscard]] std::string window(const PlanWindow &window, llvm::StringRef mark) const;
  [[nodiscard]] std::string type(const Type &type) const;
  [[nodiscard]] std::string call(const PlanCollective &call) const;
  [[nodiscard]] std::string rows(const PlanCollective &call) const;
  [[nodiscard]] std::string row(const PlanRow &row) const;
  [[nodiscard]] std::string kernel(const KernelStep &step) const;
  [[nodiscard]] std::string collective(const CollectiveStep &step) const;

  const Plan &plan_;
  std::vector<std::string> buffers_;
  std::string device_;
};

} // namespace ccgraph
