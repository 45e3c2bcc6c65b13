#include "chain.h"
#include "evaluation.h"
#include "replication.h"
#include "rules.h"
#include "symbolic_pieces.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// A pass may replace several collectives by fewer, or by none, such as
//   s = reduce_scatter(x, "sum"); t = wait(s); g = all_gather(t); v = wait(g)
//   ->  c = all_reduce(x, "sum"); w = wait(c)
// The entry lists v, g, s, t as matched, and w, c as built; the first of each list is the value, and the built launches
// perform the first launch of the matched list. All other matched nodes lose their users. Both sides are evaluated as
// terms (chain.h) from the values that they read, and must be equal. `built` may also be one value of both programs:
// then this value already holds the result.
//
// The rule equal-pieces is the same for several values, and for products of matrices:
//   g = all_gather(x); w = wait(g); p = mm(w, b); q = mm(w, c)
//   ->  pieces of x are gathered and multiplied by b and by c, and p' and q' are put together of the pieces
// Calls that compute row by row (row_calls.h) may be between the exchanges and products, and have terms too.
// The entry lists p, q, g, w as matched, and p', q' first as built. The values precede the first launch of the list.
// Without a launch, the values are the first nodes of the list that others read:
//   c = cast(p); s = log_softmax(c); m = mean(s); e = exp(s); r(e)
//   ->  pieces of rows of p go through the same functions, e' is put together of them, and m' is the mean of their
//       means
// The entry lists e, m, c, s as matched, and e', m' first as built.

/// One entry of the rule equal-exchanges or equal-pieces.
class RegionCheck {
public:
  RegionCheck(const Evidence &evidence, uint32_t entry, Findings &findings)
      : evidence_(evidence), rule_(evidence.rewrite.certificate.rules[entry]), entry_(entry), findings_(findings),
        replacement_(templateOf(rule_.name)->replacement), values_(numValues(evidence.before, rule_, replacement_)) {}

  void check() {
    if (values_ == 0)
      return report(*rule_.matched.front(), "is replaced without a launch, or with fewer nodes than values");
    readGroup();
    if (!evidence_.options.spmd && launch_ != none)
      return report(*rule_.matched.front(),
                    "became other collectives, and none may where other ranks run other programs", "mpmd");
    if (replacement_ == Replacement::ValuesForValues && evidence_.options.bitwise)
      return report(*rule_.matched.front(), "is computed in pieces, which may be rounded otherwise, expected it whole",
                    "bitwise");
    if (launch_ == none && replacement_ == Replacement::ValueForValue)
      return report(*rule_.matched.front(), "is replaced without a collective, expected one among the matched nodes");
    if (!checkEdges())
      return;
    if (replacement_ == Replacement::ValuesForValues && hasSymbolicSizes(evidence_, entry_))
      return checkSymbolicPieces(evidence_, {entry_, values_, ranks_}, findings_);
    auto was = valuesOf(Side::Before);
    auto now = valuesOf(Side::After);
    for (size_t i = 0; i < std::min(was.size(), now.size()); ++i)
      if (was[i] && now[i])
        compare(i, *was[i], *now[i]);
  }

private:
  void report(const Node &node, const llvm::Twine &message, llvm::StringRef rule = "") {
    findings_.add(node, rule.empty() ? llvm::StringRef(rule_.name) : rule, message, claimText({Part::Rule, entry_}));
  }
  [[nodiscard]] const Program &program(Side side) const {
    return side == Side::Before ? evidence_.before : evidence_.after;
  }
  [[nodiscard]] bool isExisting(const Node *node) const { return evidence_.before.contains(node); }

  /// Returns the steps of the entry on one side; a built value that existed before is none of them.
  [[nodiscard]] llvm::SmallVector<uint32_t, 16> stepsOf(Side side) const {
    llvm::SmallVector<uint32_t, 16> steps;
    for (const Node *node : side == Side::Before ? rule_.matched : rule_.built)
      if (side == Side::Before || !isExisting(node))
        steps.push_back(program(side).indexOf(node));
    return steps;
  }

  /// Reads the group, and its size where a file gives it, from the first matched launch, if there is one.
  void readGroup() {
    for (const Node *node : rule_.matched)
      if (uint32_t index = evidence_.before.indexOf(node); evidence_.before[index].collective()) {
        launch_ = index;
        break;
      }
    if (launch_ == none)
      return;
    Call call = readCall(evidence_.before, launch_);
    replication_.emplace(evidence_.before, evidence_.storagesBefore, call.group);
    if (ranks_ = describedRanks(call); ranks_)
      terms_.setRanks(*ranks_);
  }

