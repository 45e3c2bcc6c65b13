#include "job_run.h"

#include "collectives.h"
#include "transfers.h"

#include "ccgraph/ir/type.h"

#include <deque>
#include <map>

namespace ccgraph::equality {
namespace {

/// A launch that waits for the other members of its group.
struct Pending {
  size_t rank = 0;
  Launch launch;
};

/// Collects the leaves of the output.
void addLeaves(const Node &output, const Argument &argument, llvm::ArrayRef<Value> values, std::vector<Value> &leaves) {
  if (argument.isSequence())
    for (const Argument &element : argument.elements())
      addLeaves(output, element, values, leaves);
  else
    leaves.push_back(Evaluator::valueOf(output, argument, values));
}

/// Returns whether the tensors of a value have the sizes of the type, where both are known.
bool hasSizesOf(const Value &value, const Type *type) {
  if (!type)
    return true;
  if (type->isList()) {
    for (size_t i = 0; i != std::min(value.list.size(), type->elements().size()); ++i)
      if (!hasSizesOf(value.list[i], type->elements()[i]))
        return false;
    return !value.is(Value::Type::List) || value.list.size() == type->elements().size();
  }
  std::optional<IntList> sizes = type->isTensor() ? staticDims(type->sizes()) : std::nullopt;
  return !sizes || !value.is(Value::Type::Tensor) || value.tensor.sizes == *sizes;
}

class JobRunner {
public:
  JobRunner(Evaluator &evaluator, llvm::ArrayRef<RankProgram> programs, llvm::ArrayRef<std::vector<Value>> inputs,
            std::vector<RankValues> &results)
      : evaluator_(evaluator), programs_(programs), inputs_(inputs), results_(results) {}

  std::optional<Problem> run() {
    prepare();
    for (bool progresses = true; progresses && !problem_;) {
      progresses = false;
      for (size_t rank = 0; rank != ranks_.size() && !problem_; ++rank)
        progresses |= step(rank);
    }
    if (!problem_)
      reportBlocked();
    return problem_;
  }

private:
  struct Rank {
    const Node *next = nullptr;
    size_t placeholders = 0;
    std::vector<bool> pending;
    /// by node id: how many reads of the value are left
    std::vector<uint32_t> readsLeft;
  };

  void prepare() {
    ranks_.resize(programs_.size());
    results_.assign(programs_.size(), {});
    for (size_t i = 0; i != programs_.size(); ++i) {
      const Graph &graph = *programs_[i].graph;
      ranks_[i].next = graph.front();
      ranks_[i].pending.assign(graph.idLimit(), false);
      if (const ForcedValue *forced = programs_[i].forced; forced && forced->known)
        results_[i].values = forced->known->values;
      results_[i].values.resize(graph.idLimit());
      ranks_[i].readsLeft.assign(graph.idLimit(), 0);
      for (const Node *node : graph)
        for (const Node *operand : node->dataOperands())
          ++ranks_[i].readsLeft[operand->id()];
    }
  }

  void stop(size_t rank, const Node *node, const llvm::Twine &text) {
    if (!problem_)
      problem_ = Problem{node, programs_[rank].rank, text.str()};
  }

  /// Executes the next node of a rank; returns false if it waits, or is at its end.
  bool step(size_t rank) {
    Rank &state = ranks_[rank];
    const Node *node = state.next;
    if (!node)
      return false;
    for (const Node *operand : node->dataOperands())
      if (state.pending[operand->id()])
        return false;
    state.next = node->next();
    if (isKnown(rank, *node))
      return true;
    execute(rank, *node);
    if (!isLaunch(*node))
      freeOperands(rank, *node);
    return true;
  }
  static bool isLaunch(const Node &node) {
    return node.opcode() == Opcode::CallFunction && node.op()->role == OpRole::Collective;
  }
  /// Frees the operands whose last reader has run.
  void freeOperands(size_t rank, const Node &node) {
    if (programs_[rank].keepsValues)
      return;
    for (const Node *operand : node.dataOperands())
      if (--ranks_[rank].readsLeft[operand->id()] == 0)
        results_[rank].values[operand->id()] = Value();
  }

