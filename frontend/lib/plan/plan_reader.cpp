#include "ccgraph/frontend/json_plan.h"

#include "ccgraph/ir/text.h"
#include "plan/step_reader.h"
#include "plan/value_reader.h"
#include "json/group_reader.h"
#include "json/guard_list.h"
#include "json/json_parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ccgraph {
namespace {

constexpr FileKind planFile = {
    "ccgraph.plan", "a plan", "docs/plan-format.md describes plan files",
    "this is a file of another format; ccgraph-opt GRAPH --emit plan makes a plan of a graph",
    "keys that are not known here are left out"};

constexpr llvm::StringLiteral planKeys[] = {"format",  "version", "name",    "graph_digest", "rank",    "world_size",
                                            "groups",  "guards",  "streams", "events",       "numbers", "layout",
                                            "buffers", "inputs",  "steps",   "outputs"};
constexpr llvm::StringLiteral streamKeys[] = {"kind", "name", "group"};
constexpr llvm::StringLiteral layoutKeys[] = {"symbols", "compute_bytes", "communication_bytes", "live_bytes"};
constexpr llvm::StringLiteral bufferKeys[] = {"name", "home", "bytes", "at"};
constexpr llvm::StringLiteral inputKeys[] = {"name", "value", "after"};

constexpr std::pair<llvm::StringLiteral, PlanStream::Kind> streamKinds[] = {
    {"host", PlanStream::Kind::Host},
    {"compute", PlanStream::Kind::Compute},
    {"collective", PlanStream::Kind::Collective},
    {"transfer", PlanStream::Kind::Transfer},
    {"host_copy", PlanStream::Kind::HostCopy}};

/// The lists that come entry by entry; everything else comes whole.
enum class Section : uint8_t { Plan, Streams, Buffers, Inputs, Steps, Outputs };

std::optional<Section> sectionOf(llvm::StringRef key) {
  constexpr std::pair<llvm::StringLiteral, Section> sections[] = {{"streams", Section::Streams},
                                                                  {"buffers", Section::Buffers},
                                                                  {"inputs", Section::Inputs},
                                                                  {"steps", Section::Steps},
                                                                  {"outputs", Section::Outputs}};
  for (const auto &[name, section] : sections)
    if (name == key)
      return section;
  return std::nullopt;
}

class PlanSink final : public JsonSink {
public:
  PlanSink(Context &context, JsonReport &report)
      : plan_(std::make_unique<Plan>(context)), report_(report), header_(planFile, report),
        scope_(*plan_, report, header_) {
    plan_->streams.clear();
  }

  bool enter(const JsonOpening &opening) override;
  void leave() override;
  bool value(const JsonValue &value) override;

  std::unique_ptr<Plan> take() { return std::move(plan_); }

private:
  void noteKey(llvm::StringRef key, size_t offset);
  bool member(const JsonValue &value);
  void fact(const JsonValue &value);
  void unknownKey(const JsonValue &value);
  void entry(Section section, const JsonValue &value);
  void readDigest(const JsonValue &value);
  std::optional<int64_t> readWorldSize(const JsonValue &value);
  void readGroupTable(const JsonValue &value);
  void readNumberOf(const JsonValue &value, uint32_t &number, size_t &offset);
  void readLayout(const JsonValue &value);
  void readSymbols(const JsonValue &value);
  void readStream(const JsonValue &value);
  std::optional<PlanStream::Kind> readStreamKind(const JsonValue &value);
  void readBuffer(const JsonValue &value);
  std::optional<Home> readHome(const JsonValue &value);
  void readInput(const JsonValue &value);
  /// Reads an input of the caller.
  PlanValue readBrought(const JsonValue &value);
  void readOutput(const JsonValue &value);
  void finish();
  void checkFirstStreams();
  void checkNumbers();

