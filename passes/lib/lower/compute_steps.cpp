#include "lower/element_types.h"
#include "lower/steps.h"
#include "lower/view_windows.h"

#include "ccgraph/ir/internal/passed_on.h"
#include "ccgraph/ir/internal/stand_in.h"
#include "ccgraph/ir/internal/view_geometry.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace ccgraph::lower {
namespace {

using llvm::Twine;

bool holdsTensors(llvm::StringRef resultType) { return resultType.contains("Tensor"); }

/// "aten.t_": the base ends in an underscore.
bool isInPlace(const OpDef &op) { return baseOfTarget(op.target.str()).endswith("_"); }

const LoweredValue *firstValue(const Emitter &emitter, const Node &node) {
  return node.numOperands() ? &emitter.valueOf(*node.operand(0)) : nullptr;
}

/// Returns true if every use of a list reads one element of it. Then elements without a reader need no memory.
bool isTakenApart(const Node &list) {
  return llvm::all_of(list.uses(), [](const Use &use) { return use.isOrdering() || getItemIndex(*use.user()); });
}

/// Does a use of the list name this element?
bool isTaken(const Node &list, unsigned index) {
  return llvm::any_of(list.uses(),
                      [&](const Use &use) { return !use.isOrdering() && getItemIndex(*use.user()) == index; });
}

void forEachOperand(const Argument &tree, llvm::function_ref<void(uint32_t)> visit) {
  if (tree.is(Argument::Kind::Operand))
    visit(tree.operandIndex());
  for (const Argument &element : tree.elements())
    forEachOperand(element, visit);
  for (const NamedArgument &entry : tree.entries())
    forEachOperand(entry.value, visit);
}

bool hasTensor(const LoweredValue &value) {
  bool found = false;
  forEachTensor(value, [&](const TensorObject &) { found = true; });
  return found;
}

/// Has an operand been reshaped since the node that made it, so that its type no longer holds?
bool isReshaped(const Emitter &emitter, const Node &operand) {
  const LoweredValue &value = emitter.valueOf(operand);
  bool stated = operand.type() && (operand.type()->isList() || operand.type()->stridesKnown());
  return stated && (value.isTensor() || value.kind == LoweredValue::Kind::List) &&
         typeNow(emitter.context(), value) != operand.type();
}

/// The call with the types that its operands have now, where these are not the stated ones. A call of subgraphs keeps
/// to what is stated, because its subgraphs do.
std::optional<StandIn> callNow(const Emitter &emitter, const Node &node) {
  auto reshaped = [&](unsigned i) { return isReshaped(emitter, *node.operand(i)); };
  if (!node.graph()->mayReshape() || node.op()->role != OpRole::Compute ||
      llvm::none_of(llvm::seq(0U, node.numOperands()), reshaped))
    return std::nullopt;
  std::vector<const Type *> types;
  for (unsigned i = 0; i < node.numOperands(); ++i)
    types.push_back(reshaped(i) ? typeNow(emitter.context(), emitter.valueOf(*node.operand(i)))
                                : node.operand(i)->type());
  return StandIn(node, types);
}

class ComputeCall {
public:
  ComputeCall(Emitter &emitter, const Node &node, std::vector<CopiedView> &copied)
      : emitter_(emitter), node_(node), standIn_(callNow(emitter, node)),
        effects_(effectsOf(standIn_ ? standIn_->call() : node)), op_(*node.op()),
        type_(typeOf(standIn_ ? standIn_->call() : node)), elementTypes_(elementTypes(node, type_)), copied_(copied) {}

