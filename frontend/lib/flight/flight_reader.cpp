#include "ccgraph/frontend/flight_file.h"

#include "ccgraph/ir/text.h"
#include "flight/flight_words.h"
#include "flight/pickle_or_json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

namespace ccgraph {
namespace {

/// Returns the last number in a file's name, whatever its extension.
std::optional<int64_t> rankInName(llvm::StringRef file) {
  llvm::StringRef name = file.substr(file.rfind('/') + 1);
  size_t end = name.find_last_of("0123456789");
  if (end == llvm::StringRef::npos)
    return std::nullopt;
  size_t begin = end;
  while (begin > 0 && llvm::isDigit(name[begin - 1]))
    --begin;
  int64_t rank = 0;
  return name.slice(begin, end + 1).getAsInteger(10, rank) ? std::nullopt : std::optional(rank);
}

/// Parses "[0, 1]", PyTorch's form of ranks.
std::optional<std::vector<int64_t>> parseRanks(llvm::StringRef text) {
  if (!text.consume_front("[") || !text.consume_back("]"))
    return std::nullopt;
  std::vector<int64_t> ranks;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words)
    if (int64_t rank = 0; !word.trim().getAsInteger(10, rank) && rank >= 0)
      ranks.push_back(rank);
    else
      return std::nullopt;
  return ranks;
}

class FlightReader {
public:
  explicit FlightReader(ReportExpected expected) : expected_(std::move(expected)) {}

  void read(const JsonValue &root) {
    if (!root.is(JsonKind::Object))
      return expected_(root, "a flight record: an object with 'entries' and 'pg_config'");
    own_ = root.member("format") != nullptr;
    if (own_ && !isOurs(root))
      return;
    readOwn(root);
    const JsonValue *entries = root.member("entries");
    if (!entries || !entries->is(JsonKind::Array))
      return expected_(entries ? *entries : root, "'entries' as a list");
    readStatus(root);
    readConfig(root);
    for (const JsonValue &entry : entries->elements())
      readEntry(entry);
    addSilentGroups();
  }
  FlightRecord take() { return std::move(record_); }
  /// Returns whether the file states its rank.
  [[nodiscard]] bool hasRank() const { return hasRank_; }

private:
  // --- Typed look-ups ---------------------------------------------------------------------------------------
  /// Returns a required member.
  std::optional<int64_t> integer(const JsonValue &object, llvm::StringRef name) {
    const JsonValue *value = object.member(name);
    if (value && value->is(JsonKind::Integer))
      return value->integer;
    expected_(value ? *value : object, "'" + name.str() + "' as a whole number");
    return std::nullopt;
  }
  std::optional<llvm::StringRef> string(const JsonValue &object, llvm::StringRef name) {
    const JsonValue *value = object.member(name);
    if (value && value->is(JsonKind::String))
      return value->text;
    expected_(value ? *value : object, "'" + name.str() + "' as a string");
    return std::nullopt;
  }
  /// Returns null where the member is absent or None; reports an error where it has another kind.
  const JsonValue *optional(const JsonValue &object, llvm::StringRef name, JsonKind kind, const char *what) {
    const JsonValue *value = object.member(name);
    if (!value || value->is(JsonKind::Null))
      return nullptr;
    if (value->is(kind))
      return value;
    expected_(*value, "'" + name.str() + "' as " + what);
    return nullptr;
  }
  /// Returns 0 where the member is absent or None.
  int64_t number(const JsonValue &object, llvm::StringRef name) {
    const JsonValue *value = optional(object, name, JsonKind::Integer, "a whole number");
    return value ? value->integer : 0;
  }
  bool isTrue(const JsonValue &object, llvm::StringRef name) {
    const JsonValue *value = optional(object, name, JsonKind::Bool, "true or false");
    return value && value->boolean;
  }
  std::string textOf(const JsonValue &object, llvm::StringRef name) {
    const JsonValue *value = optional(object, name, JsonKind::String, "a string");
    return value ? visibleText(value->text) : ""; // because it is printed
  }
  std::vector<const JsonValue *> listOf(const JsonValue &object, llvm::StringRef name) {
    std::vector<const JsonValue *> elements;
    if (const JsonValue *list = optional(object, name, JsonKind::Array, "a list"))
      for (const JsonValue &element : list->elements())
        elements.push_back(&element);
    return elements;
  }

