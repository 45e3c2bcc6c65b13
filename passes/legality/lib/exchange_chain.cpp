#include "chain.h"
#include "evaluation.h"
#include "exchanges.h"
#include "rank_values.h"
#include "rules.h"

#include "ccgraph/ir/group_nesting.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// A pass may replace a collective by others that compute the same, such as
//   c = all_reduce(x, "sum"); w = wait(c)
//   ->  s = reduce_scatter(x, "sum"); t = wait(s); g = all_gather(t); v = wait(g)
// The entry lists c and w as matched, and v, s, t, g as built. Both sides are evaluated from x on as terms (chain.h).
// The removed collective returns "sum of x from 0", and v must hold the same. Every collective of the chain must send a
// value that has been waited for, and must follow every node that the removed collective had to follow.
//
// In an entry of the rule staged-exchange, the built collectives are on parts of the group, such as the ranks of each
// node. These entries are evaluated for each rank (rank_values.h); runs have the numbers of such values as sources.

/// One entry of the rule exchange-chain or staged-exchange.
class ChainCheck {
public:
  ChainCheck(const Evidence &evidence, uint32_t entry, Findings &findings)
      : evidence_(evidence), rule_(evidence.rewrite.certificate.rules[entry]), entry_(entry), findings_(findings),
        isStaged_(rule_.name == "staged-exchange"), evaluation_(evidence, {Part::Rule, entry}, rule_.name, findings) {}

  void check() {
    if (!readMatched() || !begin())
      return;
    Outcome expected = resharding_ ? terms_.reshard(call_, *begin_, *resharding_) : exchange(call_, *begin_);
    if (auto *why = std::get_if<std::string>(&expected))
      return report(*rule_.matched.front(), *why);
    llvm::SmallVector<uint32_t, 16> steps;
    for (const Node *node : rule_.built)
      steps.push_back(evidence_.after.indexOf(node));
    evaluation_.run(
        steps, evidence_.correspondence.performances(call_.step),
        [&](const Call &call, llvm::ArrayRef<const Contents *> operands) { return launch(call, operands); });
    checkResult(std::get<Layout>(expected));
  }

private:
  using Outcome = std::variant<Layout, std::string>;

  void report(const Node &node, const llvm::Twine &message, llvm::StringRef rule = "") {
    findings_.add(node, rule.empty() ? llvm::StringRef(rule_.name) : rule, message, claimText({Part::Rule, entry_}));
  }

  Outcome exchange(const Call &call, const Layout &sent) {
    return isStaged_ ? exchangeOfRanks(call, sent) : terms_.exchange(call, sent);
  }

  /// Evaluates a collective for each rank.
  Outcome exchangeOfRanks(const Call &call, const Layout &sent) {
    std::vector<std::vector<int64_t>> cells = commonCells(call.group, knownWorldSize(evidence_.rewrite.graph));
    std::optional<IntList> sizes = resultSizes(call, sent.sizes);
    if (cells.empty() || !sizes)
      return "is on a group whose ranks not every rank knows, or sends rows that these do not divide";
    if (!ranks_)
      ranks_.emplace(cells, sent.numElements());
    auto value = ranks_->addExchange(call, cells, sent);
    if (auto *why = std::get_if<std::string>(&value))
      return std::move(*why);
    return whole(std::get<uint32_t>(value), /*result=*/false, *sizes);
  }

  /// Averages of integers are rounded, and an object may mean any reduction.
  bool canBeStaged() {
    constexpr llvm::StringLiteral words[] = {"sum", "product", "min", "max", "band", "bor", "bxor"};
    const Type *type = call_.inputs[0] == none ? nullptr : evidence_.before[call_.inputs[0]].type;
    const bool averages = call_.reduceOp == "avg" && type && type->isTensor() && isFloat(type->dtype());
    if (call_.spec->reduceOp < 0 || averages || llvm::is_contained(words, llvm::StringRef(call_.reduceOp)))
      return true;
    report(*rule_.matched.front(), "reduces by an object, or averages integers, expected a reduction that has stages");
    return false;
  }

