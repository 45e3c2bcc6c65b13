// Flags of views: what else ccgraph-opt shows of a schedule besides the summary.
//
// Ownership: plain values. Failure: an error of usage in one line. Cost: none worth naming.
#pragma once

#include "driver/command_line.h"

#include <optional>
#include <string>

namespace ccgraph::driver {

/// Each field is what one flag says; empty: not asked for.
struct ViewFlags {
  std::string trace;
  std::string report;
  std::string remarksFile;
  /// pattern of --remarks; no value: remarks are not printed
  std::optional<std::string> remarks;
  bool diff = false;

  /// True if the schedules before and after are to be recorded.
  [[nodiscard]] bool wantsSchedules() const {
    return diff || remarks || !trace.empty() || !report.empty() || !remarksFile.empty();
  }
  /// The first that is given of those that show one graph, as it is spelled; empty if none is.
  [[nodiscard]] llvm::StringRef given() const;
};

/// By the name of a file.
[[nodiscard]] bool isJson(llvm::StringRef path);

/// Declares the flags, on a screen of the help of their own.
void addViewFlags(CommandLine &line, ViewFlags &flags);
/// What does not make sense together.
[[nodiscard]] llvm::Error checkViewFlags(const ViewFlags &flags);

} // namespace ccgraph::driver
