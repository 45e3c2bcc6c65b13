#include "ccgraph/tracer/eager.h"

#include "tracer/eager_mode.h"
#include "tracer/groups.h"

namespace ccgraph::tracer {

using detail::problem;

llvm::Expected<Eager> Eager::begin(Context &context, EagerOptions options) {
  if (detail::Mode::current())
    return makeError(problem("trace.second", "eager", "this thread has a trace or a session that is open",
                             "finish that one first; other threads may have their own"));
  if (options.ranks == 0 || !options.execute)
    return makeError(problem("trace.eager", "eager",
                             options.execute ? "a session of no ranks" : "a session that nothing executes",
                             "give the number of ranks, and what runs a graph on them"));
  auto mode = std::make_shared<detail::EagerMode>(context, std::move(options));
  detail::Mode::setCurrent(mode.get());
  return Eager(std::move(mode));
}

Eager::Eager(std::shared_ptr<detail::EagerMode> mode) : mode_(std::move(mode)) {}
Eager::Eager(Eager &&) noexcept = default;

Eager &Eager::operator=(Eager &&other) noexcept {
  std::swap(mode_, other.mode_);
  return *this;
}

Eager::~Eager() {
  if (mode_)
    mode_->close();
}

Tensor Eager::tensor(const std::vector<HostTensor> &values) { return mode_->tensor(values); }

llvm::Expected<std::vector<HostTensor>> Eager::values(const Tensor &tensor) { return mode_->valuesOf(tensor); }

bool Eager::isInFlight(const Tensor &tensor) const {
  return tensor.isValid() && tensor.state()->eager && tensor.state()->eager->storage->isInFlight();
}

llvm::Error Eager::addGroup(const Group &group) { return detail::registerGroup(*mode_, group); }

llvm::ArrayRef<Diagnostic> Eager::warnings() const { return mode_->warnings(); }

} // namespace ccgraph::tracer
