// Finds the windows of host time in which a profile may execute the graph.
//
// Ownership: plain values. Failure: none; a profile without operators has none. Cost: linear in the events.
#pragma once

#include "profile_view.h"

namespace ccgraph::measured {

/// Returns whether the event is an execution of a compiled graph; `name` is its name.
[[nodiscard]] bool isCompiledRange(llvm::StringRef name, const ProfileEvent &event);

/// The windows of one program, in the order of time.
struct WindowList {
  std::vector<HostWindow> windows;
};

/// Returns one list for each compiled graph that the profile executes; else one for the profiler's steps; else one for
/// the steps that begin where the first operator of the graph begins anew.
[[nodiscard]] std::vector<WindowList> windowsOf(const ProfileView &view);

} // namespace ccgraph::measured
