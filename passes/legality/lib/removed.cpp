#include "call.h"
#include "checks.h"
#include "in_flight.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

bool writes(Access access) { return hasAny(access, Access::Write | Access::InFlightWrite); }

class RemovalCheck {
public:
  RemovalCheck(const Evidence &evidence, Findings &findings)
      : evidence_(evidence), before_(evidence.before), storages_(evidence.storagesBefore), findings_(findings),
        written_(storages_.count()), returned_(storages_.count()) {
    for (uint32_t i = 0; i < before_.size(); ++i) {
      before_[i].opcode() == Opcode::Output ? recordReturns(i) : recordWrites(i);
      if (before_[i].domain == Domain::All)
        opaque_.push_back(i);
    }
    for (const AsyncPair &pair : evidence.pairsBefore.asyncPairs)
      if (pair.wait != none)
        ending_.insert(pair.wait);
    for (const CopyAgain &copy : evidence.pairsBefore.copiesAgain)
      written_[copy.storage].push_back(copy.wait);
    for (auto &writers : written_)
      llvm::sort(writers);
  }

  void run() {
    const auto &removed = evidence_.rewrite.certificate.removed;
    for (uint32_t i = 0; i < removed.size(); ++i) {
      entry_ = claimText({Part::Removed, i});
      check(removed[i]);
    }
  }

private:
  void recordWrites(uint32_t index) {
    const Step &step = before_[index];
    auto operands = before_.operands(step);
    auto accesses = before_.accesses(step);
    for (size_t i = 0; i < operands.size(); ++i)
      if (!step.onlyWaits() && operands[i] != none && writes(accesses[i]))
        for (uint32_t storage : storages_.of(operands[i]))
          written_[storage].push_back(index);
  }

  void recordReturns(uint32_t index) {
    for (uint32_t operand : before_.operands(before_[index]))
      for (uint32_t storage : operand == none ? llvm::ArrayRef<uint32_t>() : storages_.of(operand))
        returned_[storage] = true;
  }

  bool isReturned(uint32_t value) const {
    return llvm::any_of(storages_.of(value), [&](uint32_t storage) { return returned_[storage]; });
  }

  bool refuse(const Node &node, llvm::StringRef rule, const llvm::Twine &message) {
    findings_.add(node, rule, message, entry_);
    return false;
  }

  void check(const RemovedEntry &entry) {
    uint32_t index = before_.indexOf(entry.node);
    if (!hasNoOtherEffect(index))
      return;
    switch (entry.reason) {
    case RemovedReason::Dead:
      return; // the nodes check reports a remaining use, and the waits check a missing wait
    case RemovedReason::Twin:
      return checkTwin(index, entry);
    case RemovedReason::Forwarded:
      return checkForwarded(index, entry);
    }
  }

  /// Returns true if the step may be removed when it is dead. A dead sum may. A dead all_reduce may if all ranks run
  /// this program, since then no rank waits for the others in it. A send may not, since its receiver is a node of
  /// another rank.
  bool hasNoOtherEffect(uint32_t index) {
    const Step &step = before_[index];
    if (step.opcode() != Opcode::CallFunction && step.opcode() != Opcode::GetAttr)
      return refuse(*step.node, "removed-effect", "is an " + opcodeName(step.opcode()) + ", which may not go");
    if (step.domain != Domain::None && step.domain != Domain::Comm)
      return refuse(*step.node, "removed-effect", "has an effect beyond its result, so it may not go");
    if (llvm::any_of(before_.accesses(step), writes) && !step.onlyWaits())
      return refuse(*step.node, "removed-effect", "writes a storage, so it may not go");
    if (step.domain != Domain::Comm)
      return true;
    if (!step.collective() || !traitsOf(step.collective()->kind).leavesOnlyResults)
      return refuse(*step.node, "removed-effect", "is communication that another rank waits for, so it may not go");
    if (!evidence_.options.spmd)
      return refuse(*step.node, "mpmd", "is a collective, and may not go where other ranks run other programs");
    return true;
  }

  /// Returns true if one value of the program after replaces both. The entries that replace them are checked
  /// separately.
  bool isOneValue(uint32_t a, uint32_t b) const {
    const Correspondence &correspondence = evidence_.correspondence;
    return a == b || (a != none && b != none && correspondence.image(a) != none &&
                      correspondence.image(a) == correspondence.image(b));
  }

