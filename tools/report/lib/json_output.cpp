#include "report/json_output.h"

#include "report/advice_command.h"

#include "ccgraph/ir/durations.h"

#include <nlohmann/json.hpp>

namespace ccgraph::report {
namespace {

using Json = nlohmann::ordered_json;

// There is one function for each type, all called jsonOf, so that listOf can write a list of any type. They are
// declared first because listOf calls functions that are defined below it.
Json jsonOf(const Exposure &exposure);
Json jsonOf(const RemarkCount &count);
Json jsonOf(const UsedSize &size);
Json jsonOf(const PassRun &run);
Json jsonOf(const Group &group);
Json jsonOf(const Diagnostic &diagnostic);
Json jsonOf(const Summary &summary);
Json jsonOf(const StepGraphReport &report);
Json jsonOf(const VerifiedGraph &graph);
Json jsonOf(const measured::CollectiveAccount &account);
Json jsonOf(const measured::GraphAccount &graph);
Json jsonOf(const measured::MemoryDifference &difference);
Json jsonOf(const measured::RankAccount &rank);
Json jsonOf(const measured::Mend &mend);
Json jsonOf(const measured::MatchedShare &share);

Json jsonOf(const CollectiveRow &row) {
  return {{"kind", collectiveName(row.kind).str()},
          {"group", row.group},
          {"launches", row.launches},
          {"bytes", row.bytes},
          {"unknown_sizes", row.unknownSizes}};
}

Json jsonOf(const OverlapFacts &overlap) {
  return {{"waited", overlap.waited}, {"exposed", overlap.exposed}, {"median_steps", overlap.median}};
}

Json jsonOf(const StepBound &bound) {
  return {{"ns", bound.picoseconds / picosecondsOfNs}, {"group", bound.group.empty() ? Json() : Json(bound.group)}};
}

Json jsonOf(const std::optional<BoundsWithin> &within) {
  if (!within)
    return {};
  return {
      {"bytes", within->bytes}, {"any_order", jsonOf(within->anyOrder)}, {"any_merging", jsonOf(within->anyMerging)}};
}

Json jsonOf(const StepBounds &bounds) {
  return {{"any_order", jsonOf(bounds.anyOrder)},
          {"any_merging", jsonOf(bounds.anyMerging)},
          {"any_change", bounds.anyChange ? jsonOf(*bounds.anyChange) : Json()},
          {"within_budget", jsonOf(bounds.within)},
          {"memory", {{"bytes", bounds.memory.bytes}, {"at", bounds.memory.at}}}};
}

/// Times are in nanoseconds, rounded down.
Json jsonOf(const Timeline &timeline) {
  return {{"step_ns", timeline.total / picosecondsOfNs},
          {"compute_ns", timeline.compute / picosecondsOfNs},
          {"exposed_ns", timeline.exposed / picosecondsOfNs}};
}

Json jsonOf(const Advice &advice, const Summary &summary) {
  return {{"change", advice.change},
          {"flags", advice.flags},
          {"command", adviceCommand(summary, advice)},
          {"step_ns", advice.total / picosecondsOfNs},
          {"saved_ns", advice.saved / picosecondsOfNs},
          {"more_memory_bytes", advice.moreMemory}};
}

Json jsonOf(const Exposure &exposure) {
  const CollectiveTime &time = exposure.time;
  Json begin = {{"held_by", beginPinName(exposure.begin).str()}, {"needs", exposure.needs}};
  begin["slack_ns"] = exposure.slack / picosecondsOfNs;
  begin["lacks_bytes"] = exposure.lacks;
  return {{"node", time.node},
          {"kind", exposure.kind},
          {"group", time.group},
          {"bytes", time.bytes},
          {"begin_ns", time.begin / picosecondsOfNs},
          {"end_ns", time.end / picosecondsOfNs},
          {"exposed_ns", time.exposed / picosecondsOfNs},
          {"shared_ns", exposure.shared / picosecondsOfNs},
          {"begin", std::move(begin)},
          {"reader", exposure.reader},
          {"source", exposure.source}};
}

/// Builds an array explicitly, since an empty list must be written as an array.
template <typename Range>
Json listOf(const Range &values) {
  Json list = Json::array();
  for (const auto &value : values)
    list.push_back(jsonOf(value));
  return list;
}

// The digests before and after a run are equal if the program is the same: names and frames do not affect them
// (digest.h).
Json jsonOf(const GraphFacts &facts) {
  return {{"nodes", facts.nodes},
          {"collectives", listOf(facts.rows)},
          {"overlap", jsonOf(facts.overlap)},
          {"peak_bytes", facts.peakBytes},
          {"digest", facts.digest}};
}

Json jsonOf(const RemarkCount &count) {
  return {{"kind", remarkKindName(count.kind).str()}, {"reason", count.reason}, {"count", count.count}};
}

Json jsonOf(const PassRun &run) {
  Json statistics = Json::object();
  for (const auto &[name, value] : run.statistics)
    statistics[name] = value;
  return {{"pass", run.pass},
          {"changed", run.changed == Changed::Yes},
          {"statistics", std::move(statistics)},
          {"remarks", listOf(countRemarks(run))},
          {"seconds", run.seconds},
          {"check_seconds", run.checkSeconds}};
}

Json jsonOf(const Group &group) {
  Json json = {{"name", group.name}};
  if (auto size = group.size())
    json["size"] = *size;
  json["desc"] = group.description;
  json["assumed"] = group.assumed;
  return json;
}

Json jsonOf(const PhaseTimes &times) {
  return {{"read", times.read},
          {"choice", times.choice},
          {"passes", times.passes},
          {"checks", times.checks},
          {"predictions", times.predictions},
          {"equivalence", times.equivalence},
          {"write", times.write}};
}

Json jsonOf(const std::optional<GraphCost> &cost) {
  if (!cost)
    return {};
  return {{"step_ns", cost->total / picosecondsOfNs},
          {"compute_ns", cost->compute / picosecondsOfNs},
          {"exposed_ns", cost->exposed / picosecondsOfNs},
          {"peak_bytes", cost->peakBytes},
          {"collectives_of_unknown_size", cost->unsized}};
}

Json jsonOf(const StepGraphReport &report) {
  return {{"role", graphRoleName(report.graph.role).str()},
          {"compile_id", report.graph.compileId},
          {"start", report.graph.start},
          {"inductor", report.graph.inductor},
          {"as_read", jsonOf(report.asRead)},
          {"as_pytorch_runs_it", jsonOf(report.inductor)},
          {"optimized", jsonOf(report.optimized)},
          {"better_start", report.betterStart ? Json(*report.betterStart) : Json()}};
}

/// A sum is null if a graph of the step is missing in it.
Json jsonOf(const StepReport &step) {
  Json outside = Json::array();
  if (step.wrappers.ddp && !step.reducesInGraphs)
    outside.push_back("ddp");
  if (step.wrappers.fsdp2)
    outside.push_back("fsdp2");
  if (step.wrappers.fsdp1)
    outside.push_back("fsdp1");
  return {{"rank", step.rank ? Json(*step.rank) : Json()},
          {"graph", step.chosen},
          {"graphs", listOf(step.graphs)},
          {"as_pytorch_runs_it", step.isInductors() ? jsonOf(step.baseline()) : Json()},
          {"as_read", jsonOf(step.asRead())},
          {"optimized", jsonOf(step.optimized())},
          {"from_inductor", jsonOf(step.fromInductor)},
          {"communication_outside", std::move(outside)},
          {"obstacle", step.obstacle.empty() ? Json() : Json(step.obstacle)}};
}

/// The time with --bitwise is null where the passes did not run a second time for it.
Json jsonOf(const Rounding &rounding) {
  return {{"merged_sums", rounding.merged},
          {"bitwise_step_ns", rounding.total ? Json(*rounding.total / picosecondsOfNs) : Json()}};
}

Json jsonOf(const measured::Cause &cause) {
  return {{"kind", measured::causeKindName(cause.kind).str()},
          {"rank", cause.rank},
          {"node", cause.node},
          {"since", cause.since},
          {"ns", cause.nanoseconds}};
}

Json jsonOf(const measured::CollectiveAccount &account) {
  return {{"node", account.node},
          {"kind", collectiveName(account.kind).str()},
          {"bytes", account.bytes ? Json(*account.bytes) : Json()},
          {"ranks", account.members},
          {"waiting_ns", account.waiting},
          {"transfer_ns", account.transfer},
          {"stall_waiting_ns", account.stallWaiting},
          {"stall_transfer_ns", account.stallTransfer},
          {"stall_after_ns", account.stallAfter},
          {"last_rank", account.lastRank},
          {"last_steps", account.lastSteps},
          {"steps", account.steps},
          {"cause", jsonOf(account.cause)}};
}

Json jsonOf(const measured::RankAccount &rank) {
  return {{"rank", rank.rank},
          {"step_ns", rank.step},
          {"compute_ns", rank.compute},
          {"stall_waiting_ns", rank.stallWaiting},
          {"stall_transfer_ns", rank.stallTransfer},
          {"host_ns", rank.host},
          {"unmatched_ns", rank.unmatched},
          {"clock_offset_ns", rank.clockOffset}};
}

Json jsonOf(const measured::Mend &mend) { return {{"change", mend.change}, {"saved_ns", mend.saved}}; }

Json jsonOf(const measured::MatchedShare &share) { return {{"name", share.name}, {"ns", share.nanoseconds}}; }

/// All times of `matched`, `unmatched` and `host_ns` are sums over all ranks and steps.
Json jsonOf(const measured::MemoryDifference &difference) {
  return {{"reason", measured::memoryReasonText(difference.reason).str()},
          {"bytes", measured::isMore(difference.reason) ? difference.bytes : -difference.bytes},
          {"count", difference.count},
          {"examples", difference.examples}};
}

/// The bytes of the segments are the sum of the predicted bytes, the differences, rounding and unused.
Json jsonOf(const measured::MemoryComparison &memory) {
  return {{"device", memory.device},
          {"event", memory.event},
          {"events", memory.events},
          {"segment_bytes", memory.segments},
          {"requested_bytes", memory.requested},
          {"rounding_bytes", memory.rounding},
          {"unused_bytes", memory.unused},
          {"predicted_bytes", memory.predicted},
          {"predicted_at", memory.predictedAt},
          {"differences", listOf(memory.differences)}};
}

Json durationsJson(const measured::GraphAccount &graph) {
  Json durations = Json::object();
  for (const auto &[node, nanoseconds] : graph.durations)
    durations[node] = nanoseconds;
  return durations;
}

Json jsonOf(const measured::GraphAccount &graph) {
  return {{"graph", graph.label},
          {"executions", graph.executions},
          {"ns", graph.time},
          {"durations_ns", durationsJson(graph)}};
}

/// The list of graphs is only in the explanation of several graphs.
Json jsonOf(const measured::JobExplanation &measured) {
  Json json = {{"steps", measured.steps},
               {"on_device", measured.onDevice},
               {"step_ns", measured.step},
               {"period_ns", measured.period},
               {"replayed_ns", measured.replayed},
               {"matched", listOf(measured.rules)},
               {"unmatched", listOf(measured.unmatched)},
               {"host_ns", measured.hostTime},
               {"ranks", listOf(measured.ranks)},
               {"collectives", listOf(measured.collectives)},
               {"would_save", listOf(measured.mends)},
               {"slowed_by_overlap_ns", measured.slowedByOverlap},
               {"overlapped_ns", measured.overlapped},
               {"overlap_judged_ns", measured.overlapJudged},
               {"notes", measured.notes},
               {"durations_ns", durationsJson(measured.graphs.front())}};
  if (measured.graphs.size() > 1)
    json["graphs"] = listOf(measured.graphs);
  return json;
}

Json jsonOf(const UsedSize &size) {
  return {{"symbol", size.symbol}, {"value", size.value}, {"from", size.isGiven ? "bind" : "trace"}};
}

Json jsonOf(const Scale &scale) { return {{"factor", scale.factor}, {"nodes", scale.nodes}}; }

/// Writes the picoseconds of all nodes by their source, and how durations changed the machine's predictions.
Json jsonOf(const CostSummary &cost) {
  Json sources = Json::object();
  for (TimeSource source : allTimeSources)
    if (size_t nodes = cost.nodes[static_cast<size_t>(source)])
      sources[timeSourceName(source).str()] = {{"nodes", nodes},
                                               {"picoseconds", cost.picoseconds[static_cast<size_t>(source)]}};
  Json json = {{"machine", cost.machine}, {"sources", std::move(sources)}};
  if (!cost.durations.empty())
    json["durations"] = cost.durations;
  json["scales"] = {{"operations", jsonOf(cost.operations)},
                    {"memory", jsonOf(cost.memory)},
                    {"intra", jsonOf(cost.links[static_cast<size_t>(LinkLevel::Intra)])},
                    {"inter", jsonOf(cost.links[static_cast<size_t>(LinkLevel::Inter)])}};
  return json;
}

// Keys keep this order (ordered_json). A key is left out if it has no value: "memory_budget" without a limit,
// "equivalence" if nothing was compared.
Json jsonOf(const Summary &summary) {
  Json json = {{"input", summary.input},
               {"graph", summary.graph},
               {"level", summary.level},
               {"pipeline", summary.pipeline},
               {"before", jsonOf(summary.before)},
               {"after", jsonOf(summary.after)},
               {"passes", listOf(summary.run.passes)}};
  if (summary.run.timeBefore)
    json["predicted"] = {{"machine", summary.run.cost->machine},
                         {"before", jsonOf(*summary.run.timeBefore)},
                         {"after", jsonOf(*summary.run.timeAfter)},
                         {"bounds", jsonOf(*summary.run.bounds)},
                         {"exposed", listOf(summary.run.exposed)}};
  if (summary.measured)
    json["measured"] = jsonOf(*summary.measured);
  if (summary.memory)
    json["memory_snapshot"] = jsonOf(*summary.memory);
  if (summary.rounding)
    json["rounding"] = jsonOf(*summary.rounding);
  if (!summary.sizes.empty())
    json["sizes"] = listOf(summary.sizes);
  if (!summary.unboundSymbol.empty())
    json["unbound_symbol"] = summary.unboundSymbol;
  if (summary.step)
    json["step"] = jsonOf(*summary.step);
  if (summary.advised) {
    json["advice"] = Json::array();
    for (const Advice &advice : summary.advice)
      json["advice"].push_back(jsonOf(advice, summary));
  }
  if (summary.run.memoryBudget)
    json["memory_budget"] = *summary.run.memoryBudget;
  if (summary.run.cost)
    json["cost"] = jsonOf(*summary.run.cost);
  json["groups"] = listOf(summary.groups.groups());
  json["spmd"] = summary.spmd;
  if (!summary.ranksDiffer.empty())
    json["ranks_differ"] = summary.ranksDiffer;
  if (!summary.ranksAgree.empty())
    json["ranks_agree"] = summary.ranksAgree;
  if (!summary.groupGuess.empty())
    json["group_guess"] = summary.groupGuess;
  if (!summary.machineGuess.empty())
    json["machine_guess"] = summary.machineGuess;
  json["verifier_warnings"] = summary.warnings;
  json["verified_each"] = summary.verifyEach;
  json["legality_checked"] = summary.checkedLegality;
  if (!summary.equivalence.empty())
    json["equivalence"] = summary.equivalence;
  json["seconds"] = jsonOf(summary.times);
  return json;
}

Json jsonOf(const Diagnostic &diagnostic) {
  return {{"severity", diagnostic.severity == Severity::Error ? "error" : "warning"},
          {"rule", diagnostic.rule},
          {"file", diagnostic.file},
          {"line", diagnostic.line},
          {"column", diagnostic.column},
          {"where", diagnostic.where},
          {"message", diagnostic.message},
          {"notes", diagnostic.notes}};
}

Json jsonOf(const VerifiedGraph &graph) {
  return {{"input", graph.input},
          {"graph", graph.graph},
          {"nodes", graph.nodes},
          {"well_formed", graph.wellFormed},
          {"findings", listOf(graph.findings)}};
}

/// Names may hold bytes that are not UTF-8. These bytes are replaced; otherwise the library would throw.
void printJson(llvm::raw_ostream &os, const Json &json) {
  os << json.dump(1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) << '\n';
}

// A tool that reads one graph expects an object. A file of several graphs gives an array, which is still one JSON
// value.

/// Prints one value as an object and several values as an array.
template <typename Value>
void printValues(llvm::raw_ostream &os, llvm::ArrayRef<Value> values) {
  printJson(os, values.size() == 1 ? jsonOf(values.front()) : listOf(values));
}

} // namespace

void printSummariesJson(llvm::raw_ostream &os, llvm::ArrayRef<Summary> summaries) { printValues(os, summaries); }

void printVerifiedJson(llvm::raw_ostream &os, llvm::ArrayRef<VerifiedGraph> graphs) { printValues(os, graphs); }

void printComparisonJson(llvm::raw_ostream &os, const ComparedFiles &files) {
  printJson(os, {{"input", files.input}, {"compare", files.compare}, {"equivalence", files.verdict}});
}

void printOrdersJson(llvm::raw_ostream &os, const OrdersCompared &orders) {
  auto json = [](const NamedSchedule &schedule) {
    const ScheduleRecord &record = *schedule.record;
    return Json{{"file", schedule.name},
                {"nodes", record.steps.size()},
                {"collectives", record.transfers.size()},
                {"step_ns", record.total / picosecondsOfNs},
                {"compute_ns", record.compute / picosecondsOfNs},
                {"exposed_ns", record.exposed / picosecondsOfNs},
                {"peak_bytes", record.peakBytes}};
  };
  printJson(os, {{"machine", orders.machine}, {"first", json(orders.first)}, {"second", json(orders.second)}});
}

// Writes the members that tools read; an absent rank, compilation or reason is null rather than a missing key.
void printGraphListJson(llvm::raw_ostream &os, llvm::ArrayRef<ListedGraph> graphs) {
  Json list = Json::array();
  for (size_t i = 0; i < graphs.size(); ++i) {
    const ListedGraph &graph = graphs[i];
    bool isRead = graph.leftOut.empty();
    list.push_back({{"index", i},
                    {"file", graph.file},
                    {"rank", graph.rank ? Json(*graph.rank) : Json()},
                    {"compile_id", graph.compileId.empty() ? Json() : Json(graph.compileId)},
                    {"kind", graph.kind},
                    {"name", graph.name},
                    {"nodes", isRead ? Json(graph.nodes) : Json()},
                    {"collectives", isRead ? Json(graph.collectives) : Json()},
                    {"left_out", isRead ? Json() : Json(graph.leftOut)}});
  }
  printJson(os, list);
}

} // namespace ccgraph::report
