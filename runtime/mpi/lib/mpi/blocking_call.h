// callWithin: a call that may block for ever, given up after a time.
//
// Some things MPI does only by calls that wait for all processes: to start, to make a communicator, to end. Where a process is
// stopped or gone they never return. So they run on a thread of their own; where the time is over the thread is left where it is,
// and the process has to end.
//
// Ownership: what the call uses must live as long as the process. Failure: empty where the time was over. Cost: a thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace ccgraph::runtime {

/// The call's result.
[[nodiscard]] std::optional<int> callWithin(std::chrono::milliseconds time, std::function<int()> call);

} // namespace ccgraph::runtime
