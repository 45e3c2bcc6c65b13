#include "driver/summary.h"

#include "llvm/Support/JSON.h"

namespace ccgraph::driver {
namespace {

using llvm::json::OStream;

void writeRow(OStream &json, const CollectiveRow &row) {
  json.attribute("kind", collectiveName(row.kind));
  json.attribute("group", row.group);
  json.attribute("launches", static_cast<int64_t>(row.launches));
  json.attribute("bytes", row.bytes);
  json.attribute("unknown_sizes", static_cast<int64_t>(row.unknownSizes));
}

void writeFacts(OStream &json, const GraphFacts &facts) {
  json.attribute("nodes", static_cast<int64_t>(facts.nodes));
  json.attributeArray("collectives", [&] {
    for (const CollectiveRow &row : facts.rows)
      json.object([&] { writeRow(json, row); });
  });
  json.attributeObject("overlap", [&] {
    json.attribute("waited", static_cast<int64_t>(facts.overlap.waited));
    json.attribute("exposed", static_cast<int64_t>(facts.overlap.exposed));
    json.attribute("median_steps", facts.overlap.median);
  });
  json.attribute("peak_bytes", facts.peakBytes);
}

void writeRun(OStream &json, const PassRun &run) {
  json.attribute("pass", run.pass);
  json.attribute("changed", run.changed == Changed::Yes);
  json.attributeObject("statistics", [&] {
    for (const auto &[name, value] : run.statistics)
      json.attribute(name, value);
  });
  json.attributeArray("remarks", [&] {
    for (const RemarkCount &count : countRemarks(run))
      json.object([&] {
        json.attribute("kind", remarkKindName(count.kind));
        json.attribute("reason", count.reason);
        json.attribute("count", static_cast<int64_t>(count.count));
      });
  });
  json.attribute("seconds", run.seconds);
  json.attribute("check_seconds", run.checkSeconds);
}

void writeGroup(OStream &json, const Group &group) {
  json.attribute("name", group.name);
  if (auto size = group.size())
    json.attribute("size", *size);
  json.attribute("desc", group.description);
  json.attribute("assumed", group.assumed);
}

void writeTimes(OStream &json, const PhaseTimes &times) {
  json.attribute("read", times.read);
  json.attribute("passes", times.passes);
  json.attribute("checks", times.checks);
  json.attribute("equivalence", times.equivalence);
  json.attribute("write", times.write);
}

void writeSummary(OStream &json, const Summary &summary) {
  json.attribute("input", summary.input);
  json.attribute("graph", summary.graph);
  json.attribute("level", summary.level);
  json.attribute("pipeline", summary.pipeline);
  json.attributeObject("before", [&] { writeFacts(json, summary.before); });
  json.attributeObject("after", [&] { writeFacts(json, summary.after); });
  json.attributeArray("passes", [&] {
    for (const PassRun &run : summary.run.passes)
      json.object([&] { writeRun(json, run); });
  });
  if (summary.run.memoryBudget)
    json.attribute("memory_budget", *summary.run.memoryBudget);
  json.attributeArray("groups", [&] {
    for (const Group &group : summary.groups.groups())
      json.object([&] { writeGroup(json, group); });
  });
  json.attribute("spmd", summary.spmd);
  json.attribute("verifier_warnings", static_cast<int64_t>(summary.warnings));
  json.attribute("verified_each", summary.verifyEach);
  json.attribute("legality_checked", summary.checkedLegality);
  if (!summary.equivalence.empty())
    json.attribute("equivalence", summary.equivalence);
  json.attributeObject("seconds", [&] { writeTimes(json, summary.times); });
}

} // namespace

void printSummaryJson(llvm::raw_ostream &os, const Summary &summary) {
  OStream json(os, /*IndentSize=*/1);
  json.object([&] { writeSummary(json, summary); });
  os << '\n';
}

} // namespace ccgraph::driver
