#include "interpreter/rank_run.h"
#include "tensor/host_values.h"

#include "ccgraph/ir/value_names.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace ccgraph::runtime {
namespace {

bool isDeclaredTensor(const Node &node) { return node.type() && node.type()->isTensor(); }

/// Returns nothing where the type is not a tensor, or contains symbols.
std::optional<IntList> declaredSizes(const Node &node) {
  if (!isDeclaredTensor(node))
    return std::nullopt;
  IntList sizes;
  for (const Dim &size : node.type()->sizes())
    if (size.isStatic() && size.value() >= 0)
      sizes.push_back(size.value());
  return sizes.size() == node.type()->sizes().size() ? std::optional(sizes) : std::nullopt;
}

} // namespace

llvm::Expected<Value> RankRun::placeholderValue(const Node &node) {
  if (scope().caller) {
    if (scope().nextParameter == scope().parameters.size())
      return error(node, "run.arguments", "the call of this subgraph gives no value for it");
    return scope().parameters[scope().nextParameter++];
  }
  auto found = setup_.inputs->find(inputName(node.name().str()));
  if (found == setup_.inputs->end()) {
    if (node.type() == nullptr)
      return Value::opaque(node.name().str().str());
    if (std::optional<IntList> sizes = declaredSizes(node))
      // Seeded inputs leave out what does not fit into memory; the user then hears of memory, and not of a missing
      // value.
      (void)Tensor::zeros(node.type()->dtype(), *sizes); // too large to be made up: says so
    return error(node, "run.no-input",
                 ("got no value in." + node.name().str() + ", expected " + node.type()->str()).str(),
                 "values are named in.<placeholder>");
  }
  bool symbolic = node.type() && node.type()->kind() == Type::Kind::Symbolic;
  if (std::optional<Value> number = symbolic ? numberOf(found->second) : std::nullopt)
    return *number;
  if (!isDeclaredTensor(node))
    return Value(Tensor::fromHost(found->second));
  Tensor plain = Tensor::fromHost(found->second);
  if (std::string wrong = conform(node.type(), plain, symbols_); !wrong.empty())
    return error(node, "run.type", "the given input: " + wrong);
  IntList strides;
  for (const Dim &stride : node.type()->strides())
    if (std::optional<int64_t> value = dimValue(stride, symbols_))
      strides.push_back(*value);
  if (llvm::any_of(strides, [](int64_t stride) { return stride < 0; }))
    return error(node, "run.type", "has strides " + intListText(strides) + ", expected none negative");
  return Value(strides.size() == plain.sizes().size() ? Tensor::fromHost(found->second, strides) : plain);
}

// Two get_attr of one target yield the same tensor, so a write through one is visible through the other.
llvm::Expected<Value> RankRun::attributeValue(const Node &node) {
  std::string target = node.target().str().str();
  if (auto known = attributes_.find(target); known != attributes_.end())
    return known->second;
  auto found = setup_.inputs->find(attributeName(target));
  if (found != setup_.inputs->end())
    return attributes_[target] = Value(Tensor::fromHost(found->second));
  if (isDeclaredTensor(node))
    return error(node, "run.no-input",
                 ("got no value attr." + node.target().str() + ", expected " + node.type()->str()).str(),
                 "values of get_attr nodes are named attr.<target>");
  return Value::opaque(node.target().str().str());
}

// Arguments by the places of the schema: all_reduce(x, "sum", group_name = "tp") and all_reduce(x, "sum", "tp") are
// one.
llvm::Expected<CallSite> RankRun::callSite(const Node &node) const {
  CallSite site;
  site.op = node.op();
  site.name = node.name();
  site.node = &node;
  site.rank = setup_.rank;
  for (size_t i = 0; i < node.op()->params.size(); ++i) {
    const Argument *argument = argumentAt(node, static_cast<int>(i));
    if (argument == nullptr) {
      site.arguments.emplace_back();
      continue;
    }
    llvm::Expected<Value> value = evaluate(node, *argument, scopes_.back(), symbols_);
    if (!value)
      return value.takeError();
    site.arguments.emplace_back(std::move(*value));
  }
  return site;
}