  Lowered lower();

private:
  enum class View : uint8_t { No, Window, Copy };
  [[nodiscard]] View viewKind() const;
  [[nodiscard]] LoweredValue viewed(unsigned element) const;
  [[nodiscard]] bool passesOn(const LoweredValue &from, const Type *type) const;
  [[nodiscard]] bool reshapes() const;
  [[nodiscard]] bool knowsElements() const;
  Lowered makeView();
  [[nodiscard]] bool staysInside(const LoweredValue &value) const;
  /// A window of what element `element` is a view of, or that tensor itself.
  Lowered windowAt(unsigned element, const Type *type);
  Lowered makeReshape();
  [[nodiscard]] bool fits(const PlanWindow &window) const;
  Lowered makeKernel(View view);
  [[nodiscard]] std::vector<PlanOperand> operands(View view) const;
  Lowered result();
  Lowered resultOfSubgraphs();
  Lowered oneResult(const OpResult &result, const Type *type);
  Lowered freshResult(const Type *type);
  Lowered freshElements();
  /// What the operator yields because it wrote it; null where the result is fresh.
  [[nodiscard]] const LoweredValue *writtenFor(const OpResult &result) const;
  [[nodiscard]] StreamId stream(const LoweredValue &result);
  [[nodiscard]] llvm::Error untyped() const;
  [[nodiscard]] llvm::Error checkOperands() const;
  [[nodiscard]] llvm::Error checkOperand(const Node &operand) const;

