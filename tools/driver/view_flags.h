// Declares the flags for views, which show more of a schedule than the summary.
//
// Ownership: plain values. Failure: a usage error of one line. Cost: negligible.
#pragma once

#include "driver/command_line.h"

#include <optional>
#include <string>

namespace ccgraph::driver {

/// Each field holds the value of one flag; empty: not requested.
struct ViewFlags {
  std::string trace;
  std::string report;
  std::string remarksFile;
  /// pattern of --remarks; no value: remarks are not printed
  std::optional<std::string> remarks;
  bool diff = false;

  /// Returns true if the schedules before and after must be recorded.
  [[nodiscard]] bool wantsSchedules() const {
    return diff || remarks || !trace.empty() || !report.empty() || !remarksFile.empty();
  }
  /// Returns the first given flag whose view shows one graph, as the user wrote it; empty if none is given.
  [[nodiscard]] llvm::StringRef given() const;
};

/// Decides by the name of the file.
[[nodiscard]] bool isJson(llvm::StringRef path);

/// Declares the flags on a help screen of their own.
void addViewFlags(CommandLine &line, ViewFlags &flags);
/// Returns an error if flags contradict each other.
[[nodiscard]] llvm::Error checkViewFlags(const ViewFlags &flags);

} // namespace ccgraph::driver
