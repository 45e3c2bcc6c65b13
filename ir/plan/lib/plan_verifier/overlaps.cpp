// Checks that the memory that one step writes is separate from all other memory that it accesses.
//
// The program itself decides how an operator uses two operands in one buffer. But the creator of the plan decides to
// put two buffers on the same bytes, or a result in an operand's buffer. No kernel supports this except an elementwise
// one, whose result may reuse an operand's place.
#include "plan_verifier/plan_rules.h"

#include "ccgraph/ir/work.h"

namespace ccgraph::plan_verifier {
namespace {

struct Touched {
  const PlanWindow *window;
  Stretch stretch;
  bool writes;
};

/// Returns the parameter that is the result, if the operator has one result and works in place, at its own shape.
const OpParam *inPlaceParam(const OpDef &op) {
  if (op.results.size() != 1 || !op.results[0].alias)
    return nullptr;
  for (const OpParam &param : op.params)
    if (param.alias == op.results[0].alias)
      return has(param.access, Access::Write) && !has(param.access, Access::Reshape) ? &param : nullptr;
  return nullptr;
}

class OverlapRules {
public:
  OverlapRules(Report &report, const Places &places) : report_(report), plan_(report.plan()), places_(places) {}

  void run() {
    for (step_ = 0; step_ < plan_.steps.size(); ++step_) {
      const PlanStep &step = plan_.steps[step_];
      if (step.collective())
        continue;
      checkBuffers(step);
      if (const CopyStep *copy = step.copy(); copy && copy->from.buffer == copy->to.buffer)
        checkCopy(*copy);
      if (const KernelStep *kernel = step.kernel())
        checkResults(*kernel);
    }
  }

private:
  void overlap(const PlanWindow &written, const PlanWindow &other, ByteRange bytes) {
    report_.add(step_,
                {"plan.overlap",
                 "writes " + bufferText(plan_, written.buffer) + " over " + bytesText(bytes) + " of its arena, " +
                     "where it also touches " + bufferText(plan_, other.buffer) + "; expected them apart",
                 "place the two buffers on different bytes: both are in use at once"});
  }

  void checkBuffers(const PlanStep &step) {
    llvm::SmallVector<Touched, 8> touched;
    forEachAccess(step, [&](const PlanAccess &access) {
      if (access.window)
        touched.push_back({access.window, places_.stretchOf(*access.window), access.writes});
    });
    llvm::sort(touched, [](const Touched &a, const Touched &b) {
      return std::make_tuple(a.stretch.space, a.stretch.bytes.begin, a.stretch.bytes.end) <
             std::make_tuple(b.stretch.space, b.stretch.bytes.begin, b.stretch.bytes.end);
    });
    // The list is sorted, so a range that overlaps the first of two begins before its end.
    for (size_t i = 0; i < touched.size(); ++i)
      for (size_t j = i + 1; j < touched.size() && touched[i].stretch.space == touched[j].stretch.space &&
                             touched[j].stretch.bytes.begin < touched[i].stretch.bytes.end;
           ++j)
        checkPair(touched[i], touched[j]);
  }

  void checkPair(const Touched &a, const Touched &b) {
    if (a.window->buffer == b.window->buffer || (!a.writes && !b.writes) || !a.stretch.overlaps(b.stretch))
      return;
    const Touched &written = a.writes ? a : b, &other = a.writes ? b : a;
    if (!takesPlace(written, other))
      overlap(*written.window, *other.window, written.stretch.bytes);
  }

