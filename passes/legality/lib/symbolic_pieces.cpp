#include "symbolic_pieces.h"

#include "symbolic_evaluation.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

class SymbolicCheck {
public:
  SymbolicCheck(const Evidence &evidence, const SymbolicEntry &entry, Findings &findings)
      : evidence_(evidence), entry_(entry), rule_(evidence.rewrite.certificate.rules[entry.entry]),
        findings_(findings), scope_{evidence, entry.entry, findings} {
    if (entry.ranks)
      scope_.terms.setRanks(*entry.ranks);
  }

  void check() {
    SymbolicEvaluation before(scope_, Side::Before), after(scope_, Side::After);
    if (!before.run(stepsOf(evidence_.before, rule_.matched)) || !after.run(stepsOf(evidence_.after, rule_.built)))
      return;
    for (size_t i = 0; i < entry_.values; ++i)
      compare(i, before, after);
  }

private:
  void report(const Node &node, const llvm::Twine &message) {
    findings_.add(node, rule_.name, message, claimText({Part::Rule, entry_.entry}));
  }

  static llvm::SmallVector<uint32_t, 16> stepsOf(const Program &program, llvm::ArrayRef<Node *> nodes) {
    llvm::SmallVector<uint32_t, 16> steps;
    for (const Node *node : nodes)
      steps.push_back(program.indexOf(node));
    return steps;
  }

  void compare(size_t number, const SymbolicEvaluation &before, const SymbolicEvaluation &after) {
    const Node &matched = *rule_.matched[number], &built = *rule_.built[number];
    const uint32_t was = evidence_.before.indexOf(&matched), now = evidence_.after.indexOf(&built);
    const RowValue *old = before.valueOf(was), *value = after.valueOf(now);
    if (!old || !value)
      return report(built, "has no known rows, and replaces " + quoted(&matched));
    if (!after.isComplete(now))
      report(built, "replaces " + quoted(&matched) + " before all waits");
    if (!holdTheSame(*old, *value))
      report(built, "does not hold, for every value of the symbol, what " + quoted(&matched) + " held");
    if (!value->fillsMemory)
      report(built, "is a part of a larger value, expected one that fills its memory as " + quoted(&matched) + " did");
    const Type *type = evidence_.before[was].type, *own = evidence_.after[now].type;
    if (!type || type != own)
      report(built, "is " + typeText(own) + ", expected " + typeText(type) + " as " + quoted(&matched) + " was");
  }

  const Evidence &evidence_;
  const SymbolicEntry &entry_;
  const RuleEntry &rule_;
  Findings &findings_;
  SymbolicScope scope_;
};

bool isSymbolic(const Type *type) {
  return type && (type->kind() == Type::Kind::Symbolic ||
                  llvm::any_of(type->sizes(), [](const Dim &size) { return !size.isStatic(); }));
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
  SymbolicCheck(evidence, entry, findings).check();
}

} // namespace ccgraph::legality
