#include "machine/json_times.h"

#include "json/longest_duration.h"

namespace ccgraph {

// A file of either kind may be large, so it is not parsed to find its kind. The key of its list is unlike any other
// text in it, or the list is the whole file.
TimedFormat timedFormat(llvm::StringRef text) {
  if (text.contains("\"traceEvents\"") || text.ltrim().startswith("["))
    return TimedFormat::Kineto;
  if (text.contains("\"estimated_runtime_ns\""))
    return TimedFormat::InductorEstimates;
  if (text.contains("\"results\"") && text.contains("\"nccl_version\""))
    return TimedFormat::NcclTests;
  return TimedFormat::Unknown;
}

std::optional<int64_t> picosecondsOf(const JsonValue *value, double unit) {
  const std::optional<double> number = numberOf(value);
  if (!number || !(*number >= 0) || *number * unit > static_cast<double>(longestDurationPs))
    return std::nullopt;
  return static_cast<int64_t>(*number * unit + 0.5);
}

} // namespace ccgraph
