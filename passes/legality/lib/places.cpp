#include "rules.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

/// Storages in which replacements of bucket members, and results of chains of exchanges, lie without filling them
/// alone.
///
/// Before the rewrite, each member's result had a storage of its own and filled it. A piece of a larger buffer holds
/// the same elements, but a node that observes their address or the size of the storage gets another result.
class Pieces {
public:
  explicit Pieces(const Evidence &evidence) : evidence_(evidence), holders_(evidence.storagesAfter.count()) {
    for (const MergedEntry &entry : evidence.rewrite.certificate.merged)
      for (const BucketMember &member : entry.members)
        results_.push_back({member.replacement, entry.launch});
    for (const RuleEntry &entry : evidence.rewrite.certificate.rules)
      if (const RuleTemplate *rule = templateOf(entry.name); rule && !entry.built.empty() && isResult(*rule, entry))
        for (size_t i = 0; i < numResults(*rule, entry); ++i)
          results_.push_back({entry.built[i], nullptr});
    for (const Result &result : results_)
      if (uint32_t copy = copyOf(result.value); copy != none)
        ++copies_[copy];
    for (const Result &result : results_)
      for (uint32_t storage : storagesOf(result))
        ++holders_[storage];
    piece_.resize(holders_.size());
    for (const Result &result : results_)
      mark(result);
  }

  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool contains(uint32_t storage) const { return piece_[storage]; }

private:
  /// The replacement of a collective's result, and the launch that may have it as a list element.
  struct Result {
    const Node *value;
    const Node *launch;
  };

  /// Returns true if the first built node is new and replaces a result. checkRegionMemory judges values of both
  /// programs.
  [[nodiscard]] bool isResult(const RuleTemplate &rule, const RuleEntry &entry) const {
    return rule.replacement == Replacement::ValueForWait ||
           (replacesValues(rule) && !evidence_.before.contains(entry.built.front()));
  }

  [[nodiscard]] size_t numResults(const RuleTemplate &rule, const RuleEntry &entry) const {
    return replacesValues(rule) ? numValues(evidence_.before, entry, rule.replacement) : 1;
  }

  [[nodiscard]] llvm::ArrayRef<uint32_t> storagesOf(const Result &result) const {
    uint32_t index = result.value ? evidence_.after.indexOf(result.value) : none;
    return index == none ? llvm::ArrayRef<uint32_t>() : evidence_.storagesAfter.of(index);
  }

  void mark(const Result &result) {
    auto storages = storagesOf(result);
    if (uint32_t copy = copyOf(result.value); copy != none && copies_.lookup(copy) == 1)
      return;
    bool alone = storages.size() == 1 && holders_[storages[0]] == 1 &&
                 (evidence_.storagesAfter.bytes(storages[0]) == bytesOf(*result.value) ||
                  isElement(result.value, result.launch));
    for (uint32_t storage : storages)
      piece_[storage] = piece_[storage] || !alone;
    any_ |= !alone;
  }

  /// Returns the new step, a copy or a launch, that allocated exactly the value's memory. The value then has this
  /// memory alone, even if it is later exchanged with other memory, provided that no other result comes from the same
  /// step. Returns `none` if there is no such step.
  [[nodiscard]] uint32_t copyOf(const Node *value) const {
    uint32_t index = value ? evidence_.after.indexOf(value) : none;
    auto isNew = [&] { return index != none && evidence_.correspondence.claimAfter(index).part != Part::Untouched; };
    while (isNew() && !evidence_.after[index].freshResult && evidence_.after[index].numOperands == 1)
      index = evidence_.after.operands(evidence_.after[index])[0];
    bool copies =
        isNew() && evidence_.after[index].freshResult && bytesOf(*evidence_.after[index].node) == bytesOf(*value);
    return copies ? index : none;
  }

  /// Returns true for an element of the launch's list after a wait: whole, although the list may be of unknown type.
  [[nodiscard]] bool isElement(const Node *value, const Node *launch) const {
    uint32_t index = evidence_.after.indexOf(value);
    bool taken = false;
    while (index != none && evidence_.after[index].node != launch) {
      const Step &step = evidence_.after[index];
      if ((!step.waits && !step.isGetItem()) || step.numOperands != 1)
        return false;
      taken |= step.isGetItem();
      index = evidence_.after.operands(step)[0];
    }
    return taken && index != none;
  }

  static int64_t bytesOf(const Node &node) { return node.type() ? node.type()->numBytes().value_or(0) : 0; }

  const Evidence &evidence_;
  std::vector<Result> results_;
  std::vector<uint32_t> holders_;             ///< by storage: results that lie in it
  llvm::DenseMap<uint32_t, unsigned> copies_; ///< by step that copies: results that are its copy; never iterated
  std::vector<bool> piece_;
  bool any_ = false;
};

bool seesPlace(const Step &step, Access access) {
  return step.opcode() == Opcode::Output || step.domain == Domain::All || has(access, Access::Place);
}

} // namespace

void checkPlaces(const Evidence &evidence, Findings &findings) {
  Pieces pieces(evidence);
  for (uint32_t i = 0; pieces.any() && i < evidence.after.size(); ++i) {
    const Step &step = evidence.after[i];
    auto operands = evidence.after.operands(step);
    auto accesses = evidence.after.accesses(step);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] == none || !seesPlace(step, accesses[k]))
        continue;
      auto storages = evidence.storagesAfter.of(operands[k]);
      if (llvm::any_of(storages, [&](uint32_t storage) { return pieces.contains(storage); }))
        findings.add(*step.node, "merged-place",
                     "sees where " + quoted(evidence.after[operands[k]].node) +
                         " lies, which is a piece of a bucket's buffer, expected one that has its memory alone");
    }
  }
}

} // namespace ccgraph::legality