  void execute(size_t rank, const Node &node) {
    std::vector<Value> &values = results_[rank].values;
    switch (node.opcode()) {
    case Opcode::Placeholder:
      if (size_t index = ranks_[rank].placeholders++; index < inputs_[rank].size())
        values[node.id()] = inputs_[rank][index];
      return;
    case Opcode::GetAttr:
      return stop(rank, &node, "the text does not contain the value of this constant");
    case Opcode::Output:
      for (const Argument &argument : node.args())
        addLeaves(node, argument, values, results_[rank].outputs);
      return;
    case Opcode::CallFunction:
      break;
    }
    if (isLaunch(node))
      return launch(rank, node);
    llvm::Expected<Value> value = evaluator_.evaluate(node, values, results_[rank].draws);
    if (!value)
      return stop(rank, &node, llvm::toString(value.takeError()));
    values[node.id()] = std::move(*value);
    force(rank, node);
    checkSizes(rank, node);
  }
  void force(size_t rank, const Node &node) {
    if (const ForcedValue *forced = programs_[rank].forced; forced && forced->node == &node)
      results_[rank].values[node.id()] = forced->value;
  }
  /// Returns whether the node keeps the value of an earlier run.
  [[nodiscard]] bool isKnown(size_t rank, const Node &node) const {
    const ForcedValue *forced = programs_[rank].forced;
    return forced && forced->known && node.opcode() != Opcode::Output && !forced->isAffected[node.id()];
  }
  void checkSizes(size_t rank, const Node &node) {
    const Value &value = results_[rank].values[node.id()];
    if (programs_[rank].checksSizes && !hasSizesOf(value, node.type()))
      stop(rank, &node, "its value does not have the sizes of its type, " + typeText(node.type()));
  }

  void launch(size_t rank, const Node &node) {
    std::optional<CollectiveCall> call = collectiveCall(node);
    if (!call || call->spec->legacy)
      return stop(rank, &node, "no rule for this form of a collective");
    const Group *group = programs_[rank].groups->find(call->group);
    std::vector<int64_t> members = group ? group->members(programs_[rank].rank).vec() : std::vector<int64_t>();
    if (members.empty())
      return stop(rank, &node, "the ranks of group '" + call->group + "' are not known");
    if (!llvm::is_contained(members, programs_[rank].rank))
      return stop(rank, &node,
                  "rank " + llvm::Twine(programs_[rank].rank) + " is no member of its group '" + call->group + "'");
    if (isPointToPoint(call->spec->kind))
      return transfer(rank, node, *call, members);
    Pending pending{rank, {&node, std::move(*call), {}, 0, 0}};
    if (!readInputs(rank, node, pending.launch))
      return;
    ranks_[rank].pending[node.id()] = true;
    auto &queues = waiting_[members];
    queues.resize(members.size());
    queues[static_cast<size_t>(llvm::find(members, programs_[rank].rank) - members.begin())].push_back(
        std::move(pending));
    complete(members, queues);
  }

  /// Sends what a transfer sends, and expects what it receives.
  void transfer(size_t rank, const Node &node, const CollectiveCall &call, llvm::ArrayRef<int64_t> members) {
    const std::vector<TransferEnd> ends = transferEnds(node, call, members, programs_[rank].rank);
    if (ends.empty())
      return stop(rank, &node, "the ranks of this transfer are not known");
    ranks_[rank].pending[node.id()] = true;
    size_t &missing = missing_[{rank, &node}];
    missing = static_cast<size_t>(llvm::count_if(ends, [](const TransferEnd &end) { return !end.sends; }));
    for (const TransferEnd &end : ends) {
      const Value &value = results_[rank].values[end.tensor->id()];
      if (!value.is(Value::Type::Tensor))
        return stop(rank, &node, "a tensor of this transfer is none");
      if (end.sends)
        transfers_.send(end.channel, asPairs(read(value.tensor)));
      else
        transfers_.expect(end.channel, {rank, &node, end.tensor});
    }
    if (missing == 0)
      finishTransfer(rank, node);
    for (const TransferEnd &end : ends)
      for (const Transfers::Delivery &delivery : transfers_.deliver(end.channel))
        receive(delivery);
  }
  void receive(const Transfers::Delivery &delivery) {
    const auto &[rank, node, tensor] = delivery.receive;
    const Tensor &target = results_[rank].values[tensor->id()].tensor;
    const Array array = target.kind() == Kind::Complex ? fromPairs(delivery.array) : delivery.array;
    if (target.sizes != array.sizes || target.kind() != array.kind)
      return stop(rank, node, "the tensor that receives has other sizes than the one that is sent");
    write(target, array);
    if (--missing_[{rank, node}] == 0)
      finishTransfer(rank, *node);
  }
  /// The result of a transfer is its tensor, that of a batch the list of them.
  void finishTransfer(size_t rank, const Node &node) {
    std::vector<Value> &values = results_[rank].values;
    std::vector<Value> tensors;
    for (const Node *operand : node.dataOperands())
      tensors.push_back(values[operand->id()]);
    const bool isList = collectiveCall(node)->spec->coalesced;
    values[node.id()] = isList ? Value(std::move(tensors)) : tensors.front();
    ranks_[rank].pending[node.id()] = false;
    freeOperands(rank, node);
  }

