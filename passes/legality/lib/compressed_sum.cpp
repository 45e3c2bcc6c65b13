#include "call.h"
#include "rules.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// c = all_reduce(x, "sum"); w = wait(c)
// ->  n = to(x, bf16); s = all_reduce(n, "sum"); v = wait(s); r = to(v, f32)
//
// The entry lists c and w as matched, and r, n, s, v as built. The rule states what is read, sent and returned; the
// result is the sum rounded to 16 bits, so the rule is refused where results must be bitwise equal.

/// One entry of the rule compressed-sum.
class CompressedSumCheck {
public:
  CompressedSumCheck(const Evidence &evidence, uint32_t entry, Findings &findings)
      : evidence_(evidence), rule_(evidence.rewrite.certificate.rules[entry]), entry_(entry), findings_(findings) {}

  void check() {
    if (rule_.matched.size() != 2 || rule_.built.size() != 4)
      return report(*evidence_.rewrite.graph.front(),
                    "does not match: expected an all_reduce and its wait, and a cast, "
                    "an all_reduce, a wait and a cast built");
    if (!readMatched())
      return;
    checkCast(*rule_.built[1], evidence_.correspondence.image(call_.inputs[0]), Width::Half);
    checkLaunch(*rule_.built[2]);
    checkWait(*rule_.built[3]);
    checkCast(*rule_.built[0], after(*rule_.built[3]), Width::Whole);
  }

private:
  enum class Width : bool { Half, Whole };

  void report(const Node &node, const llvm::Twine &message, llvm::StringRef rule = "compressed-sum") {
    findings_.add(node, rule, message, claimText({Part::Rule, entry_}));
  }
  [[nodiscard]] uint32_t before(const Node &node) const { return evidence_.before.indexOf(&node); }
  [[nodiscard]] uint32_t after(const Node &node) const { return evidence_.after.indexOf(&node); }

  static bool isOf(const Type *type, std::initializer_list<DType> dtypes) {
    return type && type->isTensor() && llvm::is_contained(dtypes, type->dtype());
  }

  bool readMatched() {
    const Node &first = *rule_.matched[0], &second = *rule_.matched[1];
    const Step &launch = evidence_.before[before(first)], &wait = evidence_.before[before(second)];
    if (!evidence_.options.spmd)
      return report(first, "is sent in 16 bits, and other ranks run other programs", "mpmd"), false;
    if (evidence_.options.bitwise)
      return report(first, "is sent in 16 bits, expected the same bits in each result", "bitwise"), false;
    if (launch.collective())
      call_ = readCall(evidence_.before, before(first));
    bool adds = call_.spec && call_.spec->kind == CollectiveKind::AllReduce && isPlainExchange(call_) &&
                saysNothingElse(launch) && (call_.reduceOp == "sum" || call_.reduceOp == "avg");
    if (!adds || !isOf(launch.type, {DType::F32, DType::F64}))
      return report(first, "is no functional all_reduce that adds f32 or f64"), false;
    if (!wait.waits || wait.numOperands != 1 || evidence_.before.operands(wait)[0] != before(first))
      return report(second, "is no wait on " + quoted(&first)), false;
    uint32_t input = call_.inputs[0];
    bool reshaped = input == none || llvm::any_of(evidence_.storagesBefore.of(input), [&](uint32_t storage) {
                      return evidence_.storagesBefore.isReshaped(storage);
                    });
    if (reshaped || evidence_.correspondence.image(input) == none)
      return report(first, "sends a value that is gone, or that is reshaped in place"), false;
    return true;
  }

  /// Checks a cast of this value and nothing else.
  void checkCast(const Node &node, uint32_t value, Width width) {
    const Step &step = evidence_.after[after(node)];
    const Argument *dtype = step.op ? Program::argument(step, step.op->paramIndex("dtype")) : nullptr;
    bool casts = step.op && step.op->target.str() == "aten._to_copy.default" && step.numOperands == 1 && dtype &&
                 dtype->is(Argument::Kind::DType) && step.arguments->positional.size() == 1 &&
                 step.arguments->keyword.size() == 1;
    if (!casts || evidence_.after.operands(step)[0] != value)
      return report(node, "is no cast of " + quoted(value == none ? nullptr : evidence_.after[value].node));
    const Type *whole = evidence_.before[before(*rule_.matched[1])].type;
    if (width == Width::Half && dtype->dtype() != DType::BF16 && dtype->dtype() != DType::F16)
      report(node, "casts to " + shortName(dtype->dtype()) + ", expected bf16 or f16");
    if (width == Width::Whole && (step.type != whole || !whole || whole->dtype() != dtype->dtype()))
      report(node, "is " + typeText(step.type) + ", expected " + typeText(whole) + " as " + quoted(rule_.matched[1]) +
                       " was");
  }

  void checkLaunch(const Node &node) {
    const Step &step = evidence_.after[after(node)];
    if (!step.collective())
      return report(node, "is no collective, expected the all_reduce of the narrow value");
    Call call = readCall(evidence_.after, after(node));
    if (!isPlainExchange(call) || !saysNothingElse(step) || !alike(call_, call) ||
        call.inputs[0] != after(*rule_.built[1]))
      return report(node, "is not the all_reduce " + quoted(rule_.matched[0]) + " of " + quoted(rule_.built[1]));
    if (!isOf(step.type, {DType::BF16, DType::F16}))
      report(node, "is " + typeText(step.type) + ", expected bf16 or f16");
    if (!keepsOrdering(evidence_, evidence_.before[before(*rule_.matched[0])], step))
      report(node, "does not follow what " + quoted(rule_.matched[0]) + " had to", "ordering-edge");
  }

  void checkWait(const Node &node) {
    const Step &step = evidence_.after[after(node)];
    if (!step.waits || step.numOperands != 1 || evidence_.after.operands(step)[0] != after(*rule_.built[2]))
      return report(node, "is no wait on " + quoted(rule_.built[2]));
    if (!keepsOrdering(evidence_, evidence_.before[before(*rule_.matched[1])], step))
      report(node, "does not follow what " + quoted(rule_.matched[1]) + " had to", "ordering-edge");
  }

  const Evidence &evidence_;
  const RuleEntry &rule_;
  uint32_t entry_;
  Findings &findings_;
  Call call_;
};

} // namespace

void checkCompressedSum(const Evidence &evidence, uint32_t entry, Findings &findings) {
  CompressedSumCheck(evidence, entry, findings).check();
}

} // namespace ccgraph::legality
