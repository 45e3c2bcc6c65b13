// Trace files: measured or predicted runs as a Chrome trace, for Perfetto, chrome://tracing and HTA.
//
// A process is a rank or a graph; a thread is a stream or a host. Communication has the names of NCCL's kernels
// ("ncclDevKernel_AllReduce_Sum_f32") and the arguments of PyTorch's profiler, because HTA uses both to separate
// communication from computation. Other steps have the names of their nodes.
//
// HTA treats a slice with an argument `stream` as a kernel, and pairs it with the slice without `stream` that has the
// same `correlation`. It rounds to microseconds unless HTA_DISABLE_NS_ROUNDING is set.
//
// Ownership: the writer borrows its stream and copies nothing. Failure: none; errors of the system stay in the stream.
// Cost: linear in the output.
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

/// The thread and process of an event.
struct TraceThread {
  int64_t process = 0;
  int64_t thread = 0;
};

/// An event with a duration, in nanoseconds.
struct TraceSlice {
  llvm::StringRef name;
  /// "kernel", "cuda_runtime"
  llvm::StringRef category;
  int64_t begin = 0;
  int64_t end = 0;
};

enum class FlowPoint : uint8_t { Start, Step, Finish };

/// Writes a trace event by event, in any order. Threads need no name. The text is complete after finish().
class TraceWriter {
public:
  /// `about` lists members of the file besides its events; a text among them is written unchanged, as JSON.
  explicit TraceWriter(llvm::raw_ostream &os, llvm::ArrayRef<TraceArgument> about = {});
  /// Names a process. Viewers sort processes by number.
  void process(int64_t process, llvm::StringRef name);
  void thread(TraceThread at, llvm::StringRef name);
  void slice(TraceThread at, const TraceSlice &slice, llvm::ArrayRef<TraceArgument> arguments = {});
  /// Draws an arrow through the slices that run at these times in these threads; all its points have one number.
  void flow(TraceThread at, FlowPoint point, int64_t number, int64_t nanoseconds);
  /// Sets the counter of the process to this value from this time on.
  void counter(int64_t process, llvm::StringRef name, int64_t nanoseconds, int64_t value);
  /// Completes the text and ends it with a newline.
  void finish();

private:
  llvm::raw_ostream &event();
  void head(TraceThread at, llvm::StringRef phase, llvm::StringRef name);
  void name(TraceThread at, llvm::StringRef what, llvm::StringRef name);
  void members(llvm::ArrayRef<TraceArgument> arguments);
  llvm::raw_ostream &os_;
  bool first_ = true;
};

/// Returns "ncclDevKernel_AllReduce_Sum_f32" for an operation "all_reduce", a detail "sum" or "", and a dtype or "".
[[nodiscard]] std::string ncclKernelName(llvm::StringRef operation, llvm::StringRef detail, llvm::StringRef dtype);

/// Writes a run: a process a rank, a thread a stream, a slice for each completed step. Times count from the first step.
void writeTrace(llvm::raw_ostream &os, llvm::ArrayRef<FlightRecord> records);

} // namespace ccgraph
