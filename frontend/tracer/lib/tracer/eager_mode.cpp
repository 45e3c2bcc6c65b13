#include "tracer/eager_mode.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/value_names.h"
#include "ccgraph/tracer/collectives.h"

namespace ccgraph::tracer::detail {
namespace {

/// Returns the tensors of a call, in the order of its arguments; absent ones are left out.
std::vector<Tensor> tensorsIn(llvm::ArrayRef<Operand> args, llvm::ArrayRef<NamedOperand> kwargs = {}) {
  std::vector<Tensor> tensors;
  auto take = [&](const Operand &operand) {
    if (operand.tensor())
      tensors.push_back(*operand.tensor());
    if (operand.tensors())
      tensors.insert(tensors.end(), operand.tensors()->begin(), operand.tensors()->end());
  };
  for (const Operand &operand : args)
    take(operand);
  for (const NamedOperand &named : kwargs)
    take(named.value);
  llvm::erase_if(tensors, [](const Tensor &tensor) { return tensor.isAbsent(); });
  return tensors;
}

EagerSnapshot snapshotOf(const EagerValue &value) {
  return {value.storage.get(), value.storage->type, value.storage->values, value.views};
}

/// Returns the argument with its tensors replaced, in their order.
Operand replaced(const Operand &operand, llvm::function_ref<Tensor(const Tensor &)> replace) {
  if (operand.tensor())
    return operand.tensor()->isAbsent() ? operand : Operand(replace(*operand.tensor()));
  if (!operand.tensors())
    return operand;
  std::vector<Tensor> tensors;
  for (const Tensor &tensor : *operand.tensors())
    tensors.push_back(tensor.isAbsent() ? tensor : replace(tensor));
  return tensors;
}

} // namespace

struct EagerMode::Program {
  explicit Program(EagerMode &mode)
      : mode(mode), recorder(std::make_shared<Recorder>(mode.context_,
                                                        TraceOptions{.name = "eager", .worldSize = mode.worldSize()})) {
    recorder->groups() = mode.groups_;
  }
  // Tensors of the recorder keep it alive, so it must be closed.
  ~Program() { recorder->close(); }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// Returns the tensor of this graph: a placeholder, and its views.
  Tensor use(const EagerSnapshot &snapshot) {
    auto [entry, isNew] = placeholders.try_emplace(snapshot.storage, placeholders.size());
    if (isNew) {
      inputs.push_back(recorder->input("x" + std::to_string(entry->second), snapshot.type));
      values.push_back(snapshot.values);
    }
    Tensor tensor = inputs[entry->second];
    for (const EagerView &view : snapshot.views) {
      std::vector<Operand> args = {tensor};
      args.insert(args.end(), view.rest.begin(), view.rest.end());
      tensor = recorder->call({view.target, std::move(args)});
    }
    return tensor;
  }

  /// Returns the call with the tensors of this graph.
  Call translated(const Call &call) {
    auto useState = [&](const Tensor &tensor) { return use(snapshotOf(*tensor.state()->eager)); };
    Call result{call.target, {}};
    for (const Operand &operand : call.args)
      result.args.push_back(replaced(operand, useState));
    for (const NamedOperand &named : call.kwargs)
      result.kwargs.push_back({named.name, replaced(named.value, useState)});
    return result;
  }

  llvm::Expected<std::vector<TensorMap>> run(const std::vector<Tensor> &outputs) {
    llvm::Expected<std::unique_ptr<Graph>> graph = recorder->finish(outputs);
    if (!graph)
      return graph.takeError();
    std::vector<TensorMap> given(mode.ranks_);
    for (size_t i = 0; i != values.size(); ++i) {
      assert(values[i] && "what a run reads is complete");
      for (size_t rank = 0; rank != mode.ranks_; ++rank)
        given[rank]["in.x" + std::to_string(i)] = (*values[i])[rank];
    }
    return mode.execute_(**graph, std::move(given));
  }

