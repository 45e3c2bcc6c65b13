#include "call.h"
#include "checks.h"
#include "rules.h"

#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/group_nesting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

namespace ccgraph::legality {

namespace {

// For each group there are two lists: the performers of its collectives in the order before (was), and what it issues
// now (now). If c1 and c2 became the bucket B,
//   before c1, c2, d       was B, d          matches  B, d
//   before c1, d, c2       was B, d, B       matches nothing: a moved entry must state the new order
// All ranks make the same change, so they agree on the new order as they did on the old one. Therefore only a pass that
// declares to reorder, by a rule that all ranks share, may have such an entry.

/// Collectives of one group: the steps after that perform the steps before, in the order before; and the same steps in
/// the order after.
struct Stream {
  const Call *sample = nullptr;    ///< one of its calls
  std::vector<const Call *> calls; ///< before
  std::vector<uint32_t> was;
  std::vector<uint32_t> now;
  bool hasFence = false; ///< after
};

class IssueOrder {
public:
  IssueOrder(const Evidence &evidence, Findings &findings)
      : evidence_(evidence), findings_(findings), callsBefore_(readCalls(evidence.before)) {
    for (Call &call : callsBefore_) {
      llvm::ArrayRef<uint32_t> performances = evidence.correspondence.performances(call.step);
      // A group that cannot be read is identified by its call, which another call may have replaced. A rule that
      // replaces one call by another guarantees the same group, even if the new call names it differently.
      if ((isRespelled(call) || call.group.form == GroupTerm::Form::Unread) && !performances.empty())
        call.group = readCall(evidence.after, performances.front()).group;
      Stream &stream = streamOf(call);
      stream.sample = stream.sample ? stream.sample : &call;
      stream.calls.push_back(&call);
      if (isStaged(call))
        addStages(performances);
      else
        llvm::append_range(stream.was, performances);
    }
    forEachCall(evidence.after, [&](const Call &call) {
      if (evidence.correspondence.repeated(call.step) != none)
        return; // new on every rank alike, which its rule proves
      Stream &stream = streamOf(call);
      if (!stream.sample)
        stream.sample = &newGroups_.emplace_back(call);
      stream.now.push_back(call.step);
      stream.hasFence |= isFence(call);
    });
  }

  void run() {
    if (!evidence_.options.spmd)
      checkAcrossGroups();
    for (const MovedEntry &entry : evidence_.rewrite.certificate.moved)
      checkMovedEntry(entry);
    for (const Stream &stream : streams_)
      checkStream(stream);
    checkAllFences();
    checkOpenGroups();
  }

private:
  bool isRespelled(const Call &call) const {
    Claim claim = evidence_.correspondence.claimBefore(call.step);
    const RuleTemplate *rule =
        claim.part == Part::Rule ? templateOf(evidence_.rewrite.certificate.rules[claim.entry].name) : nullptr;
    return rule && (rule->replacement == Replacement::CallForCall || rule->replacement == Replacement::CallAndWait);
  }

  bool isStaged(const Call &call) const {
    Claim claim = evidence_.correspondence.claimBefore(call.step);
    return claim.part == Part::Rule && evidence_.rewrite.certificate.rules[claim.entry].name == "staged-exchange";
  }

  /// Adds the stages of a collective to the lists of their own groups, in which they take its place.
  void addStages(llvm::ArrayRef<uint32_t> stages) {
    for (uint32_t stage : stages) {
      Call call = readCall(evidence_.after, stage);
      Stream &stream = streamOf(call);
      if (!stream.sample)
        stream.sample = &newGroups_.emplace_back(std::move(call));
      stream.was.push_back(stage);
    }
  }

  Stream &streamOf(const Call &call) {
    auto [slot, isNew] = index_.try_emplace(call.group.key, streams_.size());
    if (isNew)
      streams_.emplace_back();
    return streams_[slot->second];
  }

  const Node &node(uint32_t after) const { return *evidence_.after[after].node; }

