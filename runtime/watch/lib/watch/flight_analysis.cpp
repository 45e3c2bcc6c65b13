#include "ccgraph/runtime/flight_analysis.h"

#include "ccgraph/ir/text.h"
#include "watch/flight_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

namespace ccgraph::runtime {
namespace {

using Ranks = std::vector<int64_t>;
using Votes = std::map<std::string, Ranks>;

Ranks ranksOf(const FlightMatch &match) {
  Ranks ranks;
  for (const auto &[rank, call] : match.calls)
    ranks.push_back(rank);
  return ranks;
}

FlightVerdict culprit(Ranks ranks, const std::string &what) {
  std::string sentence = ranksText(ranks) + (ranks.size() == 1 ? " is the culprit: " : " are the culprits: ") + what;
  return {false, std::move(ranks), std::move(sentence)};
}

class Analysis {
public:
  explicit Analysis(const FlightTable &table) : table_(table) {}

  [[nodiscard]] FlightVerdict run() {
    for (const FlightMatch &match : table_.matches())
      if (Votes votes = match.votes(table_.isOnePlan()); votes.size() > 1)
        return mismatch(match, votes);
    for (const FlightMatch &match : table_.matches())
      if (Ranks departed = departedRanks(match); !departed.empty())
        return culprit(departed, match.name + " is " + callText(*match.calls.at(departed.front())) +
                                     departureText(match, departed.front()));
    if (Ranks lost = lostRanks(); !lost.empty())
      return lostVerdict(lost);
    for (const FlightMatch &match : table_.matches())
      if (Ranks ranks = leftOutBy(match); match.isIncomplete() && !ranks.empty())
        return culprit(ranks, waitText(match, ranks) + "; " + (ranks.size() == 1 ? "it has" : "they have") +
                                  " left it out, and issued what comes later");
    for (const FlightMatch &match : table_.matches())
      if (match.isIncomplete() && !match.missing.empty())
        return follow(match);
    for (const FlightMatch &match : table_.matches())
      if (match.isIncomplete())
        if (std::optional<FlightVerdict> verdict = unfinished(match))
          return *verdict;
    return atEnd();
  }

private:
  // --- Ranks that brought different things ------------------------------------------------------------------
  [[nodiscard]] FlightVerdict mismatch(const FlightMatch &match, const Votes &votes) const {
    std::vector<Ranks> sides;
    for (const auto &[ballot, ranks] : votes)
      sides.push_back(ranks);
    llvm::stable_sort(sides, [](const Ranks &a, const Ranks &b) { return a.size() > b.size(); });
    if (sides[0].size() > sides[1].size()) {
      Ranks wrong;
      for (const Ranks &side : llvm::makeArrayRef(sides).drop_front())
        llvm::append_range(wrong, side);
      llvm::sort(wrong);
      return culprit(std::move(wrong), match.name + " is " + sidesText(match, sides));
    }
    Ranks departed = departedRanks(match);
    if (departed.empty())
      return {false,
              {},
              ranksText(ranksOf(match)) + " disagree, and none is a majority: " + match.name + " is " +
                  sidesText(match, sides)};
    // The side of the first rank that departs from its plan is named last, with the plan's own call.
    std::stable_partition(sides.begin(), sides.end(),
                          [&](const Ranks &side) { return !llvm::is_contained(side, departed.front()); });
    return culprit(departed, match.name + " is " + sidesText(match, sides) + departureText(match, departed.front()));
  }

  static std::string sidesText(const FlightMatch &match, llvm::ArrayRef<Ranks> sides) {
    std::string text;
    for (size_t i = 0; i < sides.size(); ++i)
      text += (i == 0                  ? ""
               : i + 1 == sides.size() ? ", and "
                                       : ", ") +
              callText(*match.calls.at(sides[i].front())) + " on " + ranksText(sides[i]);
    return text;
  }

  static std::string departureText(const FlightMatch &match, int64_t rank) {
    return ", which is " + match.calls.at(rank)->departure;
  }