// readers counts the operands of later nodes that name a value; at 0 its memory is freed. So the memory of a run stays
// near the peak that lifetimes.h computes from the graph.
void RankRun::releaseOperands(const Node &node) {
  for (unsigned i = 0; i < node.numOperands(); ++i)
    if (const Node *operand = node.operand(i);
        --scope().readers[operand->id()] == 0 && operand->opcode() != Opcode::Placeholder)
      scope().values[operand->id()] = Value();
}

llvm::Error RankRun::checkAccesses(const Node &node, const Value *result) {
  if (node.numOperands() == 0)
    return llvm::Error::success();
  Effects effects = effectsOf(node);
  llvm::SmallPtrSet<const Storage *, 2> shared;
  if (result)
    forEachTensor(*result, [&](const Tensor &tensor) { shared.insert(tensor.storage()); });
  for (unsigned i = 0; i < node.numOperands(); ++i) {
    Access access = effects.operands[i];
    // An operator that may alias has read nothing where its result shares the operand's storage.
    if (has(access, Access::Alias) && !has(access, Access::Write) &&
        valueOf(*node.operand(i)).is(Value::Kind::Tensor) &&
        shared.contains(valueOf(*node.operand(i)).tensor().storage()))
      continue;
    if (llvm::Error error = checkOperand(node, i, access))
      return error;
  }
  return llvm::Error::success();
}

// Checks two rules of asynchrony for the operand's actual memory in this run. Memory that a launch fills must be
// neither read nor written before the wait on it. Memory that a launch still reads must not be written.
//   c = all_gather(x); add_(x, 1)       run.in-flight-input: c still reads x
//   c = all_gather(x); relu(c)          run.in-flight-result: c is not complete
//   c = all_reduce(x); add_(x, 1)       fine: x was copied at launch
llvm::Error RankRun::checkOperand(const Node &node, unsigned index, Access access) {
  bool writes = has(access, Access::Write), reads = has(access, Access::Read);
  bool inFlight = hasAny(access, Access::InFlightRead | Access::InFlightWrite);
  if (!writes && !reads && !inFlight)
    return llvm::Error::success();
  if (llvm::Error error = checkHostCopies(node, *node.operand(index), access))
    return error;
  llvm::Error failure = llvm::Error::success();
  forEachTensor(valueOf(*node.operand(index)), [&](const Tensor &tensor) {
    if (writes)
      written_.insert(tensor.storage());
    const Launch *writer = inFlight_.writer(tensor);
    const Launch *reader = writes || has(access, Access::InFlightWrite) ? inFlight_.reader(tensor) : nullptr;
    if ((!writer && !reader) || failure)
      return;
    std::string operand = ("`" + node.operand(index)->name().str() + "`").str();
    failure =
        writer
            ? error(node, "run.in-flight-result",
                    (writes ? "writes " : "reads ") + operand + ", which " + describe(*writer) + " has in flight",
                    "wait for it first: only views, getitem and waits may use it before")
            : error(node, "run.in-flight-input", "writes " + operand + ", which " + describe(*reader) + " still reads",
                    "write after the wait on " + describe(*reader));
  });
  return failure;
}

// Asked again after the step, because set_ gives the tensor another storage, and that one is written as well.
void RankRun::noteWrites(const Node &node) {
  if (!node.op()->keepAlways)
    return;
  Effects effects = effectsOf(node);
  for (unsigned i = 0; i < node.numOperands(); ++i)
    if (has(effects.operands[i], Access::Write))
      forEachTensor(valueOf(*node.operand(i)), [&](const Tensor &tensor) { written_.insert(tensor.storage()); });
}

} // namespace ccgraph::runtime