  // --- The record -------------------------------------------------------------------------------------------
  bool isOurs(const JsonValue &root) {
    bool known = textOf(root, "format") == "ccgraph.flight";
    if (!known)
      expected_(*root.member("format"), "the format ccgraph.flight");
    const JsonValue *version = root.member("format_version");
    bool readable = version && version->is(JsonKind::String) && version->text.startswith("1.");
    if (known && !readable)
      expected_(version ? *version : root, "'format_version' 1.0, or a newer one of the same major number");
    return known && readable;
  }

  void readOwn(const JsonValue &root) {
    if (!own_)
      return;
    if (std::optional<int64_t> rank = integer(root, "rank")) {
      record_.rank = *rank;
      hasRank_ = true;
      if (*rank < 0)
        expected_(*root.member("rank"), "a rank from 0 on");
    }
    if (std::optional<int64_t> size = integer(root, "world_size"); size && (*size < 0 || *size > mostRanks))
      expected_(*root.member("world_size"), "at most " + std::to_string(mostRanks) + " ranks");
    else
      record_.worldSize = size.value_or(0);
    record_.engine = textOf(root, "engine");
    record_.graphDigest = textOf(root, "graph_digest");
    record_.busyWith = textOf(root, "busy_with");
    record_.taken = number(root, "time_taken_ns");
    record_.forgottenCalls = number(root, "forgotten_calls");
    record_.forgottenSteps = number(root, "forgotten_steps");
    if (std::optional<llvm::StringRef> word = string(root, "activity")) {
      std::optional<RankActivity> activity = parseActivity(*word);
      if (!activity)
        expected_(*root.member("activity"), "busy, waiting, ended or unknown");
      record_.activity = activity.value_or(RankActivity::Unknown);
    }
    for (const JsonValue *step : listOf(root, "steps"))
      readStep(*step);
  }

  void readStep(const JsonValue &step) {
    FlightStep read;
    read.position = integer(step, "position").value_or(0);
    read.name = visibleText(string(step, "name").value_or(""));
    read.operation = textOf(step, "operation");
    read.communicates = isTrue(step, "communicates");
    read.stream = textOf(step, "stream");
    read.times.started = number(step, "time_started_ns");
    read.times.completed = number(step, "time_completed_ns");
    record_.steps.push_back(std::move(read));
  }

  // --- Groups -----------------------------------------------------------------------------------------------
  size_t groupOf(llvm::StringRef name, llvm::StringRef description) {
    auto found = llvm::find_if(record_.groups, [&](const FlightGroup &group) { return group.name == name; });
    if (found == record_.groups.end())
      found = record_.groups.insert(found, {visibleText(name), visibleText(description), {}});
    if (found->description.empty())
      found->description = visibleText(description);
    return static_cast<size_t>(found - record_.groups.begin());
  }

  // A gloo group does not list its members: it files one entry under "" for all of them, which is no group of any
  // entry.
  void readConfig(const JsonValue &root) {
    const JsonValue *config = root.member("pg_config");
    if (!config || !config->is(JsonKind::Object))
      return expected_(config ? *config : root, "'pg_config' as an object");
    for (const JsonValue &entry : config->elements()) {
      std::string name = textOf(entry, "name");
      if (entry.key.empty() && name.empty())
        continue;
      size_t group = groupOf(name.empty() ? entry.key : llvm::StringRef(name), textOf(entry, "desc"));
      readRanks(entry, record_.groups[group]);
    }
  }

