#include "watch/flight_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph::runtime {
namespace {

/// Members of an all_to_all send each other different shares, and only the root of a scatter sends.
bool inputsAreAlike(llvm::StringRef operation) {
  bool shares = operation.contains("all_to_all") || operation.contains("alltoall");
  bool scatters = operation.contains("scatter") && !operation.contains("reduce_scatter");
  return !shares && !scatters;
}

bool outputsAreAlike(llvm::StringRef operation) {
  bool shares = operation.contains("all_to_all") || operation.contains("alltoall");
  bool gathers = operation.contains("gather") && !operation.contains("all_gather") && !operation.contains("allgather");
  return !shares && !gathers;
}

std::string tensorsText(llvm::ArrayRef<FlightTensor> tensors) {
  constexpr size_t most = 3;
  std::string text;
  for (const FlightTensor &tensor : tensors.take_front(most))
    text += " " + tensor.dtype + "[" + std::to_string(tensor.elements) + "]";
  return text + (tensors.size() > most ? " and " + std::to_string(tensors.size() - most) + " more" : "");
}

/// Returns everything that must be equal, in a text that is only compared.
std::string ballot(const FlightCall &call, bool onePlan) {
  std::string text = call.isTransfer() ? "transfer" : call.operation + " " + call.detail;
  auto add = [&](const std::vector<FlightTensor> &tensors) {
    text += ";";
    for (const FlightTensor &tensor : tensors)
      text += " " + tensor.dtype + "[" + std::to_string(tensor.elements) + "]";
  };
  if (call.isTransfer()) {
    add(call.inputs.empty() ? call.outputs : call.inputs);
    return text;
  }
  if (inputsAreAlike(call.operation))
    add(call.inputs);
  if (outputsAreAlike(call.operation))
    add(call.outputs);
  return text + (onePlan && call.position ? " at " + std::to_string(*call.position) : "");
}

/// Records of other tools may mark a started call as "scheduled".
bool isLaunched(const FlightCall &call) { return call.state != FlightState::Scheduled || !call.position; }

bool hasNameTwice(const FlightRecord &record, const std::vector<int64_t> &members) {
  return llvm::count_if(record.groups, [&](const FlightGroup &group) { return group.ranks == members; }) > 1;
}

std::string matchName(const FlightLine &line, const FlightGroup &group, int64_t sequence) {
  if (line.from == -1)
    return "collective " + std::to_string(sequence) + " of group " + group.name;
  return "transfer " + std::to_string(sequence) + " from rank " + std::to_string(line.from) + " to rank " +
         std::to_string(line.to);
}

} // namespace

std::string callText(const FlightCall &call) {
  std::string text = call.operation + (call.detail.empty() ? "" : " " + call.detail);
  text += tensorsText(call.inputs.empty() ? call.outputs : call.inputs);
  return text + (call.step.empty() ? "" : " `" + call.step + "`");
}

std::map<std::string, std::vector<int64_t>> FlightMatch::votes(bool onePlan) const {
  std::map<std::string, std::vector<int64_t>> votes;
  for (const auto &[rank, call] : calls)
    votes[ballot(*call, onePlan)].push_back(rank);
  return votes;
}

bool FlightMatch::isIncomplete() const {
  return llvm::any_of(calls, [](const auto &entry) { return entry.second->state != FlightState::Completed; });
}

FlightTable::FlightTable(llvm::ArrayRef<FlightRecord> records) {
  std::set<std::string> digests;
  for (const FlightRecord &record : records) {
    records_[record.rank] = &record;
    ranks_.insert(record.rank);
    digests.insert(record.graphDigest);
    if (record.taken != 0)
      end_ = std::min(end_, record.taken);
    for (const FlightGroup &group : record.groups)
      ranks_.insert(group.ranks.begin(), group.ranks.end());
    for (int64_t rank = 0; rank < record.worldSize; ++rank)
      ranks_.insert(rank);
  }
  onePlan_ = digests.size() == 1 && !digests.begin()->empty();
  for (const FlightRecord &record : records)
    addRecord(record);
  for (auto &[key, match] : byLine_) {
    match.line = &key.first;
    findMissing(match, key.second);
    if (!match.calls.empty())
      matches_.push_back(match);
  }
  llvm::stable_sort(matches_, [](const FlightMatch &a, const FlightMatch &b) { return a.since < b.since; });
}

const FlightRecord *FlightTable::record(int64_t rank) const {
  auto found = records_.find(rank);
  return found == records_.end() ? nullptr : found->second;
}