  static Ranks departedRanks(const FlightMatch &match) {
    Ranks ranks;
    for (const auto &[rank, call] : match.calls)
      if (!call->departure.empty())
        ranks.push_back(rank);
    return ranks;
  }

  // --- Ranks that left no record ----------------------------------------------------------------------------
  [[nodiscard]] Ranks lostRanks() const {
    Ranks lost;
    for (int64_t rank : table_.ranks())
      if (!table_.record(rank))
        lost.push_back(rank);
    return lost;
  }

  [[nodiscard]] FlightVerdict lostVerdict(const Ranks &lost) const {
    bool one = lost.size() == 1;
    std::string what = one ? "it left no record" : "they left no record";
    for (const FlightMatch &match : table_.matches())
      if (match.isIncomplete() && llvm::is_contained(match.missing, lost.front()))
        return culprit(lost, what + ", and " + waitText(match, lost));
    return culprit(lost, what);
  }

  // --- Ranks that others wait for ---------------------------------------------------------------------------
  /// "it has not launched collective 3 of group 0, all_reduce sum f32[4] `ar`, for which ranks 0 and 2 wait".
  static std::string waitText(const FlightMatch &match, const Ranks &missing) {
    Ranks waiting = ranksOf(match);
    return std::string(missing.size() == 1 ? "it has" : "they have") + " not launched " + match.name + ", " +
           callText(*match.calls.begin()->second) + ", for which " + ranksText(waiting) +
           (waiting.size() == 1 ? " waits" : " wait");
  }

  [[nodiscard]] Ranks leftOutBy(const FlightMatch &match) const {
    Ranks ranks;
    llvm::copy_if(match.missing, std::back_inserter(ranks),
                  [&](int64_t rank) { return table_.record(rank) && table_.hasLeftOut(rank, match); });
    return ranks;
  }

  /// Returns the activity of a rank that waits for no other: the end of a sentence.
  [[nodiscard]] std::optional<std::string> ownReason(int64_t rank) const {
    FlightStanding standing = table_.standing(rank);
    if (standing.activity == RankActivity::Ended)
      return "it has ended its program";
    if (standing.activity == RankActivity::Busy)
      return standing.busyWith.empty() ? "it is busy" : "it is busy with `" + standing.busyWith + "`";
    if (!blockedCall(rank) && !movingCall(rank))
      return lastText(*table_.record(rank));
    return std::nullopt;
  }

  static std::string lastText(const FlightRecord &record) {
    return record.calls.empty() ? "it has launched nothing" : "its last call was " + callText(record.calls.back());
  }

  /// The first match that the rank has launched and that cannot end, because others have not.
  [[nodiscard]] const FlightMatch *blockedCall(int64_t rank) const {
    return findOpen(rank, [](const FlightMatch &match) { return !match.missing.empty(); });
  }

  /// Returns the first incomplete collective that all members have launched and that this rank has started.
  [[nodiscard]] const FlightMatch *movingCall(int64_t rank) const {
    return findOpen(rank, [&](const FlightMatch &match) {
      return match.missing.empty() && match.calls.at(rank)->state == FlightState::Started;
    });
  }

  template <typename Condition>
  [[nodiscard]] const FlightMatch *findOpen(int64_t rank, Condition holds) const {
    for (const FlightMatch &match : table_.matches()) {
      auto call = match.calls.find(rank);
      if (call != match.calls.end() && call->second->state != FlightState::Completed && holds(match))
        return &match;
    }
    return nullptr;
  }

  [[nodiscard]] FlightVerdict follow(const FlightMatch &first) const {
    std::set<int64_t> seen;
    const FlightMatch *match = &first;
    while (true) {
      std::map<std::string, Ranks> reasons;
      for (int64_t rank : match->missing)
        if (std::optional<std::string> reason = ownReason(rank))
          reasons[*reason].push_back(rank);
      if (!reasons.empty())
        return notLaunched(*match, reasons);
      int64_t next = match->missing.front();
      if (!seen.insert(next).second)
        return circle(seen);
      const FlightMatch *blocked = blockedCall(next);
      if (!blocked)
        return heldUpIn(*movingCall(next), *match);
      match = blocked;
    }
  }

