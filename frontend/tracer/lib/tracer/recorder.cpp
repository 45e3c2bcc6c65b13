#include "tracer/recorder.h"

#include "ccgraph/frontend/object_file.h"
#include "ccgraph/ir/device.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/verifier.h"
#include "tracer/call_checks.h"

#include <numeric>

namespace ccgraph::tracer::detail {
namespace {

/// Returns true for a parameter of a schema that must be a tensor, or a list of tensors.
bool needsTensor(const OpDef &op, size_t index) {
  return index < op.params.size() && llvm::StringRef(op.params[index].type).startswith("Tensor") &&
         !llvm::StringRef(op.params[index].type).endswith("?");
}

Diagnostic absentProblem(const OpDef &op, size_t index) {
  return problem("trace.absent", op.target.str(), "argument '" + op.params[index].name + "' was never given a value",
                 "a Tensor that is default-constructed is absent: assign one to it first");
}

/// Returns the error in the type of an input; empty where there is none.
std::string wrongSpec(const TensorSpec &spec) {
  if (!spec.strides.empty() && spec.strides.size() != spec.sizes.size())
    return std::to_string(spec.strides.size()) + " strides for " + std::to_string(spec.sizes.size()) + " sizes";
  for (int64_t size : spec.sizes)
    if (size < 0)
      return "a size of " + std::to_string(size);
  return "";
}

} // namespace

bool renamesFirstArgument(const OpDef &op) {
  return op.role != OpRole::Wait && op.results.size() == 1 && op.results[0].alias && !op.params.empty() &&
         op.params[0].writes && op.params[0].alias == op.results[0].alias;
}

Recorder::Recorder(Context &context, const TraceOptions &options)
    : graph_(std::make_unique<Graph>(context, options.name)) {
  graph_->worldSize = options.worldSize;
  graph_->rank = options.rank;
  if (!options.worldSize)
    return;
  Group world;
  world.name = "0";
  world.description = "default_pg";
  world.ranks.resize(static_cast<size_t>(*options.worldSize));
  std::iota(world.ranks.begin(), world.ranks.end(), 0);
  graph_->groups().set(std::move(world));
}

// A thread may open its next trace while tensors still keep this one alive.
Recorder::~Recorder() { close(); }

void Recorder::close() {
  graph_.reset();
  parameters_.clear();
  givenGradients_.clear();
  objects_.clear();
  if (current() == this)
    setCurrent(nullptr);
}

Tensor Recorder::fail(Diagnostic why) {
  if (!firstError_)
    firstError_ = why;
  return Tensor::failed(std::move(why));
}

void Recorder::warnOnce(Diagnostic warning) {
  warning.severity = Severity::Warning;
  if (llvm::none_of(warnings_, [&](const Diagnostic &noted) { return noted.rule == warning.rule; }))
    warnings_.push_back(std::move(warning));
}

void Recorder::noteFact(Guard guard) {
  if (!llvm::is_contained(graph_->guards, guard))
    graph_->guards.push_back(std::move(guard));
}

Tensor Recorder::input(llvm::StringRef name, const TensorSpec &spec) {
  Context &context = graph_->context();
  std::optional<Device> device = parseDevice(context, spec.device);
  std::string wrong = device ? wrongSpec(spec) : "device '" + spec.device + "'";
  if (!wrong.empty())
    return fail(problem("trace.input", name, "an input has " + wrong,
                        "sizes are counts, strides one for each size, devices \"cpu\" or \"cuda:0\""));
  llvm::SmallVector<Dim, 6> sizes(spec.sizes.begin(), spec.sizes.end()),
      strides(spec.strides.begin(), spec.strides.end());
  const Type *type = spec.strides.empty() ? context.contiguousTensor(spec.dtype, sizes, *device)
                                          : context.tensor(spec.dtype, {sizes, strides, true}, *device);
  return input(name, type);
}

Tensor Recorder::input(llvm::StringRef name, const Type *type) {
  Node *node = GraphBuilder(*graph_, firstCall_).input(name, type);
  // FX text names inputs by their targets, and Python rejects duplicate names.
  graph_->setTarget(node, node->name());
  return tensorOf(node);
}

Tensor Recorder::tensorOf(Node *node) {
  auto state = std::make_shared<TensorState>();
  state->mode = shared_from_this();
  state->type = node->type();
  state->node = node;
  return Tensor(std::move(state));
}

// --- Calls -----------------------------------------------------------------------------------------------------------

llvm::Expected<Node *> Recorder::nodeOf(const Tensor &tensor, llvm::StringRef where) {
  if (const Diagnostic *error = tensor.error())
    return makeError(*error);
  const Mode *owner = tensor.state()->mode.get();
  if (owner == this)
    return tensor.state()->isInFlight ? waitFor(*tensor.state()) : tensor.state()->node;
  if (!owner->isOpen())
    return makeError(problem("trace.finished-tensor", where,
                             "is given a tensor of a trace that is finished, " + tensor.typeText(),
                             "make it an input of this trace"));
  return makeError(problem("trace.foreign-tensor", where, "is given a tensor of another trace, " + tensor.typeText(),
                           "make it an input of this trace"));
}

Node *Recorder::waitFor(TensorState &state) {
  state.isInFlight = false;
  state.node =
      append({.target = "torch.distributed._spmd.comm_tensor._wait_comm", .args = {state.node}, .name = "_wait_comm"},
             state.type);
  return state.node;
}

Node *Recorder::append(const CallSpec &spec, const Type *type) {
  Node *node = GraphBuilder(*graph_, position_).call(spec);
  graph_->setType(node, type);
  graph_->setFrame(node, frameHere());
  firstCall_ = firstCall_ ? firstCall_ : node;
  return node;
}

Node *Recorder::object(const ObjectMeaning &meaning) {
  for (const auto &[node, known] : objects_)
    if (known.group == meaning.group && known.reduceOp == meaning.reduceOp)
      return node;
  Node *node = GraphBuilder(*graph_).attribute("_torchbind_obj" + std::to_string(objects_.size()));
  firstCall_ = firstCall_ ? firstCall_ : node;
  objects_.emplace_back(node, meaning);
  return node;
}

llvm::Expected<Actual> Recorder::actualOf(const Tensor &tensor, llvm::StringRef where) {
  if (tensor.isAbsent())
    return Actual::none();
  llvm::Expected<Node *> node = nodeOf(tensor, where);
  if (!node)
    return node.takeError();
  return Actual(*node);
}

llvm::Expected<Actual> Recorder::actualOf(const Operand &operand, llvm::StringRef where) {
  if (const Tensor *tensor = operand.tensor())
    return actualOf(*tensor, where);
  if (const auto *literal = std::get_if<Actual>(&operand.form()))
    return *literal;
  if (const auto *format = std::get_if<MemoryFormat>(&operand.form()))
    return Actual::memoryFormat(graph_->context(), format->name);
  if (const auto *device = std::get_if<DeviceName>(&operand.form())) {
    if (std::optional<Device> known = parseDevice(graph_->context(), device->name))
      return Actual::literal(Argument::device(*known));
    return makeError(problem("trace.device", where, "'" + device->name + "' is no device", "\"cpu\", \"cuda:0\", ..."));
  }
  std::vector<Actual> elements;
  for (const Tensor &tensor : *operand.tensors()) {
    llvm::Expected<Actual> element = actualOf(tensor, where);
    if (!element)
      return element;
    elements.push_back(std::move(*element));
  }
  return Actual::list(std::move(elements));
}

llvm::Error Recorder::giveType(Node *node) {
  llvm::Expected<const Type *> type = inference_.typeOf(*node);
  if (!type)
    return type.takeError();
  if (*type == nullptr) {
    std::string operands;
    for (const Node *operand : node->dataOperands())
      operands += (operands.empty() ? "" : ", ") + typeText(operand->type());
    return makeError(problem("trace.no-rule", node->target().str(), "no rule infers its result for (" + operands + ")",
                             "look its arguments up in PyTorch's schema; operators of one's own are declared by "
                             "context.ops().declare and have no types"));
  }
  graph_->setType(node, *type);
  return llvm::Error::success();
}

llvm::Error Recorder::addArguments(const Call &call, CallSpec &spec) {
  const OpDef *op = graph_->context().ops().lookup(call.target);
  for (const Operand &operand : call.args) {
    size_t index = spec.args.size();
    if (operand.tensor() && operand.tensor()->isAbsent() && needsTensor(*op, index))
      return makeError(absentProblem(*op, index));
    llvm::Expected<Actual> actual = actualOf(operand, call.target);
    if (!actual)
      return actual.takeError();
    spec.args.push_back(std::move(*actual));
  }
  for (const NamedOperand &named : call.kwargs) {
    llvm::Expected<Actual> actual = actualOf(named.value, call.target);
    if (!actual)
      return actual.takeError();
    spec.kwargs.push_back({named.name, std::move(*actual)});
  }
  return llvm::Error::success();
}

/// "aten.add_.Tensor" -> "aten.add.Tensor", where there is such an operator; else empty.
static std::string functionalTarget(Context &context, const OpDef &op) {
  auto [before, overload] = op.target.str().rsplit('.');
  if (!before.endswith("_") || before.endswith("__") || !renamesFirstArgument(op))
    return "";
  std::string target = (before.drop_back() + "." + overload).str();
  const OpDef *functional = context.ops().lookup(target);
  return functional && !functional->opaque ? target : "";
}

// A call that writes its first argument is checked against the result of the same call without writing: PyTorch
// computes that result and casts it.
llvm::Error Recorder::check(const CallSpec &spec, const Node &node) {
  if (llvm::Error error = checkCall(node))
    return error;
  std::string target = functionalTarget(graph_->context(), *node.op());
  if (target.empty())
    return llvm::Error::success();
  CallSpec twin = spec;
  twin.target = target;
  Node *functional = GraphBuilder(*graph_).call(twin);
  llvm::Expected<const Type *> type = inference_.typeOf(*functional);
  graph_->erase(functional);
  if (!type)
    return type.takeError();
  return *type ? checkWritten(node, **type) : llvm::Error::success();
}

llvm::Expected<Node *> Recorder::record(const Call &call) {
  // The type is set here, because the builder sets only certain types.
  CallSpec spec{.target = call.target, .args = {}, .type = graph_->context().noneType()};
  if (llvm::Error error = addArguments(call, spec))
    return error;
  Node *node = GraphBuilder(*graph_, position_).call(spec);
  llvm::Error error = giveType(node);
  if (!error)
    error = check(spec, *node);
  if (error) {
    graph_->erase(node);
    return error;
  }
  graph_->setFrame(node, frameHere());
  firstCall_ = firstCall_ ? firstCall_ : node;
  return node;
}

Tensor Recorder::call(const Call &call) {
  llvm::Expected<Node *> node = record(call);
  if (!node)
    return fail(firstOf(node.takeError()));
  if (!renamesFirstArgument(*(*node)->op()) || !call.args.front().tensor())
    return tensorOf(*node);
  const Tensor &written = *call.args.front().tensor();
  written.state()->node = *node;
  written.state()->type = (*node)->type();
  return written;
}

TensorList Recorder::callList(const Call &call) {
  llvm::Expected<Node *> list = record(call);
  if (!list) {
    Diagnostic why = firstOf(list.takeError());
    (void)fail(why);
    return TensorList::failed(std::move(why));
  }
  std::vector<Tensor> elements;
  for (size_t i = 0; i != (*list)->type()->elements().size(); ++i) {
    Node *element = GraphBuilder(*graph_, position_).call("operator.getitem", {*list, static_cast<int64_t>(i)});
    graph_->setFrame(element, (*list)->frame());
    elements.push_back(tensorOf(element));
  }
  return TensorList(std::move(elements));
}

Tensor Recorder::deferWait(const Tensor &inFlight) {
  return call({"_c10d_functional.wait_tensor.default", {inFlight}});
}

uint32_t Recorder::frameHere() {
  if (frameOfResult_)
    return *frameOfResult_;
  if (modulePath() == framePath_)
    return frame_;
  framePath_ = modulePath();
  Frame frame;
  frame.annotation = graph_->context().identifier("{'module_fqn': '" + framePath_ + "'}");
  return frame_ = framePath_.empty() ? 0 : graph_->addFrame(frame);
}

// --- Gradients -------------------------------------------------------------------------------------------------------

llvm::Error Recorder::giveTypesAfter(Node *node) {
  for (Node *made = node->next(); made; made = made->next())
    if (lacksType(made->type()))
      if (llvm::Error error = giveType(made))
        return error;
  lastTyped_ = graph_->back();
  return llvm::Error::success();
}

void Recorder::eraseAfter(const Node *node) {
  while (graph_->back() != node)
    graph_->erase(graph_->back());
}

llvm::Expected<GradientRequest> Recorder::requestOf(const Tensor &loss, const std::vector<Tensor> &parameters,
                                                    const Tensor &gradient) {
  GradientRequest request{.given = &givenGradients_};
  llvm::Expected<Node *> of = nodeOf(loss, "backward");
  if (!of)
    return of.takeError();
  request.of = *of;
  for (const Tensor &parameter : parameters) {
    llvm::Expected<Node *> with = nodeOf(parameter, "backward");
    if (!with)
      return with.takeError();
    request.with.push_back(*with);
  }
  if (gradient.isAbsent())
    return request;
  llvm::Expected<Node *> seed = nodeOf(gradient, "backward");
  if (!seed)
    return seed.takeError();
  if (gradient.dtype() != loss.dtype() || gradient.sizes() != loss.sizes())
    return makeError(problem("gradient.seed", "backward",
                             "is given the gradient " + gradient.typeText() + " of " + loss.typeText(),
                             "both have the same dtype and sizes"));
  request.seed = *seed;
  return request;
}

llvm::Expected<std::vector<Tensor>> Recorder::backward(const Tensor &loss, const std::vector<Tensor> &parameters,
                                                       const Tensor &gradient) {
  llvm::Expected<GradientRequest> request = requestOf(loss, parameters, gradient);
  if (!request)
    return request.takeError();
  Node *last = lastTyped_ = graph_->back();
  GraphBuilder builder(*graph_);
  llvm::Expected<std::vector<Node *>> gradients = appendGradients(builder, *request);
  llvm::Error error = gradients ? giveTypesAfter(lastTyped_) : gradients.takeError();
  if (error) {
    eraseAfter(last);
    return error;
  }
  firstCall_ = firstCall_ ? firstCall_ : last->next();
  std::vector<Tensor> tensors;
  for (Node *made : *gradients)
    tensors.push_back(made ? tensorOf(made) : Tensor());
  return tensors;
}

void Recorder::giveGradient(const Tensor &result, const std::vector<Tensor> &inputs, GradientFunction backward) {
  Node *node = result.state()->node;
  auto call = [this, node, backward = std::move(backward)](Node *gradient) {
    return callBackward(backward, node, gradient);
  };
  std::vector<Node *> nodes;
  for (const Tensor &input : inputs)
    nodes.push_back(input.state()->node);
  givenGradients_[node] = {std::move(nodes), std::move(call)};
}

// The rules compute types later, but a function of tensors needs them now.
llvm::Expected<std::vector<Node *>> Recorder::callBackward(const GradientFunction &backward, const Node *result,
                                                           Node *gradient) {
  if (llvm::Error error = giveTypesAfter(lastTyped_))
    return error;
  frameOfResult_ = result->frame();
  std::vector<Tensor> given = backward(tensorOf(gradient));
  frameOfResult_.reset();
  std::vector<Node *> nodes;
  for (const Tensor &one : given) {
    if (one.isAbsent())
      return makeError(problem("trace.absent", result->name().str(), "has a backward that yields no tensor"));
    llvm::Expected<Node *> node = nodeOf(one, result->name().str());
    if (!node)
      return node.takeError();
    nodes.push_back(*node);
  }
  return nodes;
}

// --- The end ---------------------------------------------------------------------------------------------------------

/// torch.fx records an element where it is used, but here all elements of a list are recorded with the call.
void Recorder::eraseUnusedElements() {
  for (Node *node : graph_->nodes())
    if (node->op() && node->op()->role == OpRole::GetItem && !node->hasUses())
      graph_->erase(node);
}

llvm::Expected<Node *> Recorder::makeOutput(const std::vector<Tensor> &outputs) {
  std::vector<Actual> values;
  for (const Tensor &tensor : outputs) {
    llvm::Expected<Actual> value = actualOf(tensor, "output");
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  return GraphBuilder(*graph_).output(std::move(values));
}

llvm::Expected<std::unique_ptr<Graph>> Recorder::finish(const std::vector<Tensor> &outputs) {
  if (!isOpen())
    return makeError(problem("trace.finished", "finish", "is called on a trace that is finished", "begin another one"));
  llvm::Expected<Node *> output = firstError_ ? makeError(*firstError_) : makeOutput(outputs);
  if (output)
    eraseUnusedElements();
  ObjectMeanings objects;
  for (const auto &[node, meaning] : objects_)
    objects.emplace(node->target().str().str(), meaning);
  setObjects(*graph_, objects);
  llvm::Error error = output ? verifyOrError(*graph_) : output.takeError();
  std::unique_ptr<Graph> graph = std::move(graph_);
  close();
  if (error)
    return error;
  return graph;
}

} // namespace ccgraph::tracer::detail
