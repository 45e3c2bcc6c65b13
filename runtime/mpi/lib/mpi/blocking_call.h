// callWithin: a call that may block without end, with a time limit.
//
// Some MPI calls wait for all processes: the start, the creation of a communicator, the end. They never return if a
// process is stopped or lost. So they run on a thread of their own; after the time limit the thread is abandoned, and
// the process must end.
//
// Ownership: what the call uses must live as long as the process. Failure: empty after the time limit. Cost: a thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace ccgraph::runtime {

/// The call's result.
[[nodiscard]] std::optional<int> callWithin(std::chrono::milliseconds time, std::function<int()> call);

} // namespace ccgraph::runtime
