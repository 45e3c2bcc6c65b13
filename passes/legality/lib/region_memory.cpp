#include "rules.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// The value of a region had memory of its own, which the region's collectives filled. Its replacement is either the
// same in this respect, or an existing value, or a view of one. In the second case no step may notice that two values
// now share memory: no step writes either of them, the caller does not get the replaced one, and no step observes its
// place.

/// The places of the program before that matter to regions.
class RegionMemory {
public:
  RegionMemory(const Evidence &evidence, Findings &findings)
      : evidence_(evidence), before_(evidence.before), storages_(evidence.storagesBefore), findings_(findings),
        observed_(storages_.count()) {
    for (uint32_t i = 0; i < before_.size(); ++i) {
      if (before_[i].domain == Domain::All)
        opaqueBefore_.push_back(i);
      noteObserved(before_[i]);
    }
    for (uint32_t i = 0; i < evidence.after.size(); ++i)
      if (evidence.after[i].domain == Domain::All)
        opaqueAfter_.push_back(i);
  }

  void check(uint32_t entry) {
    entry_ = entry;
    const RuleEntry &rule = evidence_.rewrite.certificate.rules[entry];
    const size_t values = numValues(before_, rule, templateOf(rule.name)->replacement);
    for (size_t i = 0; i < values; ++i)
      check(rule, i);
  }

private:
  void check(const RuleEntry &rule, size_t value) {
    const Node &matched = *rule.matched[value], &built = *rule.built[value];
    uint32_t was = before_.indexOf(&matched), now = evidence_.after.indexOf(&built);
    if (!isOfEntry(storages_, was, &Correspondence::claimBefore))
      return report(matched, "may share the memory of a value outside the entry");
    bool fresh = isOfEntry(evidence_.storagesAfter, now, &Correspondence::claimAfter);
    if (isReshaped(storages_, was) || isReshaped(evidence_.storagesAfter, now))
      return report(built, "replaces " + quoted(&matched) + ", and one of them is reshaped in place");
    if ((!fresh || !isAlone(was)) && isAny(was, observed_))
      report(matched, "is returned, or a step observes its place in memory, which its replacement changes");
    if (!fresh)
      checkShared(rule, value);
    checkOpaque(rule, fresh);
  }

  void report(const Node &node, const llvm::Twine &message) {
    findings_.add(node, evidence_.rewrite.certificate.rules[entry_].name, message, claimText({Part::Rule, entry_}));
  }

  void noteObserved(const Step &step) {
    auto operands = before_.operands(step);
    auto accesses = before_.accesses(step);
    for (size_t k = 0; k < operands.size(); ++k)
      if (operands[k] != none &&
          (step.opcode() == Opcode::Output || step.domain == Domain::All || has(accesses[k], Access::Place)))
        for (uint32_t storage : storages_.of(operands[k]))
          observed_[storage] = true;
  }

  bool isAny(uint32_t value, const std::vector<bool> &set) const {
    return llvm::any_of(storages_.of(value), [&](uint32_t storage) { return set[storage]; });
  }

  static bool isReshaped(const Storages &storages, uint32_t value) {
    return llvm::any_of(storages.of(value), [&](uint32_t storage) { return storages.isReshaped(storage); });
  }

  /// Returns true if nodes of the entry allocated all memory that the value may have.
  bool isOfEntry(const Storages &storages, uint32_t value, Claim (Correspondence::*claimOf)(uint32_t) const) const {
    auto held = storages.of(value);
    return !held.empty() && llvm::all_of(held, [&](uint32_t storage) {
      Claim claim = (evidence_.correspondence.*claimOf)(storages.owner(storage));
      return claim.part == Part::Rule && claim.entry == entry_;
    });
  }

  bool isAlone(uint32_t value) const {
    auto held = storages_.of(value);
    const Type *type = before_[value].type;
    if (held.size() != 1 || !type || !type->isTensor())
      return false;
    // Bytes of symbolic sizes are unknown, but what a step allocates has the step's own type.
    return type->numBytes() == storages_.bytes(held[0]) || type == before_[storages_.owner(held[0])].type;
  }

  void checkShared(const RuleEntry &rule, size_t value) {
    const Node &matched = *rule.matched[value], &built = *rule.built[value];
    uint32_t was = before_.indexOf(&matched), now = evidence_.after.indexOf(&built);
    auto isWritten = [](const Storages &storages, uint32_t value) {
      return llvm::any_of(storages.of(value), [&](uint32_t storage) { return storages.isWritten(storage); });
    };
    if (isWritten(storages_, was) || isWritten(evidence_.storagesAfter, now))
      report(built, "replaces " + quoted(&matched) + ", and one of them is written, expected neither");
    if (isInFlight(evidence_.correspondence.origin(now), rangeOf(before_, rule.matched).first))
      report(built, "replaces " + quoted(&matched) + " while it may be in flight");
  }

  /// Returns true if some launch fills memory of the value before, and no wait before the step ends it.
  bool isInFlight(uint32_t value, uint32_t step) const {
    auto fills = [&](const AsyncPair &pair) {
      return llvm::any_of(pair.results,
                          [&](uint32_t storage) { return llvm::is_contained(storages_.of(value), storage); });
    };
    return value == none || llvm::any_of(evidence_.pairsBefore.asyncPairs, [&](const AsyncPair &pair) {
             return (pair.wait == none || pair.wait > step) && fills(pair);
           });
  }

  static uint32_t countIn(llvm::ArrayRef<uint32_t> places, uint32_t from, uint32_t to) {
    return static_cast<uint32_t>(llvm::lower_bound(places, to) - llvm::lower_bound(places, from));
  }

  /// An opaque step may write any value. So none is between the nodes of a region, before or after, all of these keep
  /// their side of it, and none follows a region whose value shares memory now.
  void checkOpaque(const RuleEntry &rule, bool fresh) {
    if (opaqueBefore_.empty())
      return;
    auto [first, last] = rangeOf(before_, rule.matched);
    bool apart = countIn(opaqueBefore_, first, fresh ? last : before_.size()) != 0;
    auto [begin, end] = rangeOf(evidence_.after, rule.built);
    if (!apart && fresh)
      apart =
          countIn(opaqueAfter_, begin, end) != 0 || countIn(opaqueAfter_, 0, begin) != countIn(opaqueBefore_, 0, first);
    if (apart)
      report(*rule.built.front(), "is computed on another side of an opaque step, which may write any value");
  }

  static std::pair<uint32_t, uint32_t> rangeOf(const Program &program, llvm::ArrayRef<Node *> nodes) {
    uint32_t first = none, last = 0;
    for (const Node *node : nodes) {
      first = std::min(first, program.indexOf(node));
      last = std::max(last, program.indexOf(node));
    }
    return {first, last};
  }

  const Evidence &evidence_;
  const Program &before_;
  const Storages &storages_;
  Findings &findings_;
  std::vector<bool> observed_; ///< by storage
  std::vector<uint32_t> opaqueBefore_, opaqueAfter_;
  uint32_t entry_ = 0;
};

} // namespace

void checkRegionMemory(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings) {
  if (entries.empty())
    return;
  RegionMemory memory(evidence, findings);
  for (uint32_t entry : entries)
    memory.check(entry);
}

} // namespace ccgraph::legality
