#include "ccgraph/toolkit/schedule_trace.h"

#include "ccgraph/frontend/trace_file.h"
#include "ccgraph/ir/text.h"

#include "llvm/ADT/SmallVector.h"

namespace ccgraph {
namespace {

constexpr int64_t hostThread = 0, computeThread = 1, firstGroupThread = 2;

int64_t nanoseconds(int64_t picoseconds) { return picoseconds / 1000; }

/// Returns a text such as "fsdp (mesh_dp), 64 ranks on 8 nodes".
std::string groupText(const RecordedGroup &group) {
  if (group.isHost)
    return group.description;
  std::string text = "group " + group.name + (group.description.empty() ? "" : " (" + group.description + ")");
  return text + ", " + counted(static_cast<size_t>(group.placement.ranks), "rank") + " on " +
         counted(static_cast<size_t>(group.placement.nodes), "node");
}

std::string placeText(const RecordedPlace &place) {
  return place.file.empty() ? std::string() : place.file + ":" + std::to_string(place.line);
}

class ScheduleWriter {
public:
  ScheduleWriter(TraceWriter &trace, const ScheduleRecord &schedule, int64_t process)
      : trace_(trace), schedule_(schedule), process_(process) {}

  void write(llvm::StringRef name) {
    trace_.process(process_, name);
    trace_.thread(threadOf(hostThread), "host: launches and waits");
    trace_.thread(threadOf(computeThread), "computation");
    for (size_t group = 0; group < schedule_.groups.size(); ++group)
      trace_.thread(threadOf(firstGroupThread + static_cast<int64_t>(group)), groupText(schedule_.groups[group]));
    issued_.resize(schedule_.steps.size());
    for (size_t step = 0; step < schedule_.steps.size(); ++step)
      writeStep(step);
    for (const RecordedTransfer &transfer : schedule_.transfers)
      writeFlow(transfer);
    writeMemory();
    writeInFlight();
  }

private:
  [[nodiscard]] TraceThread threadOf(int64_t thread) const { return {process_, thread}; }

  /// Writes a slice of the host, which runs one item at a time. Items of the same moment are placed one after the
  /// other, a nanosecond each, because an arrow must start in a slice with a duration.
  void writeHost(size_t step, TraceSlice slice, TraceArgument argument) {
    slice.begin = issued_[step] = host_ = std::max(host_, slice.begin);
    slice.end = host_ = std::max(host_ + 1, slice.end);
    trace_.slice(threadOf(hostThread), slice, argument);
  }

  /// Writes the kernel in its row, and its issue on the host.
  void writeKernel(size_t step, int64_t thread, TraceSlice kernel, llvm::ArrayRef<TraceArgument> arguments) {
    llvm::SmallVector<TraceArgument, 20> all(arguments.begin(), arguments.end());
    all.push_back({"correlation", ++correlation_});
    if (process_ == 0)
      all.push_back({"stream", thread});
    int64_t now = nanoseconds(schedule_.steps[step].begin);
    writeHost(step, {"cudaLaunchKernel", "cuda_runtime", now, now}, {"correlation", correlation_});
    trace_.slice(threadOf(thread), kernel, all);
  }

  void writeStep(size_t index) {
    const RecordedStep &step = schedule_.steps[index];
    TraceSlice slice{step.node, "kernel", nanoseconds(step.begin), nanoseconds(step.end)};
    if (step.role == StepRole::Wait)
      writeHost(index, {"cudaStreamWaitEvent", "cuda_runtime", slice.begin, slice.end}, {"node", step.node});
    else if (step.role == StepRole::Launch)
      writeTransfer(schedule_.transfers[nextTransfer_++]);
    else if (step.end > step.begin) {
      std::string where = placeText(schedule_.places[step.place]);
      writeKernel(index, computeThread, slice, described(step, where));
    }
  }

  [[nodiscard]] llvm::SmallVector<TraceArgument, 16> described(const RecordedStep &step, llvm::StringRef where) const {
    llvm::SmallVector<TraceArgument, 16> arguments = {{"node", step.node}, {"operation", step.operation}};
    if (const std::string &module = schedule_.places[step.place].module; !module.empty())
      arguments.push_back({"module", module});
    if (!where.empty())
      arguments.push_back({"source", where});
    arguments.push_back({"time is", timeSourceName(step.source)});
    return arguments;
  }

  /// Writes a copy under the name that PyTorch's profiler gives to it.
  void writeHostCopy(const RecordedTransfer &transfer) {
    const RecordedStep &launch = schedule_.steps[transfer.launch];
    std::string where = placeText(schedule_.places[launch.place]);
    llvm::SmallVector<TraceArgument, 16> arguments = described(launch, where);
    arguments.push_back({"bytes", transfer.bytes()});
    arguments.push_back({"exposed ns", nanoseconds(transfer.exposed)});
    llvm::StringRef name =
        transfer.kind == "offload" ? "Memcpy DtoH (Device -> Pinned)" : "Memcpy HtoD (Pinned -> Device)";
    TraceSlice copy{name, "gpu_memcpy", nanoseconds(transfer.begin), nanoseconds(transfer.end)};
    writeKernel(transfer.launch, firstGroupThread + transfer.group, copy, arguments);
  }

