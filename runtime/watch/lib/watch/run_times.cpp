#include "ccgraph/runtime/run_times.h"

#include "ccgraph/ir/dtype.h"
#include "watch/flight_table.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {
namespace {

constexpr double nanosecond = 1e-9;

struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Sorted, and none overlaps another.
std::vector<Interval> merged(std::vector<Interval> intervals) {
  llvm::sort(intervals, [](const Interval &a, const Interval &b) { return a.begin < b.begin; });
  std::vector<Interval> result;
  for (const Interval &interval : intervals)
    if (result.empty() || interval.begin > result.back().end)
      result.push_back(interval);
    else
      result.back().end = std::max(result.back().end, interval.end);
  return result;
}

int64_t lengthOf(llvm::ArrayRef<Interval> intervals) {
  int64_t length = 0;
  for (const Interval &interval : intervals)
    length += interval.end - interval.begin;
  return length;
}

/// Returns the time that both cover; the intervals of each are merged.
int64_t commonLength(llvm::ArrayRef<Interval> a, llvm::ArrayRef<Interval> b) {
  int64_t length = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    length += std::max<int64_t>(std::min(a[i].end, b[j].end) - std::max(a[i].begin, b[j].begin), 0);
    (a[i].end < b[j].end ? i : j)++;
  }
  return length;
}

int64_t bytesOf(llvm::ArrayRef<FlightTensor> tensors) {
  int64_t bytes = 0;
  for (const FlightTensor &tensor : tensors)
    if (std::optional<DType> dtype = parseShortDType(tensor.dtype))
      bytes += tensor.elements * static_cast<int64_t>(sizeInBytes(*dtype));
  return bytes;
}

double factorOf(llvm::StringRef operation, size_t ranks) {
  if (ranks == 0)
    return 0;
  auto n = static_cast<double>(ranks);
  if (operation == "all_reduce")
    return 2 * (n - 1) / n;
  bool shares = operation == "all_gather" || operation == "reduce_scatter" || operation == "scatter" ||
                operation.contains("all_to_all");
  return shares ? (n - 1) / n : 1;
}

class Measurement {
public:
  explicit Measurement(llvm::ArrayRef<FlightRecord> records) : records_(records), table_(records) {}

  RunTimes run() {
    for (const FlightRecord &record : records_)
      addRank(record);
    for (const FlightMatch &match : table_.matches())
      addMatch(match);
    for (const auto &[position, samples] : computed_)
      times_.byStep[position] = samples.first / static_cast<double>(samples.second);
    times_.steps = first_ < last_ ? static_cast<double>(last_ - first_) * nanosecond : 0;
    return std::move(times_);
  }

private:
  void addRank(const FlightRecord &record) {
    std::vector<Interval> flights, computing;
    for (const FlightCall &call : record.calls)
      if (call.state == FlightState::Completed)
        flights.push_back({call.times.started, call.times.completed});
    for (const FlightStep &step : record.steps) {
      if (step.times.completed == 0)
        continue;
      first_ = std::min(first_, step.times.started);
      last_ = std::max(last_, step.times.completed);
      if (step.communicates)
        continue;
      computing.push_back({step.times.started, step.times.completed});
      auto &[seconds, number] = computed_[step.position];
      seconds += static_cast<double>(step.times.completed - step.times.started) * nanosecond;
      ++number;
    }
    flights = merged(std::move(flights));
    int64_t exposed = lengthOf(flights) - commonLength(flights, merged(std::move(computing)));
    if (auto seconds = static_cast<double>(exposed) * nanosecond; seconds >= times_.exposed) {
      times_.exposed = seconds;
      times_.inFlight = static_cast<double>(lengthOf(flights)) * nanosecond;
    }
  }

  void addMatch(const FlightMatch &match) {
    int64_t launched = 0, complete = 0, bytes = 0;
    // With a single record, only the view of its rank is known.
    bool told = match.missing.empty() || records_.size() == 1;
    if (match.isIncomplete() || !told)
      return;
    for (const auto &[rank, call] : match.calls) {
      launched = std::max(launched, call->times.started);
      complete = std::max(complete, call->times.completed);
      bytes = std::max({bytes, bytesOf(call->inputs), bytesOf(call->outputs)});
    }
    double seconds = static_cast<double>(std::max<int64_t>(complete - launched, 0)) * nanosecond;
    const FlightCall &any = *match.calls.begin()->second;
    // Both ends of a transfer are one call, which has the name of its sender.
    std::string operation = any.isTransfer() ? "send" : any.operation;
    std::string group = table_.record(match.calls.begin()->first)->groups[any.group].name;
    CollectiveTimes &row = rowOf(operation, group, match.line->members.size());
    ++row.calls;
    row.bytes += bytes;
    row.seconds += seconds;
    std::set<int64_t> positions;
    for (const auto &[rank, call] : match.calls)
      if (call->position)
        positions.insert(*call->position);
    for (int64_t position : positions)
      times_.byStep[position] = std::max(times_.byStep[position], seconds);
  }

  CollectiveTimes &rowOf(const std::string &operation, const std::string &group, size_t ranks) {
    for (CollectiveTimes &row : times_.collectives)
      if (row.operation == operation && row.group == group && row.ranks == ranks)
        return row;
    times_.collectives.push_back({operation, group, ranks});
    return times_.collectives.back();
  }

  llvm::ArrayRef<FlightRecord> records_;
  FlightTable table_;
  RunTimes times_;
  int64_t first_ = INT64_MAX;
  int64_t last_ = 0;
  /// by place in the plan: seconds of all ranks, and how many
  std::map<int64_t, std::pair<double, int64_t>> computed_;
};

} // namespace

double CollectiveTimes::busBandwidth() const {
  return seconds > 0 ? static_cast<double>(bytes) / seconds * factorOf(operation, ranks) : 0;
}

RunTimes measureRun(llvm::ArrayRef<FlightRecord> records) { return Measurement(records).run(); }

} // namespace ccgraph::runtime
