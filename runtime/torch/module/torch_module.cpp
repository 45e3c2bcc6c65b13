// The module behind TorchCalls: operators of PyTorch, found by name. This folder is the only one that names PyTorch's
// headers; any operator is called by its schema, so it needs no list of operators.
#include "operator.h"

#include "devices.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace ccgraph::runtime {
namespace {

class Module final : public TorchCalls {
public:
  // A rank has a thread, and its operators run on that.
  Module() {
    at::set_num_threads(1);
    for (const c10::OperatorName &name : c10::Dispatcher::singleton().getAllOpNames())
      if (std::optional<c10::OperatorHandle> op = c10::Dispatcher::singleton().findSchema(name))
        overloads_[name.name].push_back(*op);
  }

  [[nodiscard]] const TorchOperator *find(const char *name, const char *overload) override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<TorchOperator> &found = operators_[{name, overload}];
    if (found)
      return found.get();
    if (std::optional<c10::OperatorHandle> op = c10::Dispatcher::singleton().findSchema({name, overload}))
      found = makeOperator(*op, overloads_[name]);
    return found.get();
  }

  [[nodiscard]] std::string deviceProblem() override { return devices::problem(); }

  [[nodiscard]] TorchPool *openPool(uintptr_t stream, std::string &error) override {
    try {
      return devices::openPool(stream).release();
    } catch (const c10::Error &failure) {
      error = failure.what_without_backtrace();
    }
    return nullptr;
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::vector<c10::OperatorHandle>> overloads_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<TorchOperator>> operators_;
};

} // namespace
} // namespace ccgraph::runtime

extern "C" __attribute__((visibility("default"))) ccgraph::runtime::TorchCalls *ccgraphTorchCalls(int version) {
  if (version != ccgraph::runtime::TorchCalls::version)
    return nullptr;
  static ccgraph::runtime::Module module;
  return &module;
}