  void writeTransfer(const RecordedTransfer &transfer) {
    const RecordedStep &launch = schedule_.steps[transfer.launch];
    const RecordedGroup &group = schedule_.groups[transfer.group];
    if (group.isHost)
      return writeHostCopy(transfer);
    std::string name = ncclKernelName(transfer.kind, transfer.reduction, transfer.dtype);
    std::string where = placeText(schedule_.places[launch.place]);
    llvm::SmallVector<TraceArgument, 16> arguments = described(launch, where);
    const TraceArgument more[] = {{"Collective name", transfer.kind},
                                  {"dtype", transfer.dtype},
                                  {"tensors", static_cast<int64_t>(transfer.tensors)},
                                  {"In msg bytes", transfer.inputBytes},
                                  {"Out msg bytes", transfer.outputBytes},
                                  {"Group size", group.placement.ranks},
                                  {"Process Group Name", group.name},
                                  {"exposed ns", nanoseconds(transfer.exposed)}};
    arguments.append(std::begin(more), std::end(more));
    TraceSlice kernel{name, "kernel", nanoseconds(transfer.begin), nanoseconds(transfer.end)};
    writeKernel(transfer.launch, firstGroupThread + transfer.group, kernel, arguments);
  }

  /// Writes the arrows from launch to wait to first use. An arrow needs a kernel as its end, so it does not end at the
  /// output node.
  void writeFlow(const RecordedTransfer &transfer) {
    bool waited = transfer.wait != noStep;
    const RecordedStep *use = transfer.use == noStep ? nullptr : &schedule_.steps[transfer.use];
    bool used = waited && use && use->role == StepRole::Compute && use->end > use->begin;
    TraceThread stream = threadOf(firstGroupThread + transfer.group);
    ++flow_;
    trace_.flow(threadOf(hostThread), FlowPoint::Start, flow_, issued_[transfer.launch]);
    trace_.flow(stream, waited ? FlowPoint::Step : FlowPoint::Finish, flow_, nanoseconds(transfer.begin));
    if (waited)
      trace_.flow(threadOf(hostThread), used ? FlowPoint::Step : FlowPoint::Finish, flow_, issued_[transfer.wait]);
    if (used)
      trace_.flow(threadOf(computeThread), FlowPoint::Finish, flow_, nanoseconds(use->begin));
  }

  /// For steps of one moment, writes the largest value, so that the peak is visible.
  void writeMemory() {
    int64_t written = -1;
    for (size_t i = 0; i < schedule_.steps.size();) {
      int64_t now = nanoseconds(schedule_.steps[i].begin), most = 0;
      for (; i < schedule_.steps.size() && nanoseconds(schedule_.steps[i].begin) == now; ++i)
        most = std::max(most, schedule_.steps[i].alive);
      if (most != written)
        trace_.counter(process_, "bytes alive", now, most);
      written = most;
    }
  }

  void writeInFlight() {
    std::vector<std::pair<int64_t, int64_t>> changes;
    for (const RecordedTransfer &transfer : schedule_.transfers) {
      const int64_t completed =
          transfer.wait == noStep ? schedule_.total : std::max(transfer.end, schedule_.steps[transfer.wait].begin);
      changes.emplace_back(nanoseconds(schedule_.steps[transfer.launch].begin), transfer.bytes());
      changes.emplace_back(nanoseconds(completed), -transfer.bytes());
    }
    llvm::stable_sort(changes, [](const auto &a, const auto &b) { return a.first < b.first; });
    int64_t bytes = 0;
    for (size_t i = 0; i < changes.size();) {
      int64_t now = changes[i].first;
      for (; i < changes.size() && changes[i].first == now; ++i)
        bytes += changes[i].second;
      trace_.counter(process_, "bytes in flight", now, bytes);
    }
  }

  TraceWriter &trace_;
  const ScheduleRecord &schedule_;
  int64_t process_;
  /// by step: when the host reached it
  std::vector<int64_t> issued_;
  int64_t host_ = 0;
  size_t nextTransfer_ = 0;
  /// numbers that are unique in one file
  int64_t correlation_ = process_ << 32;
  int64_t flow_ = process_ << 32;
};

} // namespace

void writeScheduleTrace(llvm::raw_ostream &os, const ScheduleRecord &schedule, const ScheduleRecord *before) {
  auto number = [](llvm::StringRef name, int64_t picoseconds) {
    return ("\"" + name + "\": " + llvm::Twine(nanoseconds(picoseconds))).str();
  };
  std::string sums = "{" + number("step_ns", schedule.total) + ", " + number("compute_ns", schedule.compute) + ", " +
                     number("exposed_ns", schedule.exposed) + ", " +
                     number("communicating_ns", schedule.communicating()) + "}";
  TraceWriter trace(os, {{"distributedInfo", llvm::StringRef(R"({"backend": "nccl", "rank": 0})")},
                         {"otherData", llvm::StringRef(sums)}});
  ScheduleWriter(trace, schedule, 0).write(before ? "after" : "schedule");
  if (before)
    ScheduleWriter(trace, *before, 1).write("before");
  trace.finish();
}

} // namespace ccgraph