  bool readInputs(size_t rank, const Node &node, Launch &launch) {
    llvm::ArrayRef<Value> values = results_[rank].values;
    for (const Node *input : launch.call.inputs) {
      const Value &value = values[input->id()];
      if (!value.is(Value::Type::Tensor))
        return stop(rank, &node, "an input of this collective is no tensor"), false;
      launch.inputs.push_back(asPairs(read(value.tensor)));
    }
    readSplits(node, values, launch.call);
    if (launch.call.spec->kind == CollectiveKind::ShardDimAllToAll) {
      const Argument *gather = argumentAt(node, 1), *shard = argumentAt(node, 2);
      launch.gatherDim = gather && gather->is(Argument::Kind::Int) ? gather->integer() : -1;
      launch.shardDim = shard && shard->is(Argument::Kind::Int) ? shard->integer() : -1;
    }
    return true;
  }

  /// Splits may be numbers that the program computes, such as how many tokens go to each rank.
  static void readSplits(const Node &node, llvm::ArrayRef<Value> values, CollectiveCall &call) {
    const Argument *argument = argumentAt(node, call.spec->inputSplits);
    if (!argument || !argument->isSequence())
      return;
    std::vector<int64_t> splits;
    for (const Value &element : Evaluator::valueOf(node, *argument, values).list)
      splits.push_back(element.is(Value::Type::Integer) ? element.integer : -1);
    call.inputSplits = std::move(splits);
  }

  /// Computes a collective once every member has launched it.
  void complete(const std::vector<int64_t> &members, std::vector<std::deque<Pending>> &queues) {
    if (llvm::any_of(queues, [](const std::deque<Pending> &queue) { return queue.empty(); }))
      return;
    std::vector<const Launch *> launches;
    for (const std::deque<Pending> &queue : queues)
      launches.push_back(&queue.front().launch);
    llvm::Expected<std::vector<std::vector<Array>>> received = valuesOf(launches, evaluator_.field());
    if (!received)
      return stop(queues.front().front().rank, launches.front()->node, llvm::toString(received.takeError()));
    for (size_t i = 0; i != members.size(); ++i) {
      give(queues[i].front(), (*received)[i]);
      queues[i].pop_front();
    }
  }

  void give(const Pending &pending, llvm::ArrayRef<Array> arrays) {
    std::vector<Value> &values = results_[pending.rank].values;
    const Node &node = *pending.launch.node;
    std::vector<Value> list;
    const CollectiveCall &call = pending.launch.call;
    llvm::ArrayRef<Node *> targets = call.spec->inPlace ? call.inputs : call.outputs;
    for (size_t i = 0; i != arrays.size(); ++i) {
      bool isComplex = values[call.inputs[i]->id()].tensor.kind() == Kind::Complex;
      Array array = isComplex ? fromPairs(arrays[i]) : arrays[i];
      if (targets.empty()) {
        list.emplace_back(array);
        continue;
      }
      const Value &target = values[targets[i]->id()];
      if (!target.is(Value::Type::Tensor) || target.tensor.sizes != array.sizes || target.tensor.kind() != array.kind)
        return stop(pending.rank, &node, "the tensor that receives the result has other sizes than it");
      write(target.tensor, array);
      list.push_back(target);
    }
    values[node.id()] = pending.launch.call.spec->coalesced ? Value(std::move(list)) : list.front();
    ranks_[pending.rank].pending[node.id()] = false;
    force(pending.rank, node);
    checkSizes(pending.rank, node);
    freeOperands(pending.rank, node);
  }

  void reportBlocked() {
    for (size_t rank = 0; rank != ranks_.size(); ++rank)
      if (const Node *node = ranks_[rank].next)
        return stop(rank, node, "it waits for a collective that not all ranks of its group launch");
  }

  Evaluator &evaluator_;
  llvm::ArrayRef<RankProgram> programs_;
  llvm::ArrayRef<std::vector<Value>> inputs_;
  std::vector<RankValues> &results_;
  std::vector<Rank> ranks_;
  /// by members of the group, the launches of each member in order
  std::map<std::vector<int64_t>, std::vector<std::deque<Pending>>> waiting_;
  Transfers transfers_;
  /// by rank and transfer: how many tensors it has not received
  std::map<std::pair<size_t, const Node *>, size_t> missing_;
  std::optional<Problem> problem_;
};

} // namespace

std::optional<Problem> runJob(Evaluator &evaluator, llvm::ArrayRef<RankProgram> programs,
                              llvm::ArrayRef<std::vector<Value>> inputs, std::vector<RankValues> &results) {
  return JobRunner(evaluator, programs, inputs, results).run();
}

} // namespace ccgraph::equality
