#include "ccgraph/frontend/trace_file.h"

#include "json/json_text.h"
#include "json/separator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cinttypes>

namespace ccgraph {
namespace {

/// "AllReduce" for "all_reduce".
std::string camelCase(llvm::StringRef words) {
  std::string text;
  bool first = true;
  for (char c : words) {
    if (c != '_')
      text += first ? llvm::toUpper(c) : c;
    first = c == '_';
  }
  return text;
}

/// "ncclDevKernel_AllReduce_Sum_f32"; a transfer is "ncclDevKernel_SendRecv", whatever its end.
std::string kernelName(const FlightCall &call) {
  if (call.isTransfer())
    return "ncclDevKernel_SendRecv";
  std::string name = "ncclDevKernel_" + camelCase(call.operation);
  llvm::StringRef detail = call.detail;
  if (!detail.empty() && !detail.startswith("from "))
    name += "_" + camelCase(detail);
  const std::vector<FlightTensor> &tensors = call.inputs.empty() ? call.outputs : call.inputs;
  return name + (tensors.empty() ? "" : "_" + tensors.front().dtype);
}

int64_t elementsOf(llvm::ArrayRef<FlightTensor> tensors) {
  int64_t elements = 0;
  for (const FlightTensor &tensor : tensors)
    elements += tensor.elements;
  return elements;
}

class TraceWriter {
public:
  TraceWriter(llvm::raw_ostream &os, llvm::ArrayRef<FlightRecord> records) : os_(os), records_(records) {}

  void write() {
    for (const FlightRecord &record : records_)
      for (const FlightStep &step : record.steps)
        if (begin_ == 0 || step.times.started < begin_)
          begin_ = step.times.started;
    os_ << "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
    for (const FlightRecord &record : records_)
      writeRank(record);
    os_ << "\n]}\n";
  }

private:
  llvm::raw_ostream &event() { return os_ << events_.next() << '\n'; }
  void text(llvm::StringRef text) { writeJsonString(os_, text); }

  void writeRank(const FlightRecord &record) {
    event() << R"({"ph": "M", "name": "process_name", "pid": )" << record.rank << R"(, "args": {"name": "rank )"
            << record.rank << "\"}}";
    event() << R"({"ph": "M", "name": "process_sort_index", "pid": )" << record.rank << R"(, "args": {"sort_index": )"
            << record.rank << "}}";
    std::vector<std::string> streams;
    for (const FlightStep &step : record.steps)
      if (!llvm::is_contained(streams, step.stream))
        streams.push_back(step.stream);
    llvm::sort(streams);
    for (size_t i = 0; i < streams.size(); ++i) {
      event() << R"({"ph": "M", "name": "thread_name", "pid": )" << record.rank << ", \"tid\": " << i
              << R"(, "args": {"name": )";
      text(streams[i]);
      os_ << "}}";
    }
    for (const FlightStep &step : record.steps)
      if (step.times.completed != 0)
        writeStep(record, step, static_cast<size_t>(llvm::find(streams, step.stream) - streams.begin()));
  }

  void writeStep(const FlightRecord &record, const FlightStep &step, size_t stream) {
    auto call = llvm::find_if(record.calls, [&](const FlightCall &c) { return c.position == step.position; });
    bool communicates = step.communicates && call != record.calls.end();
    event() << R"({"ph": "X", "cat": "kernel", "name": )";
    text(communicates ? kernelName(*call) : step.name);
    os_ << ", \"pid\": " << record.rank << ", \"tid\": " << stream
        << ", \"ts\": " << microseconds(step.times.started - begin_)
        << ", \"dur\": " << microseconds(step.times.completed - step.times.started) << ", \"args\": {";
    Separator separator;
    number(separator, "stream") << stream;
    number(separator, "node");
    text(step.name);
    number(separator, "operation");
    text(step.operation);
    if (communicates)
      writeCall(separator, record, *call);
    os_ << "}}";
  }

  llvm::raw_ostream &number(Separator &separator, llvm::StringRef key) {
    return os_ << separator.next() << '"' << key << "\": ";
  }

  /// The keys of PyTorch's profiler.
  void writeCall(Separator &separator, const FlightRecord &record, const FlightCall &call) {
    const FlightGroup &group = record.groups[call.group];
    number(separator, "Collective name");
    text(call.operation);
    number(separator, "In msg nelems") << elementsOf(call.inputs);
    number(separator, "Out msg nelems") << elementsOf(call.outputs);
    number(separator, "Group size") << group.ranks.size();
    number(separator, "dtype");
    text(call.inputs.empty() ? (call.outputs.empty() ? "" : call.outputs.front().dtype) : call.inputs.front().dtype);
    number(separator, "Process Group Name");
    text(group.name);
    number(separator, "Process Group Ranks");
    std::vector<std::string> ranks;
    for (int64_t rank : group.ranks)
      ranks.push_back(std::to_string(rank));
    text("[" + llvm::join(ranks, ", ") + "]");
    number(separator, "Rank") << record.rank;
    number(separator, "Seq") << call.sequence;
  }

  static llvm::format_object<int64_t, int64_t> microseconds(int64_t nanoseconds) {
    return llvm::format("%" PRId64 ".%03" PRId64, nanoseconds / 1000, nanoseconds % 1000);
  }

  llvm::raw_ostream &os_;
  llvm::ArrayRef<FlightRecord> records_;
  Separator events_{","};
  int64_t begin_ = 0;
};

} // namespace

void writeTrace(llvm::raw_ostream &os, llvm::ArrayRef<FlightRecord> records) { TraceWriter(os, records).write(); }

} // namespace ccgraph
