#include "report/report_data.h"

#include "ccgraph/ir/durations.h"
#include "ccgraph/passes/registry.h"
#include "report/advice_command.h"
#include "report/exposed_list.h"
#include "report/measured_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <nlohmann/json.hpp>

#include <map>

namespace ccgraph::report {
namespace {

using Json = nlohmann::ordered_json;


/// Numbers distinct texts.
class Texts {
public:
  size_t operator()(llvm::StringRef text) {
    auto [entry, isNew] = index_.try_emplace(text, list_.size());
    if (isNew)
      list_.push_back(text.str());
    return entry->second;
  }
  [[nodiscard]] const Json &list() const { return list_; }

private:
  llvm::StringMap<size_t> index_;
  Json list_ = Json::array();
};

/// An array of differences.
class Deltas {
public:
  void add(int64_t value) {
    list_.push_back(value - last_);
    last_ = value;
  }
  Json take() { return std::move(list_); }

private:
  int64_t last_ = 0;
  Json list_ = Json::array();
};

char roleLetter(StepRole role) {
  switch (role) {
  case StepRole::Compute:
    return 'C';
  case StepRole::Launch:
    return 'L';
  case StepRole::Wait:
    return 'W';
  case StepRole::Free:
    return 'F';
  }
  llvm_unreachable("no such role");
}

// --- The measured step -----------------------------------------------------------------------------------------------

/// A page shows at most as many ranks: first those that most often arrive last at a collective, then by number.
constexpr size_t mostMeasuredRanks = 16;

/// Returns the ranks that a page shows, in ascending order.
std::vector<const measured::RankTimeline *> shownRanks(const measured::JobExplanation &explanation) {
  std::map<int64_t, size_t> lasts;
  for (const measured::CollectiveAccount &account : explanation.collectives)
    lasts[account.lastRank] += account.members.size() > 1 ? account.lastSteps : 0;
  std::vector<const measured::RankTimeline *> ranks;
  for (const measured::RankTimeline &rank : explanation.timeline.ranks)
    ranks.push_back(&rank);
  llvm::stable_sort(ranks, [&](const measured::RankTimeline *a, const measured::RankTimeline *b) {
    return lasts[a->rank] > lasts[b->rank];
  });
  if (ranks.size() > mostMeasuredRanks)
    ranks.resize(mostMeasuredRanks);
  llvm::sort(ranks, [](const measured::RankTimeline *a, const measured::RankTimeline *b) { return a->rank < b->rank; });
  return ranks;
}

Json accountData(const measured::CollectiveAccount &account) {
  return {account.node,     collectiveName(account.kind).str(), account.members,  account.waiting,
          account.transfer, causeText(account.cause),           account.lastRank, account.lastSteps,
          account.steps};
}

Json rankData(const measured::RankTimeline &rank) {
  Json lane = Json::array(), transfers = Json::array();
  for (const measured::TimelineSpan &span : rank.lane)
    lane.push_back({static_cast<int>(span.kind), span.name, span.begin, span.end - span.begin, span.account});
  for (const measured::TimelineTransfer &it : rank.transfers)
    transfers.push_back({it.account, it.name, it.begin, it.lastArrival - it.begin, it.end - it.begin, it.lastRank});
  return {{"rank", rank.rank}, {"lane", std::move(lane)}, {"transfers", std::move(transfers)}};
}

/// Returns an object, which tools/report/page/measured.js describes; null if the explanation has no timeline.
Json measuredData(const measured::JobExplanation &explanation) {
  const measured::JobTimeline &timeline = explanation.timeline;
  if (timeline.ranks.empty())
    return {};
  const std::vector<const measured::RankTimeline *> shown = shownRanks(explanation);
  Json collectives = Json::array(), ranks = Json::array();
  for (const measured::CollectiveAccount &account : explanation.collectives)
    collectives.push_back(accountData(account));
  for (const measured::RankTimeline *rank : shown)
    ranks.push_back(rankData(*rank));
  return {{"step", timeline.step + 1},     {"steps", explanation.steps},
          {"duration", timeline.duration}, {"left_out", timeline.ranks.size() - shown.size()},
          {"names", timeline.names},       {"collectives", std::move(collectives)},
          {"ranks", std::move(ranks)}};
}

// --- The page --------------------------------------------------------------------------------------------------------

/// Assembles a report; data that the schedules share is written once.
class DataMaker {
public:
  explicit DataMaker(const Report &report) : report_(report) {}