  void readRanks(const JsonValue &entry, FlightGroup &group) {
    std::optional<llvm::StringRef> text = string(entry, "ranks");
    if (!text)
      return;
    std::optional<std::vector<int64_t>> ranks = parseRanks(*text);
    if (!ranks)
      return expected_(*entry.member("ranks"), "ranks like \"[0, 1]\"");
    group.ranks = std::move(*ranks);
  }

  void readStatus(const JsonValue &root) {
    if (const JsonValue *status = optional(root, "pg_status", JsonKind::Object, "an object"))
      for (const JsonValue &group : status->elements())
        lastCompleted_[group.key.str()] = statusNumber(group);
  }

  /// PyTorch's JSON writes this number as a string.
  int64_t statusNumber(const JsonValue &group) {
    if (!group.is(JsonKind::Object))
      expected_(group, "the status of a group as an object");
    const JsonValue *value = group.member("last_completed_collective");
    int64_t last = -1;
    if (value && value->is(JsonKind::String) && !value->text.getAsInteger(10, last))
      return last;
    return number(group, "last_completed_collective");
  }

  /// A rank may be a member of a group on which it has launched nothing; then the group appears only in the status, by
  /// its number.
  void addSilentGroups() {
    for (const auto &[id, last] : lastCompleted_)
      if (!own_ && named_.count(id) == 0)
        (void)groupOf(id, "");
  }

  // --- Calls ------------------------------------------------------------------------------------------------
  void readEntry(const JsonValue &entry) {
    if (!entry.is(JsonKind::Object))
      return expected_(entry, "an entry as an object");
    FlightCall call;
    const JsonValue *group = entry.member("process_group");
    if (!group || !group->is(JsonKind::Array) || group->count != 2 || !group->first->is(JsonKind::String) ||
        !group->first->next->is(JsonKind::String))
      return expected_(group ? *group : entry, "'process_group' as name and description");
    call.group = groupOf(group->first->text, group->first->next->text);
    const JsonValue *id = optional(entry, "pg_id", JsonKind::Integer, "a whole number");
    std::string groupId = id ? std::to_string(id->integer) : "";
    named_.insert(groupId);
    std::optional<llvm::StringRef> name = string(entry, "profiling_name");
    if (!name || !readOperation(entry, *name, call))
      return;
    readSequence(entry, call);
    readTensors(entry, "input", call.inputs);
    readTensors(entry, "output", call.outputs);
    readState(entry, groupId, call);
    call.times = {number(entry, "time_created_ns"), number(entry, "time_discovered_started_ns"),
                  number(entry, "time_discovered_completed_ns")};
    readOwn(entry, call);
    if (!own_ && record_.calls.empty())
      record_.forgottenCalls = number(entry, "record_id");
    record_.calls.push_back(std::move(call));
  }

  /// Parses "nccl:all_reduce", "nccl:send 0->1", "gloo:recv 1<-?". Returns false where the peer of the operation is
  /// unknown.
  bool readOperation(const JsonValue &entry, llvm::StringRef name, FlightCall &call) {
    auto [library, operation] = name.rsplit(':');
    if (operation.empty()) {
      expected_(*entry.member("profiling_name"), "a name like \"nccl:all_reduce\"");
      return false;
    }
    if (record_.engine.empty())
      record_.engine = visibleText(library);
    auto [word, ends] = operation.split(' ');
    call.operation = visibleText(word);
    if (word != "send" && word != "recv")
      return true;
    auto [me, peer] = ends.split(word == "send" ? "->" : "<-");
    if (peer == "?")
      return false;
    int64_t rank = 0;
    if (peer.getAsInteger(10, rank) || rank < 0) {
      expected_(*entry.member("profiling_name"), "a transfer like \"nccl:send 0->1\"");
      return false;
    }
    call.peer = rank;
    return true;
  }

  // PyTorch numbers the transfers of a group together, so the transfers of each channel are counted here. This is
  // correct while the recorder has dropped none of them.
  void readSequence(const JsonValue &entry, FlightCall &call) {
    if (!call.isTransfer())
      call.sequence = integer(entry, "collective_seq_id").value_or(0);
    else if (own_)
      call.sequence = integer(entry, "p2p_seq_id").value_or(0);
    else
      call.sequence = ++transfers_[{call.group, call.operation, *call.peer}];
  }

