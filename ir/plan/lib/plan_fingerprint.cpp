#include "ccgraph/ir/plan_fingerprint.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/text.h"
#include "fingerprint.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace ccgraph {
namespace {

using Print = CollectiveFingerprint;

Print::Row rowOf(const Plan &plan, const PlanWindow &window) {
  IntList sizes;
  for (const Dim &size : window.type->sizes()) {
    auto lookup = symbolsOf(plan.layout);
    std::optional<int64_t> value = size.evaluate(lookup);
    if (!value)
      return {window.type->dtype(), std::nullopt};
    sizes.push_back(*value);
  }
  return {window.type->dtype(), productOf(sizes)};
}

/// Returns the window on which all members agree: the received one for a scatter, in which only the root sends, else
/// the sent one.
const std::optional<PlanWindow> &commonOf(CollectiveKind kind, const PlanRow &row) {
  return kind == CollectiveKind::Scatter || kind == CollectiveKind::Recv ? row.receive : row.send;
}

/// One call and its position in one rank's list.
struct IssuedCall {
  size_t step;
  Print print;
};

/// The launches of one rank.
struct Program {
  const Plan *plan;
  std::vector<IssuedCall> launches; ///< without transfers
  size_t next = 0;
};

std::string placeText(const Program &program, const IssuedCall &launch) {
  return "step " + std::to_string(launch.step) + " " + program.plan->steps[launch.step].name.str().str() + ", " +
         launch.print.str();
}

class Agreement {
public:
  explicit Agreement(size_t limit) : found_(limit) {}

  std::vector<Diagnostic> run(llvm::ArrayRef<const Plan *> plans) {
    for (const Plan *plan : plans)
      addPlan(*plan);
    if (found_.hasErrors())
      return found_.take();
    launchAll();
    for (const auto &[key, channel] : channels_)
      compareChannel(channel);
    return found_.take();
  }

private:
  struct Channel {
    const Plan *sender = nullptr;
    const Plan *receiver = nullptr;
    std::vector<IssuedCall> sends;
    std::vector<IssuedCall> receives;
  };

  /// `culprit`: the ranks that contradict a majority; empty if there is no majority.
  void wrong(const std::string &where, std::string message, std::string repair, std::string culprit = "") {
    Diagnostic diagnostic = diagnose("plan.ranks", std::move(message), std::move(culprit));
    diagnostic.where = where;
    diagnostic.notes.push_back(std::move(repair));
    found_.add(std::move(diagnostic));
  }

  void addPlan(const Plan &plan) {
    if (!plan.rank)
      return wrong("plan " + plan.name, "states no rank, expected the rank that runs it",
                   "compare the plans of single ranks: one that serves all agrees with itself");
    auto [entry, added] = programs_.try_emplace(*plan.rank, Program{&plan, {}});
    if (!added)
      return wrong("plan " + plan.name,
                   "is a second one of rank " + std::to_string(*plan.rank) + "; expected one for each rank",
                   "give each rank one plan");
    for (size_t step = 0; step < plan.steps.size(); ++step)
      if (const CollectiveStep *collective = plan.steps[step].collective())
        for (const PlanCollective &call : collective->calls)
          addCall(entry->second, step, fingerprintOf(plan, call, *plan.rank));
  }

  void addCall(Program &program, size_t step, Print print) {
    if (print.members.empty())
      return;
    if (!isPointToPoint(print.kind))
      return program.launches.push_back({step, std::move(print)});
    if (!print.peer)
      return;
    int64_t rank = *program.plan->rank;
    bool sends = print.kind == CollectiveKind::Send;
    auto key = std::make_tuple(print.members, sends ? rank : *print.peer, sends ? *print.peer : rank, *print.tag);
    Channel &channel = channels_[key];
    (sends ? channel.sender : channel.receiver) = program.plan;
    (sends ? channel.sends : channel.receives).push_back({step, std::move(print)});
  }

  // --- Collectives ------------------------------------------------------------------------------------------
  /// Launches every call that all members have at the head of their lists, until no call is left or none can start.
  void launchAll() {
    for (const auto &[rank, program] : programs_)
      arrive(rank);
    while (!ready_.empty()) {
      std::vector<int64_t> members = std::move(ready_.front());
      ready_.pop_front();
      launch(members);
    }
    for (const auto &[rank, program] : programs_)
      if (program.next < program.launches.size())
        return reportStuck(rank);
  }

