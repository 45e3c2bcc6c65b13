#include "ccgraph/frontend/schedule_file.h"

#include "json/file_header.h"
#include "json/json_parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ccgraph {
namespace {

constexpr FileKind scheduleFile = {
    "ccgraph.schedule", "a schedule", "ccgraph-opt GRAPH --emit schedule -o FILE writes one",
    "this is a file of another format; ccgraph-opt GRAPH --emit schedule writes a schedule",
    "keys that are not known here are left out"};
constexpr size_t errorLimit = 20;
constexpr size_t digestDigits = 64;

bool isDigest(llvm::StringRef text) {
  return text.size() == digestDigits &&
         llvm::all_of(text, [](char c) { return llvm::isDigit(c) || (c >= 'a' && c <= 'f'); });
}

/// Collects the schedule, and all errors.
class ScheduleReader {
public:
  explicit ScheduleReader(JsonReport &report) : report_(report), header_(scheduleFile, report) {}

  void read(const JsonValue &file) {
    if (!header_.readFrom(file))
      return;
    for (const JsonValue &member : file.elements())
      if (!FileHeader::holds(member.key))
        readMember(member);
    for (llvm::StringRef key : {"graph", "order"})
      if (!file.member(key))
        report_.error(file.offset, "expected \"" + key.str() + "\"");
  }
  Schedule take() { return std::move(schedule_); }

private:
  void readMember(const JsonValue &member) {
    llvm::StringRef key = member.key;
    if (key == "graph")
      readDigest(member);
    else if (key == "prepare")
      schedule_.prepare = readNames(member, "the text of a pass");
    else if (key == "memory_budget")
      readBudget(member);
    else if (key == "buckets")
      readBuckets(member);
    else if (key == "order")
      readOrder(member);
    else
      unknown(member, "a schedule", "graph, prepare, memory_budget, buckets, order");
  }

  void readDigest(const JsonValue &value) {
    if (!value.is(JsonKind::String) || !isDigest(value.text))
      return report_.expected(value, "64 hexadecimal digits", "ccgraph-opt GRAPH --json prints the digest of a graph");
    schedule_.digest = value.text.str();
  }

  void readBudget(const JsonValue &value) {
    if (!value.is(JsonKind::Integer) || value.integer < 0)
      return report_.expected(value, "bytes, from 0");
    schedule_.memoryBudget = value.integer;
  }

  std::vector<std::string> readNames(const JsonValue &list, llvm::StringRef what) {
    std::vector<std::string> names;
    if (!list.is(JsonKind::Array)) {
      report_.expected(list, "an array");
      return names;
    }
    for (const JsonValue &entry : list.elements())
      if (!entry.is(JsonKind::String) || entry.text.empty())
        report_.expected(entry, what);
      else
        names.push_back(entry.text.str());
    return names;
  }

  void readOrder(const JsonValue &list) {
    schedule_.order = readNames(list, "the name of a node");
    llvm::StringSet<> seen;
    for (const JsonValue &entry : list.elements())
      if (entry.is(JsonKind::String) && !seen.insert(entry.text).second)
        report_.error(entry.offset, "node '" + entry.text.str() + "' occurs twice in the order");
  }

  void readBuckets(const JsonValue &list) {
    if (!list.is(JsonKind::Array))
      return report_.expected(list, "an array");
    for (const JsonValue &entry : list.elements())
      if (!entry.is(JsonKind::Object))
        report_.expected(entry, "an object");
      else
        readBucket(entry);
  }

  void readBucket(const JsonValue &value) {
    ScheduleBucket bucket;
    for (const JsonValue &member : value.elements())
      if (member.key == "layout")
        readLayout(member, bucket.layout);
      else if (member.key == "members")
        bucket.members = readNames(member, "the name of a node");
      else if (member.key == "makes")
        bucket.makes = readNames(member, "the name of a node");
      else
        unknown(member, "a bucket", "layout, members, makes");
    for (llvm::StringRef key : {"layout", "members", "makes"})
      if (!value.member(key))
        report_.error(value.offset, "expected \"" + key.str() + "\"");
    schedule_.buckets.push_back(std::move(bucket));
  }

  void readLayout(const JsonValue &value, BucketLayout &layout) {
    for (BucketLayout known : {BucketLayout::Grouped, BucketLayout::Flat})
      if (value.is(JsonKind::String) && value.text == layoutName(known)) {
        layout = known;
        return;
      }
    report_.expected(value, "grouped or flat");
  }

  void unknown(const JsonValue &member, llvm::StringRef what, llvm::StringRef known) {
    std::string message = (what + " has no '" + member.key + "'").str();
    if (header_.isNewer())
      return report_.warning(member.offset, std::move(message));
    report_.error(member.offset, std::move(message), ("the keys are " + known).str());
  }

  JsonReport &report_;
  FileHeader header_;
  Schedule schedule_;
};

/// Takes the whole file as one value: its lists hold a name a node.
class WholeFile final : public JsonSink {
public:
  explicit WholeFile(ScheduleReader &reader) : reader_(reader) {}
  bool enter(const JsonOpening &) override { return false; }
  void leave() override {}
  bool value(const JsonValue &value) override { return reader_.read(value), true; }

private:
  ScheduleReader &reader_;
};

} // namespace

llvm::Expected<Schedule> readSchedule(const SourceText &source, Diagnostics *warnings) {
  JsonReport report(source, errorLimit);
  ScheduleReader reader(report);
  WholeFile sink(reader);
  llvm::Error syntax = parseJson(source, sink);
  report.giveWarnings(warnings);
  if (llvm::Error error = report.take(std::move(syntax)))
    return error;
  Schedule schedule = reader.take();
  schedule.origin = source.name;
  return schedule;
}

} // namespace ccgraph