  /// Only the launch that is performed may have ordering edges, which all built launches keep.
  bool checkEdges() {
    for (uint32_t index : stepsOf(Side::Before))
      if (const Step &step = evidence_.before[index]; index != launch_ && step.numOrdering != 0)
        return report(*step.node, "has ordering edges, which its replacement loses", "ordering-edge"), false;
    for (uint32_t index : stepsOf(Side::After)) {
      const Step &step = evidence_.after[index];
      const bool exchanges = launch_ != none && step.collective();
      bool kept = exchanges ? keepsOrdering(evidence_, evidence_.before[launch_], step) : !step.numOrdering;
      if (!kept)
        return report(*step.node,
                      exchanges ? "has other ordering edges than " + quoted(evidence_.before[launch_].node) + " had"
                                : "has ordering edges, expected none",
                      "ordering-edge"),
               false;
    }
    if (launch_ != none && evidence_.before[launch_].numOrdering != 0 &&
        evidence_.correspondence.performances(launch_).empty())
      return report(*evidence_.before[launch_].node, "has ordering edges, which its replacement loses",
                    "ordering-edge"),
             false;
    return true;
  }

  /// Returns the values of the entry on one side; empty where a finding states why there is none.
  std::vector<std::optional<Layout>> valuesOf(Side side) {
    llvm::SmallVector<uint32_t, 16> steps = stepsOf(side), launches;
    const std::vector<Node *> &nodes = side == Side::Before ? rule_.matched : rule_.built;
    if (steps.empty())
      return {initial(side, program(side).indexOf(nodes.front()))};
    Evaluation evaluation(evidence_, {Part::Rule, entry_}, rule_.name, findings_);
    evaluation.setSide(side);
    accept(evaluation);
    for (uint32_t index : steps) {
      if (program(side)[index].collective())
        launches.push_back(index);
      if (!beginOperands(evaluation, side, index, steps))
        return {};
    }
    evaluation.run(steps, launches, [&](const Call &call, llvm::ArrayRef<const Contents *> operands) {
      return exchange(evaluation, side, call, operands);
    });
    std::vector<std::optional<Layout>> values;
    for (size_t i = 0; i < values_; ++i)
      values.push_back(result(evaluation, side, i));
    return values;
  }

  /// Casts may be moved through exchanges, and products be cut.
  void accept(Evaluation &evaluation) {
    if (replacement_ == Replacement::ValueForValue)
      return evaluation.acceptCasts([&](const Contents &contents, DType dtype) {
        return Contents{{terms_.cast(contents.elements[0], dtype)}, false};
      });
    evaluation.acceptRows(
        [&](const Step &step, llvm::ArrayRef<const Contents *> operands) { return rows(step, operands); });
    evaluation.acceptProducts([&](const Contents &rows, const Contents &matrix) -> std::optional<Contents> {
      std::optional<Layout> product = terms_.product(rows.elements[0], matrix.elements[0]);
      return product ? std::optional(Contents{{std::move(*product)}, false}) : std::nullopt;
    });
  }

  std::optional<Contents> rows(const Step &step, llvm::ArrayRef<const Contents *> operands) {
    llvm::SmallVector<const Layout *, 4> layouts;
    for (const Contents *operand : operands)
      layouts.push_back(&operand->elements[0]);
    if (std::optional<Layout> total = isTotalCall(step) ? terms_.total(step, layouts) : std::nullopt)
      return Contents{{std::move(*total)}, false};
    Layout column;
    if (const std::optional<size_t> classes = classesOf(step); classes && *classes < layouts.size()) {
      column = *layouts[*classes];
      if (column.unsized || column.sizes.size() != 1)
        return std::nullopt;
      column = contiguous({column.sizes[0], 1}, *column.runs);
      layouts[*classes] = &column;
    }
    std::optional<RowCall> call = rowCallOf(step, layouts);
    auto results = call ? terms_.rows(*call, layouts) : std::nullopt;
    if (results && addsRows(step))
      for (Layout &result : *results)
        result = terms_.sum(result);
    return results ? std::optional(Contents{std::move(*results), call->returnsList}) : std::nullopt;
  }

  /// Returns the evaluated value, which has to be complete. A step without value has its own finding.
  std::optional<Layout> result(const Evaluation &evaluation, Side side, size_t number) {
    uint32_t value = program(side).indexOf((side == Side::Before ? rule_.matched : rule_.built)[number]);
    const Contents *contents = evaluation.valueOf(value);
    if (!contents)
      return std::nullopt;
    const Node &node = *program(side)[value].node;
    if (contents->isList)
      return report(node, "is a list, expected one tensor"), std::nullopt;
    if (side == Side::After && !evaluation.isComplete(value))
      return report(node, "replaces " + quoted(rule_.matched[number]) + " before all waits"), std::nullopt;
    return contents->elements[0];
  }