  /// Counts the rank's new head for its group.
  void arrive(int64_t rank) {
    Program &program = programs_.at(rank);
    if (program.next == program.launches.size())
      return;
    const std::vector<int64_t> &members = program.launches[program.next].print.members;
    size_t given = llvm::count_if(members, [&](int64_t member) { return programs_.count(member) != 0; });
    if (++arrived_[members] == given)
      ready_.push_back(members);
  }

  void launch(const std::vector<int64_t> &members) {
    arrived_[members] = 0;
    std::vector<int64_t> ranks = given(members);
    std::map<std::string, std::vector<int64_t>> votes;
    for (int64_t rank : ranks)
      votes[headOf(rank).print.str()].push_back(rank);
    if (votes.size() > 1)
      compareAll(ranks, votes);
    for (int64_t rank : ranks)
      ++programs_.at(rank).next;
    for (int64_t rank : ranks)
      arrive(rank);
  }

  [[nodiscard]] std::vector<int64_t> given(const std::vector<int64_t> &members) const {
    std::vector<int64_t> ranks;
    llvm::copy_if(members, std::back_inserter(ranks), [&](int64_t member) { return programs_.count(member) != 0; });
    return ranks;
  }
  [[nodiscard]] const IssuedCall &headOf(int64_t rank) const {
    const Program &program = programs_.at(rank);
    return program.launches[program.next];
  }

  /// Compares each rank with the first rank of the largest agreeing set, or with the first of all if there is no
  /// largest set.
  void compareAll(llvm::ArrayRef<int64_t> ranks, const std::map<std::string, std::vector<int64_t>> &votes) {
    const std::vector<int64_t> *most = nullptr;
    bool alone = false;
    for (const auto &[print, voters] : votes) {
      alone = !most || voters.size() > most->size() || (alone && voters.size() < most->size());
      most = !most || voters.size() > most->size() ? &voters : most;
    }
    int64_t right = alone ? most->front() : ranks.front();
    for (int64_t rank : ranks)
      if (rank != right)
        compare(programs_.at(right), headOf(right), programs_.at(rank), headOf(rank),
                alone ? culpritText({rank}, *most) : culpritByProgram());
  }

  /// "rank 1 is the culprit: ranks 0 and 2 agree".
  static std::string culpritText(const std::vector<int64_t> &wrong, const std::vector<int64_t> &right) {
    return ranksText(wrong) + (wrong.size() == 1 ? " is" : " are") + " the culprit" + (wrong.size() == 1 ? "" : "s") +
           ": " + ranksText(right) + " agree";
  }

  void compare(const Program &a, const IssuedCall &launchA, const Program &b, const IssuedCall &launchB,
               const std::string &culprit = "") {
    for (const FingerprintDifference &difference : differences(launchA.print, launchB.print))
      wrong("ranks " + std::to_string(*a.plan->rank) + " and " + std::to_string(*b.plan->rank),
            "launch together " + placeText(a, launchA) + ", and " + placeText(b, launchB) + ": " + difference.str() +
                "; expected the same",
            "make all ranks of a group launch the same calls on it, in one order", culprit);
  }

  /// Follows the ranks that wait for each other until a rank waits for no other, or occurs a second time. These two
  /// ranks are reported, because they block every rank that waits for one of them.
  void reportStuck(int64_t rank) {
    std::set<int64_t> seen;
    int64_t absent = absentFrom(rank);
    while (seen.insert(rank).second && !hasEnded(absent))
      rank = std::exchange(absent, absentFrom(absent));
    const Program &program = programs_.at(rank), &other = programs_.at(absent);
    const IssuedCall &head = headOf(rank);
    std::string culprit = hasEnded(absent) ? culpritOf(head) : "";
    wrong("ranks " + std::to_string(rank) + " and " + std::to_string(absent),
          "rank " + std::to_string(rank) + " launches " + placeText(program, head) + " while rank " +
              std::to_string(absent) +
              (hasEnded(absent) ? std::string(" has launched all that it has")
                                : " first launches " + placeText(other, headOf(absent))) +
              "; expected both to launch that next",
          "give all ranks one order of launches, across groups too", culprit.empty() ? culpritByProgram() : culprit);
  }

  [[nodiscard]] bool hasEnded(int64_t rank) const {
    return programs_.at(rank).next == programs_.at(rank).launches.size();
  }

  /// Returns the first member of the group of the rank's head that has not arrived.
  [[nodiscard]] int64_t absentFrom(int64_t rank) const {
    const std::vector<int64_t> &members = headOf(rank).print.members;
    std::vector<int64_t> ranks = given(members);
    return *llvm::find_if(ranks,
                          [&](int64_t member) { return hasEnded(member) || headOf(member).print.members != members; });
  }

