#include "ccgraph/frontend/profile_file.h"

#include "profile/profiler_words.h"
#include "json/element_sink.h"
#include "json/json_report.h"

#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <map>

namespace ccgraph {
namespace {

constexpr size_t profileErrorLimit = 20;

std::optional<ProfileEventKind> kindOfCategory(llvm::StringRef category) {
  return llvm::StringSwitch<std::optional<ProfileEventKind>>(category)
      .Case("cpu_op", ProfileEventKind::Operator)
      .Case("user_annotation", ProfileEventKind::Annotation)
      .Cases("cuda_runtime", "cuda_driver", "hip_runtime", ProfileEventKind::Launch)
      .Case("kernel", ProfileEventKind::Kernel)
      .Cases("gpu_memcpy", "gpu_memset", ProfileEventKind::Copy)
      .Default(std::nullopt);
}

/// Returns microseconds as whole nanoseconds; nothing for other values and for those that do not fit.
std::optional<int64_t> nanosecondsOf(const JsonValue *value) {
  constexpr double perMicrosecond = 1e3, most = 4e18;
  const std::optional<double> number = numberOf(value);
  if (!number || !(std::fabs(*number) * perMicrosecond < most))
    return std::nullopt;
  return static_cast<int64_t>(std::llround(*number * perMicrosecond));
}

std::optional<int64_t> integerOf(const JsonValue *value) {
  return value && value->is(JsonKind::Integer) ? std::optional(value->integer) : std::nullopt;
}

llvm::StringRef profileText(const JsonValue *value) {
  return value && value->is(JsonKind::String) ? value->text : llvm::StringRef();
}

/// Returns the arguments of a collective; nothing for any other event.
std::optional<ProfiledCollective> collectiveOf(const JsonValue *args, llvm::StringRef eventName) {
  ProfiledCollective found;
  for (llvm::StringRef backend : {"gloo:", "nccl:", "xccl:", "hccl:", "mpi:"})
    if (eventName.consume_front(backend))
      found.kind = kindOfRecord(eventName);
  const JsonValue *name = args ? args->member("Collective name") : nullptr;
  if (name)
    found.kind = kindOfRecord(profileText(name));
  if (!found.kind)
    return std::nullopt;
  if (!args)
    return found;
  found.group = profileText(args->member("Process Group Name")).str();
  found.ranks = ranksOfRecord(profileText(args->member("Process Group Ranks")));
  found.groupSize = std::max<int64_t>(0, integerOf(args->member("Group size")).value_or(0));
  found.sequence = integerOf(args->member("Seq"));
  const int64_t elements = std::max(integerOf(args->member("In msg nelems")).value_or(-1),
                                    integerOf(args->member("Out msg nelems")).value_or(-1));
  constexpr int64_t mostElements = int64_t(1) << 48;
  const llvm::StringRef dtypeName = profileText(args->member("dtype"));
  const std::optional<DType> own = parseShortDType(dtypeName);
  const std::optional<DType> dtype = own ? own : parseScalarType(dtypeName);
  if (dtype && elements >= 0 && elements <= mostElements)
    found.bytes = elements * sizeInBytes(*dtype);
  return found;
}

class ProfileReader {
public:
  ProfileReader(const SourceText &source, JsonReport &report) : source_(source), report_(report) {}

  void readEvent(const JsonValue &event) {
    if (!event.is(JsonKind::Object))
      return report_.expected(event, "an event, which is an object");
    const llvm::StringRef phase = profileText(event.member("ph"));
    if (phase == "M")
      return readMetadata(event);
    const auto kind = kindOfCategory(profileText(event.member("cat")));
    if (phase == "X" && kind)
      addEvent(event, *kind);
  }

  void readMember(const JsonValue &member) {
    if (member.key != "distributedInfo" || !member.is(JsonKind::Object))
      return;
    rank_ = integerOf(member.member("rank"));
    if (const JsonValue *groups = member.member("pg_config"))
      for (const JsonValue &group : groups->elements())
        addGroup(group);
  }

  std::vector<RankProfile> take() {
    std::vector<RankProfile> profiles;
    for (auto &[process, builder] : builders_) {
      RankProfile &profile = builder.profile;
      if (profile.events.empty())
        continue;
      profile.origin = source_.name;
      profile.rank = isOwn_ ? ranks_[process] : rank_;
      profile.groups = groups_;
      llvm::stable_sort(profile.events, [](const ProfileEvent &a, const ProfileEvent &b) {
        return std::pair(a.begin, -a.end) < std::pair(b.begin, -b.end);
      });
      profiles.push_back(std::move(profile));
    }
    return profiles;
  }

private:
  struct Builder {
    RankProfile profile;
    llvm::StringMap<uint32_t> names;
    uint32_t nameIndex(llvm::StringRef name) {
      auto [place, added] = names.try_emplace(name, static_cast<uint32_t>(profile.names.size()));
      if (added)
        profile.names.push_back(name.str());
      return place->second;
    }
  };

