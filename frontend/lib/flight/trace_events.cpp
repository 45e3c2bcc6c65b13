#include "ccgraph/frontend/trace_file.h"

#include "json/json_text.h"
#include "json/separator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cinttypes>

namespace ccgraph {
namespace {

/// Returns "AllReduce" for "all_reduce".
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

llvm::format_object<int64_t, int64_t> microseconds(int64_t nanoseconds) {
  return llvm::format("%" PRId64 ".%03" PRId64, nanoseconds / 1000, nanoseconds % 1000);
}

llvm::StringRef phaseOf(FlowPoint point) {
  switch (point) {
  case FlowPoint::Start:
    return "s";
  case FlowPoint::Step:
    return "t";
  case FlowPoint::Finish:
    return "f";
  }
  llvm_unreachable("no such point");
}

} // namespace

std::string ncclKernelName(llvm::StringRef operation, llvm::StringRef detail, llvm::StringRef dtype) {
  std::string name = "ncclDevKernel_" + camelCase(operation);
  if (!detail.empty())
    name += "_" + camelCase(detail);
  return name + (dtype.empty() ? "" : ("_" + dtype).str());
}

TraceWriter::TraceWriter(llvm::raw_ostream &os, llvm::ArrayRef<TraceArgument> about) : os_(os) {
  os_ << "{\"displayTimeUnit\": \"ns\", ";
  for (const TraceArgument &member : about) {
    os_ << '"' << member.name << "\": ";
    std::visit([&](auto value) { os_ << value << ", "; }, member.value);
  }
  os_ << "\"traceEvents\": [";
}

llvm::raw_ostream &TraceWriter::event() {
  os_ << (first_ ? "\n" : ",\n");
  first_ = false;
  return os_;
}

void TraceWriter::head(TraceThread at, llvm::StringRef phase, llvm::StringRef name) {
  event() << R"({"ph": ")" << phase << R"(", "name": )";
  writeJsonString(os_, name);
  os_ << ", \"pid\": " << at.process << ", \"tid\": " << at.thread;
}

void TraceWriter::members(llvm::ArrayRef<TraceArgument> arguments) {
  Separator separator;
  os_ << ", \"args\": {";
  for (const TraceArgument &argument : arguments) {
    os_ << separator.next() << '"' << argument.name << "\": ";
    if (const int64_t *number = std::get_if<int64_t>(&argument.value))
      os_ << *number;
    else
      writeJsonString(os_, std::get<llvm::StringRef>(argument.value));
  }
  os_ << '}';
}

void TraceWriter::name(TraceThread at, llvm::StringRef what, llvm::StringRef name) {
  head(at, "M", what);
  members({{"name", name}});
  os_ << '}';
}

void TraceWriter::process(int64_t process, llvm::StringRef processName) {
  name({process, 0}, "process_name", processName);
  head({process, 0}, "M", "process_sort_index");
  members({{"sort_index", process}});
  os_ << '}';
}

void TraceWriter::thread(TraceThread at, llvm::StringRef threadName) {
  name(at, "thread_name", threadName);
  head(at, "M", "thread_sort_index");
  members({{"sort_index", at.thread}});
  os_ << '}';
}

void TraceWriter::slice(TraceThread at, const TraceSlice &slice, llvm::ArrayRef<TraceArgument> arguments) {
  head(at, "X", slice.name);
  os_ << ", \"cat\": \"" << slice.category << "\", \"ts\": " << microseconds(slice.begin)
      << ", \"dur\": " << microseconds(slice.end - slice.begin);
  if (!arguments.empty())
    members(arguments);
  os_ << '}';
}

void TraceWriter::flow(TraceThread at, FlowPoint point, int64_t number, int64_t nanoseconds) {
  head(at, phaseOf(point), "flight");
  os_ << R"(, "cat": "flight", "id": )" << number << ", \"ts\": " << microseconds(nanoseconds)
      << (point == FlowPoint::Finish ? ", \"bp\": \"e\"}" : "}");
}

void TraceWriter::counter(int64_t process, llvm::StringRef counterName, int64_t nanoseconds, int64_t value) {
  head({process, 0}, "C", counterName);
  os_ << ", \"ts\": " << microseconds(nanoseconds);
  members({{"bytes", value}});
  os_ << '}';
}

void TraceWriter::finish() { os_ << "\n]}\n"; }

} // namespace ccgraph
