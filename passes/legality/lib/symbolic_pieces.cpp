#include "symbolic_pieces.h"

#include "column_evaluation.h"
#include "symbolic_evaluation.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

/// Compares the values of one entry before and after, by an evaluation of rows or of columns.
template <typename Scope, typename SidesEvaluation>
class SymbolicCheck {
public:
  SymbolicCheck(Scope scope, size_t values)
      : scope_(std::move(scope)), values_(values),
        rule_(scope_.of.evidence.rewrite.certificate.rules[scope_.of.entry]) {}

  void check() {
    SidesEvaluation before(scope_, Side::Before), after(scope_, Side::After);
    if (!before.run(stepsOf(evidence().before, rule_.matched)) || !after.run(stepsOf(evidence().after, rule_.built)))
      return;
    for (size_t i = 0; i < values_; ++i)
      compare(i, before, after);
  }

private:
  [[nodiscard]] const Evidence &evidence() const { return scope_.of.evidence; }
  void report(const Node &node, const llvm::Twine &message) {
    scope_.of.findings.add(node, rule_.name, message, claimText({Part::Rule, scope_.of.entry}));
  }

  static llvm::SmallVector<uint32_t, 16> stepsOf(const Program &program, llvm::ArrayRef<Node *> nodes) {
    llvm::SmallVector<uint32_t, 16> steps;
    for (const Node *node : nodes)
      steps.push_back(program.indexOf(node));
    return steps;
  }

  void compare(size_t number, const SidesEvaluation &before, const SidesEvaluation &after) {
    const Node &matched = *rule_.matched[number], &built = *rule_.built[number];
    const uint32_t was = evidence().before.indexOf(&matched), now = evidence().after.indexOf(&built);
    const auto *old = before.valueOf(was), *value = after.valueOf(now);
    if (!old || !value)
      return report(built, "has no known rows, and replaces " + quoted(&matched));
    if (!after.isComplete(now))
      report(built, "replaces " + quoted(&matched) + " before all waits");
    if (!holdTheSame(*old, *value))
      report(built, "does not hold, for every value of the symbol, what " + quoted(&matched) + " held");
    if (!value->fillsMemory)
      report(built, "is a part of a larger value, expected one that fills its memory as " + quoted(&matched) + " did");
    const Type *type = evidence().before[was].type, *own = evidence().after[now].type;
    if (!type || type != own)
      report(built, "is " + typeText(own) + ", expected " + typeText(type) + " as " + quoted(&matched) + " was");
  }

  Scope scope_;
  size_t values_;
  const RuleEntry &rule_;
};

bool isSymbolic(const Type *type) {
  return type && (type->kind() == Type::Kind::Symbolic ||
                  llvm::any_of(type->sizes(), [](const Dim &size) { return !size.isStatic(); }));
}

/// Returns true if a new node slices or concatenates the last dimension of a tensor, or exchanges dimensions. No
/// evaluation of rows can follow these.
bool cutsColumns(const Evidence &evidence, llvm::ArrayRef<Node *> built) {
  constexpr llvm::StringLiteral exchanges[] = {"aten.permute.default", "aten.transpose.int", "aten.t.default"};
  return llvm::any_of(built, [&](const Node *node) {
    const Step &step = evidence.after[evidence.after.indexOf(node)];
    if (llvm::is_contained(exchanges, operatorOf(step)))
      return true;
    const bool isPart = operatorOf(step) == "aten.slice.Tensor" || operatorOf(step) == "aten.cat.default";
    const size_t rank = isPart && step.type ? step.type->sizes().size() : 0;
    return rank > 0 && dimensionOf(positional(step, 1), rank) == rank - 1;
  });
}

} // namespace

bool hasSymbolicSizes(const Evidence &evidence, uint32_t entry) {
  const RuleEntry &rule = evidence.rewrite.certificate.rules[entry];
  auto isOfSymbol = [](const Program &program, llvm::ArrayRef<Node *> nodes) {
    return llvm::any_of(nodes, [&](const Node *node) { return isSymbolic(program[program.indexOf(node)].type); });
  };
  return isOfSymbol(evidence.before, rule.matched) || isOfSymbol(evidence.after, rule.built);
}

void checkSymbolicPieces(const Evidence &evidence, const SymbolicEntry &entry, Findings &findings) {
  const SymbolicScope scope{evidence, entry.entry, findings};
  if (cutsColumns(evidence, evidence.rewrite.certificate.rules[entry.entry].built)) {
    ColumnScope columns{scope, LineTerms(evidence.rewrite.graph.context(), entry.ranks)};
    return SymbolicCheck<ColumnScope, ColumnEvaluation>(std::move(columns), entry.values).check();
  }
  SymbolicRowScope rows{scope};
  if (entry.ranks)
    rows.terms.setRanks(*entry.ranks);
  SymbolicCheck<SymbolicRowScope, SymbolicEvaluation>(std::move(rows), entry.values).check();
}

} // namespace ccgraph::legality