  /// ccgraph-run calls the process of each rank "rank N", before the events of the rank.
  void readMetadata(const JsonValue &event) {
    const JsonValue *args = event.member("args");
    llvm::StringRef name = args ? profileText(args->member("name")) : llvm::StringRef();
    int64_t rank = 0;
    if (profileText(event.member("name")) != "process_name" || !name.consume_front("rank ") ||
        name.getAsInteger(10, rank))
      return;
    isOwn_ = true;
    ranks_[integerOf(event.member("pid")).value_or(0)] = rank;
  }

  void addGroup(const JsonValue &group) {
    ProfiledGroup found{profileText(group.member("pg_name")).str(), {}};
    if (const JsonValue *ranks = group.member("ranks"))
      for (const JsonValue &rank : ranks->elements())
        if (auto number = integerOf(&rank))
          found.ranks.push_back(*number);
    if (!found.ranks.empty())
      groups_.push_back(std::move(found));
  }

  void addEvent(const JsonValue &event, ProfileEventKind kind) {
    const JsonValue *name = event.member("name");
    const auto begin = nanosecondsOf(event.member("ts"));
    const auto duration = nanosecondsOf(event.member("dur"));
    if (!name || !name->is(JsonKind::String) || !begin || !duration || *duration < 0)
      return report_.expected(event, "an event with 'name', and 'ts' and 'dur' in microseconds",
                              "torch.profiler writes such events with export_chrome_trace");
    const JsonValue *args = event.member("args");
    Builder &builder = builders_[isOwn_ ? integerOf(event.member("pid")).value_or(0) : 0];
    ProfileEvent made{builder.nameIndex(name->text), kind};
    made.begin = *begin;
    made.end = *begin + *duration;
    made.lane = laneOf(event, args, kind, builder);
    made.correlation = integerOf(args ? args->member("correlation") : nullptr).value_or(noCorrelation);
    if (llvm::StringRef node = args ? profileText(args->member("node")) : llvm::StringRef(); !node.empty())
      made.node = static_cast<int32_t>(builder.nameIndex(node));
    if (kind == ProfileEventKind::Kernel || kind == ProfileEventKind::Annotation)
      if (auto collective = collectiveOf(args, name->text)) {
        made.collective = static_cast<int32_t>(builder.profile.collectives.size());
        builder.profile.collectives.push_back(std::move(*collective));
      }
    builder.profile.events.push_back(made);
  }

  /// Older traces write "stream 7" as the thread.
  static int64_t laneOf(const JsonValue &event, const JsonValue *args, ProfileEventKind kind, Builder &builder) {
    const bool onDevice = kind == ProfileEventKind::Kernel || kind == ProfileEventKind::Copy;
    if (auto stream = integerOf(onDevice && args ? args->member("stream") : nullptr))
      return *stream;
    const JsonValue *thread = event.member("tid");
    if (auto number = integerOf(thread))
      return *number;
    return -1 - static_cast<int64_t>(builder.nameIndex(profileText(thread)));
  }

  const SourceText &source_;
  JsonReport &report_;
  std::optional<int64_t> rank_;
  std::vector<ProfiledGroup> groups_;
  std::map<int64_t, Builder> builders_; ///< by process if ccgraph-run wrote the trace
  std::map<int64_t, int64_t> ranks_;    ///< by process
  bool isOwn_ = false;
};

/// Returns whether the events of a profile lie within 11 days, so that no sum of their times overflows.
bool isOfOneRun(const RankProfile &profile) {
  constexpr int64_t longestRun = 1'000'000'000'000'000;
  const int64_t first = profile.events.front().begin;
  return llvm::all_of(profile.events, [&](const ProfileEvent &event) {
    return event.begin / 2 - first / 2 < longestRun / 2 && event.end - event.begin < longestRun;
  });
}

} // namespace

bool isProfile(llvm::StringRef text) { return text.contains("\"traceEvents\""); }

llvm::Expected<std::vector<RankProfile>> readProfiles(const SourceText &source) {
  JsonReport report(source, profileErrorLimit);
  ProfileReader reader(source, report);
  ElementSink sink(
      "traceEvents", [&](const JsonValue &event) { reader.readEvent(event); },
      [&](const JsonValue &member) { reader.readMember(member); });
  if (llvm::Error error = report.take(parseJson(source, sink)))
    return error;
  if (!sink.found())
    return makeError(diagnoseAt(source, 0, "this is no trace of PyTorch's profiler: it has no list 'traceEvents'",
                                "give what torch.profiler writes with export_chrome_trace"));
  std::vector<RankProfile> profiles = reader.take();
  if (profiles.empty())
    return makeError(diagnoseAt(source, 0, "this trace has no event of an operator or a kernel",
                                "profile with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"));
  if (!llvm::all_of(profiles, isOfOneRun))
    return makeError(diagnoseAt(source, 0, "the events of this trace lie more than 11 days apart",
                                "a trace has the times of one run in microseconds"));
  return profiles;
}

} // namespace ccgraph