  /// Sets the values that a step reads from outside the entry.
  bool beginOperands(Evaluation &evaluation, Side side, uint32_t index, llvm::ArrayRef<uint32_t> steps) {
    const Step &step = program(side)[index];
    llvm::SmallVector<uint32_t, 4> operands;
    if (step.collective())
      operands = readCall(program(side), index).inputs;
    else
      llvm::append_range(operands, program(side).operands(step));
    for (uint32_t operand : operands) {
      if (operand != none && (llvm::is_contained(steps, operand) || evaluation.valueOf(operand)))
        continue;
      std::optional<Layout> layout = initial(side, operand);
      if (!layout)
        return false;
      evaluation.begin(operand, std::move(*layout));
    }
    return true;
  }

  /// Returns the term of a value outside the entry: one term for both sides.
  std::optional<Layout> initial(Side side, uint32_t operand) {
    const std::optional<uint32_t> image = commonValue(evidence_, side, operand);
    const Type *type = image ? program(side)[operand].type : nullptr;
    IntList sizes;
    bool known = type && type->isTensor();
    for (const Dim &size : known ? type->sizes() : llvm::ArrayRef<Dim>()) {
      known &= size.isStatic();
      sizes.push_back(size.isStatic() ? size.value() : 0);
    }
    if (!known)
      return report(*rule_.matched.front(),
                    "is computed from a value that is gone, whose sizes are no numbers, or that is reshaped in place"),
             std::nullopt;
    const bool isReplicated = replication_ && replication_->isEqualOnAllRanks(evidence_.correspondence.origin(*image));
    return isReplicated ? terms_.replicated(*image, sizes) : terms_.own(*image, sizes);
  }

  std::optional<Contents> exchange(const Evaluation &evaluation, Side side, const Call &call,
                                   llvm::ArrayRef<const Contents *> operands) {
    const Step &step = program(side)[call.step];
    if (!isPlainExchange(call) || !saysNothingElse(step) || operands[0]->isList)
      return report(*step.node, "is no functional collective on one tensor"), std::nullopt;
    if (const std::string why = wrongRanks(call); !why.empty())
      return report(*step.node, why), std::nullopt;
    if (side == Side::After && !evaluation.isComplete(call.inputs[0]))
      report(*step.node, "sends what has not been waited for");
    auto outcome = terms_.exchange(call, operands[0]->elements[0]);
    if (auto *why = std::get_if<std::string>(&outcome))
      return report(*step.node, *why), std::nullopt;
    if (evidence_.options.bitwise && addsInSomeOrder(program(side), call) &&
        (terms_.ranks() == 0 || terms_.ranks() > 2))
      return report(*step.node, "adds floating-point numbers of several ranks, expected it to keep its one order",
                    "bitwise"),
             std::nullopt;
    return Contents{{std::move(std::get<Layout>(outcome))}, false};
  }

  void compare(size_t number, const Layout &was, const Layout &now) {
    const Node &matched = *rule_.matched[number], &built = *rule_.built[number];
    if (!sameElements(was, now))
      report(built, "does not hold, element for element, what " + quoted(&matched) + " held");
    const Type *type = evidence_.before[evidence_.before.indexOf(&matched)].type;
    const Type *own = evidence_.after[evidence_.after.indexOf(&built)].type;
    if (!type || type != own)
      report(built, "is " + typeText(own) + ", expected " + typeText(type) + " as " + quoted(&matched) + " was");
  }

  const Evidence &evidence_;
  const RuleEntry &rule_;
  uint32_t entry_;
  Findings &findings_;
  Replacement replacement_;
  size_t values_;
  uint32_t launch_ = none;       ///< before: the launch that the built launches perform
  std::optional<int64_t> ranks_; ///< of the group, if a file or the call states them
  std::optional<Replication> replication_;
  Terms terms_;
};

} // namespace

void checkEqualPieces(const Evidence &evidence, uint32_t entry, Findings &findings) {
  checkEqualExchanges(evidence, entry, findings);
}

void checkEqualExchanges(const Evidence &evidence, uint32_t entry, Findings &findings) {
  const RuleEntry &rule = evidence.rewrite.certificate.rules[entry];
  if (rule.matched.empty() || rule.built.empty())
    return findings.add(*evidence.rewrite.graph.front(), rule.name, "matches or builds nothing",
                        claimText({Part::Rule, entry}));
  RegionCheck(evidence, entry, findings).check();
}

} // namespace ccgraph::legality