  bool readMatched() {
    const Node &first = *rule_.matched.front();
    uint32_t launch = evidence_.before.indexOf(&first);
    if (!evidence_.options.spmd)
      return report(first, "became other collectives, and none may where other ranks run other programs", "mpmd"),
             false;
    const Step &step = evidence_.before[launch];
    if (step.collective())
      call_ = readCall(evidence_.before, launch);
    if (call_.spec && call_.spec->kind == CollectiveKind::ShardDimAllToAll && !isStaged_)
      return readResharding(step);
    if (!call_.spec || !isPlainExchange(call_) || !saysNothingElse(step) || rule_.matched.size() < 2)
      return report(first, "is no functional collective on one tensor with its waits, expected one to be matched"),
             false;
    if (isStaged_ && !canBeStaged())
      return false;
    if (evidence_.options.bitwise && addsInSomeOrder(evidence_.before, call_))
      return report(first, "adds floating-point numbers of several ranks, expected it to keep its one order",
                    "bitwise"),
             false;
    for (const Node *wait : llvm::ArrayRef(rule_.matched).drop_front()) {
      const Step &waiting = evidence_.before[evidence_.before.indexOf(wait)];
      if (!waiting.waits || waiting.numOperands != 1 || evidence_.before.operands(waiting)[0] != launch)
        return report(*wait, "is no wait on " + quoted(&first) + ", expected nothing else to be matched"), false;
    }
    return true;
  }

  /// Reads the dimensions, which must be dimensions of the tensor, and the ranks, which must agree with its type and
  /// the group.
  bool readResharding(const Step &step) {
    auto dim = [&](llvm::StringRef name) {
      const Argument *argument = Program::argument(step, step.op->paramIndex(name));
      return argument && argument->is(Argument::Kind::Int) ? argument->integer() : int64_t(-1);
    };
    Resharding how{dim("gather_dim"), dim("shard_dim"), 0};
    std::optional<int64_t> ranks = call_.group.group ? call_.group.group->size() : std::nullopt;
    const Type *type =
        call_.inputs.size() == 1 && call_.inputs[0] != none ? evidence_.before[call_.inputs[0]].type : nullptr;
    auto limit = static_cast<int64_t>(type && type->isTensor() ? type->sizes().size() : 0);
    bool fits = how.gather >= 0 && how.gather < limit && how.shard >= 0 && how.shard < limit && ranks && *ranks > 0 &&
                rule_.matched.size() == 1;
    fits = fits && type->sizes()[how.shard].isStatic() && type->sizes()[how.shard].value() % *ranks == 0;
    if (!fits)
      return report(*rule_.matched.front(),
                    "is a shard_dim_alltoall whose dimensions, or whose group's size, are unknown"),
             false;
    how.ranks = *ranks;
    resharding_ = how;
    return true;
  }

  /// Begins the chain with the input of the removed collective.
  bool begin() {
    uint32_t input = call_.inputs[0];
    uint32_t image = input == none ? none : evidence_.correspondence.image(input);
    const Type *type = input == none ? nullptr : evidence_.before[input].type;
    IntList sizes;
    // If the tensor is reshaped in place, its type does not describe it here.
    bool reshaped = input != none && llvm::any_of(evidence_.storagesBefore.of(input), [&](uint32_t storage) {
                      return evidence_.storagesBefore.isReshaped(storage);
                    });
    bool known = image != none && type && type->isTensor() && !reshaped;
    for (const Dim &size : known ? type->sizes() : llvm::ArrayRef<Dim>()) {
      known &= size.isStatic();
      sizes.push_back(size.isStatic() ? size.value() : 0);
    }
    if (!known)
      return report(*rule_.matched.front(),
                    "sends a value that is gone, whose sizes are no numbers, or that is reshaped in place"),
             false;
    begin_ = isStaged_ ? whole(0, /*result=*/false, sizes) : terms_.own(image, sizes);
    evaluation_.begin(image, *begin_);
    return true;
  }