// A rank that has continued since then was in the middle of the first incomplete step. It waited in that step if it had
// launched a collective; otherwise the others waited for it.
FlightStanding FlightTable::standing(int64_t rank) const {
  const FlightRecord &record = *records_.at(rank);
  auto wentOn = llvm::find_if(record.steps, [this](const FlightStep &step) {
    return step.times.started > end_ || step.times.completed > end_;
  });
  if (wentOn == record.steps.end())
    return {record.activity, record.busyWith};
  if (wentOn->communicates && wentOn->times.started <= end_)
    return {RankActivity::Waiting, ""};
  return {RankActivity::Busy, wentOn->name};
}

// The host of a rank issues in the order of the plan.
bool FlightTable::hasLeftOut(int64_t rank, const FlightMatch &match) const {
  const std::optional<int64_t> &position = match.calls.begin()->second->position;
  auto issued = issued_.find(rank);
  return onePlan_ && position && issued != issued_.end() && *issued->second.rbegin() > *position &&
         issued->second.count(*position) == 0;
}

/// Where a record does not list the members, they are the ranks whose records name the group.
std::vector<int64_t> FlightTable::membersOf(const FlightGroup &group) const {
  if (!group.ranks.empty())
    return group.ranks;
  if (group.description == "default_pg")
    return {ranks_.begin(), ranks_.end()};
  std::vector<int64_t> members;
  for (const auto &[rank, other] : records_)
    if (llvm::any_of(other->groups, [&](const FlightGroup &known) { return known.name == group.name; }))
      members.push_back(rank);
  return members;
}

FlightLine FlightTable::lineOf(const FlightRecord &record, const FlightCall &call) const {
  const FlightGroup &group = record.groups[call.group];
  FlightLine line;
  line.members = membersOf(group);
  if (group.ranks.empty() || hasNameTwice(record, line.members))
    line.name = group.name;
  if (!call.isTransfer())
    return line;
  auto index = static_cast<size_t>(*call.peer);
  int64_t peer = index < line.members.size() ? line.members[index] : *call.peer;
  bool sends = llvm::StringRef(call.operation).startswith("send");
  line.from = sends ? record.rank : peer;
  line.to = sends ? peer : record.rank;
  line.tag = call.tag;
  line.members = line.from == line.to ? std::vector<int64_t>{line.from} : std::vector<int64_t>{line.from, line.to};
  // A transfer to oneself has both ends on one rank, so each end is a line of its own.
  if (line.from == line.to)
    line.name = sends ? "send" : "recv";
  return line;
}

void FlightTable::addRecord(const FlightRecord &record) {
  for (const FlightCall &recorded : record.calls) {
    if (recorded.times.scheduled > end_)
      continue;
    const FlightCall &call = asItWas(recorded);
    if (call.position)
      issued_[record.rank].insert(*call.position);
    FlightLine line = lineOf(record, call);
    FlightMatch &match = byLine_[{line, call.sequence}];
    if (match.name.empty())
      match.name = matchName(line, record.groups[call.group], call.sequence);
    if (call.times.scheduled != 0 && (match.since == 0 || call.times.scheduled < match.since))
      match.since = call.times.scheduled;
    if (isLaunched(call))
      match.calls[record.rank] = &call;
    auto [oldest, added] = oldest_.try_emplace({record.rank, line}, call.sequence);
    oldest->second = std::min(oldest->second, call.sequence);
  }
}

const FlightCall &FlightTable::asItWas(const FlightCall &call) {
  bool started = call.times.started <= end_, completed = call.times.completed <= end_;
  if (started && completed)
    return call;
  changed_.push_back(call);
  changed_.back().state = started ? FlightState::Started : FlightState::Scheduled;
  return changed_.back();
}

/// Whether the rank's record would hold the call if it had been launched.
bool FlightTable::wouldShow(int64_t rank, const FlightLine &line, int64_t sequence) const {
  const FlightRecord *known = record(rank);
  if (!known || known->forgottenCalls == 0)
    return true;
  auto oldest = oldest_.find({rank, line});
  return oldest != oldest_.end() && oldest->second <= sequence;
}

void FlightTable::findMissing(FlightMatch &match, int64_t sequence) const {
  for (int64_t member : match.line->members)
    if (!match.calls.count(member) && wouldShow(member, *match.line, sequence))
      match.missing.push_back(member);
}

} // namespace ccgraph::runtime