  std::unique_ptr<Plan> plan_;
  JsonReport &report_;
  FileHeader header_;
  PlanScope scope_;
  llvm::SmallVector<Section, 2> open_;
  std::vector<std::string> seenKeys_;
  size_t start_ = 0;
  size_t eventsOffset_ = 0;
  size_t numbersOffset_ = 0;
  size_t streamsOffset_ = 0;
};

// --- The file --------------------------------------------------------------------------------------------------------

bool PlanSink::enter(const JsonOpening &opening) {
  if (open_.empty()) {
    if (opening.kind != JsonKind::Object)
      return false;
    start_ = opening.offset;
    open_.push_back(Section::Plan);
    return true;
  }
  auto section =
      opening.kind == JsonKind::Array && open_.back() == Section::Plan ? sectionOf(opening.key) : std::nullopt;
  if (!section)
    return false;
  if (*section == Section::Streams)
    streamsOffset_ = opening.offset;
  noteKey(opening.key, opening.offset);
  open_.push_back(*section);
  return true;
}

void PlanSink::leave() {
  if (open_.pop_back_val() == Section::Plan)
    finish();
}

bool PlanSink::value(const JsonValue &value) {
  if (open_.empty()) {
    report_.expected(value, "a plan: an object with format, version, streams and steps");
    return false;
  }
  if (open_.back() == Section::Plan)
    return member(value);
  entry(open_.back(), value);
  return true;
}

void PlanSink::noteKey(llvm::StringRef key, size_t offset) {
  if (!llvm::is_contained(planKeys, key))
    return;
  if (llvm::is_contained(seenKeys_, key))
    report_.error(offset, "the key '" + key.str() + "' occurs twice");
  seenKeys_.push_back(key.str());
}

bool PlanSink::member(const JsonValue &value) {
  noteKey(value.key, value.offset);
  if (FileHeader::holds(value.key))
    return header_.read(value);
  if (sectionOf(value.key))
    report_.expected(value, "'" + value.key + "' as an array");
  else
    fact(value);
  return true;
}

void PlanSink::fact(const JsonValue &value) {
  if (value.key == "name")
    plan_->name = report_.line(value, "a name").value_or("").str();
  else if (value.key == "graph_digest")
    readDigest(value);
  else if (value.key == "rank")
    plan_->rank = scope_.count(value, "a rank");
  else if (value.key == "world_size")
    plan_->worldSize = readWorldSize(value);
  else if (value.key == "groups")
    readGroupTable(value);
  else if (value.key == "guards")
    plan_->guards = readGuards(value, report_);
  else if (value.key == "events")
    readNumberOf(value, plan_->numEvents, eventsOffset_);
  else if (value.key == "numbers")
    readNumberOf(value, plan_->numSlots, numbersOffset_);
  else if (value.key == "layout")
    readLayout(value);
  else
    unknownKey(value);
}

void PlanSink::unknownKey(const JsonValue &value) {
  std::string message = "a plan has no key '" + value.key.str() + "'";
  if (header_.isNewer())
    return report_.warning(value.offset, std::move(message), "it is left out");
  report_.error(value.offset, std::move(message),
                "its keys are " + llvm::join(std::begin(planKeys), std::end(planKeys), ", "));
}

void PlanSink::entry(Section section, const JsonValue &value) {
  switch (section) {
  case Section::Streams:
    return readStream(value);
  case Section::Buffers:
    return readBuffer(value);
  case Section::Inputs:
    return readInput(value);
  case Section::Steps:
    return readPlanStep(scope_, value);
  case Section::Outputs:
    return readOutput(value);
  case Section::Plan:
    break;
  }
  llvm_unreachable("no list");
}

// --- Facts -----------------------------------------------------------------------------------------------------------

void PlanSink::readDigest(const JsonValue &value) {
  constexpr size_t digits = 64;
  bool digest =
      value.text.size() == digits && value.text.find_first_not_of("0123456789abcdef") == llvm::StringRef::npos;
  if (!digest)
    return report_.expected(value, "the digest of a graph: 64 hexadecimal digits, lower case");
  plan_->graphDigest = value.text.str();
}

std::optional<int64_t> PlanSink::readWorldSize(const JsonValue &value) {
  if (value.is(JsonKind::Integer) && value.integer > 0)
    return value.integer;
  report_.expected(value, "a number of ranks");
  return std::nullopt;
}

void PlanSink::readGroupTable(const JsonValue &value) {
  GroupTable table;
  readGroups(value, report_, table);
  plan_->groups = table.groups().vec();
  for (const Group &group : plan_->groups)
    scope_.groups.try_emplace(group.name, static_cast<uint32_t>(scope_.groups.size()));
}

void PlanSink::readNumberOf(const JsonValue &value, uint32_t &number, size_t &offset) {
  offset = value.offset;
  if (value.is(JsonKind::Integer) && value.integer >= 0 && value.integer <= UINT32_MAX)
    number = static_cast<uint32_t>(value.integer);
  else
    report_.expected(value, "how many " + value.key + " there are: an integer from 0");
}

void PlanSink::readLayout(const JsonValue &value) {
  Members members(scope_, value, "a layout", layoutKeys);
  PlanLayout &layout = plan_->layout;
  if (const JsonValue *symbols = members.find("symbols"))
    readSymbols(*symbols);
  const std::pair<llvm::StringRef, int64_t *> numbers[] = {{"compute_bytes", &layout.computeBytes},
                                                           {"communication_bytes", &layout.communicationBytes},
                                                           {"live_bytes", &layout.liveBytes}};
  for (const auto &[key, number] : numbers)
    if (const JsonValue *bytes = members.require(key))
      *number = scope_.count(*bytes, "bytes").value_or(0);
}

void PlanSink::readSymbols(const JsonValue &value) {
  if (!value.is(JsonKind::Object))
    report_.expected(value, "'symbols' as an object: symbol -> value");
  llvm::StringSet<> seen;
  for (const JsonValue &symbol : value.elements()) {
    if (!seen.insert(symbol.key).second)
      report_.error(symbol.offset, "the symbol '" + symbol.key.str() + "' occurs twice");
    else if (auto number = report_.integer(symbol, "the value of the symbol for which the layout is made"))
      plan_->layout.symbols.emplace_back(plan_->context().identifier(symbol.key), *number);
  }
}

// --- Entries of lists ------------------------------------------------------------------------------------------------

void PlanSink::readStream(const JsonValue &value) {
  Members members(scope_, value, "a stream", streamKeys);
  PlanStream &stream = plan_->streams.emplace_back();
  if (const JsonValue *kind = members.require("kind"))
    stream.kind = readStreamKind(*kind).value_or(stream.kind);
  if (const JsonValue *name = members.require("name"))
    stream.name = scope_.text(*name, "the name of the stream").value_or("").str();
  const JsonValue *group = members.find("group");
  bool takes = stream.kind == PlanStream::Kind::Collective || stream.kind == PlanStream::Kind::Transfer;
  if (group && !takes)
    report_.error(group->offset, "a stream of this kind has no group");
  else if (stream.kind == PlanStream::Kind::Transfer)
    group = members.require("group");
  if (group && takes)
    stream.group = scope_.group(*group).value_or(0);
}

std::optional<PlanStream::Kind> PlanSink::readStreamKind(const JsonValue &value) {
  for (const auto &[name, kind] : streamKinds)
    if (value.text == name)
      return kind;
  report_.expected(value, "a kind of stream: host, compute, collective, transfer or host_copy");
  return std::nullopt;
}

void PlanSink::readBuffer(const JsonValue &value) {
  Members members(scope_, value, "a buffer", bufferKeys);
  PlanBuffer &buffer = plan_->buffers.emplace_back();
  int64_t &offset = plan_->layout.offsets.emplace_back(0);
  if (const JsonValue *name = members.require("name"))
    buffer.name = plan_->context().identifier(scope_.text(*name, "the name of what allocates it").value_or(""));
  const JsonValue *homeText = members.require("home");
  auto home = homeText ? readHome(*homeText) : std::nullopt;
  if (!home)
    return;
  buffer.home = *home;
  if (const JsonValue *bytes = isMadeInRun(*home) ? members.find("bytes") : members.require("bytes"))
    buffer.bytes = scope_.dim(*bytes, "bytes");
  bool inArena = *home == Home::Compute || *home == Home::Communication;
  if (const JsonValue *at = inArena ? members.require("at") : nullptr)
    offset = scope_.count(*at, "bytes from the beginning of the arena").value_or(0);
  else if (const JsonValue *astray = inArena ? nullptr : members.find("at"))
    report_.error(astray->offset,
                  "a buffer of home '" + homeName(*home).str() + "' lies in no arena, so it has no 'at'");
}

std::optional<Home> PlanSink::readHome(const JsonValue &value) {
  for (Home home : {Home::Input, Home::Attribute, Home::Compute, Home::Communication, Home::Growing, Home::Host})
    if (value.text == homeName(home))
      return home;
  report_.expected(value, "a home: input, attribute, compute, communication, growing or host");
  return std::nullopt;
}

void PlanSink::readInput(const JsonValue &value) {
  Members members(scope_, value, "an input", inputKeys);
  PlanInput &input = plan_->inputs.emplace_back();
  if (const JsonValue *name = members.require("name"))
    input.name = scope_.text(*name, "the name of the input").value_or("").str();
  if (const JsonValue *brought = members.require("value"))
    input.value = readBrought(*brought);
  if (const JsonValue *after = members.find("after"))
    input.after = readBrought(*after);
}

PlanValue PlanSink::readBrought(const JsonValue &value) {
  size_t errors = report_.numErrors();
  PlanValue read = readPlanValue(scope_, value);
  bool brought = read.kind == PlanValue::Kind::Tensor || read.kind == PlanValue::Kind::Number ||
                 read.kind == PlanValue::Kind::Object;
  if (!brought && report_.numErrors() == errors)
    report_.expected(value, "a tensor, a number or an object");
  return read;
}

void PlanSink::readOutput(const JsonValue &value) {
  if (value.is(JsonKind::Array))
    return report_.expected(value, "one output, since each element of a list is an output of its own");
  plan_->outputs.push_back(readPlanValue(scope_, value));
}

// --- Checks of the whole file ---------------------------------------------------------------------------------------

void PlanSink::finish() {
  header_.finish(start_);
  if (!header_.isOurs())
    return;
  for (llvm::StringRef key : {"streams", "steps"})
    if (!llvm::is_contained(seenKeys_, key))
      report_.error(start_, "this plan has no '" + key.str() + "'", "\"" + key.str() + "\" is an array of objects");
  checkFirstStreams();
  checkNumbers();
}

void PlanSink::checkFirstStreams() {
  llvm::ArrayRef<PlanStream> streams = plan_->streams;
  bool good = streams.size() > Plan::computeStream && streams[Plan::hostStream].kind == PlanStream::Kind::Host &&
              streams[Plan::computeStream].kind == PlanStream::Kind::Compute;
  if (!good && streamsOffset_)
    report_.error(streamsOffset_, "the first stream must be of kind host, and the second of kind compute");
}

/// Engines allocate by these numbers, so the entries of the file must justify each.
void PlanSink::checkNumbers() {
  if (plan_->numEvents > plan_->steps.size())
    report_.error(eventsOffset_, counted(plan_->numEvents, "event") + " stated, but there are " +
                                     counted(plan_->steps.size(), "step") + ", each of which records one at most");
  if (plan_->numSlots > scope_.numberMentions)
    report_.error(numbersOffset_, counted(plan_->numSlots, "number") + " stated, but \"n..\" occurs " +
                                      counted(scope_.numberMentions, "time"));
}

} // namespace

bool isPlan(llvm::StringRef text) { return statedFormat(text) == planFile.format; }

llvm::Expected<std::unique_ptr<Plan>> readPlan(Context &context, const SourceText &source,
                                               const PlanReadOptions &options) {
  JsonReport report(source, options.errorLimit);
  PlanSink sink(context, report);
  if (llvm::Error error = report.take(parseJson(source, sink)))
    return error;
  report.giveWarnings(options.warnings);
  return sink.take();
}

} // namespace ccgraph
