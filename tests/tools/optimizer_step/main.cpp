// ccgraph_optimizer_step writes an optimizer step on a list of parameters as FX text, which PyTorch runs.
//
//   ccgraph_optimizer_step sgd|adamw LR DECAY STEP
//
// The inputs belong to three parameters, with dtypes f64, f32 and f64, one parameter after the other: the parameter,
// its gradient, and for adamw its averages. The program returns their values after the step (sgd: only the parameter).
// Exit: 0; 2 usage.
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/tracer/optimizers.h"
#include "ccgraph/tracer/trace.h"

using namespace ccgraph;
using namespace ccgraph::tracer;

namespace {

struct Parameter {
  DType dtype;
  std::vector<int64_t> sizes;
};
const std::vector<Parameter> parameters = {{DType::F64, {4, 3}}, {DType::F32, {5}}, {DType::F64, {2, 2, 2}}};

/// Returns the input "p1" for the second parameter.
Tensor input(Trace &trace, const std::string &name, size_t index) {
  return trace.input(name + std::to_string(index), {parameters[index].dtype, parameters[index].sizes});
}

std::vector<Tensor> sgdStep(Trace &trace, const SgdOptions &options) {
  std::vector<Tensor> held, gradients;
  for (size_t i = 0; i < parameters.size(); ++i) {
    held.push_back(input(trace, "p", i));
    gradients.push_back(input(trace, "g", i));
  }
  return sgd(held, gradients, options);
}

std::vector<Tensor> adamwStep(Trace &trace, const AdamWOptions &options) {
  std::vector<AdamWState> states;
  std::vector<Tensor> gradients, results;
  for (size_t i = 0; i < parameters.size(); ++i) {
    AdamWState &state = states.emplace_back();
    state.parameter = input(trace, "p", i);
    gradients.push_back(input(trace, "g", i));
    state.average = input(trace, "m", i);
    state.square = input(trace, "v", i);
  }
  for (const AdamWState &state : adamw(states, gradients, options))
    results.insert(results.end(), {state.parameter, state.average, state.square});
  return results;
}

} // namespace

int main(int argc, char **argv) {
  llvm::StringRef name = argc == 5 ? argv[1] : "";
  double lr = 0, decay = 0;
  int64_t step = 0;
  if ((name != "sgd" && name != "adamw") || llvm::StringRef(argv[2]).getAsDouble(lr) ||
      llvm::StringRef(argv[3]).getAsDouble(decay) || llvm::StringRef(argv[4]).getAsInteger(10, step)) {
    llvm::errs() << "usage: ccgraph_optimizer_step sgd|adamw LR DECAY STEP\n";
    return 2;
  }
  Context context;
  Trace trace = llvm::cantFail(Trace::begin(context, {.name = "step"}));
  std::vector<Tensor> results = name == "sgd" ? sgdStep(trace, {.lr = lr, .weightDecay = decay})
                                              : adamwStep(trace, {.lr = lr, .weightDecay = decay, .step = step});
  llvm::cantFail(writeFxText(llvm::outs(), *llvm::cantFail(trace.finish(results))));
  return 0;
}
