// Checks that operands are marked as read and written in agreement with the operator's schema.
#include "plan_verifier/plan_rules.h"

namespace ccgraph::plan_verifier {
namespace {

constexpr Access unknown = Access::Read | Access::Write;

/// Returns the operator's access to an argument at a position, or with a name.
Access accessAt(const OpDef &op, size_t index) {
  if (index < op.params.size())
    return op.params[index].access;
  return op.variadic && !op.params.empty() ? op.params.back().access : unknown;
}

Access accessOf(const OpDef &op, llvm::StringRef name) {
  int index = op.paramIndex(name);
  return index < 0 ? unknown : op.params[static_cast<size_t>(index)].access;
}

bool writesAny(const OpDef &op) {
  return llvm::any_of(op.params, [](const OpParam &param) { return has(param.access, Access::Write); });
}

bool holdsTensor(const PlanValue &value) {
  bool found = false;
  forEachWindow(value, [&](const PlanWindow &) { found = true; });
  return found;
}

class KernelRules {
public:
  explicit KernelRules(Report &report) : report_(report) {}

  void run() {
    const Plan &plan = report_.plan();
    for (step_ = 0; step_ < plan.steps.size(); ++step_)
      if (const KernelStep *kernel = plan.steps[step_].kernel())
        visit(*kernel);
  }

private:
  void visit(const KernelStep &kernel) {
    const OpDef &op = *kernel.op;
    // The accesses of these operators depend on a subgraph, which no plan contains.
    if ((op.role == OpRole::HigherOrder && op.domain == Domain::All) || op.role == OpRole::ControlDeps)
      return;
    expected_.assign(kernel.operands.size(), std::nullopt);
    for (size_t i = 0; i < kernel.args.size(); ++i)
      expect(kernel.args[i], op.opaque ? unknown : accessAt(op, i));
    for (const NamedArgument &entry : kernel.kwargs)
      expect(entry.value, op.opaque ? unknown : accessOf(op, entry.name.str()));
    for (size_t i = 0; i < kernel.operands.size(); ++i)
      check(op, i, kernel.operands[i]);
  }

  void expect(const Argument &tree, Access access) {
    if (tree.is(Argument::Kind::Operand)) {
      std::optional<Access> &expected = expected_[tree.operandIndex()];
      expected = expected ? *expected | access : access;
    }
    for (const Argument &element : tree.elements())
      expect(element, access);
    for (const NamedArgument &entry : tree.entries())
      expect(entry.value, access);
  }

  void check(const OpDef &op, size_t index, const PlanOperand &operand) {
    std::string what = "operand " + std::to_string(index);
    if (!expected_[index])
      report_.add(step_, {"plan.access", "has " + what + ", which no argument mentions; expected each in one",
                          "drop the operand, or name it in an argument"});
    else if (holdsTensor(operand.value))
      checkTensor(op, what, operand, *expected_[index]);
    else if (operand.writes)
      report_.add(step_, {"plan.access", "marks " + what + " as written, which is no tensor; expected it read",
                          "no operator writes a number: drop the mark"});
  }

  void checkTensor(const OpDef &op, const std::string &what, const PlanOperand &operand, Access access) {
    bool reads = hasAny(access, Access::Read | Access::InFlightRead);
    bool writes = hasAny(access, Access::Write | Access::InFlightWrite);
    // There is no step for a view. A view that has a step is computed, and so reads its operand. For an operator that
    // also writes, it is unknown whether it reads.
    bool shares = has(access, Access::Alias) && !writes;
    bool open = shares && !reads && writesAny(op);
    reads |= shares;
    if (reads != operand.reads && !open)
      mismatch(op, what + (reads ? " as not read" : " as read"), reads ? "reads it" : "looks at no element of it");
    if (writes != operand.writes)
      mismatch(op, what + (writes ? " as not written" : " as written"), writes ? "writes it" : "does not write it");
  }

  void mismatch(const OpDef &op, const std::string &marked, const std::string &does) {
    report_.add(step_, {"plan.access", "marks " + marked + "; " + op.target.str().str() + " " + does,
                        "mark each operand as the operator's schema does"});
  }

  Report &report_;
  size_t step_ = 0;
  std::vector<std::optional<Access>> expected_; ///< by operand
};

} // namespace

void checkKernels(Report &report) { KernelRules(report).run(); }

} // namespace ccgraph::plan_verifier