  bool sameOperands(const Step &a, const Step &b) const {
    auto left = before_.operands(a);
    auto right = before_.operands(b);
    auto same = [&](uint32_t x, uint32_t y) { return isOneValue(x, y); };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), same);
  }

  static bool sameCall(const Step &a, const Step &b) {
    auto sameNamed = [](const NamedArgument &x, const NamedArgument &y) {
      return x.name == y.name && sameArgument(x.value, y.value);
    };
    auto [p, q] = std::make_pair(a.arguments, b.arguments);
    return a.isCall() && a.op == b.op && a.type == b.type &&
           std::equal(p->positional.begin(), p->positional.end(), q->positional.begin(), q->positional.end(),
                      sameArgument) &&
           std::equal(p->keyword.begin(), p->keyword.end(), q->keyword.begin(), q->keyword.end(), sameNamed);
  }

  // An earlier c1 = f(a) may replace c2 = f(a) under two conditions. First, the two are one value: the same call, with
  // operands that no step wrote since c1 and no opaque step between. Second, no observer can distinguish the two
  // results: neither is written, and not both are returned to a caller, who could write one of them and read the other.
  void checkTwin(uint32_t index, const RemovedEntry &entry) {
    uint32_t twin = entry.twin ? before_.indexOf(entry.twin) : none;
    const Step &step = before_[index];
    if (twin == none || twin >= index || !sameCall(before_[twin], step) || !sameOperands(before_[twin], step))
      return void(refuse(*step.node, "twin",
                         "is not the same call of the same values as " + quoted(entry.twin) + " before it"));
    if (!llvm::equal(before_.ordering(before_[twin]), before_.ordering(step)))
      return void(refuse(*step.node, "twin", "had other ordering edges than " + quoted(entry.twin)));
    auto operands = before_.operands(step);
    auto accesses = before_.accesses(step);
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i] != none && (hasAny(accesses[i], Access::Read | Access::InFlightRead) || isReshaped(operands[i])))
        checkUnwritten(step, operands[i], twin, index);
    if (!step.freshResult)
      return checkOneObject(step, index);
    checkNothingOpaque(step, twin, index);
    checkReturned(step, index);
    for (uint32_t result : {twin, index})
      for (uint32_t storage : storages_.of(result))
        if (!written_[storage].empty())
          refuse(*step.node, "twin",
                 "is a copy of " + quoted(entry.twin) + " of which " + quoted(before_[written_[storage].front()].node) +
                     " writes one, so it may not go");
  }

  /// Rejects a view of a tensor that is reshaped in place, since the change is not visible through another view. A wait
  /// and a getitem return the existing tensor.
  void checkOneObject(const Step &step, uint32_t index) {
    if (!step.waits && !step.isGetItem() && isReshaped(index))
      refuse(*step.node, "twin", "is a view of a tensor that is reshaped in place, so another view may not replace it");
  }

  /// Rejects two returned values that became one, since a caller may write a returned value.
  void checkReturned(const Step &step, uint32_t index) {
    if (!isReturned(index))
      return;
    uint32_t image = evidence_.correspondence.image(index);
    uint32_t kept = image == none ? none : evidence_.correspondence.origin(image);
    if (!returnedFor_.insert(image).second || (kept != none && isReturned(kept)))
      refuse(*step.node, "twin",
             "is returned, and so is a value that " + quoted(image == none ? nullptr : evidence_.after[image].node) +
                 " replaces, expected at most one of them");
  }

  /// Rejects two calls with an opaque step between them, which may change values that none of its operands shows.
  void checkNothingOpaque(const Step &step, uint32_t from, uint32_t to) {
    auto opaque = llvm::upper_bound(opaque_, from);
    if (opaque != opaque_.end() && *opaque < to)
      refuse(*step.node, "twin",
             "is after the opaque " + quoted(before_[*opaque].node) + ", and " + quoted(before_[from].node) +
                 " is before that, so it may not be removed");
  }

  void checkUnwritten(const Step &step, uint32_t operand, uint32_t from, uint32_t to) {
    for (uint32_t storage : storages_.of(operand)) {
      auto write = llvm::upper_bound(written_[storage], from);
      if (write != written_[storage].end() && *write < to)
        refuse(*step.node, "twin",
               "reads what " + quoted(before_[*write].node) + " wrote since " + quoted(before_[from].node) +
                   ", so it may not go");
    }
  }

  bool isReshaped(uint32_t value) const {
    return llvm::any_of(storages_.of(value), [&](uint32_t storage) { return storages_.isReshaped(storage); });
  }

  /// Returns the value whose bytes a wait passes on.
  uint32_t waited(uint32_t index) const {
    while (index != none && before_[index].waits && before_[index].numOperands == 1)
      index = before_.operands(before_[index])[0];
    return index;
  }

  void checkForwarded(uint32_t index, const RemovedEntry &entry) {
    const Step &step = before_[index];
    uint32_t target = entry.twin ? before_.indexOf(entry.twin) : none;
    if (!step.waits || step.numOperands != 1 || target == none || !isOneValue(waited(target), waited(index)))
      return void(refuse(*step.node, "forwarded",
                         "is no wait on " + quoted(entry.twin) + ", expected one that passes that value on"));
    if (ending_.contains(index))
      refuse(*step.node, "forwarded",
             "is the wait that ends a collective, expected one on what is no longer in flight");
  }

  const Evidence &evidence_;
  const Program &before_;
  const Storages &storages_;
  Findings &findings_;
  std::vector<llvm::SmallVector<uint32_t, 0>> written_; ///< by storage: steps that write it
  std::vector<bool> returned_;                          ///< by storage
  std::vector<uint32_t> opaque_;                        ///< steps with arbitrary effects
  llvm::DenseSet<uint32_t> returnedFor_;                ///< steps after that replace a removed step which is returned
  llvm::DenseSet<uint32_t> ending_;                     ///< waits that end an async pair
  std::string entry_;
};