  EagerMode &mode;
  std::shared_ptr<Recorder> recorder;
  llvm::DenseMap<const EagerStorage *, size_t> placeholders;
  std::vector<Tensor> inputs;
  std::vector<RankValues> values;
};

namespace {

/// Returns result `name` of every rank.
llvm::Expected<RankValues> valuesNamed(std::vector<TensorMap> &results, const std::string &name) {
  std::vector<HostTensor> values;
  for (TensorMap &ofRank : results) {
    auto found = ofRank.find(name);
    if (found == ofRank.end())
      return makeError(problem("trace.eager", name, "what executes gave no such result"));
    values.push_back(std::move(found->second));
  }
  return std::make_shared<const std::vector<HostTensor>>(std::move(values));
}

} // namespace

EagerMode::EagerMode(Context &context, EagerOptions options)
    : context_(context), ranks_(options.ranks), execute_(std::move(options.execute)) {
  Group world;
  world.name = "0";
  world.description = "default_pg";
  for (size_t rank = 0; rank != ranks_; ++rank)
    world.ranks.push_back(static_cast<int64_t>(rank));
  groups_.set(std::move(world));
}

EagerMode::~EagerMode() { close(); }

void EagerMode::close() {
  open_ = false;
  if (current() == this)
    setCurrent(nullptr);
}

void EagerMode::warnOnce(Diagnostic warning) {
  warning.severity = Severity::Warning;
  if (llvm::none_of(warnings_, [&](const Diagnostic &noted) { return noted.rule == warning.rule; }))
    warnings_.push_back(std::move(warning));
}

Tensor EagerMode::tensorOf(EagerValue value, const Type *type) {
  auto state = std::make_shared<TensorState>();
  state->mode = shared_from_this();
  state->type = type;
  state->eager = std::make_shared<EagerValue>(std::move(value));
  return Tensor(std::move(state));
}

/// Sizes that depend on data are known once the data is there.
const Type *EagerMode::typeOf(const Type *inferred, const HostTensor &value) const {
  if (staticDims(inferred->sizes()) && inferred->stridesKnown())
    return inferred;
  llvm::SmallVector<Dim, 6> sizes(value.sizes.begin(), value.sizes.end());
  return context_.contiguousTensor(value.dtype, sizes, inferred->device());
}

Tensor EagerMode::tensor(const std::vector<HostTensor> &values) {
  auto differs = [&](const HostTensor &value) {
    return value.dtype != values.front().dtype || value.sizes != values.front().sizes;
  };
  if (values.size() != ranks_ || llvm::any_of(values, differs))
    return fail(problem("trace.eager", "tensor",
                        "got " + std::to_string(values.size()) + " values for " + std::to_string(ranks_) + " ranks",
                        "give one value a rank, all of one dtype and shape"));
  llvm::SmallVector<Dim, 6> sizes(values.front().sizes.begin(), values.front().sizes.end());
  auto storage = std::make_shared<EagerStorage>();
  storage->type = context_.contiguousTensor(values.front().dtype, sizes, {context_.identifier("cpu"), -1});
  storage->values = std::make_shared<const std::vector<HostTensor>>(values);
  const Type *type = storage->type;
  return tensorOf({std::move(storage), {}}, type);
}

// --- Calls -----------------------------------------------------------------------------------------------------------

llvm::Error EagerMode::checkTensors(const Call &call) const {
  for (const Tensor &tensor : tensorsIn(call.args, call.kwargs)) {
    if (tensor.error())
      return makeError(*tensor.error());
    if (tensor.state()->mode.get() != this)
      return makeError(problem("trace.foreign-tensor", call.target,
                               "is given a tensor of a trace or of another session, " + tensor.typeText(),
                               "make it a tensor of this session"));
  }
  return llvm::Error::success();
}

llvm::Error EagerMode::landOperands(const Call &call) {
  for (const Tensor &tensor : tensorsIn(call.args, call.kwargs))
    if (llvm::Error error = complete(tensor.state()->eager->storage))
      return error;
  return llvm::Error::success();
}

llvm::Expected<std::vector<Tensor>> EagerMode::compute(const Call &call, bool isList) {
  if (llvm::Error error = checkTensors(call))
    return error;
  const OpDef *op = context_.ops().lookup(call.target);
  if (isView(call))
    return view(call, isList);
  if (llvm::Error error = landOperands(call))
    return error;
  if (op->role == OpRole::Wait)
    return tensorsIn(call.args);
  if (op->role == OpRole::Collective && !op->collective->inPlace && op->collective->output < 0)
    return launch(call, isList);
  return runCall(call, isList);
}

/// The written value is the new value of its storage; the storages belong to the tensors.
llvm::Error EagerMode::storeWritten(const Program &program, const Call &call, std::vector<TensorMap> &results) {
  for (const Tensor &tensor : tensorsIn(call.args, call.kwargs)) {
    EagerStorage &storage = *tensor.state()->eager->storage;
    std::string name = "after.x" + std::to_string(program.placeholders.lookup(&storage));
    if (results.front().count(name) == 0)
      continue;
    llvm::Expected<RankValues> values = valuesNamed(results, name);
    if (!values)
      return values.takeError();
    storage.values = std::move(*values);
    // The value is stored once, but a tensor may occur twice in a call.
    for (TensorMap &ofRank : results)
      ofRank.erase(name);
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<Tensor>> EagerMode::newTensors(llvm::ArrayRef<const Type *> types,
                                                          std::vector<TensorMap> &results) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i != types.size(); ++i) {
    llvm::Expected<RankValues> values = valuesNamed(results, outputName(i));
    if (!values)
      return values.takeError();
    auto storage = std::make_shared<EagerStorage>();
    const Type *type = storage->type = typeOf(types[i], (*values)->front());
    storage->values = std::move(*values);
    tensors.push_back(tensorOf({std::move(storage), {}}, type));
  }
  return tensors;
}

llvm::Expected<std::vector<Tensor>> EagerMode::runCall(const Call &call, bool isList) {
  Program program(*this);
  std::vector<Tensor> made;
  if (isList)
    made = program.recorder->callList(program.translated(call)).tensors();
  else
    made = {program.recorder->call(program.translated(call))};
  std::vector<const Type *> types;
  for (const Tensor &tensor : made)
    types.push_back(tensor.type());
  llvm::Expected<std::vector<TensorMap>> results = program.run(made);
  if (!results)
    return results.takeError();
  if (llvm::Error error = storeWritten(program, call, *results))
    return error;
  if (!isList && renamesFirstArgument(*context_.ops().lookup(call.target)) && call.args.front().tensor())
    return std::vector<Tensor>{*call.args.front().tensor()};
  return newTensors(types, *results);
}

bool EagerMode::isView(const Call &call) {
  const OpDef *op = context_.ops().lookup(call.target);
  if (op->isView || !op->mayAlias || !op->sharing)
    return op->isView;
  Program program(*this);
  Tensor made = program.recorder->call(program.translated(call));
  return made.isValid() && op->sharing(*made.state()->node) == Sharing::View;
}

// A view of x is x, and the call that makes it; for a list, that call and the element.
llvm::Expected<std::vector<Tensor>> EagerMode::view(const Call &call, bool isList) {
  const Tensor *base = call.args.empty() ? nullptr : call.args.front().tensor();
  if (!base || base->isAbsent())
    return makeError(problem("trace.absent", call.target, "is given a tensor that was never given a value"));
  Program program(*this);
  Tensor made = program.recorder->call(program.translated(call));
  if (made.error())
    return makeError(*made.error());
  EagerValue value = *base->state()->eager;
  value.views.push_back({call.target.str(), {call.args.begin() + 1, call.args.end()}});
  if (!isList)
    return std::vector<Tensor>{tensorOf(std::move(value), made.type())};
  std::vector<Tensor> tensors;
  for (size_t i = 0; i != made.type()->elements().size(); ++i) {
    EagerValue element = value;
    element.views.push_back({"operator.getitem", {Operand(static_cast<int64_t>(i))}});
    tensors.push_back(tensorOf(std::move(element), made.type()->elements()[i]));
  }
  return tensors;
}

// --- Collectives -----------------------------------------------------------------------------------------------------

llvm::Expected<std::vector<Tensor>> EagerMode::launch(const Call &call, bool isList) {
  Program program(*this);
  Tensor made = program.recorder->call(program.translated(call));
  if (made.error())
    return makeError(*made.error());
  auto launch = std::make_shared<EagerLaunch>();
  launch->target = call.target.str();
  launch->args = call.args;
  launch->isList = isList;
  for (const Tensor &tensor : tensorsIn(call.args))
    launch->operands.push_back(snapshotOf(*tensor.state()->eager));
  std::vector<Tensor> tensors;
  std::vector<const Type *> types = {made.type()};
  if (isList)
    types = made.type()->elements().vec();
  for (const Type *type : types) {
    auto storage = std::make_shared<EagerStorage>();
    storage->type = type;
    storage->launch = launch;
    launch->results.push_back(storage);
    tensors.push_back(tensorOf({std::move(storage), {}}, type));
  }
  return tensors;
}

// Runs the collective and the waits on all its results as one graph: one wait completes results that share storage.
llvm::Error EagerMode::finish(const EagerLaunch &launch) {
  Program program(*this);
  Call call{launch.target, {}};
  size_t next = 0;
  for (const Operand &operand : launch.args)
    call.args.push_back(
        replaced(operand, [&](const Tensor & /*as it was*/) { return program.use(launch.operands[next++]); }));
  std::vector<Tensor> inFlight =
      launch.isList ? program.recorder->callList(call).tensors() : std::vector<Tensor>{program.recorder->call(call)};
  std::vector<Tensor> completed;
  for (const Tensor &tensor : inFlight)
    completed.push_back(program.recorder->deferWait(tensor));
  llvm::Expected<std::vector<TensorMap>> results = program.run(completed);
  if (!results)
    return results.takeError();
  for (size_t i = 0; i != launch.results.size(); ++i)
    if (std::shared_ptr<EagerStorage> result = launch.results[i].lock()) {
      llvm::Expected<RankValues> values = valuesNamed(*results, outputName(i));
      if (!values)
        return values.takeError();
      result->values = std::move(*values);
      result->launch = nullptr;
    }
  return llvm::Error::success();
}

Tensor EagerMode::copyLater(const Tensor &tensor, const Tensor &inFlight) {
  Call copy{"aten.copy_.default", {tensor, inFlight}};
  if (llvm::Error error = checkTensors(copy))
    return fail(firstOf(std::move(error)));
  Program program(*this);
  if (Tensor made = program.recorder->call(program.translated(copy)); made.error())
    return fail(*made.error());
  if (tensor.type()->sizes() != inFlight.type()->sizes())
    return fail(problem("eager.sizes", copy.target,
                        "is to fill " + tensor.typeText() + " with " + inFlight.typeText() + ", of other sizes",
                        "give a tensor of the sizes that arrive"));
  const EagerValue &value = *tensor.state()->eager;
  value.storage->arrivals.push_back({value.views, tensor.type(), inFlight});
  return tensor;
}

llvm::Error EagerMode::complete(const std::shared_ptr<EagerStorage> &storage) {
  // Keeps the launch alive, because its results release it.
  if (std::shared_ptr<EagerLaunch> launch = storage->launch)
    if (llvm::Error error = finish(*launch))
      return error;
  // The list is taken first, because a copy completes the tensor that it writes.
  for (EagerArrival &arrival : std::exchange(storage->arrivals, {})) {
    Tensor tensor = tensorOf({storage, std::move(arrival.views)}, arrival.type);
    if (Tensor copied = call({"aten.copy_.default", {tensor, arrival.source}}); copied.error())
      return makeError(*copied.error());
  }
  return llvm::Error::success();
}

Tensor EagerMode::call(const Call &call) {
  llvm::Expected<std::vector<Tensor>> tensors = compute(call, /*isList=*/false);
  return tensors ? tensors->front() : fail(firstOf(tensors.takeError()));
}

TensorList EagerMode::callList(const Call &call) {
  llvm::Expected<std::vector<Tensor>> tensors = compute(call, /*isList=*/true);
  return tensors ? TensorList(std::move(*tensors)) : TensorList::failed(firstOf(tensors.takeError()));
}

llvm::Expected<std::vector<HostTensor>> EagerMode::valuesOf(const Tensor &tensor) {
  Call call{"values", {tensor}};
  if (tensor.isAbsent())
    return makeError(problem("trace.absent", "values", "is given a tensor that was never given a value"));
  if (llvm::Error error = checkTensors(call))
    return error;
  const EagerValue &value = *tensor.state()->eager;
  if (llvm::Error error = complete(value.storage))
    return error;
  if (value.views.empty())
    return *value.storage->values;
  Program program(*this);
  llvm::Expected<std::vector<TensorMap>> results = program.run({program.use(snapshotOf(value))});
  if (!results)
    return results.takeError();
  llvm::Expected<RankValues> values = valuesNamed(*results, "out.0");
  if (!values)
    return values.takeError();
  return **values;
}

} // namespace ccgraph::tracer::detail