  Emitter &emitter_;
  const Node &node_;
  std::optional<StandIn> standIn_;
  Effects effects_;
  const OpDef &op_;
  /// null if it is unknown
  const Type *type_;
  std::vector<const Type *> elementTypes_;
  std::vector<CopiedView> &copied_;
};

/// Are there as many types as the list has elements, as far as its users can tell?
bool ComputeCall::knowsElements() const {
  bool stated = (type_ && type_->isList()) || op_.results.size() > 1;
  return isTakenApart(node_) || (stated && !llvm::is_contained(elementTypes_, nullptr));
}

/// Does it change a tensor's shape or memory in place? A buffer given as `out` is meant to have the result's size: an
/// engine refuses to run an operator that resizes one.
bool ComputeCall::reshapes() const {
  Effects effects = effects_;
  for (const NamedArgument &argument : node_.kwargs()) {
    int index = op_.paramIndex(argument.name.str());
    if (index >= 0 && op_.params[index].keywordOnly)
      forEachOperand(argument.value, [&](uint32_t operand) { effects.operands[operand] = Access::Nothing; });
  }
  return llvm::any_of(effects.operands, [](Access access) { return has(access, Access::Reshape); });
}

/// What element `element` of the result is a view of: the first argument, or that element of it where it is a list.
LoweredValue ComputeCall::viewed(unsigned element) const {
  const Argument *first = argumentAt(node_, 0);
  LoweredValue value = first ? emitter_.valueOf(node_, *first) : LoweredValue();
  if (value.kind != LoweredValue::Kind::List)
    return value;
  return element < value.elements.size() ? value.elements[element] : LoweredValue();
}

/// Is a result of this type the tensor `from` itself?
bool ComputeCall::passesOn(const LoweredValue &from, const Type *type) const {
  return type && from.isTensor() && isPassedOn(op_, *from.window->type, *type);
}

/// Does the call only name what it was given? An operator that also writes, or that types do not prove to share,
/// computes.
ComputeCall::View ComputeCall::viewKind() const {
  constexpr Access touches = Access::Read | Access::Write;
  bool shares = llvm::any_of(effects_.operands, [](Access access) { return has(access, Access::Alias); });
  // Because a view that takes its sizes from the program reads these, and no element.
  bool touched = false;
  for (unsigned i = 0; i < node_.numOperands(); ++i)
    touched |= hasAny(effects_.operands[i], touches) && hasTensor(emitter_.valueOf(*node_.operand(i)));
  bool wrote = llvm::any_of(effects_.operands, [](Access access) { return has(access, Access::Write); });
  if (!shares || wrote)
    return View::No;
  if (touched && op_.isView)
    return View::Copy;
  if (touched)
    return op_.mayAlias ? View::Copy : View::No;
  LoweredValue from = viewed(0);
  return from.isTensor() && (op_.view || isInPlace(op_) || passesOn(from, type_)) ? View::Window : View::Copy;
}

llvm::Error ComputeCall::untyped() const {
  return loweringError(node_, "lower.type", "has no type, and " + op_.target.str() + " yields a tensor",
                       "state its type: a plan gives every tensor its place beforehand");
}

/// What is used as a tensor must be one: an input or attribute without type is only passed on.
llvm::Error ComputeCall::checkOperands() const {
  std::vector<const Node *> tensors;
  for (size_t i = 0; i < op_.params.size(); ++i) {
    const Argument *argument = argumentAt(node_, static_cast<int>(i));
    if (argument && holdsTensors(op_.params[i].type))
      forEachOperand(*argument, [&](uint32_t operand) { tensors.push_back(node_.operand(operand)); });
  }
  for (const Node *operand : tensors)
    if (llvm::Error error = checkOperand(*operand))
      return error;
  return llvm::Error::success();
}

llvm::Error ComputeCall::checkOperand(const Node &operand) const {
  if (emitter_.valueOf(operand).kind != LoweredValue::Kind::Object)
    return llvm::Error::success();
  return loweringError(operand, "lower.type",
                       Twine("has no type, and `") + node_.name().str() + "` uses it as a tensor",
                       "state its type: a plan gives every tensor its place beforehand");
}

Lowered ComputeCall::lower() {
  if (llvm::Error error = checkOperands())
    return error;
  if (reshapes())
    return makeReshape();
  View view = viewKind();
  if (view != View::Window)
    return makeKernel(view);
  Lowered window = makeView();
  return !window || staysInside(*window) ? std::move(window) : makeKernel(View::Copy);
}

/// Can it be told beforehand that the windows lie in their buffers? Else a view may reach what lies behind, where its
/// kernel would have found that the sizes do not fit.
bool ComputeCall::staysInside(const LoweredValue &value) const {
  bool inside = true;
  forEachTensor(value, [&](const TensorObject &window) {
    bool known = !isUnbacked(window->offset);
    for (auto [size, stride] : llvm::zip(window->type->sizes(), window->type->strides()))
      known &= stride == Dim(0) || (!isUnbacked(size) && !isUnbacked(stride));
    inside &= known || emitter_.plan().buffers[window->buffer].home != Home::Compute;
  });
  return inside;
}

Lowered ComputeCall::windowAt(unsigned element, const Type *type) {
  LoweredValue from = viewed(element);
  if (passesOn(from, type))
    return from;
  const Type *viewedType = from.isTensor() ? from.window->type : nullptr;
  if (viewedType)
    if (std::optional<PlanWindow> window = viewWindow(node_, element, *from.window, type))
      return freshValue(*window);
  return loweringError(node_, "lower.window",
                       "where it lies in the memory of `" + node_.operand(0)->name().str() +
                           "` cannot be said: got type " + typeText(type) + " of " + typeText(viewedType),
                       "state types with strides, and indices as numbers");
}

Lowered ComputeCall::makeView() {
  // Because what detach_ changes is no memory: it is the same tensor.
  if (isInPlace(op_))
    return *firstValue(emitter_, node_);
  bool list =
      llvm::any_of(op_.results, [](const OpResult &result) { return llvm::StringRef(result.type).endswith("[]"); });
  if (!list)
    return windowAt(0, node_.type());
  if (!knowsElements())
    return untyped();
  std::vector<LoweredValue> elements;
  for (unsigned i = 0; i < elementTypes_.size(); ++i) {
    if (!elementTypes_[i]) {
      elements.emplace_back();
      continue;
    }
    Lowered element = windowAt(i, elementTypes_[i]);
    if (!element)
      return element.takeError();
    elements.push_back(std::move(*element));
  }
  return LoweredValue::list(std::move(elements));
}

/// Does its buffer hold the window, as far as sizes are numbers?
bool ComputeCall::fits(const PlanWindow &window) const {
  auto stated = symbolsOf(emitter_.plan().layout);
  std::optional<int64_t> bytes = emitter_.plan().buffers[window.buffer].bytes.evaluate(stated);
  std::optional<ByteRange> range = bytesOf(window, stated);
  return bytes && range && range->end <= *bytes;
}

/// In-place changes of a tensor's shape. Those that keep each element where it is, as_strided_, set_ and a resize_
/// within its memory only change what the program means by the tensor; others need memory that the plan does not have.
Lowered ComputeCall::makeReshape() {
  llvm::StringRef target = op_.target.str();
  const LoweredValue *self = firstValue(emitter_, node_);
  auto isOneOf = [&](std::initializer_list<llvm::StringRef> bases) {
    return llvm::is_contained(bases, baseOfTarget(op_.target.str()));
  };
  bool typed = node_.type() && node_.type()->isTensor() && node_.type()->stridesKnown();
  if (self && self->isTensor() && typed) {
    PlanWindow &window = *self->window;
    if (op_.rearranges) {
      window.type = node_.type();
      return *self;
    }
    std::optional<Dim> offset = numberAt(node_, 3, window.offset);
    if (isOneOf({"aten.as_strided_"}) && offset) {
      window = {window.buffer, node_.type(), *offset};
      return *self;
    }
    if (isOneOf({"aten.resize_"}) && fits({window.buffer, node_.type(), window.offset})) {
      window.type = node_.type();
      return *self;
    }
    const LoweredValue *source = node_.numOperands() > 1 ? &emitter_.valueOf(*node_.operand(1)) : nullptr;
    if (target == "aten.set_.source_Tensor" && source && source->isTensor()) {
      window = *source->window;
      return *self;
    }
  }
  return loweringError(
      node_, "lower.reshape",
      Twine("changes the memory of a tensor in place (") + target + "), which a plan cannot foresee",
      "make a new tensor instead; t_, transpose_, squeeze_, unsqueeze_, as_strided_, set_ from a tensor and a "
      "resize_ to no more than the tensor's memory, with types that state strides, may stay");
}

std::vector<PlanOperand> ComputeCall::operands(View view) const {
  std::vector<PlanOperand> operands;
  for (unsigned i = 0; i < node_.numOperands(); ++i) {
    Access access = effects_.operands[i];
    bool copied = view == View::Copy && has(access, Access::Alias);
    operands.push_back({planned(emitter_.valueOf(*node_.operand(i))), has(access, Access::Read) || copied,
                        has(access, Access::Write)});
  }
  return operands;
}

const LoweredValue *ComputeCall::writtenFor(const OpResult &result) const {
  if (!result.alias)
    return nullptr;
  for (unsigned i = 0; i < op_.params.size(); ++i) {
    const OpParam &param = op_.params[i];
    const Argument *argument = argumentAt(node_, static_cast<int>(i));
    if (param.alias == result.alias && has(param.access, Access::Write) && argument &&
        argument->is(Argument::Kind::Operand))
      return &emitter_.valueOf(*node_.operand(*argument));
  }
  return nullptr;
}

Lowered ComputeCall::freshResult(const Type *type) {
  if (!type)
    return LoweredValue();
  switch (type->kind()) {
  case Type::Kind::Tensor:
    return LoweredValue::tensor(emitter_.freshTensor(node_.name(), type));
  case Type::Kind::Symbolic:
    return emitter_.freshNumber(type);
  case Type::Kind::None:
    return LoweredValue();
  case Type::Kind::List:
    break;
  }
  std::vector<LoweredValue> elements;
  for (const Type *element : type->elements()) {
    Lowered value = freshResult(element);
    if (!value)
      return value.takeError();
    elements.push_back(std::move(*value));
  }
  return LoweredValue::list(std::move(elements));
}

/// A list of new tensors. An element that no node reads may be without a type.
Lowered ComputeCall::freshElements() {
  for (const Use &use : node_.uses()) {
    std::optional<int64_t> index = use.isOrdering() ? std::nullopt : getItemIndex(*use.user());
    if (index && !elementTypes_[static_cast<size_t>(*index)] && use.user()->hasUses())
      return loweringError(*use.user(), "lower.type", "has no type, and is used",
                           "state its type: a plan gives every tensor its place beforehand");
  }
  return freshResult(emitter_.context().list(elementTypes_));
}

Lowered ComputeCall::oneResult(const OpResult &result, const Type *type) {
  if (const LoweredValue *written = writtenFor(result))
    return *written;
  if (llvm::StringRef(result.type).endswith("[]")) {
    if (!knowsElements())
      return untyped();
    // With several results, the types are those of the results, and not of the elements of this one.
    return op_.results.size() == 1 ? freshElements() : freshResult(emitter_.context().list(elementTypes_));
  }
  if (type)
    return freshResult(type);
  if (!holdsTensors(result.type))
    return emitter_.freshNumber(nullptr);
  return op_.results.size() > 1 && isTakenApart(node_) ? Lowered(LoweredValue()) : Lowered(untyped());
}

/// What such an operator yields no schema says: it is a tensor, or what is taken of a list.
Lowered ComputeCall::resultOfSubgraphs() {
  if (type_ && !type_->isList())
    return freshResult(type_);
  if (!knowsElements())
    return untyped();
  return freshElements();
}

Lowered ComputeCall::result() {
  if (op_.role == OpRole::HigherOrder)
    return resultOfSubgraphs();
  if (op_.results.empty())
    return LoweredValue();
  if (op_.results.size() == 1)
    return oneResult(op_.results.front(), type_);
  std::vector<LoweredValue> elements;
  for (unsigned i = 0; i < op_.results.size(); ++i) {
    // A number without a reader is dropped, because it would require the host to compute the step. For example,
    // attention returns the number of its tokens.
    bool isDropped = isTakenApart(node_) && !holdsTensors(op_.results[i].type) && !isTaken(node_, i);
    Lowered element = isDropped ? Lowered(LoweredValue()) : oneResult(op_.results[i], elementTypes_[i]);
    if (!element)
      return element.takeError();
    elements.push_back(std::move(*element));
  }
  return LoweredValue::list(std::move(elements));
}

bool touchesNumber(const LoweredValue &value) {
  return value.kind == LoweredValue::Kind::Number || llvm::any_of(value.elements, touchesNumber);
}

/// The host runs what it must know the outcome of before it can issue more, and what touches no tensor at all.
StreamId ComputeCall::stream(const LoweredValue &result) {
  bool tells = emitter_.tellsSymbols(node_.type());
  for (const Type *type : elementTypes_)
    tells |= emitter_.tellsSymbols(type);
  bool computes =
      hasTensor(result) || llvm::any_of(effects_.operands, [](Access access) { return has(access, Access::Write); });
  bool host = tells || touchesNumber(result) || !computes || effects_.domain == Domain::Host;
  return host ? Plan::hostStream : Plan::computeStream;
}

Lowered ComputeCall::makeKernel(View view) {
  KernelStep step;
  step.op = &op_;
  step.operands = operands(view);
  Lowered value = result();
  if (!value)
    return value;
  auto same = [](uint32_t index) { return index; };
  std::vector<Argument> args;
  for (const Argument &argument : node_.args())
    args.push_back(emitter_.plan().copy(argument, same));
  std::vector<NamedArgument> kwargs;
  for (const NamedArgument &argument : node_.kwargs())
    kwargs.push_back({argument.name, emitter_.plan().copy(argument.value, same)});
  step.args = emitter_.plan().keep(args);
  step.kwargs = emitter_.plan().keep(kwargs);
  step.result = planned(*value);
  if (view == View::Copy)
    copied_.push_back({&node_, emitter_.plan().steps.size()});
  emitter_.emit(node_, stream(*value), std::move(step));
  return value;
}

} // namespace

Lowered lowerCompute(Emitter &emitter, const Node &node, std::vector<CopiedView> &copied) {
  return ComputeCall(emitter, node, copied).lower();
}

llvm::Error checkCopiedViews(const Plan &plan, llvm::ArrayRef<CopiedView> copied) {
  if (copied.empty())
    return llvm::Error::success();
  std::vector<size_t> lastWrite(plan.buffers.size(), 0);
  for (size_t i = 0; i < plan.steps.size(); ++i)
    forEachAccess(plan.steps[i], [&](const PlanAccess &access) {
      if (access.window && access.writes)
        lastWrite[access.window->buffer] = i;
    });
  for (const CopiedView &view : copied) {
    bool written = false;
    forEachAccess(plan.steps[view.step], [&](const PlanAccess &access) {
      written |= access.window && lastWrite[access.window->buffer] > view.step;
    });
    if (written)
      return loweringError(*view.node, "lower.window",
                           "it, or what it may be a view of, is written later, and whether it is a view cannot be said",
                           "state types with strides and sizes as numbers");
  }
  return llvm::Error::success();
}

} // namespace ccgraph::lower
