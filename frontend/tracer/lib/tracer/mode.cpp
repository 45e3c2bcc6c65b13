#include "tracer/mode.h"

#include "ccgraph/tracer/comm_tensor.h"

namespace ccgraph::tracer {
namespace detail {
namespace {

thread_local Mode *currentMode = nullptr;
thread_local std::string currentModulePath;

} // namespace

thread_local constinit bool isRecording = false;

Mode *Mode::current() { return currentMode; }
void Mode::setCurrent(Mode *mode) {
  currentMode = mode;
  isRecording = mode && mode->recorder();
}
std::string &modulePath() { return currentModulePath; }

Diagnostic problem(llvm::StringRef rule, llvm::StringRef where, std::string message, llvm::StringRef repair) {
  Diagnostic diagnostic = diagnose(rule, std::move(message), repair.str());
  diagnostic.where = where.str();
  return diagnostic;
}

Diagnostic firstOf(llvm::Error error) {
  Diagnostic first;
  llvm::handleAllErrors(
      std::move(error),
      [&](const DiagnosticError &found) {
        if (!found.diagnostics().empty())
          first = found.diagnostics().front();
      },
      [&](const llvm::ErrorInfoBase &found) { first.message = found.message(); });
  return first;
}

Diagnostic noModeProblem(llvm::StringRef where) {
  return problem("trace.none", where, "is called while no trace is open on this thread",
                 "open one with Trace::begin, and finish it after the last call");
}

Tensor fail(Diagnostic why) {
  Mode *mode = Mode::current();
  return mode ? mode->fail(std::move(why)) : Tensor::failed(std::move(why));
}

} // namespace detail

Tensor call(const Call &call) {
  detail::Mode *mode = detail::Mode::current();
  return mode ? mode->call(call) : Tensor::failed(detail::noModeProblem(call.target));
}

TensorList callList(const Call &call) {
  detail::Mode *mode = detail::Mode::current();
  return mode ? mode->callList(call) : TensorList::failed(detail::noModeProblem(call.target));
}

} // namespace ccgraph::tracer