  Json make() {
    Json schedules = Json::array();
    for (const NamedSchedule &schedule : report_.schedules)
      schedules.push_back(scheduleOf(schedule));
    Json data = head();
    data["schedules"] = std::move(schedules);
    data["nodes"] = {
        {"name", std::move(names_)}, {"operation", std::move(nodeOperations_)}, {"place", std::move(nodePlaces_)}};
    data["operations"] = operations_.list();
    data["kinds"] = kinds_.list();
    data["places"] = std::move(places_);
    data["files"] = files_.list();
    data["modules"] = modules_.list();
    data["sources"] = Json::array();
    for (TimeSource source : allTimeSources)
      data["sources"].push_back(timeSourceName(source).str());
    addRemarks(data);
    data["bounds"] = boundsOf(report_.summary);
    data["exposures"] = exposuresOf(report_.summary);
    data["advice"] = adviceOf(report_.summary);
    data["measured"] = report_.summary.measured ? measuredData(*report_.summary.measured) : Json();
    return data;
  }

private:
  Json head() {
    const Summary &summary = report_.summary;
    std::string text = report_.text;
    llvm::raw_string_ostream os(text);
    if (text.empty())
      printSummary(os, summary, Color::No);
    return {{"version", 1},
            {"tool", "ccgraph-opt " CCGRAPH_VERSION},
            {"input", summary.input},
            {"graph", summary.graph},
            {"level", summary.level},
            {"machine", summary.run.cost ? summary.run.cost->machine : ""},
            {"budget", summary.run.memoryBudget ? Json(*summary.run.memoryBudget) : Json()},
            {"summary", os.str()}};
  }

  Json scheduleOf(const NamedSchedule &named) {
    const ScheduleRecord &record = *named.record;
    Json nodes = Json::array();
    Deltas ends, alive;
    std::string roles, sources;
    for (const RecordedStep &step : record.steps) {
      nodes.push_back(nodeOf(record, step));
      ends.add(step.end / picosecondsOfNs);
      alive.add(step.alive);
      roles += roleLetter(step.role);
      sources += static_cast<char>('0' + static_cast<int>(step.source));
    }
    return {{"name", named.name},
            {"total", record.total / picosecondsOfNs},
            {"compute", record.compute / picosecondsOfNs},
            {"exposed", record.exposed / picosecondsOfNs},
            {"communicating", record.communicating() / picosecondsOfNs},
            {"peak", record.peakBytes},
            {"nodes", std::move(nodes)},
            {"ends", ends.take()},
            {"alive", alive.take()},
            {"roles", std::move(roles)},
            {"sources", std::move(sources)},
            {"transfers", transfersOf(record)},
            {"groups", groupsOf(record)}};
  }

  /// Returns the number of a node; a name has the same number in all schedules.
  size_t nodeOf(const ScheduleRecord &record, const RecordedStep &step) {
    auto [entry, isNew] = nodeIndex_.try_emplace(step.node, names_.size());
    if (isNew) {
      names_.push_back(step.node);
      nodeOperations_.push_back(operations_(step.operation));
      nodePlaces_.push_back(placeOf(record.places[step.place]));
    }
    return entry->second;
  }

  size_t placeOf(const RecordedPlace &place) {
    std::string key = place.file + '\n' + std::to_string(place.line) + '\n' + place.module + '\n' + place.code;
    auto [entry, isNew] = placeIndex_.try_emplace(key, places_.size());
    if (isNew)
      places_.push_back({files_(place.file), place.line, modules_(place.module), place.code});
    return entry->second;
  }

  Json transfersOf(const ScheduleRecord &record) {
    auto step = [](uint32_t index) { return index == noStep ? Json() : Json(index); };
    Json list = Json::array();
    for (const RecordedTransfer &it : record.transfers) {
      int64_t begin = it.begin / picosecondsOfNs;
      list.push_back({it.launch, step(it.wait), step(it.use), it.group, kinds_(it.kind), it.tensors, it.inputBytes,
                      it.outputBytes, begin, it.end / picosecondsOfNs - begin, it.exposed / picosecondsOfNs});
    }
    return list;
  }

