#include "ccgraph/ir/work.h"
#include "lower/program.h"

namespace ccgraph::lower {
namespace {

/// Finds elementwise results that may reuse an operand's bytes in place: each element is read before it is written at
/// the same position, and no later step needs the operand.
class ReusedBuffers {
public:
  explicit ReusedBuffers(const Program &program)
      : program_(program), plan_(program.plan), first_(plan_.buffers.size(), none), last_(plan_.buffers.size(), none),
        takes_(plan_.buffers.size()) {
    for (BufferId buffer = 0; buffer < takes_.size(); ++buffer)
      takes_[buffer] = buffer;
  }

  std::vector<BufferId> find() {
    for (size_t step = 0; step < plan_.steps.size(); ++step)
      forEachAccess(plan_.steps[step], [&](const PlanAccess &access) {
        if (access.window)
          note(access.window->buffer, step);
      });
    for (size_t step = 0; step < plan_.steps.size(); ++step)
      if (const KernelStep *kernel = plan_.steps[step].kernel(); kernel && isElementwise(*kernel))
        visit(step, *kernel);
    return std::move(takes_);
  }

private:
  static constexpr size_t none = ~size_t{0};

  void note(BufferId buffer, size_t step) {
    first_[buffer] = first_[buffer] == none ? step : first_[buffer];
    last_[buffer] = step;
  }

  static bool isElementwise(const KernelStep &kernel) {
    return workFamily(*kernel.op) == WorkFamily::Pointwise && kernel.result.kind == PlanValue::Kind::Tensor &&
           llvm::none_of(kernel.operands, [](const PlanOperand &operand) { return operand.writes; });
  }

  void visit(size_t step, const KernelStep &kernel) {
    const PlanWindow &result = kernel.result.window;
    if (first_[result.buffer] != step || !isOurs(result.buffer) || needed(result.buffer).begin != moment(step))
      return;
    for (const PlanOperand &operand : kernel.operands)
      if (operand.value.kind == PlanValue::Kind::Tensor && operand.reads &&
          mayTake(step, kernel, operand.value.window)) {
        takes_[result.buffer] = operand.value.window.buffer;
        return;
      }
  }

  bool mayTake(size_t step, const KernelStep &kernel, const PlanWindow &operand) const {
    const PlanWindow &result = kernel.result.window;
    const PlanBuffer &from = plan_.buffers[operand.buffer], &to = plan_.buffers[result.buffer];
    bool dies = last_[operand.buffer] == step && needed(operand.buffer).end == moment(step);
    return dies && from.home == to.home && from.bytes == to.bytes && operand.offset == Dim(0) &&
           result.offset == Dim(0) && isAlike(*operand.type, *result.type) && namesOf(kernel, operand.buffer) == 1;
  }

  static bool isAlike(const Type &a, const Type &b) {
    return a.dtype() == b.dtype() && a.sizes() == b.sizes() && a.strides() == b.strides();
  }

  /// Returns how many names the buffer has. A kernel that gets a buffer twice may read it by one name after it has
  /// written it by the other.
  static size_t namesOf(const KernelStep &kernel, BufferId buffer) {
    size_t names = 0;
    for (const PlanOperand &operand : kernel.operands)
      forEachWindow(operand.value, [&](const PlanWindow &window) { names += window.buffer == buffer; });
    return names;
  }

  [[nodiscard]] bool isOurs(BufferId buffer) const {
    Home home = plan_.buffers[buffer].home;
    return home == Home::Compute || home == Home::Communication;
  }
  [[nodiscard]] const Needed &needed(BufferId buffer) const { return program_.needed[buffer]; }
  [[nodiscard]] Moment moment(size_t step) const { return program_.moments[step]; }

  const Program &program_;
  const Plan &plan_;
  /// by buffer: the first and last steps that access it
  std::vector<size_t> first_, last_;
  std::vector<BufferId> takes_;
};

} // namespace

std::vector<BufferId> findReusedBuffers(const Program &program) { return ReusedBuffers(program).find(); }

} // namespace ccgraph::lower
