#include "ccgraph/tracer/trace.h"

#include "tracer/groups.h"
#include "tracer/recorder.h"

namespace ccgraph::tracer {
namespace {

llvm::Error checkOptions(const TraceOptions &options) {
  using detail::problem;
  if (detail::Mode::current())
    return makeError(problem("trace.second", options.name, "this thread has a trace that is open",
                             "finish that one first; other threads may have traces of their own"));
  if (options.worldSize && *options.worldSize < 1)
    return makeError(problem("trace.world", options.name,
                             "a world of " + std::to_string(*options.worldSize) + " ranks; expected 1 or more"));
  if (options.rank && (!options.worldSize || *options.rank < 0 || *options.rank >= *options.worldSize))
    return makeError(problem("trace.world", options.name,
                             "rank " + std::to_string(*options.rank) + " of a world of " +
                                 (options.worldSize ? std::to_string(*options.worldSize) : "unknown size") + " ranks",
                             "ranks count from 0 and are fewer than worldSize"));
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Trace> Trace::begin(Context &context, const TraceOptions &options) {
  if (llvm::Error error = checkOptions(options))
    return error;
  auto recorder = std::make_shared<detail::Recorder>(context, options);
  detail::Mode::setCurrent(recorder.get());
  return Trace(std::move(recorder));
}

Trace::Trace(std::shared_ptr<detail::Recorder> recorder) : recorder_(std::move(recorder)) {}
Trace::Trace(Trace &&) noexcept = default;

Trace &Trace::operator=(Trace &&other) noexcept {
  std::swap(recorder_, other.recorder_);
  return *this;
}

Trace::~Trace() {
  if (recorder_)
    recorder_->close();
}

Tensor Trace::input(llvm::StringRef name, const TensorSpec &spec) {
  if (!recorder_->isOpen())
    return Tensor::failed(
        detail::problem("trace.finished", name, "is called on a trace that is finished", "begin another one"));
  return recorder_->input(name, spec);
}

Tensor Trace::parameter(llvm::StringRef name, const TensorSpec &spec) {
  Tensor tensor = input(name, spec);
  if (tensor.isValid())
    recorder_->addParameter(tensor);
  return tensor;
}

const std::vector<Tensor> &Trace::parameters() const { return recorder_->parameters(); }

void Trace::addGroup(const Group &group) {
  if (!recorder_->isOpen())
    return;
  if (llvm::Error error = detail::registerGroup(*recorder_, group))
    (void)recorder_->fail(detail::firstOf(std::move(error)));
}

const Graph &Trace::graph() const { return recorder_->graph(); }

llvm::ArrayRef<Diagnostic> Trace::warnings() const { return recorder_->warnings(); }

llvm::Expected<std::unique_ptr<Graph>> Trace::finish(const std::vector<Tensor> &outputs) {
  return recorder_->finish(outputs);
}

// --- Modules ---------------------------------------------------------------------------------------------------------

ModuleScope::ModuleScope(llvm::StringRef name) : outer_(detail::modulePath()) {
  std::string &path = detail::modulePath();
  path += (path.empty() ? "" : ".") + name.str();
}

ModuleScope::~ModuleScope() { detail::modulePath() = outer_; }

} // namespace ccgraph::tracer
