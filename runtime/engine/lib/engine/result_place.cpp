#include "engine/result_place.h"

namespace ccgraph::runtime {
namespace {

/// A size of 1 has no stride to speak of.
bool sameWindow(const Tensor &a, const Tensor &b) {
  if (a.dtype() != b.dtype() || a.offset() != b.offset() || a.sizes() != b.sizes())
    return false;
  for (int64_t dim = 0; dim < a.rank(); ++dim)
    if (a.size(dim) > 1 && a.stride(dim) != b.stride(dim))
      return false;
  return true;
}

bool shares(const Value &value, const Tensor &tensor) {
  if (value.is(Value::Kind::Tensor))
    return value.tensor().aliases(tensor);
  return value.is(Value::Kind::List) &&
         llvm::any_of(value.list(), [&](const Value &element) { return shares(element, tensor); });
}

bool holds(const PlanValue &value, const PlanWindow &window) {
  bool found = false;
  forEachWindow(value, [&](const PlanWindow &other) { found |= other == window; });
  return found;
}

} // namespace

llvm::Expected<ResultPlace> ResultPlace::prepare(const PlanValue &planned, llvm::ArrayRef<PlanOperand> operands,
                                                 const RankState &state, const StepPlace &place) {
  ResultPlace result;
  result.planned_ = &planned;
  if (planned.kind == PlanValue::Kind::Tensor) {
    result.inPlace_ =
        llvm::any_of(operands, [&](const PlanOperand &operand) { return holds(operand.value, planned.window); });
    if (state.memory.isFixed(planned.window)) {
      llvm::Expected<Tensor> tensor = state.memory.tensorOf(planned.window, state.symbols, place);
      if (!tensor)
        return tensor.takeError();
      result.fixed_ = std::move(*tensor);
    }
  }
  for (const PlanValue &element : planned.elements) {
    llvm::Expected<ResultPlace> one = prepare(element, operands, state, place);
    if (!one)
      return one.takeError();
    result.elements_.push_back(std::move(*one));
  }
  return result;
}

/// Returns true if no result is copied to the window: the operand is there already, the buffer is allocated later, or
/// the result is no tensor.
bool ResultPlace::takesItsOwn(const RankState &state) const {
  return planned_->kind != PlanValue::Kind::Tensor || inPlace_ || state.memory.growsAsComputed(planned_->window.buffer);
}

Tensor ResultPlace::windowFor(const RankState &state, const StepPlace &place) const {
  if (takesItsOwn(state))
    return {};
  if (fixed_)
    return *fixed_;
  llvm::Expected<Tensor> window = state.memory.tensorOf(planned_->window, state.symbols, place);
  if (window)
    return *window;
  // A symbol of the window may get its value from this result; otherwise put() finds the same error.
  llvm::consumeError(window.takeError());
  return {};
}

void ResultPlace::offer(Tensors &windows, const RankState &state, const StepPlace &place) const {
  windows.clear();
  if (planned_->kind == PlanValue::Kind::Tensor)
    windows.push_back(windowFor(state, place));
  for (const ResultPlace &element : elements_)
    windows.push_back(element.windowFor(state, place));
}

bool ResultPlace::isFixed(const RankState &state) const {
  return (takesItsOwn(state) || fixed_) &&
         llvm::all_of(elements_, [&](const ResultPlace &element) { return element.isFixed(state); });
}

llvm::Error ResultPlace::put(const Value &value, llvm::ArrayRef<Value> arguments, RankState &state,
                             const StepPlace &place) const {
  switch (planned_->kind) {
  case PlanValue::Kind::None:
  case PlanValue::Kind::Literal:
  case PlanValue::Kind::Object:
    return llvm::Error::success();
  case PlanValue::Kind::Tensor:
    if (std::string wrong = conform(planned_->window.type, value, state.symbols); !wrong.empty())
      return place.error("run.type", wrong);
    return putTensor(value.tensor(), arguments, state, place);
  case PlanValue::Kind::Number:
    if (std::string wrong = conform(planned_->numberType, value, state.symbols); !wrong.empty())
      return place.error("run.type", wrong);
    state.slots[planned_->slot] = value;
    return llvm::Error::success();
  case PlanValue::Kind::List:
    return putList(value, arguments, state, place);
  }
  return llvm::Error::success();
}

llvm::Error ResultPlace::putList(const Value &value, llvm::ArrayRef<Value> arguments, RankState &state,
                                 const StepPlace &place) const {
  // Elements after the last used one have no place in the plan.
  if (!value.is(Value::Kind::List) || value.list().size() < elements_.size())
    return place.error("run.type",
                       "got " + value.describe() + ", expected a list of at least " + std::to_string(elements_.size()));
  for (size_t i = 0; i < elements_.size(); ++i)
    if (llvm::Error error = elements_[i].put(value.list()[i], arguments, state, place))
      return error;
  return llvm::Error::success();
}

llvm::Error ResultPlace::putTensor(const Tensor &tensor, llvm::ArrayRef<Value> arguments, RankState &state,
                                   const StepPlace &place) const {
  if (state.memory.growsAsComputed(planned_->window.buffer) && !inPlace_)
    return grow(tensor, arguments, state, place);
  llvm::Expected<Tensor> window =
      fixed_ ? llvm::Expected<Tensor>(*fixed_) : state.memory.tensorOf(planned_->window, state.symbols, place);
  if (!window)
    return window.takeError();
  if (window->aliases(tensor) && sameWindow(*window, tensor))
    return llvm::Error::success();
  if (inPlace_)
    return place.error("run.plan", "yields memory of its own, expected the operand in `" +
                                       state.plan->buffers[planned_->window.buffer].name.str().str() +
                                       "`, which it writes in place according to the plan");
  window->copyFrom(tensor);
  return llvm::Error::success();
}

llvm::Error ResultPlace::grow(const Tensor &tensor, llvm::ArrayRef<Value> arguments, RankState &state,
                              const StepPlace &place) const {
  const PlanWindow &window = planned_->window;
  bool shared = llvm::any_of(arguments, [&](const Value &value) { return shares(value, tensor); });
  if (!shared && tensor.storage()) {
    state.memory.adopt(window.buffer, tensor.sharedStorage());
    llvm::Expected<Tensor> seen = state.memory.tensorOf(window, state.symbols, place);
    if (seen && sameWindow(*seen, tensor))
      return llvm::Error::success();
    // The plan has another layout for it, or it does not fill memory of its own, so it is copied.
    state.memory.release(window.buffer);
    llvm::consumeError(seen.takeError());
  }
  if (llvm::Error error = state.memory.makeRoom(window, state.symbols, place))
    return error;
  llvm::Expected<Tensor> planned = state.memory.tensorOf(window, state.symbols, place);
  if (!planned)
    return planned.takeError();
  planned->copyFrom(tensor);
  return llvm::Error::success();
}

} // namespace ccgraph::runtime