/// Returns, by launch after, how many of its async pairs a wait ends.
llvm::DenseMap<uint32_t, unsigned> endedPairs(const AsyncPairLog &log,
                                              llvm::function_ref<uint32_t(uint32_t)> launchAfter) {
  llvm::DenseMap<uint32_t, unsigned> ended;
  for (const AsyncPair &pair : log.asyncPairs)
    if (pair.wait != none && launchAfter(pair.launch) != none)
      ++ended[launchAfter(pair.launch)];
  return ended;
}

} // namespace

void checkRemoved(const Evidence &evidence, Findings &findings) {
  if (!evidence.rewrite.certificate.removed.empty())
    RemovalCheck(evidence, findings).run();
}

void checkWaitsKept(const Evidence &evidence, Findings &findings) {
  const Correspondence &correspondence = evidence.correspondence;
  auto kept = endedPairs(evidence.pairsAfter, [](uint32_t launch) { return launch; });
  const AsyncPairLog &log = evidence.pairsBefore;
  auto needed = endedPairs(log, [&](uint32_t launch) {
    return correspondence.claimBefore(launch).part == Part::Merged ? none : correspondence.performer(launch);
  });
  for (const AsyncPair &pair : log.asyncPairs) {
    uint32_t launch = correspondence.performer(pair.launch);
    if (launch == none)
      continue;
    auto demand = needed.find(launch);
    if (demand == needed.end() || kept.lookup(launch) >= demand->second)
      continue;
    findings.add(*evidence.after[launch].node, "wait-lost",
                 "is never waited for, expected a wait for each of its results that had one");
    needed.erase(demand);
  }
}

void checkAdded(const Evidence &evidence, Findings &findings) {
  const auto &added = evidence.rewrite.certificate.added;
  for (uint32_t i = 0; i < added.size(); ++i) {
    const Step &step = evidence.after[evidence.after.indexOf(added[i].node)];
    bool plain = step.isCall() && step.domain == Domain::None && !step.launches &&
                 (step.onlyWaits() || llvm::none_of(evidence.after.accesses(step), writes));
    if (!plain)
      findings.add(*step.node, "added",
                   "has an effect of its own as '" + added[i].role + "', expected a wait or a pure node",
                   claimText({Part::Added, i}));
  }
}

} // namespace ccgraph::legality
