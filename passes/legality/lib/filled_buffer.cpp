#include "rules.h"
#include "use_log.h"

#include "ccgraph/ir/writing_forms.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// A launch whose result is copied into a buffer may fill the buffer itself:
//   s = all_gather(x, 2, "tp"); w = wait(s); k = copy_(b, w)  ->  s = all_gather_out(x, 2, "tp", out = b); w = wait(s)
//   s = all_reduce(x, "sum", "tp"); w = wait(s); k = copy_(x, w)  ->  s = all_reduce_(x, "sum", "tp"); w = wait(s)
// The entry lists s, then k, as matched, and the launch after as built. Readers of k read w.
//
// In the program before, s has a storage S of its own, and b is in B. After, all of S is in B. No step finds a
// difference if
// - from the launch to the copy, no step uses B, since B is written earlier now;
// - after the launch, no step writes S, since that would write B;
// - after the copy, no step uses S once a step has written B, since S would have changed with it. The launches of other
//   entries write their buffers, and an opaque step may write any buffer.
// - the program does not return S, whose memory the caller would then have twice, and no step observes its place.

/// The steps of an entry, before.
struct Filled {
  uint32_t launch = none;
  uint32_t copy = none;
  uint32_t buffer = none;
  uint32_t source = none; ///< what is copied
};

/// Reads the steps of an entry of two matched nodes, of which the second is copy_(buffer, source).
std::optional<Filled> readEntry(const Evidence &evidence, const RuleEntry &rule) {
  if (rule.matched.size() != 2 || rule.built.size() != 1)
    return std::nullopt;
  const Program &before = evidence.before;
  Filled filled{before.indexOf(rule.matched[0]), before.indexOf(rule.matched[1])};
  const Step &copy = before[filled.copy];
  auto operands = before.operands(copy);
  if (!copy.isCall() || !copy.op || copy.op->target.str() != "aten.copy_.default" || operands.size() != 2)
    return std::nullopt;
  filled.buffer = operands[0];
  filled.source = operands[1];
  return filled.buffer == none || filled.source == none ? std::nullopt : std::optional(filled);
}

class FilledForm {
public:
  FilledForm(const Evidence &evidence, const Filled &filled, const Node &built)
      : evidence_(evidence), before_(evidence.before), filled_(filled), was_(before_[filled.launch]),
        now_(evidence.after[evidence.after.indexOf(&built)]) {}

  /// Returns what is wrong with the nodes of the entry; null if nothing is.
  const char *error() const {
    if (!isFillingCall())
      return "is not the form of that call which fills the buffer, with the same arguments";
    if (!isWaitOnLaunch())
      return "replaces a copy of another value than the wait on that call";
    if (const Type *type = was_.type; !type || !type->isTensor() || !type->isContiguous() || now_.type != type ||
                                      typeOf(filled_.buffer) != type || typeOf(filled_.copy) != type ||
                                      typeOf(filled_.source) != type)
      return "fills a buffer of another type than the result, or one that is not dense";
    if (!keepsOrdering(evidence_, was_, now_) || before_[filled_.copy].numOrdering != 0)
      return "has other ordering edges than that call and the copy had";
    return nullptr;
  }

private:
  const Type *typeOf(uint32_t step) const { return before_[step].type; }

  bool isFillingCall() const {
    const CollectiveSpec *spec = was_.collective();
    if (!spec || !now_.op || was_.op->target.str() != formOf(spec->kind, CollectiveForm::Single))
      return false;
    llvm::ArrayRef<NamedArgument> named = now_.arguments->keyword;
    const llvm::StringRef target = now_.op->target.str();
    if (!was_.arguments->keyword.empty() || !samePositions())
      return false;
    if (target == writingFormOf(spec->kind, WritingForm::InPlace))
      return named.empty() && before_.operandsIn(was_, Program::argument(was_, spec->input)).front() == filled_.buffer;
    return target == writingFormOf(spec->kind, WritingForm::Out) && named.size() == 1 && named[0].name.str() == "out" &&
           named[0].value.is(Argument::Kind::Operand) &&
           evidence_.after.operand(now_, named[0].value) == evidence_.correspondence.image(filled_.buffer);
  }

  bool samePositions() const {
    const auto &was = was_.arguments->positional, &now = now_.arguments->positional;
    return std::equal(was.begin(), was.end(), now.begin(), now.end(), [&](const Argument &a, const Argument &b) {
      return sameArguments(evidence_, {was_, &a}, {now_, &b});
    });
  }

