#include "report/measured_text.h"

#include "ccgraph/ir/durations.h"
#include "ccgraph/toolkit/text.h"
#include "report/exposed_list.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

namespace ccgraph::report {
namespace {

using measured::Cause;
using measured::CollectiveAccount;
using measured::JobExplanation;
using measured::MatchedShare;
using measured::RankAccount;

std::string nsText(int64_t nanoseconds) {
  return timeText(nanoseconds * picosecondsOfNs);
}

/// The time that the program stalls for a collective.
int64_t stallOf(const CollectiveAccount &account) { return account.stallWaiting + account.stallTransfer; }

/// Returns the accounts, those that stall the program longest first.
std::vector<const CollectiveAccount *> byStall(const JobExplanation &explanation) {
  std::vector<const CollectiveAccount *> accounts;
  for (const CollectiveAccount &account : explanation.collectives)
    accounts.push_back(&account);
  llvm::stable_sort(accounts, [](const CollectiveAccount *a, const CollectiveAccount *b) {
    return std::pair(stallOf(*a), a->waiting) > std::pair(stallOf(*b), b->waiting);
  });
  return accounts;
}

bool sharesNode(const JobExplanation &explanation, const CollectiveAccount &account) {
  return llvm::count_if(explanation.collectives,
                        [&](const CollectiveAccount &other) { return other.node == account.node; }) > 1;
}

std::string nameOf(const JobExplanation &explanation, const CollectiveAccount &account) {
  if (!sharesNode(explanation, account))
    return account.node;
  std::string text;
  for (int64_t rank : account.members)
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return account.node + " of [" + text + "]";
}

std::string matchedText(const JobExplanation &explanation) {
  const int64_t events = explanation.matchedTime() + explanation.unmatchedTime();
  std::string text = shareText(explanation.matchedTime(), events) + " of the time in events is matched to nodes: ";
  for (const MatchedShare &rule : explanation.rules)
    text += (&rule == explanation.rules.data() ? "" : ", ") + rule.name + " " + shareText(rule.nanoseconds, events);
  return text;
}

std::string restText(const JobExplanation &explanation) {
  constexpr size_t most = 3;
  const int64_t events = explanation.matchedTime() + explanation.unmatchedTime();
  std::string text = "not matched: ";
  for (const MatchedShare &event : llvm::ArrayRef(explanation.unmatched).take_front(most))
    text +=
        (&event == explanation.unmatched.data() ? "" : ", ") + event.name + " " + shareText(event.nanoseconds, events);
  return text + (explanation.unmatched.size() > most ? ", ..." : "");
}

/// Returns what the mean rank spends a step on.
std::string accountText(const JobExplanation &explanation) {
  RankAccount mean;
  for (const RankAccount &rank : explanation.ranks) {
    mean.step += rank.step, mean.compute += rank.compute, mean.host += rank.host;
    mean.stallWaiting += rank.stallWaiting, mean.stallTransfer += rank.stallTransfer;
    mean.unmatched += rank.unmatched;
  }
  const auto ranks = static_cast<int64_t>(std::max<size_t>(1, explanation.ranks.size()));
  std::string text = "of the mean rank";
  auto add = [&](const char *what, int64_t time) {
    if (time > 0)
      text += (text.back() == 'k' ? ": " : ", ") + std::string(what) + " " + nsText(time / ranks) + " (" +
              shareText(time, mean.step) + ")";
  };
  add("computation", mean.compute);
  add("waiting for late ranks", mean.stallWaiting);
  add("waiting for data", mean.stallTransfer);
  add("host", mean.host);
  add("no node", mean.unmatched);
  return text;
}

std::string collectiveText(const JobExplanation &explanation, const CollectiveAccount &account) {
  std::string text = nameOf(explanation, account) + ": " + nsText(account.waiting) + " until the last rank comes, " +
                     nsText(account.transfer) + " for the data";
  if (const std::string cause = causeText(account.cause); !cause.empty() && account.waiting > 0)
    text += "; rank " + std::to_string(account.lastRank) + " comes last in " +
            shareText(static_cast<int64_t>(account.lastSteps), static_cast<int64_t>(account.steps)) +
            " of the steps, because of " + cause;
  return text;
}

/// Returns how long each graph takes, of a job with several.
std::string graphsText(const JobExplanation &explanation) {
  int64_t step = 0, inGraphs = 0;
  for (const RankAccount &rank : explanation.ranks)
    step += rank.step / static_cast<int64_t>(explanation.ranks.size());
  std::string text = "its graphs: ";
  for (const measured::GraphAccount &graph : explanation.graphs) {
    inGraphs += graph.time;
    text += graph.label + (graph.executions > 1 ? ", " + std::to_string(graph.executions) + " times" : "") + " " +
            nsText(graph.time) + " (" + shareText(graph.time, step) + "), ";
  }
  const int64_t between = std::max<int64_t>(0, step - inGraphs);
  return text + "between them " + nsText(between) + " (" + shareText(between, step) + ")";
}

std::string distanceText(const MeasuredLines &request) {
  const std::string &label = request.explanation.graphs.front().label;
  std::string text = "with these times, the " + (label.empty() ? "graph's order" : "order of " + label) + " takes " +
                     timeText(*request.predicted) + " without waiting for late ranks or hosts";
  if (request.bound)
    text += ", and no order less than " + timeText(*request.bound);
  return text;
}

void printMeasuredCollectives(llvm::raw_ostream &os, const JobExplanation &explanation, size_t count) {
  constexpr size_t columns = 6, numbers = 4;
  using Row = std::array<std::string, columns>;
  std::vector<Row> rows = {{"stall: ranks", "stall: data", "until the last", "data", "collective", "because of"}};
  const std::vector<const CollectiveAccount *> accounts = byStall(explanation);
  for (const CollectiveAccount *account : llvm::ArrayRef(accounts).take_front(count))
    rows.push_back({nsText(account->stallWaiting), nsText(account->stallTransfer), nsText(account->waiting),
                    nsText(account->transfer), nameOf(explanation, *account), causeText(account->cause)});
  std::array<size_t, columns> widths = {};
  for (const Row &row : rows)
    for (size_t i = 0; i != columns; ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const Row &row : rows) {
    std::string line;
    for (size_t i = 0; i != columns; ++i)
      line += (i == 0 ? "" : "  ") +
              (i < numbers ? alignRight(row[i], widths[i]) : row[i] + std::string(widths[i] - row[i].size(), ' '));
    os << llvm::StringRef(line).rtrim() << '\n';
  }
}

} // namespace

std::string causeText(const Cause &cause) {
  const std::string rank = "rank " + std::to_string(cause.rank), time = " (+" + nsText(cause.nanoseconds) + ")";
  const std::string since = cause.since.empty() || cause.since == cause.node ? "" : ", late since " + cause.since;
  switch (cause.kind) {
  case Cause::Kind::None:
    return "";
  case Cause::Kind::Compute:
    return cause.node + " on " + rank + time + since;
  case Cause::Kind::Host:
    return "the host of " + rank + " before " + cause.node + time + since;
  case Cause::Kind::Unmatched:
    return cause.node + ", which is no node, on " + rank + time + since;
  case Cause::Kind::Collective:
    return "the data of " + cause.node + " on " + rank + time + since;
  }
  llvm_unreachable("no such kind");
}

std::vector<MeasuredLine> measuredLines(const MeasuredLines &request) {
  constexpr size_t mostCollectives = 3, mostMends = 4;
  const JobExplanation &it = request.explanation;
  std::vector<MeasuredLine> lines;
  lines.push_back({"measured", nsText(it.step) + " a step, the median of " + counted(it.steps, "step") + " of " +
                                   counted(it.ranks.size(), "rank") + "; " + matchedText(it)});
  auto more = [&](std::string text) { lines.push_back({"", std::move(text)}); };
  if (!it.unmatched.empty())
    more(restText(it));
  more(accountText(it));
  if (it.graphs.size() > 1)
    more(graphsText(it));
  if (request.predicted)
    more(distanceText(request));
  if (it.slowedByOverlap > 0)
    more("computation is " + nsText(it.slowedByOverlap) + " slower while data moves (" +
         shareText(it.overlapJudged, it.overlapped) + " of the overlapped computation could be compared)");
  for (const std::string &note : it.notes)
    more(note);
  const std::vector<const CollectiveAccount *> accounts = byStall(it);
  for (const CollectiveAccount *account : llvm::ArrayRef(accounts).take_front(mostCollectives))
    lines.push_back({account == accounts.front() ? "slow" : "", collectiveText(it, *account)});
  for (const measured::Mend &mend : llvm::ArrayRef(it.mends).take_front(mostMends))
    lines.push_back({&mend == it.mends.data() ? "would save" : "",
                     nsText(mend.saved) + " (" + shareText(mend.saved, it.replayed) + "): " + mend.change});
  return lines;
}

std::vector<MeasuredLine> memoryLines(const measured::MemoryComparison &memory) {
  std::vector<MeasuredLine> lines;
  lines.push_back({"snapshot", "device " + std::to_string(memory.device) + " has " + bytesText(memory.segments) +
                                   " in segments at its peak, after " + std::to_string(memory.event) + " of " +
                                   counted(memory.events, "event") + ": " + bytesText(memory.requested) +
                                   " of tensors, " + bytesText(memory.rounding) + " of rounding, " +
                                   bytesText(memory.unused) + " unused; the graph predicts " +
                                   bytesText(memory.predicted) +
                                   (memory.predictedAt.empty() ? "" : " at " + memory.predictedAt)});
  for (const measured::MemoryDifference &difference : memory.differences) {
    const bool more = measured::isMore(difference.reason);
    std::string text = bytesText(difference.bytes) + (more ? " more: " : " less: ") +
                       counted(difference.count, more ? "block" : "value") + " " +
                       measured::memoryReasonText(difference.reason).str();
    for (const std::string &example : difference.examples)
      text += (&example == difference.examples.data() ? " (" : ", ") + example;
    lines.push_back({"", text + (difference.examples.empty() ? "" : ")")});
  }
  return lines;
}

void printExposedLists(llvm::raw_ostream &os, const Summary &summary, size_t count) {
  printExposed(os, summary.run.exposed);
  if (!summary.measured)
    return;
  os << '\n';
  printMeasuredCollectives(os, *summary.measured, count);
}

} // namespace ccgraph::report
