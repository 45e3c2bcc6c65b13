// JSON times: helpers of the two readers of timed programs.
//
// Pure functions. Failure: none. Cost: negligible.
#pragma once

#include "json/element_sink.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ccgraph {

/// The kind of a JSON text, as far as its first members show.
enum class TimedFormat : uint8_t { Kineto, NcclTests, InductorEstimates, Unknown };
/// Searches for the member that only one of them has.
[[nodiscard]] TimedFormat timedFormat(llvm::StringRef text);

/// Returns `value * unit` in whole picoseconds; nothing where it is not a number, is below zero, or does not fit.
[[nodiscard]] std::optional<int64_t> picosecondsOf(const JsonValue *value, double unit);

inline constexpr double picosecondsPerNanosecond = 1e3;
inline constexpr double picosecondsOfMicrosecond = 1e6;

} // namespace ccgraph
