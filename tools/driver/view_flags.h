// Flags of views: what else ccgraph-opt shows of a schedule besides the summary.
//
// Ownership: plain values. Failure: an error of usage in one line. Cost: none worth naming.
#pragma once

#include "driver/command_line.h"

#include <string>

namespace ccgraph::driver {

/// Each field is what one flag says; empty: not asked for.
struct ViewFlags {
  std::string trace;
  std::string report;
  bool diff = false;

  /// True if the schedules before and after are to be recorded.
  [[nodiscard]] bool wantsSchedules() const { return diff || !trace.empty() || !report.empty(); }
  /// The first that is given, as it is spelled; empty if none is.
  [[nodiscard]] llvm::StringRef given() const;
};

/// Declares the flags, on a screen of the help of their own.
void addViewFlags(CommandLine &line, ViewFlags &flags);
/// What does not make sense together.
[[nodiscard]] llvm::Error checkViewFlags(const ViewFlags &flags);

} // namespace ccgraph::driver
