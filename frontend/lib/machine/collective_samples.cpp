#include "ccgraph/frontend/collective_samples_file.h"

#include "machine/json_times.h"
#include "profile/profiler_words.h"
#include "json/json_report.h"

#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <set>

namespace ccgraph {
namespace {

constexpr size_t errorLimit = 20;

// --- nccl-tests ------------------------------------------------------------------------------------------------------

/// Returns the kind of "build/all_gather_perf"; nothing for kinds that graphs do not have.
std::optional<CollectiveKind> kindOfProgram(llvm::StringRef name) {
  name = name.substr(name.rfind('/') + 1);
  return llvm::StringSwitch<std::optional<CollectiveKind>>(name.substr(0, name.find("_perf")))
      .Case("all_reduce", CollectiveKind::AllReduce)
      .Case("all_gather", CollectiveKind::AllGather)
      .Case("reduce_scatter", CollectiveKind::ReduceScatter)
      .Case("alltoall", CollectiveKind::AllToAll)
      .Case("broadcast", CollectiveKind::Broadcast)
      .Case("scatter", CollectiveKind::Scatter)
      .Case("sendrecv", CollectiveKind::Send)
      .Default(std::nullopt);
}

/// Reads one file, which is one program on one set of GPUs. "devices" lists one GPU of each process.
class NcclTestsReader {
public:
  explicit NcclTestsReader(JsonReport &report) : report_(report) {}

  void readMember(const JsonValue &member) {
    if (member.key == "args" && member.first)
      kind_ = kindOfProgram(member.first->text);
    if (member.key == "config")
      readConfig(member);
  }

  void readResult(const JsonValue &result) {
    const JsonValue *size = result.member("size");
    const JsonValue *run = result.member("out_of_place");
    if (!run || !run->is(JsonKind::Object))
      run = result.member("in_place");
    const auto time = run ? picosecondsOf(run->member("time"), picosecondsOfMicrosecond) : std::nullopt;
    if (!size || !size->is(JsonKind::Integer) || size->integer < 0 || !time)
      return report_.expected(result, "a result with 'size' in bytes and 'out_of_place' with 'time' in microseconds",
                              "nccl-tests writes these with -J; CPU times (-C 1) are no times of the collective");
    sizes_.push_back({CollectiveKind::AllReduce, 0, 1, size->integer, *time});
  }

  std::vector<CollectiveSample> take() {
    if (!kind_)
      return {};
    for (CollectiveSample &sample : sizes_) {
      sample.kind = *kind_;
      sample.ranks = ranks_;
      sample.nodes = nodes_;
    }
    return std::move(sizes_);
  }

private:
  void readConfig(const JsonValue &config) {
    auto count = [&](llvm::StringRef key) {
      const JsonValue *value = config.member(key);
      return value && value->is(JsonKind::Integer) && value->integer > 0 ? value->integer : int64_t(1);
    };
    llvm::StringSet<> hosts;
    int64_t processes = 0;
    if (const JsonValue *devices = config.member("devices"))
      for (const JsonValue &device : devices->elements()) {
        ++processes;
        if (const JsonValue *host = device.member("hostname"))
          hosts.insert(host->text);
      }
    ranks_ = std::max<int64_t>(1, processes) * count("nthreads") * count("ngpus");
    nodes_ = std::max<int64_t>(1, hosts.size());
  }

  JsonReport &report_;
  std::optional<CollectiveKind> kind_;
  int64_t ranks_ = 1;
  int64_t nodes_ = 1;
  std::vector<CollectiveSample> sizes_;
};

// --- Kineto ----------------------------------------------------------------------------------------------------------

/// Returns the number of nodes of ranks such as "[0, 1, 2, 3]"; nothing where the list is cut off.
std::optional<int64_t> nodesOf(llvm::StringRef ranks, int64_t ranksPerNode) {
  std::set<int64_t> nodes;
  for (int64_t rank : ranksOfRecord(ranks))
    nodes.insert(rank / ranksPerNode);
  return nodes.empty() ? std::nullopt : std::optional(static_cast<int64_t>(nodes.size()));
}

class KinetoReader {
public:
  explicit KinetoReader(int64_t ranksPerNode) : ranksPerNode_(ranksPerNode) {}

