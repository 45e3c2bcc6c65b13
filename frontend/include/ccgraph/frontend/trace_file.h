// Trace files: what happened, or is expected to, as a Chrome trace, for Perfetto, chrome://tracing and HTA.
//
// A process is a rank or a program, a thread a stream or a host. Communication has the names that NCCL's kernels have
// ("ncclDevKernel_AllReduce_Sum_f32") and the arguments that PyTorch's profiler gives them, because that is how HTA tells it from
// computation; other steps have the names of their nodes.
//
// HTA takes for a kernel what has an argument `stream`, and pairs it with the slice without one that has the same `correlation`. It
// rounds to microseconds unless HTA_DISABLE_NS_ROUNDING is set.
//
// Ownership: the writer borrows its stream and copies nothing. Failure: none; the stream keeps what the system said. Cost: linear in
// what is written.
#pragma once

#include "ccgraph/ir/flight_record.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <variant>

namespace ccgraph {

struct TraceArgument {
  llvm::StringRef name;
  std::variant<int64_t, llvm::StringRef> value;
};

/// Which thread of which process.
struct TraceLane {
  int64_t process = 0;
  int64_t thread = 0;
};

/// Something that takes time. Nanoseconds.
struct TraceSlice {
  llvm::StringRef name;
  /// "kernel", "cuda_runtime"
  llvm::StringRef category;
  int64_t begin = 0;
  int64_t end = 0;
};

enum class FlowPoint : uint8_t { Start, Step, Finish };

/// Writes a trace event by event, in any order; lanes need no name. The text is whole after finish().
class TraceWriter {
public:
  /// `about` are members of the file besides its events; a text among them stands as it is, which is JSON.
  explicit TraceWriter(llvm::raw_ostream &os, llvm::ArrayRef<TraceArgument> about = {});
  /// Processes stand in the order of their numbers.
  void process(int64_t process, llvm::StringRef name);
  void thread(TraceLane lane, llvm::StringRef name);
  void slice(TraceLane lane, const TraceSlice &slice, llvm::ArrayRef<TraceArgument> arguments = {});
  /// An arrow through the slices that run at these times in these lanes; one number for all its points.
  void flow(TraceLane lane, FlowPoint point, int64_t number, int64_t nanoseconds);
  /// From this time on the counter of the process has this value.
  void counter(int64_t process, llvm::StringRef name, int64_t nanoseconds, int64_t value);
  /// Ends in a newline.
  void finish();

private:
  llvm::raw_ostream &event();
  void head(TraceLane lane, llvm::StringRef phase, llvm::StringRef name);
  void name(TraceLane lane, llvm::StringRef what, llvm::StringRef name);
  void members(llvm::ArrayRef<TraceArgument> arguments);
  llvm::raw_ostream &os_;
  bool first_ = true;
};

/// "ncclDevKernel_AllReduce_Sum_f32" of an operation "all_reduce", a detail "sum" or "", and a dtype or "".
[[nodiscard]] std::string ncclKernelName(llvm::StringRef operation, llvm::StringRef detail, llvm::StringRef dtype);

/// A run: a process a rank, a thread a stream, a slice for each step that has ended; times from the first step on.
void writeTrace(llvm::raw_ostream &os, llvm::ArrayRef<FlightRecord> records);

} // namespace ccgraph