  bool isWaitOnLaunch() const {
    const Step &source = before_[filled_.source];
    return source.op && source.op->target.str() == "_c10d_functional.wait_tensor.default" && source.numOperands == 1 &&
           before_.operands(source)[0] == filled_.launch && evidence_.correspondence.untouched(filled_.source) != none;
  }

  const Evidence &evidence_;
  const Program &before_;
  const Filled &filled_;
  const Step &was_;
  const Step &now_;
};

/// Judges the memory of all entries together.
class FilledMemory {
public:
  explicit FilledMemory(const Evidence &evidence)
      : evidence_(evidence), storages_(evidence.storagesBefore), log_(evidence) {}

  /// Adds that the launch writes the buffer.
  void note(const Filled &filled) {
    for (uint32_t storage : storages_.of(filled.buffer))
      log_.addWrite(storage, filled.launch);
  }

  [[nodiscard]] const char *error(const Filled &filled) const {
    const uint32_t buffer = soleStorage(storages_, filled.buffer), result = soleStorage(storages_, filled.launch);
    if (buffer == none || result == none || !isKnown(buffer) || storages_.owner(result) != filled.launch)
      return "is in memory that other values may share";
    if (storages_.isReshaped(buffer) || storages_.isReshaped(result))
      return "a step reshapes, or it reshapes the result";
    if (sharesWithInput(filled, buffer))
      return "may share memory with the input";
    if (log_.isHeldAt(buffer, filled.launch))
      return "another collective has in flight";
    if (log_.nextUse(buffer, filled.launch) < filled.copy || log_.nextOpaque(filled.launch) < filled.copy)
      return "a step uses between the call and the copy";
    return laterError(filled, buffer, result);
  }

private:
  [[nodiscard]] const char *laterError(const Filled &filled, uint32_t buffer, uint32_t result) const {
    if (log_.nextWrite(result, filled.launch) != none)
      return "a step would write, because it writes the result";
    const uint32_t changed = std::min(log_.nextWrite(buffer, filled.copy), log_.nextOpaque(filled.copy));
    if (changed != none && log_.lastUse(result) >= changed)
      return "a step may write while the result is still in use";
    if (log_.isReturned(result) || log_.isPlaced(result))
      return "a step can tell apart from memory of the result alone";
    return nullptr;
  }

  bool isKnown(uint32_t storage) const {
    const Opcode opcode = evidence_.before[storages_.owner(storage)].opcode();
    return opcode == Opcode::Placeholder || opcode == Opcode::GetAttr || isMadeByCall(evidence_, storage);
  }

  bool sharesWithInput(const Filled &filled, uint32_t buffer) const {
    const Step &launch = evidence_.before[filled.launch];
    auto inputs = evidence_.before.operandsIn(launch, Program::argument(launch, launch.collective()->input));
    return llvm::any_of(inputs, [&](uint32_t input) {
      return input == none || (input != filled.buffer && llvm::is_contained(storages_.of(input), buffer));
    });
  }

  const Evidence &evidence_;
  const Storages &storages_;
  UseLog log_;
};

void refuse(const Evidence &evidence, uint32_t entry, const llvm::Twine &message, Findings &findings) {
  const RuleEntry &rule = evidence.rewrite.certificate.rules[entry];
  findings.add(rule.built.empty() ? *evidence.rewrite.graph.front() : *rule.built[0], "rule", message,
               claimText({Part::Rule, entry}));
}

} // namespace

void checkFilledBuffer(const Evidence &evidence, uint32_t entry, Findings &findings) {
  const RuleEntry &rule = evidence.rewrite.certificate.rules[entry];
  std::optional<Filled> filled = readEntry(evidence, rule);
  if (!filled)
    return refuse(evidence, entry,
                  "expected a launch and a copy_ of one tensor into another matched, and one call built", findings);
  if (const char *error = FilledForm(evidence, *filled, *rule.built[0]).error())
    refuse(evidence, entry, error, findings);
}

void checkFilledMemory(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings) {
  if (entries.empty())
    return;
  FilledMemory memory(evidence);
  llvm::SmallVector<std::pair<uint32_t, Filled>, 0> known;
  for (uint32_t entry : entries)
    if (std::optional<Filled> filled = readEntry(evidence, evidence.rewrite.certificate.rules[entry]);
        filled && evidence.before[filled->launch].collective()) {
      known.push_back({entry, *filled});
      memory.note(*filled);
    }
  for (const auto &[entry, filled] : known)
    if (const char *error = memory.error(filled))
      refuse(evidence, entry, "fills " + quoted(evidence.before[filled.buffer].node) + ", which " + error, findings);
}

} // namespace ccgraph::legality
