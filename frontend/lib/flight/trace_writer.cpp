#include "ccgraph/frontend/trace_file.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

/// Returns the kernel's name. A transfer is "ncclDevKernel_SendRecv" on both sides.
std::string kernelName(const FlightCall &call) {
  if (call.isTransfer())
    return "ncclDevKernel_SendRecv";
  llvm::StringRef detail = call.detail;
  const std::vector<FlightTensor> &tensors = call.inputs.empty() ? call.outputs : call.inputs;
  return ncclKernelName(call.operation, detail.startswith("from ") ? "" : detail,
                        tensors.empty() ? "" : tensors.front().dtype);
}

int64_t elementsOf(llvm::ArrayRef<FlightTensor> tensors) {
  int64_t elements = 0;
  for (const FlightTensor &tensor : tensors)
    elements += tensor.elements;
  return elements;
}

class RunWriter {
public:
  RunWriter(llvm::raw_ostream &os, llvm::ArrayRef<FlightRecord> records) : trace_(os), records_(records) {}

  void write() {
    for (const FlightRecord &record : records_)
      for (const FlightStep &step : record.steps)
        if (begin_ == 0 || step.times.started < begin_)
          begin_ = step.times.started;
    for (const FlightRecord &record : records_)
      writeRank(record);
    trace_.finish();
  }

private:
  void writeRank(const FlightRecord &record) {
    trace_.process(record.rank, "rank " + std::to_string(record.rank));
    std::vector<std::string> streams;
    for (const FlightStep &step : record.steps)
      if (!llvm::is_contained(streams, step.stream))
        streams.push_back(step.stream);
    llvm::sort(streams);
    for (size_t i = 0; i < streams.size(); ++i)
      trace_.thread({record.rank, static_cast<int64_t>(i)}, streams[i]);
    for (const FlightStep &step : record.steps)
      if (step.times.completed != 0)
        writeStep(record, step, llvm::find(streams, step.stream) - streams.begin());
  }

  void writeStep(const FlightRecord &record, const FlightStep &step, int64_t stream) {
    auto call = llvm::find_if(record.calls, [&](const FlightCall &c) { return c.position == step.position; });
    bool communicates = step.communicates && call != record.calls.end();
    std::string name = communicates ? kernelName(*call) : step.name;
    TraceSlice slice{name, "kernel", step.times.started - begin_, step.times.completed - begin_};
    llvm::SmallVector<TraceArgument, 12> arguments = {
        {"stream", stream}, {"node", step.name}, {"operation", step.operation}};
    if (communicates)
      writeCall(record, *call, slice, arguments);
    else
      trace_.slice({record.rank, stream}, slice, arguments);
  }

  /// Writes the keys of PyTorch's profiler.
  void writeCall(const FlightRecord &record, const FlightCall &call, const TraceSlice &slice,
                 llvm::SmallVectorImpl<TraceArgument> &arguments) {
    const FlightGroup &group = record.groups[call.group];
    const std::vector<FlightTensor> &typed = call.inputs.empty() ? call.outputs : call.inputs;
    std::string ranks;
    for (int64_t rank : group.ranks)
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    ranks = "[" + ranks + "]";
    const TraceArgument more[] = {{"Collective name", call.operation},
                                  {"In msg nelems", elementsOf(call.inputs)},
                                  {"Out msg nelems", elementsOf(call.outputs)},
                                  {"Group size", static_cast<int64_t>(group.ranks.size())},
                                  {"dtype", typed.empty() ? llvm::StringRef() : typed.front().dtype},
                                  {"Process Group Name", group.name},
                                  {"Process Group Ranks", ranks},
                                  {"Rank", record.rank},
                                  {"Seq", call.sequence}};
    int64_t stream = std::get<int64_t>(arguments.front().value);
    arguments.append(std::begin(more), std::end(more));
    trace_.slice({record.rank, stream}, slice, arguments);
  }

  TraceWriter trace_;
  llvm::ArrayRef<FlightRecord> records_;
  int64_t begin_ = 0;
};

} // namespace

void writeTrace(llvm::raw_ostream &os, llvm::ArrayRef<FlightRecord> records) { RunWriter(os, records).write(); }

} // namespace ccgraph
