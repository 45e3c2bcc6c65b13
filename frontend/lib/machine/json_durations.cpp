#include "machine/json_durations.h"

#include "machine/json_times.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <array>

namespace ccgraph {
namespace {

// --- Kineto ----------------------------------------------------------------------------------------------------------

/// Ranks an event by how well it shows the cost of its name: first on the GPU under a name of the graph, then a kernel,
/// then on the host.
std::optional<unsigned> rankOfCategory(llvm::StringRef category) {
  return llvm::StringSwitch<std::optional<unsigned>>(category)
      .Case("gpu_user_annotation", 0)
      .Case("kernel", 1)
      .Case("user_annotation", 2)
      .Case("cpu_op", 3)
      .Default(std::nullopt);
}

class TraceReader {
public:
  void readEvent(const JsonValue &event) {
    const JsonValue *name = event.member("name");
    const JsonValue *category = event.member("cat");
    const auto time = picosecondsOf(event.member("dur"), picosecondsOfMicrosecond);
    const auto rank = category ? rankOfCategory(category->text) : std::nullopt;
    if (name && name->is(JsonKind::String) && rank && time)
      times_[name->text][*rank].push_back(*time);
  }

  void fill(Durations &durations) {
    for (auto &entry : times_)
      for (std::vector<int64_t> &times : entry.second)
        if (!times.empty()) {
          auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
          std::nth_element(times.begin(), middle, times.end());
          durations.add(entry.first(), {*middle, DurationSource::Measured}); // the first rank stays
        }
  }

private:
  llvm::StringMap<std::array<std::vector<int64_t>, 4>> times_;
};

// --- Inductor --------------------------------------------------------------------------------------------------------

void readEstimate(const JsonValue &op, Durations &durations) {
  const JsonValue *name = op.member("name");
  const JsonValue *type = op.member("type");
  const auto time = picosecondsOf(op.member("estimated_runtime_ns"), picosecondsPerNanosecond);
  if (!name || !type || !time)
    return;
  llvm::StringRef target = name->text;
  const Duration duration{*time, DurationSource::Estimated};
  if (type->text != "collective")
    durations.add(target, duration);
  else if (target.consume_front("torch.ops."); !target.empty())
    durations.addCall(target, duration);
}

} // namespace

bool looksLikeJson(llvm::StringRef text) {
  text.consume_front("\xef\xbb\xbf");
  text = text.ltrim();
  return text.startswith("{") || text.startswith("[");
}

llvm::Expected<Durations> readJsonDurations(const SourceText &source) {
  Durations durations;
  durations.origin = source.name;
  const TimedFormat format = timedFormat(source.text);
  if (format != TimedFormat::Kineto && format != TimedFormat::InductorEstimates)
    return makeError(
        diagnoseAt(source, 0, "this JSON holds no durations of a known form",
                   "ccgraph reads traces of PyTorch's profiler, Inductor's inductor_runtime_and_tensor_meta, and "
                   "lines of name<tab>microseconds"));
  TraceReader trace;
  auto useElement = [&](const JsonValue &element) {
    if (format == TimedFormat::Kineto)
      trace.readEvent(element);
    else
      readEstimate(element, durations);
  };
  ElementSink sink(format == TimedFormat::Kineto ? "traceEvents" : "ops", useElement, [](const JsonValue &) {});
  if (llvm::Error error = parseJson(source, sink))
    return error;
  trace.fill(durations);
  if (durations.empty())
    return makeError(
        diagnoseAt(source, 0, "expected durations of nodes, got none",
                   "events need 'name', 'cat' and 'dur', estimates 'name', 'type' and 'estimated_runtime_ns'"));
  return durations;
}

} // namespace ccgraph