  static Json groupsOf(const ScheduleRecord &record) {
    Json list = Json::array();
    for (const RecordedGroup &group : record.groups)
      list.push_back({{"name", group.name},
                      {"description", group.description},
                      {"ranks", group.placement.ranks},
                      {"hosts", group.placement.nodes},
                      {"assumed", group.assumed}});
    return list;
  }

  /// Returns null if the name is not a node of the report.
  [[nodiscard]] Json nodeNamed(llvm::StringRef name) const {
    auto known = nodeIndex_.find(name);
    return known == nodeIndex_.end() ? Json() : Json(known->second);
  }

  static Json boundOf(const StepBound &bound) {
    return {{"ns", bound.picoseconds / picosecondsOfNs}, {"group", bound.group}};
  }

  [[nodiscard]] Json boundsOf(const Summary &summary) const {
    if (!summary.run.bounds)
      return {};
    const StepBounds &bounds = *summary.run.bounds;
    return {{"merging", boundOf(bounds.anyMerging)},
            {"order", boundOf(bounds.anyOrder)},
            {"within", bounds.within ? boundOf(bounds.within->anyMerging) : Json()},
            {"change", bounds.anyChange ? boundOf(*bounds.anyChange) : Json()},
            {"memory", {{"bytes", bounds.memory.bytes}, {"node", nodeNamed(bounds.memory.at)}}}};
  }

  /// Lists the exposed collectives of the last schedule: which collective, why it cannot begin earlier, in words and
  /// numbers, and which node needs it.
  [[nodiscard]] Json exposuresOf(const Summary &summary) const {
    const ScheduleRecord &record = *report_.schedules.back().record;
    llvm::StringMap<size_t> transfers;
    for (size_t i = 0; i != record.transfers.size(); ++i)
      transfers[record.steps[record.transfers[i].launch].node] = i;
    Json list = Json::array();
    for (const Exposure &it : summary.run.exposed)
      list.push_back({transfers.lookup(it.time.node), beginPinName(it.begin).str(), beginText(it), nodeNamed(it.needs),
                      it.slack / picosecondsOfNs, it.lacks, readerText(it), nodeNamed(it.reader),
                      it.waitsEarly / picosecondsOfNs});
    return list;
  }

  static Json adviceOf(const Summary &summary) {
    if (!summary.advised)
      return {};
    Json list = Json::array();
    for (const Advice &advice : summary.advice)
      list.push_back({{"change", advice.change},
                      {"command", adviceCommand(summary, advice)},
                      {"total", advice.total / picosecondsOfNs},
                      {"saved", advice.saved / picosecondsOfNs},
                      {"memory", advice.moreMemory}});
    return list;
  }

  void addRemarks(Json &data) const {
    Json list = Json::array(), reasons = Json::object();
    for (const PassRun &run : report_.summary.run.passes) {
      for (const Remark &remark : run.remarks) {
        std::string facts;
        for (const auto &[name, value] : remark.args)
          facts += (facts.empty() ? "" : " ") + name + "=" + value;
        list.push_back(
            {remark.pass, remarkKindName(remark.kind).str(), remark.reason, remark.node, facts, remark.source});
      }
      if (auto pass = createPass(llvm::StringRef(run.pass).take_until([](char c) { return c == '{'; })))
        for (const Reason *reason : pass->reasons())
          reasons[(pass->name() + " " + reason->id()).str()] = reason->help();
    }
    data["remarks"] = std::move(list);
    data["reasons"] = std::move(reasons);
  }

  const Report &report_;
  llvm::StringMap<size_t> nodeIndex_, placeIndex_;
  Json names_ = Json::array(), nodeOperations_ = Json::array(), nodePlaces_ = Json::array(), places_ = Json::array();
  Texts operations_, kinds_, files_, modules_;
};

} // namespace

std::string reportData(const Report &report) {
  std::string text = DataMaker(report).make().dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (char c : text)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

} // namespace ccgraph::report
