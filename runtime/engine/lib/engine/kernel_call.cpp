#include "engine/kernel_call.h"

#include "ccgraph/ir/op_def.h"
#include "kernels/kernel_args.h"

namespace ccgraph::runtime {

llvm::Expected<PreparedKernel> PreparedKernel::prepare(const PlanStep &step, RankState &state,
                                                       const KernelChoice &kernels) {
  PreparedKernel prepared;
  prepared.step_ = &step;
  prepared.work_ = step.kernel();
  prepared.random_ = findRandomOp(prepared.work_->op->target.str());
  if (!prepared.random_) {
    ChosenKernel chosen = kernels.find(step);
    prepared.kernel_ = chosen.kernel;
    prepared.device_ = chosen.device;
  }
  if (llvm::Error error = prepared.bindAll(state))
    return error;
  llvm::Expected<ResultPlace> result =
      ResultPlace::prepare(prepared.work_->result, prepared.work_->operands, state, prepared.place(state));
  if (!result)
    return result.takeError();
  prepared.result_ = std::move(*result);
  prepared.windowsChange_ = !prepared.result_.isFixed(state);
  if (!prepared.windowsChange_)
    prepared.result_.offer(prepared.windows_, state, prepared.place(state));
  return prepared;
}

llvm::Error PreparedKernel::bindAll(const RankState &state) {
  for (size_t i = 0; i < work_->args.size(); ++i)
    if (llvm::Error error = bind(work_->args[i], i, state))
      return error;
  for (const NamedArgument &argument : work_->kwargs) {
    llvm::Expected<size_t> parameter = parameterOf(argument.name.str(), state);
    if (!parameter)
      return parameter.takeError();
    if (llvm::Error error = bind(argument.value, *parameter, state))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<size_t> PreparedKernel::parameterOf(llvm::StringRef keyword, const RankState &state) const {
  if (kernel_) {
    llvm::Expected<unsigned> index = parameterIndex(work_->op->target.str(), kernel_->parameters(), keyword);
    return index ? llvm::Expected<size_t>(*index) : place(state).error("run.kernel", llvm::toString(index.takeError()));
  }
  int parameter = work_->op->paramIndex(keyword);
  if (parameter < 0)
    return place(state).error("run.kernel",
                              (random_->target + ": got an argument '" + keyword + "', which it does not have").str());
  return static_cast<size_t>(parameter);
}

llvm::Error PreparedKernel::bind(const Argument &argument, size_t parameter, const RankState &state) {
  if (values_.size() <= parameter) {
    values_.resize(parameter + 1);
    given_.resize(parameter + 1);
  }
  given_[parameter] = true;
  // An operator may change the tensor object itself, so it gets one of its own each time.
  if (work_->op->reshapes || !state.isFixed(argument, work_->operands)) {
    changing_.push_back({&argument, parameter});
    return llvm::Error::success();
  }
  llvm::Expected<Value> value = state.valueOf(argument, work_->operands, place(state));
  if (!value)
    return value.takeError();
  values_[parameter] = std::move(*value);
  return llvm::Error::success();
}

llvm::Error PreparedKernel::run(RankState &state) {
  if (llvm::Error error = bind(state))
    return error;
  return runBound(state);
}

llvm::Error PreparedKernel::bind(RankState &state) {
  for (const Changing &argument : changing_) {
    llvm::Expected<Value> value = state.valueOf(*argument.tree, work_->operands, place(state));
    if (!value)
      return value.takeError();
    values_[argument.parameter] = std::move(*value);
  }
  if (windowsChange_ && kernel_)
    result_.offer(windows_, state, place(state));
  return llvm::Error::success();
}

llvm::Error PreparedKernel::runBound(RankState &state) {
  llvm::Expected<Value> value = random_ ? draw(state) : compute(state);
  llvm::Error error = value ? result_.put(*value, values_, state, place(state)) : value.takeError();
  forgetChanging();
  return error;
}

llvm::Error PreparedKernel::enqueueBound(const RankState &state, const DeviceQueue &queue) {
  llvm::Error error = device_->enqueue(values_, windows_, queue);
  forgetChanging();
  return error ? place(state).error("run.kernel", llvm::toString(std::move(error))) : llvm::Error::success();
}

// Growing memory is freed once no tensor refers to it.
void PreparedKernel::forgetChanging() {
  for (const Changing &argument : changing_)
    values_[argument.parameter] = Value();
}

llvm::Expected<Value> PreparedKernel::compute(const RankState &state) const {
  llvm::Expected<Value> value = kernel_->compute(values_, windows_);
  if (!value)
    return place(state).error("run.kernel", llvm::toString(value.takeError()));
  return value;
}

llvm::Expected<Value> PreparedKernel::draw(RankState &state) const {
  CallSite site;
  site.op = work_->op;
  site.name = step_->name;
  site.rank = state.rank;
  for (size_t i = 0; i < work_->op->params.size(); ++i)
    site.arguments.push_back(i < values_.size() && given_[i] ? std::optional(values_[i]) : std::nullopt);
  return random_->draw(site, state.numbers);
}

} // namespace ccgraph::runtime