  /// Returns the one rank whose program differs from that of all others, whatever their groups. Two groups of two have
  /// no majority, but four ranks of one program have.
  [[nodiscard]] std::string culpritByProgram() const {
    std::map<std::string, std::vector<int64_t>> votes;
    for (const auto &[rank, program] : programs_)
      votes[textWithoutMembers(program)].push_back(rank);
    if (votes.size() != 2)
      return "";
    auto [few, many] = std::minmax(*votes.begin(), *votes.rbegin(),
                                   [](const auto &a, const auto &b) { return a.second.size() < b.second.size(); });
    // Ranks without launches do not show what other ranks should launch.
    bool told = few.second.size() == 1 && many.second.size() > 1 && !many.first.empty();
    return told ? culpritText(few.second, many.second) : "";
  }

  static std::string textWithoutMembers(const Program &program) {
    std::string text;
    for (const IssuedCall &launch : program.launches) {
      Print print = launch.print;
      print.members.clear();
      text += print.str() + "\n";
    }
    return text;
  }

  /// For a call with waiting members: returns those that have launched everything, if they are the minority.
  [[nodiscard]] std::string culpritOf(const IssuedCall &head) const {
    std::vector<int64_t> wrong, right;
    for (int64_t rank : given(head.print.members)) {
      const Program &program = programs_.at(rank);
      (program.next == program.launches.size() ? wrong : right).push_back(rank);
    }
    return right.size() > wrong.size() ? culpritText(wrong, right) : "";
  }

  // --- Transfers --------------------------------------------------------------------------------------------
  void compareChannel(const Channel &channel) {
    if (!channel.sender || !channel.receiver) {
      const Plan *known = channel.sender ? channel.sender : channel.receiver;
      const IssuedCall &launch = channel.sender ? channel.sends.front() : channel.receives.front();
      // The plan of the other end may not be given.
      if (programs_.count(*launch.print.peer))
        reportLone(*known, launch, *launch.print.peer, 0);
      return;
    }
    const Program sender{channel.sender, {}}, receiver{channel.receiver, {}};
    size_t both = std::min(channel.sends.size(), channel.receives.size());
    for (size_t i = 0; i < both; ++i)
      compare(sender, channel.sends[i], receiver, channel.receives[i]);
    if (channel.sends.size() > both)
      reportLone(*channel.sender, channel.sends[both], *channel.receiver->rank, both);
    if (channel.receives.size() > both)
      reportLone(*channel.receiver, channel.receives[both], *channel.sender->rank, both);
  }

  void reportLone(const Plan &plan, const IssuedCall &launch, int64_t peer, size_t count) {
    bool sends = launch.print.kind == CollectiveKind::Send;
    wrong("ranks " + std::to_string(*plan.rank) + " and " + std::to_string(peer),
          "rank " + std::to_string(*plan.rank) + " launches " + placeText({&plan, {}}, launch) + ", but rank " +
              std::to_string(peer) + (sends ? " receives " : " sends ") + std::to_string(count) +
              " times on this channel; expected the other end of each transfer",
          sends ? "let the other rank receive it" : "let the other rank send it");
  }

  Diagnostics found_;
  std::map<int64_t, Program> programs_; ///< by rank
  /// how many ranks have a call of these members at their head
  std::map<std::vector<int64_t>, size_t> arrived_;
  std::deque<std::vector<int64_t>> ready_;
  /// members, sender, receiver, tag
  std::map<std::tuple<std::vector<int64_t>, int64_t, int64_t, int64_t>, Channel> channels_;
};

} // namespace

CollectiveFingerprint fingerprintOf(const Plan &plan, const PlanCollective &call, int64_t rank) {
  Print print;
  print.kind = call.kind;
  print.reduceOp = call.reduceOp;
  if (call.root >= 0)
    print.root = call.root;
  for (const PlanRow &row : call.rows)
    if (const std::optional<PlanWindow> &window = commonOf(call.kind, row))
      print.rows.push_back(rowOf(plan, *window));
  print.members = plan.groups[call.group].members(rank).vec();
  if (isPointToPoint(call.kind)) {
    if (call.peer >= 0 && static_cast<size_t>(call.peer) < print.members.size())
      print.peer = print.members[static_cast<size_t>(call.peer)];
    print.tag = call.tag;
  }
  print.complete = isComplete(print);
  return print;
}

std::vector<Diagnostic> verifyAgreement(llvm::ArrayRef<const Plan *> plans, size_t limit) {
  return Agreement(limit).run(plans);
}

} // namespace ccgraph