  std::optional<Contents> launch(const Call &call, llvm::ArrayRef<const Contents *> operands) {
    const Step &step = evidence_.after[call.step];
    if (!isPlainExchange(call) || !saysNothingElse(step) || operands[0]->isList) {
      report(*step.node, "is no functional collective on one tensor, expected no other in a chain");
      return std::nullopt;
    }
    checkGroupSize(call);
    checkDtype(call);
    const Layout &sent = operands[0]->elements[0];
    if (!evaluation_.isComplete(call.inputs[0]))
      report(*step.node, "sends what has not been waited for");
    checkOrderingEdges(step);
    Outcome outcome = exchange(call, sent);
    if (auto *why = std::get_if<std::string>(&outcome)) {
      report(*step.node, *why);
      return std::nullopt;
    }
    return Contents{{std::move(std::get<Layout>(outcome))}, false};
  }

  /// Checks the group size: a gather over fewer ranks than the group has would be another collective.
  void checkGroupSize(const Call &call) {
    auto size = call.group.group ? call.group.group->size() : std::nullopt;
    if (size && call.groupSize && *call.groupSize != *size)
      report(*evidence_.after[call.step].node, "states " + llvm::Twine(*call.groupSize) + " ranks, expected the " +
                                                   llvm::Twine(*size) + " of group '" + call.group.text + "'");
  }

  /// Rejects dtypes without a reduce_scatter. An all_reduce of complex numbers is sent as pairs of real numbers; NCCL
  /// has no such form for a reduce_scatter, and no reduce_scatter of bools.
  void checkDtype(const Call &call) {
    const Node &node = *evidence_.after[call.step].node;
    const Type *type = evidence_.after[call.step].type;
    if (call.spec->kind != CollectiveKind::ReduceScatter || !type || !type->isTensor())
      return;
    if (DType dtype = type->dtype(); isComplex(dtype) || dtype == DType::Bool)
      report(node, "reduces and scatters " + shortName(dtype) + ", which not every backend does");
  }

  /// Each launch of the chain must follow every node that the matched launch had to follow.
  void checkOrderingEdges(const Step &step) {
    auto kept = evidence_.after.ordering(step);
    for (uint32_t edge : evidence_.before.ordering(evidence_.before[call_.step]))
      if (edge == none || (!llvm::is_contained(kept, evidence_.correspondence.image(edge)) &&
                           !llvm::is_contained(kept, evidence_.correspondence.performer(edge))))
        report(*step.node,
               "does not follow " + quoted(edge == none ? nullptr : evidence_.before[edge].node) + ", which " +
                   quoted(rule_.matched.front()) + " had to",
               "ordering-edge");
  }

  void checkResult(const Layout &expected) {
    const Node &result = *rule_.built.front();
    uint32_t index = evidence_.after.indexOf(&result);
    const Contents *value = evaluation_.valueOf(index);
    if (!value)
      return; // the node without value has its own finding
    if (!evaluation_.isComplete(index))
      report(result, "replaces the result of " + quoted(rule_.matched.front()) + " before all waits");
    if (value->isList || !isEqual(value->elements[0], expected))
      report(result, "does not hold, element for element, the result of " + quoted(rule_.matched.front()));
    const Node *stoodThere = rule_.matched[resharding_ ? 0 : 1];
    const Type *type = evidence_.before[evidence_.before.indexOf(stoodThere)].type;
    if (type && type != result.type())
      report(result,
             "is " + typeText(result.type()) + ", expected " + typeText(type) + " as " + quoted(stoodThere) + " was");
  }

  [[nodiscard]] bool isEqual(const Layout &value, const Layout &expected) {
    if (!isStaged_)
      return sameElements(value, expected);
    return value.sizes == expected.sizes && !ranks_->differingRank(value, expected);
  }

  const Evidence &evidence_;
  const RuleEntry &rule_;
  uint32_t entry_;
  Findings &findings_;
  bool isStaged_;
  Evaluation evaluation_;
  Terms terms_;
  std::optional<RankValues> ranks_;
  Call call_;
  std::optional<Resharding> resharding_;
  std::optional<Layout> begin_;
};

} // namespace

void checkExchangeChain(const Evidence &evidence, uint32_t entry, Findings &findings) {
  const RuleEntry &rule = evidence.rewrite.certificate.rules[entry];
  if (rule.matched.empty() || rule.built.empty())
    return findings.add(*evidence.rewrite.graph.front(), rule.name, "matches or builds nothing",
                        claimText({Part::Rule, entry}));
  ChainCheck(evidence, entry, findings).check();
}

} // namespace ccgraph::legality
