#include "call.h"
#include "rules.h"
#include "storage_use.h"

#include "ccgraph/ir/work.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// v = exp(x); ... r(v); ... s(v)   ->   v = exp(x); ... r(v); ... u = exp(x); s(u)
//
// The entry lists v as matched and u as built. Both programs contain v, so everything is proved of the program after:
// u is the call v, of operands that hold the same elements at both places. The operand of u may be a repetition in
// turn.

bool reads(Access access) { return hasAny(access, Access::Read | Access::InFlightRead); }

/// Returns true for a collective that only copies, and says nothing beside what is compared.
bool isGather(const Program &program, uint32_t index) {
  const CollectiveSpec *spec = program[index].collective();
  return spec && spec->kind == CollectiveKind::AllGather && isPlainExchange(readCall(program, index)) &&
         saysNothingElse(program[index]);
}

/// Returns true for a kernel that computes the same bits from the same elements, or for a view.
bool isRepeatable(const Step &step) {
  if (!step.isCall() || !step.op || step.domain != Domain::None || step.launches || step.waits || step.keepAlways)
    return false;
  const WorkFamily family = workFamily(*step.op);
  return family == WorkFamily::None ? !step.freshResult : isFusible(family);
}

bool sameArguments(const Step &a, const Step &b) {
  auto sameNamed = [](const NamedArgument &x, const NamedArgument &y) {
    return x.name == y.name && sameArgument(x.value, y.value);
  };
  auto [p, q] = std::make_pair(a.arguments, b.arguments);
  return std::equal(p->positional.begin(), p->positional.end(), q->positional.begin(), q->positional.end(),
                    sameArgument) &&
         std::equal(p->keyword.begin(), p->keyword.end(), q->keyword.begin(), q->keyword.end(), sameNamed);
}

class RepeatedCalls {
public:
  RepeatedCalls(const Evidence &evidence, Findings &findings)
      : evidence_(evidence), after_(evidence.after), use_(evidence), findings_(findings) {}

  void check(uint32_t entry) {
    const RuleEntry &rule = evidence_.rewrite.certificate.rules[entry];
    entry_ = claimText({Part::Rule, entry});
    for (size_t i = 0; i < rule.built.size(); ++i)
      check(after_.indexOf(rule.matched[i]), after_.indexOf(rule.built[i]));
  }

private:
  void refuse(uint32_t step, const llvm::Twine &message) {
    findings_.add(*after_[step].node, "repeated-call", message, entry_);
  }
  std::string text(uint32_t step) const { return quoted(after_[step].node); }

  /// Returns the step whose value this one computes again, else the step itself.
  uint32_t original(uint32_t step) const {
    const uint32_t was = step == none ? none : evidence_.correspondence.repeated(step);
    return was == none ? step : after_.indexOf(evidence_.before[was].node);
  }

  bool sameOperands(const Step &a, const Step &b) const {
    auto left = after_.operands(a), right = after_.operands(b);
    auto same = [&](uint32_t x, uint32_t y) { return x != none && original(x) == original(y); };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), same);
  }

  void check(uint32_t first, uint32_t again) {
    const Step &was = after_[first], &now = after_[again];
    if (isGather(after_, again))
      checkGather(again);
    else if (!isWaitOnRepeated(now) && !isRepeatable(now))
      return refuse(again,
                    "has an effect beyond its result, or another result at each call, so it may not be repeated");
    if (llvm::any_of(after_.accesses(now), writesElements))
      return refuse(again, "writes an operand, so it may not be repeated");
    if (first >= again || was.op != now.op || was.type != now.type || !sameArguments(was, now) ||
        !sameOperands(was, now) || now.numOrdering > 0)
      return refuse(again, "is not the same call of the same values as " + text(first) + " before it");
    if (uint32_t opaque = use_.opaque(first, again); opaque != none)
      return refuse(again, "is after the opaque " + text(opaque) + ", and " + text(first) + " is before that");
    if (use_.readsInFlight(first) || use_.readsInFlight(again))
      return refuse(again, "reads what is in flight");
    checkOperands(first, again);
    checkResult(first, again);
  }

  /// Every rank must issue the new collective, at the same place, and a repetition of the wait completes it.
  void checkGather(uint32_t again) {
    if (!evidence_.options.spmd)
      return refuse(again, "is a new collective, and other ranks run other programs");
    if (hasFence())
      return refuse(again, "is a new collective in a program with point-to-point steps or barriers, at which another "
                           "rank may be meanwhile");
    const auto &pairs = evidence_.pairsAfter.asyncPairs;
    auto own = llvm::find_if(pairs, [&](const AsyncPair &pair) { return pair.launch == again; });
    const uint32_t wait = own == pairs.end() ? none : own->wait;
    if (wait == none || evidence_.correspondence.repeated(wait) == none)
      refuse(again, "is a new collective without a repeated wait on it");
  }

  bool hasFence() {
    if (!hasFence_) {
      hasFence_ = false;
      forEachCall(after_, [&](const Call &call) { *hasFence_ |= isFence(call); });
    }
    return *hasFence_;
  }

  bool isWaitOnRepeated(const Step &step) const {
    const uint32_t launch = step.waits && step.numOperands == 1 ? after_.operands(step)[0] : none;
    return launch != none && isGather(after_, launch) && evidence_.correspondence.repeated(launch) != none;
  }

  void checkOperands(uint32_t first, uint32_t again) {
    for (uint32_t step : {first, again}) {
      auto operands = after_.operands(after_[step]);
      auto accesses = after_.accesses(after_[step]);
      for (size_t i = 0; i < operands.size(); ++i) {
        if (use_.isReshaped(operands[i]))
          return refuse(again, "reads " + text(operands[i]) + ", which may be reshaped in place");
        // A wait may have freed what the first call read. The second call then reads another tensor, since checkFreed()
        // proves that no step names what is freed.
        uint32_t writer = reads(accesses[i]) ? use_.writer(operands[i], first, again) : none;
        if (writer != none)
          return refuse(again, "reads what " + text(writer) + " wrote since " + text(first));
      }
    }
  }

  /// Memory of its own makes the second result another object, which no step may be able to tell.
  void checkResult(uint32_t first, uint32_t again) {
    if (use_.isReshaped(first) || use_.isReshaped(again))
      return refuse(again, "is a value that may be reshaped in place, so another one may not stand beside it");
    if (evidence_.storagesAfter.of(first) == evidence_.storagesAfter.of(again))
      return; // two views of one tensor
    // A wait that frees the first one follows all its readers, so it changes nothing that a step reads.
    for (uint32_t result : {first, again})
      if (uint32_t writer = use_.otherWriter(result, result == first ? use_.freeing(first) : none); writer != none)
        return refuse(again, "is " + text(first) + " again, of which " + text(writer) + " writes one");
    if (uint32_t observer = use_.observer(again); observer != none)
      refuse(again, "is " + text(first) + " in other memory, which " + text(observer) + " may see");
  }

  const Evidence &evidence_;
  const Program &after_;
  StorageUse use_;
  Findings &findings_;
  std::string entry_;
  std::optional<bool> hasFence_; ///< once a gather is repeated
};

} // namespace

void checkRepeatedCalls(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings) {
  if (entries.empty())
    return;
  RepeatedCalls calls(evidence, findings);
  for (uint32_t entry : entries)
    calls.check(entry);
}

} // namespace ccgraph::legality