  /// All that is waited for wait in a match that all have launched.
  [[nodiscard]] FlightVerdict heldUpIn(const FlightMatch &moving, const FlightMatch &awaited) const {
    if (std::optional<FlightVerdict> verdict = unfinished(moving))
      return *verdict;
    std::map<std::string, Ranks> reasons;
    for (int64_t rank : awaited.missing)
      reasons[lastText(*table_.record(rank))].push_back(rank);
    return notLaunched(awaited, reasons);
  }

  static FlightVerdict notLaunched(const FlightMatch &match, const std::map<std::string, Ranks> &reasons) {
    Ranks ranks;
    std::vector<std::string> texts;
    for (const auto &[reason, who] : reasons) {
      llvm::append_range(ranks, who);
      texts.push_back(reason);
    }
    llvm::sort(ranks);
    return culprit(ranks, waitText(match, ranks) + "; " + llvm::join(texts, ", "));
  }

  [[nodiscard]] FlightVerdict circle(const std::set<int64_t> &seen) const {
    Ranks ranks(seen.begin(), seen.end()), departed;
    std::vector<std::string> texts;
    for (int64_t rank : ranks) {
      const FlightMatch &match = *blockedCall(rank);
      const FlightCall &call = *match.calls.at(rank);
      texts.push_back("rank " + std::to_string(rank) + " in " + match.name + ", " + callText(call));
      if (!call.departure.empty())
        departed.push_back(rank);
    }
    std::string what = ranksText(ranks) + " wait for one another, " + llvm::join(texts, ", ");
    return departed.empty() ? FlightVerdict{false, {}, what} : culprit(departed, what);
  }

  // --- What all have launched -------------------------------------------------------------------------------
  [[nodiscard]] std::optional<FlightVerdict> unfinished(const FlightMatch &match) const {
    Ranks busy, open, behind;
    for (const auto &[rank, call] : match.calls) {
      if (call->state == FlightState::Completed)
        continue;
      open.push_back(rank);
      if (table_.standing(rank).activity == RankActivity::Busy)
        busy.push_back(rank);
      if (call->state == FlightState::Scheduled)
        behind.push_back(rank);
    }
    std::string what = match.name + ", " + callText(*match.calls.at(open.front()));
    bool othersEnded = open.size() < match.calls.size();
    if (!busy.empty() && (busy.size() < open.size() || othersEnded))
      return culprit(busy,
                     hasNot(busy) + "completed " + what + ", which all have launched; " + *ownReason(busy.front()));
    if (!busy.empty())
      return std::nullopt;
    if (!behind.empty() && behind.size() < open.size())
      return culprit(behind, hasNot(behind) + "started " + what + ", which the others have");
    if (othersEnded)
      return culprit(open, hasNot(open) + "completed " + what + ", which all have launched");
    return FlightVerdict{false,
                         {},
                         ranksText(open) + (open.size() == 1 ? " has" : " have") + " not completed " + what +
                             ", which all have launched, and none is behind"};
  }

  static std::string hasNot(const Ranks &ranks) { return ranks.size() == 1 ? "it has not " : "they have not "; }

  [[nodiscard]] FlightVerdict atEnd() const {
    Ranks busy, ended;
    for (int64_t rank : table_.ranks()) {
      RankActivity activity = table_.standing(rank).activity;
      if (activity == RankActivity::Busy)
        busy.push_back(rank);
      if (activity == RankActivity::Ended)
        ended.push_back(rank);
    }
    if (!busy.empty() && !ended.empty())
      return culprit(busy, *ownReason(busy.front()) + ", and " + ranksText(ended) +
                               (ended.size() == 1 ? " has ended" : " have ended"));
    return {true, {}, "the records of " + ranksText({table_.ranks().begin(), table_.ranks().end()}) + " agree"};
  }

  const FlightTable &table_;
};

} // namespace

FlightVerdict analyzeFlight(llvm::ArrayRef<FlightRecord> records) {
  if (records.empty())
    return {true, {}, "there is no record"};
  FlightTable table(records);
  return Analysis(table).run();
}

} // namespace ccgraph::runtime
