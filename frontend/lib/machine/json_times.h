// JSON times: what the two readers of timed programs share.
//
// Pure functions. Failure: none. Cost: none worth naming.
#pragma once

#include "json/element_sink.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ccgraph {

/// What a JSON text is, as far as its first members tell.
enum class TimedFormat : uint8_t { Kineto, NcclTests, InductorEstimates, Unknown };
/// Looks for the member that only one of them has.
[[nodiscard]] TimedFormat timedFormat(llvm::StringRef text);

/// `value * unit` in whole picoseconds; empty where it is no number, below zero, or does not fit.
[[nodiscard]] std::optional<int64_t> picosecondsOf(const JsonValue *value, double unit);

inline constexpr double picosecondsPerNanosecond = 1e3;
inline constexpr double picosecondsOfMicrosecond = 1e6;

} // namespace ccgraph