  /// Returns true if an elementwise operator may write its result over an operand of the same layout. The operand must
  /// have no other name here, since a kernel may read by one name after it has written by the other. The order rules
  /// check whether a later step needs the operand.
  [[nodiscard]] bool takesPlace(const Touched &written, const Touched &other) const {
    const KernelStep *kernel = plan_.steps[step_].kernel();
    if (!kernel || other.writes || workFamily(*kernel->op) != WorkFamily::Pointwise ||
        kernel->result.kind != PlanValue::Kind::Tensor || !(kernel->result.window == *written.window))
      return false;
    const Type &result = *written.window->type, &operand = *other.window->type;
    bool alike = result.dtype() == operand.dtype() && result.sizes() == operand.sizes() &&
                 result.strides() == operand.strides() && written.stretch.bytes.begin == other.stretch.bytes.begin &&
                 written.stretch.bytes.end == other.stretch.bytes.end;
    return alike && namesIn(*kernel, other.stretch) == 1;
  }

  [[nodiscard]] size_t namesIn(const KernelStep &kernel, const Stretch &stretch) const {
    size_t names = 0;
    for (const PlanOperand &operand : kernel.operands)
      forEachWindow(operand.value,
                    [&](const PlanWindow &window) { names += places_.stretchOf(window).overlaps(stretch); });
    return names;
  }

  void checkCopy(const CopyStep &copy) {
    Stretch from = places_.stretchOf(copy.from), to = places_.stretchOf(copy.to);
    if (from.overlaps(to))
      report_.add(step_, {"plan.overlap",
                          "copies " + bytesText(from.bytes) + " of " + bufferText(plan_, copy.from.buffer) + " to " +
                              bytesText(to.bytes) + " of it; expected them apart",
                          "copy by way of another buffer"});
  }

  void checkResults(const KernelStep &kernel) {
    if (!kernel.op->opaque && kernel.result.kind == PlanValue::Kind::Tensor)
      if (const OpParam *param = inPlaceParam(*kernel.op); param && checkInPlace(kernel, *param))
        return;
    forEachWindow(kernel.result, [&](const PlanWindow &window) { checkResult(kernel, window); });
  }

  /// Returns true if the argument is a tensor, so that the result needs no further check.
  bool checkInPlace(const KernelStep &kernel, const OpParam &param) {
    size_t index = static_cast<size_t>(kernel.op->paramIndex(param.name));
    const Argument *argument = index < kernel.args.size() ? &kernel.args[index] : nullptr;
    for (const NamedArgument &entry : kernel.kwargs)
      if (!argument && entry.name.str() == param.name)
        argument = &entry.value;
    if (!argument || !argument->is(Argument::Kind::Operand))
      return false;
    const PlanValue &operand = kernel.operands[argument->operandIndex()].value;
    if (operand.kind != PlanValue::Kind::Tensor)
      return false;
    if (operand.window.buffer != kernel.result.window.buffer || operand.window.offset != kernel.result.window.offset)
      report_.add(step_, {"plan.overlap",
                          "yields element " + kernel.result.window.offset.str() + " of " +
                              bufferText(plan_, kernel.result.window.buffer) +
                              " and on, but works in place on element " + operand.window.offset.str() + " of " +
                              bufferText(plan_, operand.window.buffer) + "; expected one window",
                          "give the result the window of the operand '" + param.name + "'"});
    return true;
  }

  /// Checks that a result lies in a buffer of its own, or in that of an operand that the step writes.
  void checkResult(const KernelStep &kernel, const PlanWindow &result) {
    const PlanOperand *sharer = nullptr;
    bool written = false;
    for (const PlanOperand &operand : kernel.operands)
      forEachWindow(operand.value, [&](const PlanWindow &window) {
        if (window.buffer != result.buffer || !places_.stretchOf(window).overlaps(places_.stretchOf(result)))
          return;
        sharer = &operand;
        written |= operand.writes;
      });
    if (!sharer || written || !sharer->reads)
      return;
    report_.add(step_, {"plan.overlap",
                        "writes its result over its operand in " + bufferText(plan_, result.buffer) +
                            ", which it only reads; expected memory of its own",
                        "give the result another buffer"});
  }

  Report &report_;
  const Plan &plan_;
  const Places &places_;
  size_t step_ = 0;
};

} // namespace

void checkOverlaps(Report &report, const Places &places) { OverlapRules(report, places).run(); }

} // namespace ccgraph::plan_verifier
