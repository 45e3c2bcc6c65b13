#include "ccgraph/frontend/job_file.h"

#include "ccgraph/frontend/read_graph.h"
#include "json/file_header.h"
#include "json/json_report.h"
#include "json/member_sink.h"

#include "llvm/ADT/DenseMap.h"

#include <numeric>

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral ranksForm = "ranks as \"FIRST-LAST\", a number, or a list of these";

class JobReader {
public:
  explicit JobReader(JsonReport &report) : report_(report) {}

  void readEntries(const JsonValue &graphs) {
    if (!graphs.is(JsonKind::Array))
      return report_.expected(graphs, "'graphs' as an array of entries");
    for (const JsonValue &entry : graphs.elements())
      readEntry(entry);
  }
  void readGroups(const JsonValue &groups) {
    groups_ = report_.string(groups, "the path of a group file").value_or("");
  }

  std::vector<JobFileEntry> take() {
    for (JobFileEntry &entry : entries_)
      if (entry.groups.empty())
        entry.groups = groups_;
    return std::move(entries_);
  }

private:
  void readEntry(const JsonValue &value) {
    if (!value.is(JsonKind::Object))
      return report_.expected(value, "an entry such as {\"graph\": \"rank0.py\", \"ranks\": [0]}");
    const JsonValue *graph = value.member("graph"), *ranks = value.member("ranks");
    if (!graph || !ranks)
      return report_.expected(value, graph ? "an entry with 'ranks'" : "an entry with 'graph'",
                              "e.g. {\"graph\": \"rank0.py\", \"ranks\": [0]}");
    JobFileEntry entry;
    entry.graph = report_.string(*graph, "the path of a graph").value_or("").str();
    readRanks(*ranks, entry.ranks);
    for (const JsonValue &member : value.elements())
      if (member.key == "groups")
        entry.groups = report_.string(member, "the path of a group file").value_or("").str();
      else if (member.key != "graph" && member.key != "ranks")
        report_.error(member.offset, "an entry has no '" + member.key.str() + "'",
                      "known are 'graph', 'ranks' and 'groups'");
    claimRanks(*ranks, entry.ranks);
    entries_.push_back(std::move(entry));
  }

  void readRanks(const JsonValue &value, std::vector<int64_t> &ranks) {
    if (value.is(JsonKind::Array)) {
      if (value.count == 0)
        report_.expected(value, ranksForm);
      for (const JsonValue &element : value.elements())
        readSpan(element, ranks);
    } else {
      readSpan(value, ranks);
    }
    llvm::sort(ranks);
  }

  void readSpan(const JsonValue &value, std::vector<int64_t> &ranks) {
    int64_t first = -1, last = -1;
    if (value.is(JsonKind::Integer)) {
      first = last = value.integer;
    } else if (value.is(JsonKind::String)) {
      auto [from, to] = value.text.split('-');
      bool isNumber = !from.trim().getAsInteger(10, first);
      last = first;
      if (!isNumber || (value.text.contains('-') && to.trim().getAsInteger(10, last)))
        return report_.expected(value, ranksForm);
    } else {
      return report_.expected(value, ranksForm);
    }
    if (first < 0 || last < first || last > highestJobRank)
      return report_.expected(value, "ranks from 0 to " + llvm::Twine(highestJobRank) + ", the first before the last");
    size_t before = ranks.size();
    ranks.resize(before + static_cast<size_t>(last - first + 1));
    std::iota(ranks.begin() + static_cast<std::ptrdiff_t>(before), ranks.end(), first);
  }

  /// Reports the first rank of the entry that an entry contains already.
  void claimRanks(const JsonValue &place, llvm::ArrayRef<int64_t> ranks) {
    for (int64_t rank : ranks)
      if (!claimed_.insert({rank, entries_.size()}).second)
        return report_.error(place.offset, "rank " + std::to_string(rank) + " has two graphs, expected one",
                             "list each rank in one entry");
  }

  JsonReport &report_;
  std::string groups_;
  std::vector<JobFileEntry> entries_;
  llvm::DenseMap<int64_t, size_t> claimed_;
};

} // namespace

bool isJobFile(llvm::StringRef text) {
  if (!text.ltrim().startswith("{") || !statedFormat(text).empty() ||
      detectGraphFormat(text) == GraphFormat::ExportJson)
    return false;
  bool isList = false;
  MemberSink sink("graphs", [&](const JsonValue &graphs) { isList |= graphs.is(JsonKind::Array); });
  SourceText source{"", text};
  llvm::consumeError(parseJson(source, sink));
  return isList;
}

llvm::Expected<std::vector<JobFileEntry>> readJobFile(const SourceText &source) {
  constexpr size_t errorLimit = 20;
  JsonReport report(source, errorLimit);
  JobReader reader(report);
  MemberSink sink("", [&](const JsonValue &member) {
    if (member.key == "graphs")
      reader.readEntries(member);
    else if (member.key == "groups")
      reader.readGroups(member);
  });
  llvm::Error syntax = parseJson(source, sink);
  std::vector<JobFileEntry> entries = reader.take();
  if (!syntax && !report.hasErrors() && entries.empty())
    report.error(0, "got no graph, expected an entry in 'graphs'",
                 R"(e.g. {"graphs": [{"graph": "rank0.py", "ranks": [0]}]})");
  if (llvm::Error error = report.take(std::move(syntax)))
    return error;
  return entries;
}

} // namespace ccgraph
