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

Ranks ranksOf(const FlightMeeting &meeting) {
  Ranks ranks;
  for (const auto &[rank, call] : meeting.calls)
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
    for (const FlightMeeting &meeting : table_.meetings())
      if (Votes votes = meeting.votes(table_.isOnePlan()); votes.size() > 1)
        return mismatch(meeting, votes);
    for (const FlightMeeting &meeting : table_.meetings())
      if (Ranks departed = departedRanks(meeting); !departed.empty())
        return culprit(departed, meeting.name + " is " + callText(*meeting.calls.at(departed.front())) +
                                     departureText(meeting, departed.front()));
    if (Ranks lost = lostRanks(); !lost.empty())
      return lostVerdict(lost);
    for (const FlightMeeting &meeting : table_.meetings())
      if (Ranks ranks = leftOutBy(meeting); meeting.isIncomplete() && !ranks.empty())
        return culprit(ranks, waitText(meeting, ranks) + "; " + (ranks.size() == 1 ? "it has" : "they have") +
                                  " left it out, and issued what comes later");
    for (const FlightMeeting &meeting : table_.meetings())
      if (meeting.isIncomplete() && !meeting.missing.empty())
        return follow(meeting);
    for (const FlightMeeting &meeting : table_.meetings())
      if (meeting.isIncomplete())
        if (std::optional<FlightVerdict> verdict = unfinished(meeting))
          return *verdict;
    return atEnd();
  }