  /// Events without all members of a collective are other kernels, and no errors.
  void readEvent(const JsonValue &event) {
    const JsonValue *args = event.member("args");
    const JsonValue *category = event.member("cat");
    const auto time = picosecondsOf(event.member("dur"), picosecondsOfMicrosecond);
    if (!args || !category || category->text != "kernel" || !time)
      return;
    if (auto sample = sampleOf(*args)) {
      sample->picoseconds = *time;
      samples_.push_back(*sample);
    }
  }
  std::vector<CollectiveSample> take() { return std::move(samples_); }

private:
  [[nodiscard]] std::optional<CollectiveSample> sampleOf(const JsonValue &args) const {
    auto text = [&](llvm::StringRef key) {
      const JsonValue *value = args.member(key);
      return value ? value->text : llvm::StringRef();
    };
    auto count = [&](llvm::StringRef key) {
      const JsonValue *value = args.member(key);
      return value && value->is(JsonKind::Integer) ? value->integer : int64_t(-1);
    };
    const auto kind = kindOfRecord(text("Collective name"));
    const auto dtype = parseScalarType(text("dtype"));
    const int64_t elements = std::max(count("In msg nelems"), count("Out msg nelems"));
    const int64_t ranks = count("Group size");
    constexpr int64_t mostElements = int64_t(1) << 48;
    if (!kind || !dtype || elements < 0 || elements > mostElements || ranks < 1)
      return std::nullopt;
    const int64_t nodes =
        nodesOf(text("Process Group Ranks"), ranksPerNode_).value_or((ranks + ranksPerNode_ - 1) / ranksPerNode_);
    return CollectiveSample{*kind, ranks, nodes, elements * sizeInBytes(*dtype), 0};
  }

  int64_t ranksPerNode_;
  std::vector<CollectiveSample> samples_;
};

llvm::Expected<std::vector<CollectiveSample>> finish(const SourceText &source, JsonReport &report, llvm::Error syntax,
                                                     std::vector<CollectiveSample> samples) {
  if (llvm::Error error = report.take(std::move(syntax)))
    return error;
  if (samples.empty())
    return makeError(
        diagnoseAt(source, 0, "expected timed collectives, got none that a graph may hold",
                   "give what nccl-tests writes with -J, or a trace of PyTorch's profiler with NCCL kernels"));
  return samples;
}

} // namespace

llvm::Expected<std::vector<CollectiveSample>> readCollectiveSamples(const SourceText &source, int64_t ranksPerNode) {
  JsonReport report(source, errorLimit);
  const TimedFormat format = timedFormat(source.text);
  if (format == TimedFormat::Kineto) {
    KinetoReader reader(ranksPerNode);
    ElementSink sink(
        "traceEvents", [&](const JsonValue &event) { reader.readEvent(event); }, [](const JsonValue &) {});
    llvm::Error syntax = parseJson(source, sink);
    return finish(source, report, std::move(syntax), reader.take());
  }
  if (format == TimedFormat::NcclTests) {
    NcclTestsReader reader(report);
    ElementSink sink(
        "results", [&](const JsonValue &result) { reader.readResult(result); },
        [&](const JsonValue &member) { reader.readMember(member); });
    llvm::Error syntax = parseJson(source, sink);
    return finish(source, report, std::move(syntax), reader.take());
  }
  return makeError(diagnoseAt(source, 0, "this is no file of timed collectives",
                              "ccgraph reads files that nccl-tests writes with -J, and traces of PyTorch's profiler"));
}

} // namespace ccgraph