  void readTensors(const JsonValue &entry, const std::string &side, std::vector<FlightTensor> &tensors) {
    const JsonValue *sizes = entry.member(side + "_sizes");
    if (!sizes || !sizes->is(JsonKind::Array))
      return expected_(sizes ? *sizes : entry, "'" + side + "_sizes' as a list");
    std::vector<const JsonValue *> dtypes = listOf(entry, side + "_dtypes");
    for (const JsonValue *dtype : dtypes)
      if (!dtype->is(JsonKind::String))
        return expected_(*dtype, "a dtype as a string");
    for (const JsonValue &shape : sizes->elements()) {
      FlightTensor tensor;
      tensor.elements = 1;
      for (const JsonValue &size : shape.elements())
        if (!size.is(JsonKind::Integer) || size.integer < 0 ||
            __builtin_mul_overflow(tensor.elements, size.integer, &tensor.elements))
          return expected_(size, "a size of a tensor");
      if (!shape.is(JsonKind::Array))
        return expected_(shape, "the sizes of a tensor as a list");
      tensor.dtype = tensors.size() < dtypes.size() ? dtypeOfFlight(dtypes[tensors.size()]->text) : "?";
      tensors.push_back(std::move(tensor));
    }
  }

  // The watchdog retires a call that it no longer observes, even one that has timed out. So "retired" counts as
  // completed only where the group's status agrees. A gloo group has no other mark of a completed call, and its status
  // lags behind.
  void readState(const JsonValue &entry, const std::string &group, FlightCall &call) {
    std::optional<llvm::StringRef> word = string(entry, "state");
    if (!word)
      return;
    std::optional<FlightState> state = parseFlightState(*word);
    if (!state)
      return expected_(*entry.member("state"), "scheduled, started or completed");
    call.state = *state;
    auto last = lastCompleted_.find(group);
    bool isLast = last != lastCompleted_.end() && call.sequence <= last->second;
    if (isTrue(entry, "retired") &&
        (isLast || record_.engine == "gloo" || call.isTransfer() || number(entry, "time_discovered_completed_ns") != 0))
      call.state = FlightState::Completed;
  }

  void readOwn(const JsonValue &entry, FlightCall &call) {
    if (!own_)
      return;
    call.detail = textOf(entry, "detail");
    call.step = textOf(entry, "step");
    call.departure = textOf(entry, "departure");
    call.tag = number(entry, "tag");
    call.position = integer(entry, "position");
  }

  static constexpr int64_t mostRanks = 1 << 20;
  ReportExpected expected_;
  FlightRecord record_;
  bool own_ = false;
  bool hasRank_ = false;
  std::map<std::string, int64_t> lastCompleted_;
  std::set<std::string> named_;
  std::map<std::tuple<size_t, std::string, int64_t>, int64_t> transfers_;
};

llvm::Expected<FlightRecord> finish(const SourceText &source, FlightReader &reader) {
  FlightRecord record = reader.take();
  if (reader.hasRank())
    return record;
  std::optional<int64_t> rank = rankInName(source.name);
  if (!rank)
    return makeError(diagnoseAt(source, 0,
                                "does not state the rank of its record: expected a file whose name ends in the rank",
                                "PyTorch's own names are like nccl_trace_rank_0"));
  record.rank = *rank;
  return record;
}

} // namespace

llvm::Expected<FlightRecord> readFlightRecord(const SourceText &source) {
  std::optional<FlightReader> reader;
  auto read = [&](const JsonValue &root, const ReportExpected &expected) { reader.emplace(expected).read(root); };
  if (llvm::Error error = readPickleOrJson(source, {"a flight recorder's dump", ""}, read))
    return error;
  return finish(source, *reader);
}

} // namespace ccgraph
