#include "rules.h"
#include "use_log.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// A copy of an awaited result may be the result itself:
//   w = wait(s); c = aten.copy(b, w)  ->  w; readers of c read w
// The entry lists c as matched and w as built. In the program before, w is in a storage S and c in a storage C of its
// own. After, all copies of one result are S. If no step writes any of these storages after the first copy, all hold
// one value. Otherwise all but one must be out of use at the first such write, and that one may be changed.

/// One result, and the storages that become its own.
struct Shared {
  uint32_t firstCopy = none;
  llvm::SmallVector<uint32_t, 2> storages;
  uint32_t entry = 0;
};

class ForwardedCopies {
public:
  ForwardedCopies(const Evidence &evidence, Findings &findings)
      : evidence_(evidence), before_(evidence.before), storages_(evidence.storagesBefore), log_(evidence),
        findings_(findings) {}

  void check(llvm::ArrayRef<uint32_t> entries) {
    llvm::MapVector<uint32_t, Shared> results;
    for (uint32_t entry : entries)
      if (const char *error = add(entry, results))
        report(entry, error);
    for (auto &[result, shared] : results)
      if (const char *error = memoryError(shared))
        report(shared.entry, error);
  }

private:
  void report(uint32_t entry, const llvm::Twine &message) {
    const RuleEntry &rule = evidence_.rewrite.certificate.rules[entry];
    findings_.add(rule.matched.empty() ? *evidence_.rewrite.graph.front() : *rule.matched[0], "rule", message,
                  claimText({Part::Rule, entry}));
  }

  /// Checks the two nodes of an entry, and adds the copy to the others of its result. Returns what is wrong.
  const char *add(uint32_t entry, llvm::MapVector<uint32_t, Shared> &results) {
    const RuleEntry &rule = evidence_.rewrite.certificate.rules[entry];
    if (rule.matched.size() != 1 || rule.built.size() != 1)
      return "expected one copy matched, and the value that it copies built";
    const uint32_t copy = before_.indexOf(rule.matched[0]), result = before_.indexOf(rule.built[0]);
    if (result == none || !copies(copy, result))
      return "is no copy of the awaited result that its readers read";
    if (!before_[copy].type || !before_[copy].type->isTensor() || before_[copy].type != before_[result].type)
      return "is of another type than the result that its readers read";
    if (before_[copy].numOrdering != 0)
      return "has ordering edges, which the result does not have";
    const uint32_t own = soleStorage(storages_, copy), given = soleStorage(storages_, result);
    if (own == none || given == none || !isMadeByCall(evidence_, given) || !fillsStorage(evidence_, result, given))
      return "copies a result that has no memory of its own";
    Shared &shared = results[given];
    if (shared.storages.empty())
      shared = {copy, {given}, entry};
    shared.firstCopy = std::min(shared.firstCopy, copy);
    shared.storages.push_back(own);
    return nullptr;
  }

  bool copies(uint32_t copy, uint32_t result) const {
    const Step &step = before_[copy];
    if (!step.isCall() || !step.op || step.op->target.str() != "aten.copy.default" || !before_[result].waits ||
        step.arguments->positional.size() < 2 || !step.arguments->positional[1].is(Argument::Kind::Operand))
      return false;
    const uint32_t source = before_.operand(step, step.arguments->positional[1]);
    return source != none && evidence_.correspondence.image(source) == evidence_.correspondence.image(result);
  }

  [[nodiscard]] const char *memoryError(const Shared &shared) const {
    if (llvm::any_of(shared.storages, [&](uint32_t storage) { return storages_.isReshaped(storage); }))
      return "is reshaped by some step, or its result is";
    if (llvm::count_if(shared.storages, [&](uint32_t storage) { return log_.isReturned(storage); }) > 1)
      return "is returned, and so is the result or another copy of it";
    uint32_t changed = none;
    for (uint32_t storage : shared.storages)
      changed = std::min(changed, log_.nextWrite(storage, shared.firstCopy));
    auto isUsed = [&](uint32_t storage) { return log_.lastUse(storage) >= changed; };
    if (changed != none && llvm::count_if(shared.storages, isUsed) > 1)
      return "is one memory with its result now, of which a step writes the one while another one uses the other";
    return nullptr;
  }

  const Evidence &evidence_;
  const Program &before_;
  const Storages &storages_;
  UseLog log_;
  Findings &findings_;
};

} // namespace

void checkForwardedCopies(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings) {
  if (!entries.empty())
    ForwardedCopies(evidence, findings).check(entries);
}

} // namespace ccgraph::legality