  /// Contracts each bucket to one entry, at its first member, as long as its members were consecutive.
  static std::vector<uint32_t> contract(std::vector<uint32_t> performers) {
    performers.erase(std::unique(performers.begin(), performers.end()), performers.end());
    return performers;
  }

  void checkStream(const Stream &stream) {
    std::vector<uint32_t> expected = contract(stream.was);
    if (expected == stream.now || llvm::is_contained(stated_, stream.sample->group.key))
      return;
    auto [was, now] = std::mismatch(expected.begin(), expected.end(), stream.now.begin(), stream.now.end());
    const Node &place = node(now != stream.now.end() ? *now : *was);
    std::string expectedText = was == expected.end() ? "no more collectives" : quoted(&node(*was));
    findings_.add(place, "issue-order",
                  "is issued as number " + llvm::Twine(now - stream.now.begin()) + " of group " +
                      groupText(*stream.sample) + ", expected " + expectedText + " there");
  }

  static std::string groupText(const Call &call) { return "'" + call.group.text + "'"; }

  /// Checks that the entry states the actual order, and that the pass may change it.
  void checkMovedEntry(const MovedEntry &entry) {
    uint32_t first = entry.issue.empty() || !entry.issue.front() ? none : evidence_.after.indexOf(entry.issue.front());
    if (first == none || !isCall(evidence_.after, evidence_.after[first]))
      return findings_.add(*evidence_.after[0].node, "moved",
                           "the moved entry of group '" + llvm::Twine(entry.group) +
                               "' begins with no collective of the graph");
    const Node &place = node(first);
    if (!evidence_.options.reordersCollectives)
      return findings_.add(place, "moved",
                           "the order of group '" + llvm::Twine(entry.group) +
                               "' is listed as moved by a pass that may not reorder collectives",
                           "moved entry");
    const Stream &stream = streamOf(readCall(evidence_.after, first));
    auto same = [&](uint32_t now, const Node *listed) { return listed && &node(now) == listed; };
    if (!std::equal(stream.now.begin(), stream.now.end(), entry.issue.begin(), entry.issue.end(), same) ||
        groupIdOf(place).text != entry.group)
      return findings_.add(place, "moved",
                           "the moved entry of group '" + llvm::Twine(entry.group) + "' lists " +
                               llvm::Twine(entry.issue.size()) + " collectives that are not the " +
                               llvm::Twine(stream.now.size()) + " of the group in their order");
    stated_.push_back(stream.sample->group.key);
  }

  static bool inOrder(llvm::ArrayRef<uint32_t> steps) { return llvm::is_sorted(steps); }

  void checkAllFences() {
    std::vector<const Call *> samples;
    for (const Stream &stream : streams_)
      samples.push_back(stream.sample);
    std::optional<OverlappingGroups> overlaps;
    for (uint32_t i = 0; i < streams_.size(); ++i) {
      if (!streams_[i].hasFence)
        continue;
      if (!overlaps)
        overlaps.emplace(samples);
      checkFences(streams_[i], overlaps->of(i));
    }
  }

  // For a fence (such as a send) and a collective of such a group, the number of fences before the collective must stay
  // the same.

  /// No collective of a group that may share two ranks with this one moves across its fences.
  void checkFences(const Stream &stream, llvm::ArrayRef<uint32_t> overlapping) {
    std::vector<uint32_t> was;
    std::vector<uint32_t> now;
    for (const Call *call : stream.calls)
      if (isFence(*call) && evidence_.correspondence.performer(call->step) != none) {
        was.push_back(call->step);
        now.push_back(evidence_.correspondence.performer(call->step));
      }
    if (!inOrder(now)) {
      // checkStream has reported this already, unless an entry states the order.
      if (llvm::is_contained(stated_, stream.sample->group.key))
        reportTurned(now);
      return;
    }
    for (uint32_t other : overlapping)
      for (const Call *call : streams_[other].calls)
        checkSides(stream, *call, was, now);
  }