private:
  // --- Ranks that brought different things ------------------------------------------------------------------
  [[nodiscard]] FlightVerdict mismatch(const FlightMeeting &meeting, const Votes &votes) const {
    std::vector<Ranks> sides;
    for (const auto &[ballot, ranks] : votes)
      sides.push_back(ranks);
    llvm::stable_sort(sides, [](const Ranks &a, const Ranks &b) { return a.size() > b.size(); });
    if (sides[0].size() > sides[1].size()) {
      Ranks wrong;
      for (const Ranks &side : llvm::makeArrayRef(sides).drop_front())
        llvm::append_range(wrong, side);
      llvm::sort(wrong);
      return culprit(std::move(wrong), meeting.name + " is " + sidesText(meeting, sides));
    }
    Ranks departed = departedRanks(meeting);
    if (departed.empty())
      return {false,
              {},
              ranksText(ranksOf(meeting)) + " disagree, and none is a majority: " + meeting.name + " is " +
                  sidesText(meeting, sides)};
    // The side of the first rank that departs from its plan is named last, with the plan's own call.
    std::stable_partition(sides.begin(), sides.end(),
                          [&](const Ranks &side) { return !llvm::is_contained(side, departed.front()); });
    return culprit(departed,
                   meeting.name + " is " + sidesText(meeting, sides) + departureText(meeting, departed.front()));
  }

  static std::string sidesText(const FlightMeeting &meeting, llvm::ArrayRef<Ranks> sides) {
    std::string text;
    for (size_t i = 0; i < sides.size(); ++i)
      text += (i == 0                  ? ""
               : i + 1 == sides.size() ? ", and "
                                       : ", ") +
              callText(*meeting.calls.at(sides[i].front())) + " on " + ranksText(sides[i]);
    return text;
  }

  static std::string departureText(const FlightMeeting &meeting, int64_t rank) {
    return ", which is " + meeting.calls.at(rank)->departure;
  }

  static Ranks departedRanks(const FlightMeeting &meeting) {
    Ranks ranks;
    for (const auto &[rank, call] : meeting.calls)
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
    for (const FlightMeeting &meeting : table_.meetings())
      if (meeting.isIncomplete() && llvm::is_contained(meeting.missing, lost.front()))
        return culprit(lost, what + ", and " + waitText(meeting, lost));
    return culprit(lost, what);
  }

  // --- Ranks that others wait for ---------------------------------------------------------------------------
  /// "it has not launched collective 3 of group 0, all_reduce sum f32[4] `ar`, for which ranks 0 and 2 wait".
  static std::string waitText(const FlightMeeting &meeting, const Ranks &missing) {
    Ranks waiting = ranksOf(meeting);
    return std::string(missing.size() == 1 ? "it has" : "they have") + " not launched " + meeting.name + ", " +
           callText(*meeting.calls.begin()->second) + ", for which " + ranksText(waiting) +
           (waiting.size() == 1 ? " waits" : " wait");
  }

  [[nodiscard]] Ranks leftOutBy(const FlightMeeting &meeting) const {
    Ranks ranks;
    llvm::copy_if(meeting.missing, std::back_inserter(ranks),
                  [&](int64_t rank) { return table_.record(rank) && table_.hasLeftOut(rank, meeting); });
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

  /// The first meeting that the rank has launched and that cannot end, because others have not.
  [[nodiscard]] const FlightMeeting *blockedCall(int64_t rank) const {
    return findOpen(rank, [](const FlightMeeting &meeting) { return !meeting.missing.empty(); });
  }

  /// Returns the first incomplete collective that all members have launched and that this rank has started.
  [[nodiscard]] const FlightMeeting *movingCall(int64_t rank) const {
    return findOpen(rank, [&](const FlightMeeting &meeting) {
      return meeting.missing.empty() && meeting.calls.at(rank)->state == FlightState::Started;
    });
  }

  template <typename Condition>
  [[nodiscard]] const FlightMeeting *findOpen(int64_t rank, Condition holds) const {
    for (const FlightMeeting &meeting : table_.meetings()) {
      auto call = meeting.calls.find(rank);
      if (call != meeting.calls.end() && call->second->state != FlightState::Completed && holds(meeting))
        return &meeting;
    }
    return nullptr;
  }

  [[nodiscard]] FlightVerdict follow(const FlightMeeting &first) const {
    std::set<int64_t> seen;
    const FlightMeeting *meeting = &first;
    while (true) {
      std::map<std::string, Ranks> reasons;
      for (int64_t rank : meeting->missing)
        if (std::optional<std::string> reason = ownReason(rank))
          reasons[*reason].push_back(rank);
      if (!reasons.empty())
        return notLaunched(*meeting, reasons);
      int64_t next = meeting->missing.front();
      if (!seen.insert(next).second)
        return circle(seen);
      const FlightMeeting *blocked = blockedCall(next);
      if (!blocked)
        return heldUpIn(*movingCall(next), *meeting);
      meeting = blocked;
    }
  }

  /// All that is waited for wait in a meeting that all have launched.
  [[nodiscard]] FlightVerdict heldUpIn(const FlightMeeting &moving, const FlightMeeting &awaited) const {
    if (std::optional<FlightVerdict> verdict = unfinished(moving))
      return *verdict;
    std::map<std::string, Ranks> reasons;
    for (int64_t rank : awaited.missing)
      reasons[lastText(*table_.record(rank))].push_back(rank);
    return notLaunched(awaited, reasons);
  }

  static FlightVerdict notLaunched(const FlightMeeting &meeting, const std::map<std::string, Ranks> &reasons) {
    Ranks ranks;
    std::vector<std::string> texts;
    for (const auto &[reason, who] : reasons) {
      llvm::append_range(ranks, who);
      texts.push_back(reason);
    }
    llvm::sort(ranks);
    return culprit(ranks, waitText(meeting, ranks) + "; " + llvm::join(texts, ", "));
  }

  [[nodiscard]] FlightVerdict circle(const std::set<int64_t> &seen) const {
    Ranks ranks(seen.begin(), seen.end()), departed;
    std::vector<std::string> texts;
    for (int64_t rank : ranks) {
      const FlightMeeting &meeting = *blockedCall(rank);
      const FlightCall &call = *meeting.calls.at(rank);
      texts.push_back("rank " + std::to_string(rank) + " in " + meeting.name + ", " + callText(call));
      if (!call.departure.empty())
        departed.push_back(rank);
    }
    std::string what = ranksText(ranks) + " wait for one another, " + llvm::join(texts, ", ");
    return departed.empty() ? FlightVerdict{false, {}, what} : culprit(departed, what);
  }

  // --- What all have launched -------------------------------------------------------------------------------
  [[nodiscard]] std::optional<FlightVerdict> unfinished(const FlightMeeting &meeting) const {
    Ranks busy, open, behind;
    for (const auto &[rank, call] : meeting.calls) {
      if (call->state == FlightState::Completed)
        continue;
      open.push_back(rank);
      if (table_.standing(rank).activity == RankActivity::Busy)
        busy.push_back(rank);
      if (call->state == FlightState::Scheduled)
        behind.push_back(rank);
    }
    std::string what = meeting.name + ", " + callText(*meeting.calls.at(open.front()));
    bool othersEnded = open.size() < meeting.calls.size();
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
