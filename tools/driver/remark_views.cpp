#include "driver/remark_views.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"

namespace ccgraph::driver {
namespace {

using Field = std::pair<std::string, std::string>;

std::string microseconds(int64_t picoseconds) {
  constexpr double picosecondsOfUs = 1e6;
  return llvm::formatv("{0:f3}", static_cast<double>(picoseconds) / picosecondsOfUs).str();
}

RemarkArgs factsOf(const ScheduleRecord &record, const RecordedTransfer &transfer) {
  return {{"group", record.groups[transfer.group].name},
          {"bytes", std::to_string(transfer.bytes())},
          {"us", microseconds(transfer.end - transfer.begin)},
          {"exposed-us", microseconds(transfer.exposed)}};
}

/// Adds facts under the names of launches and of their first waits.
void addFacts(llvm::StringMap<RemarkArgs> &facts, const ScheduleRecord &record) {
  for (const RecordedTransfer &transfer : record.transfers) {
    facts.try_emplace(record.steps[transfer.launch].node, factsOf(record, transfer));
    if (transfer.wait != noStep)
      facts.try_emplace(record.steps[transfer.wait].node, factsOf(record, transfer));
  }
}

llvm::StringRef tagOf(RemarkKind kind) {
  switch (kind) {
  case RemarkKind::Moved:
  case RemarkKind::Merged:
  case RemarkKind::Removed:
  case RemarkKind::Rewritten:
    return "Passed";
  case RemarkKind::Missed:
    return "Missed";
  case RemarkKind::Kept:
    return "Analysis";
  }
  llvm_unreachable("no such kind");
}

/// Holds "train.py", 12 and "layers.0" for "train.py:12 in layers.0".
struct SourcePlace {
  std::string file, module;
  unsigned line = 0;
};

SourcePlace placeOf(llvm::StringRef source) {
  SourcePlace place;
  auto [where, module] =
      source.startswith("in ") ? std::pair(llvm::StringRef(), source.drop_front(3)) : source.split(" in ");
  place.module = module.str();
  auto [file, line] = where.rsplit(':');
  if (line.getAsInteger(10, place.line))
    return place;
  place.file = file.str();
  return place;
}

const std::string *argument(const Remark &remark, llvm::StringRef name) {
  for (const auto &[key, value] : remark.args)
    if (key == name)
      return &value;
  return nullptr;
}

/// Returns the sentence in pieces: a fact has its name, and the text between facts has the name "String".
std::vector<Field> sentenceOf(const Remark &remark) {
  std::vector<Field> fields = {{"Node", remark.node},
                               {"String", (" " + remarkKindName(remark.kind) + " (" + remark.reason + ")").str()}};
  for (const auto &[name, value] : remark.args) {
    fields.emplace_back("String", (fields.size() == 2 ? ": " : ", ") + name + " ");
    fields.emplace_back(name, value);
  }
  if (std::string module = placeOf(remark.source).module; !module.empty()) {
    fields.emplace_back("String", " in ");
    fields.emplace_back("module", std::move(module));
  }
  return fields;
}

std::string hotnessOf(const Remark &remark) {
  const std::string *exposed = argument(remark, "exposed-us");
  return exposed ? llvm::StringRef(*exposed).split('.').first.str() : "";
}

/// A JSON string is also a YAML string.
llvm::json::Value quoted(llvm::StringRef text) { return llvm::json::Value(llvm::json::fixUTF8(text)); }

void writeYaml(llvm::raw_ostream &os, llvm::StringRef graph, const Remark &remark) {
  os << "--- !" << tagOf(remark.kind) << "\nPass: " << quoted(remark.pass) << "\nName: " << quoted(remark.reason)
     << '\n';
  if (SourcePlace place = placeOf(remark.source); !place.file.empty())
    os << "DebugLoc: { File: " << quoted(place.file) << ", Line: " << place.line << ", Column: 0 }\n";
  os << "Function: " << quoted(graph) << '\n';
  if (std::string hotness = hotnessOf(remark); !hotness.empty())
    os << "Hotness: " << hotness << '\n';
  os << "Args:\n";
  for (const auto &[name, value] : sentenceOf(remark))
    os << "  - " << quoted(name) << ": " << quoted(value) << '\n';
  os << "...\n";
}

llvm::json::Value jsonOf(llvm::StringRef graph, const Remark &remark) {
  llvm::json::Object record{{"Type", tagOf(remark.kind)},
                            {"Pass", quoted(remark.pass)},
                            {"Name", quoted(remark.reason)},
                            {"Function", quoted(graph)}};
  if (SourcePlace place = placeOf(remark.source); !place.file.empty())
    record["DebugLoc"] = llvm::json::Object{{"File", quoted(place.file)}, {"Line", place.line}, {"Column", 0}};
  if (int64_t hotness = 0; !llvm::StringRef(hotnessOf(remark)).getAsInteger(10, hotness))
    record["Hotness"] = hotness;
  llvm::json::Array pieces;
  for (const auto &[name, value] : sentenceOf(remark))
    pieces.push_back(llvm::json::Object{{llvm::json::fixUTF8(name), quoted(value)}});
  record["Args"] = std::move(pieces);
  return record;
}

} // namespace

std::vector<Remark> detailedRemarks(const PipelineRun &run) {
  llvm::StringMap<RemarkArgs> facts;
  addFacts(facts, *run.scheduleBefore);
  addFacts(facts, *run.scheduleAfter);
  std::vector<Remark> remarks;
  for (const PassRun &pass : run.passes)
    for (const Remark &remark : pass.remarks) {
      Remark &detailed = remarks.emplace_back(remark);
      for (Field &fact : facts.lookup(remark.node))
        if (!argument(detailed, fact.first))
          detailed.args.push_back(std::move(fact));
    }
  return remarks;
}

std::vector<Remark> matchingRemarks(std::vector<Remark> remarks, llvm::StringRef pattern) {
  if (pattern.empty())
    return remarks;
  llvm::Regex regex(pattern);
  llvm::erase_if(remarks, [&](const Remark &remark) {
    std::string line;
    llvm::raw_string_ostream os(line);
    print(os, remark);
    return !regex.match(llvm::StringRef(os.str()).rtrim('\n'));
  });
  return remarks;
}

void writeRemarkYaml(llvm::raw_ostream &os, llvm::StringRef graph, llvm::ArrayRef<Remark> remarks) {
  for (const Remark &remark : remarks)
    writeYaml(os, graph, remark);
}

void writeRemarkJson(llvm::raw_ostream &os, llvm::StringRef graph, llvm::ArrayRef<Remark> remarks) {
  llvm::json::Array records;
  for (const Remark &remark : remarks)
    records.push_back(jsonOf(graph, remark));
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(records))) << '\n';
}

} // namespace ccgraph::driver