  void reportTurned(llvm::ArrayRef<uint32_t> fences) {
    const uint32_t *turned = std::is_sorted_until(fences.begin(), fences.end());
    findings_.add(node(*turned), "fence",
                  "is before " + quoted(&node(*std::prev(turned))) + ", expected after it: both keep their place");
  }

  void checkSides(const Stream &stream, const Call &call, llvm::ArrayRef<uint32_t> was, llvm::ArrayRef<uint32_t> now) {
    auto sideBefore = llvm::lower_bound(was, call.step) - was.begin();
    for (uint32_t performer : evidence_.correspondence.performances(call.step)) {
      auto sideNow = llvm::lower_bound(now, performer) - now.begin();
      if (sideBefore != sideNow)
        findings_.add(node(performer), "fence",
                      "passed " + quoted(&node(now[std::min(sideBefore, sideNow)])) + ", a step of group " +
                          groupText(*stream.sample) +
                          " that keeps its place among collectives of ranks that it may share");
    }
  }

  /// Returns, by key, the groups that may be the same as another group of the program.
  llvm::StringMap<bool> openGroups() const {
    std::vector<GroupTerm> terms;
    for (const Stream &stream : streams_)
      terms.push_back(stream.sample->group);
    std::vector<bool> open =
        mayBeAnother(terms, evidence_.options.spmd ? knownWorldSize(evidence_.rewrite.graph) : std::nullopt);
    llvm::StringMap<bool> byKey;
    for (size_t i = 0; i < terms.size(); ++i)
      byKey[terms[i].key] = open[i];
    return byKey;
  }

  /// Checks that a run of collectives of a group that may be the same as another stays, as a whole, between the
  /// collectives of other groups that preceded and followed it. Within the run, the group's own order counts, which has
  /// been checked.
  void checkOpenGroups() {
    llvm::StringMap<bool> open = openGroups();
    std::optional<uint32_t> lastOfEarlier; // of all runs before this one
    std::optional<uint32_t> lastSoFar;
    const Call *previous = nullptr;
    for (const Call &call : callsBefore_) {
      llvm::ArrayRef<uint32_t> performances = evidence_.correspondence.performances(call.step);
      if (performances.empty())
        continue;
      bool cut = previous && previous->group.key != call.group.key &&
                 (open.lookup(call.group.key) || open.lookup(previous->group.key));
      lastOfEarlier = cut ? lastSoFar : lastOfEarlier;
      for (uint32_t performer : performances) {
        if (lastOfEarlier && performer <= *lastOfEarlier)
          reportApart(call, performer, *lastOfEarlier);
        lastSoFar = std::max(lastSoFar.value_or(0), performer);
      }
      previous = &call;
    }
  }

  void reportApart(const Call &call, uint32_t performer, uint32_t earlier) {
    findings_.add(node(performer), "group-apart",
                  "is issued before " + quoted(&node(earlier)) + " or as one with it, expected after it: group " +
                      groupText(call) + " is not proved to be another one");
  }

  /// Ranks that run different programs agree only on their original order.
  void checkAcrossGroups() {
    std::vector<uint32_t> all;
    for (const Call &call : callsBefore_)
      if (uint32_t performer = evidence_.correspondence.performer(call.step); performer != none)
        all.push_back(performer);
    all = contract(all);
    for (size_t i = 1; i < all.size(); ++i)
      if (all[i] <= all[i - 1])
        findings_.add(node(all[i]), "mpmd",
                      "is issued before " + quoted(&node(all[i - 1])) +
                          ", expected after it, since other ranks run other programs");
  }

  const Evidence &evidence_;
  Findings &findings_;
  std::vector<Call> callsBefore_;
  std::deque<Call> newGroups_; ///< a call of each group that only the program after has
  std::vector<Stream> streams_;
  llvm::StringMap<size_t> index_;
  std::vector<std::string> stated_; ///< keys of groups whose new order an entry states
};

} // namespace

void checkIssueOrder(const Evidence &evidence, Findings &findings) { IssueOrder(evidence, findings).run(); }

} // namespace ccgraph::legality
