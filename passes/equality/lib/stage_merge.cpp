#include "stage_merge.h"

#include "transfers.h"

#include "ccgraph/ir/argument_copy.h"
#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/signature.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <map>

namespace ccgraph::equality {
namespace {

/// Returns the operator that combines two tensors as a reduction does; empty if there is none.
llvm::StringRef combinerOf(llvm::StringRef reduceOp) {
  if (reduceOp == "sum" || reduceOp == "avg")
    return "aten.add.Tensor";
  return reduceOp == "max" ? "aten.maximum.default" : reduceOp == "min" ? "aten.minimum.default" : "";
}

class StageMerger {
public:
  StageMerger(llvm::ArrayRef<StageProgram> programs, StageOfRank stageOf)
      : programs_(programs), stageOf_(stageOf), stages_(programs.size()) {
    merged_.graph = std::make_unique<Graph>(programs.front().graph->context(), "stages");
  }

  MergedStages run() {
    for (size_t stage = 0; stage != stages_.size(); ++stage)
      addInputs(stage);
    for (bool progresses = true; progresses && merged_.problem.empty();) {
      progresses = false;
      for (size_t stage = 0; stage != stages_.size() && merged_.problem.empty(); ++stage)
        progresses |= step(stage);
    }
    addOutputs();
    return std::move(merged_);
  }

private:
  /// A tensor that a stage sends, receives or reduces together with others.
  struct Late {
    /// known once it has arrived
    Node *node = nullptr;
    Channel channel;
    /// of a receive: the node of the stage's program; null: a reduction
    const Node *buffer = nullptr;
    /// of a reduction
    std::vector<int64_t> members;
    /// how many came before on the channel, or among the reductions of these members
    size_t index = 0;
  };
  struct Stage {
    const Node *next = nullptr;
    llvm::DenseMap<const Node *, Node *> values;
    /// of launches, waits and their elements: indices into late_
    llvm::DenseMap<const Node *, std::vector<size_t>> late;
  };
  /// The reductions over one list of members.
  struct Reductions {
    /// by stage, the tensors in the order of their launches
    std::map<size_t, std::vector<Node *>> launched;
    std::vector<Node *> results;
  };

  void addInputs(size_t stage) {
    const Graph &graph = *programs_[stage].graph;
    stages_[stage].next = graph.front();
    for (const Node *node : placeholdersOf(graph)) {
      Node *input = GraphBuilder(*merged_.graph).input(nameOf(stage, *node), node->type());
      noteOrigin(*input, stage, *node);
      stages_[stage].values[node] = input;
    }
  }

  [[nodiscard]] std::string nameOf(size_t stage, const Node &node) const {
    return programs_[stage].name + "." + node.name().str().str();
  }
  void noteOrigin(const Node &made, size_t stage, const Node &node) {
    merged_.origins[made.name().str()] = {stage, &node};
  }
  void stop(size_t stage, const Node &node, const llvm::Twine &text) {
    if (merged_.problem.empty())
      merged_.problem = "'" + nameOf(stage, node) + "' " + text.str();
  }

  Node *make(size_t stage, const Node &like, llvm::StringRef target, std::vector<Actual> args) {
    GraphBuilder builder(*merged_.graph);
    const std::string name = nameOf(stage, like);
    Node *made = builder.call(
        {.target = target, .args = std::move(args), .kwargs = {}, .name = name, .type = typeOfTensor(like)});
    noteOrigin(*made, stage, like);
    return made;
  }
  /// A launch and a wait have the type of their tensor, if they have one.
  static const Type *typeOfTensor(const Node &node) {
    return node.type() && node.type()->isTensor() ? node.type() : nullptr;
  }

  /// Takes the next node of a stage; returns false if it waits, or is at its end.
  bool step(size_t stage) {
    Stage &state = stages_[stage];
    const Node *node = state.next;
    if (!node || node->opcode() == Opcode::Output)
      return false;
    if (node->opcode() == Opcode::GetAttr)
      return stop(stage, *node, "is a constant or a program of its own, which cannot be joined with other stages"),
             false;
    const bool takesElement = isGetItem(*node) && node->numOperands() != 0;
    if (node->opcode() == Opcode::CallFunction && !takesElement && !hasOperands(stage, *node))
      return false;
    state.next = node->next();
    if (node->opcode() != Opcode::CallFunction)
      return true;
    merged_.order.push_back(uint64_t{node->id()} * stages_.size() + stage);
    if (takesElement)
      takeElement(stage, *node);
    else if (collectiveOf(*node))
      launch(stage, *node);
    else if (!isWait(*node) || !wait(stage, *node))
      copy(stage, *node);
    return true;
  }

  /// Returns whether all operands are known, and makes those that have arrived.
  bool hasOperands(size_t stage, const Node &node) {
    return llvm::all_of(node.dataOperands(), [&](const Node *operand) { return isKnown(stage, *operand); });
  }
  bool isKnown(size_t stage, const Node &node) {
    if (stages_[stage].values.count(&node))
      return true;
    auto late = stages_[stage].late.find(&node);
    if (late == stages_[stage].late.end())
      return false;
    const std::vector<size_t> indices = late->second;
    for (size_t index : indices)
      if (!arrive(stage, node, late_[index]))
        return false;
    if (indices.size() == 1)
      stages_[stage].values[&node] = late_[indices.front()].node;
    return true;
  }

  /// Makes the value of a tensor if it has arrived; returns whether it has.
  bool arrive(size_t stage, const Node &reader, Late &late) {
    if (!late.node)
      late.node = late.buffer ? received(stage, reader, late) : reduced(stage, reader, late);
    return late.node != nullptr;
  }
  Node *received(size_t stage, const Node &reader, const Late &late) {
    const std::vector<Node *> &sent = sent_[late.channel];
    if (late.index >= sent.size())
      return nullptr;
    merged_.order.push_back(sent[late.index]->id());
    // Later readers of the buffer read what was received.
    Node *&buffer = stages_[stage].values[late.buffer];
    return buffer = make(stage, reader, "aten.copy_.default", {buffer, sent[late.index]});
  }

  void takeElement(size_t stage, const Node &node) {
    const Node *list = node.operand(0);
    auto late = stages_[stage].late.find(list);
    const std::optional<int64_t> index = getItemIndex(node);
    if (late != stages_[stage].late.end() && index && static_cast<size_t>(*index) < late->second.size()) {
      stages_[stage].late[&node] = {late->second[static_cast<size_t>(*index)]};
      return;
    }
    if (hasOperands(stage, node))
      return copy(stage, node);
    stop(stage, node, "takes an element that the list does not have");
  }

  void launch(size_t stage, const Node &node) {
    std::optional<CollectiveCall> call = collectiveCall(node);
    const Group *group = call ? programs_[stage].groups->find(call->group) : nullptr;
    const std::vector<int64_t> members = group ? group->members(programs_[stage].rank).vec() : std::vector<int64_t>();
    if (!call || members.empty())
      return stop(stage, node, "is over a group whose ranks are not known");
    if (isPointToPoint(call->spec->kind))
      return transfer(stage, node, transferEnds(node, *call, members, programs_[stage].rank));
    if (llvm::all_of(members, [&](int64_t rank) { return stageOf_(rank).stage == stage; }))
      return copy(stage, node);
    reduce(stage, node, *call, members);
  }

  void transfer(size_t stage, const Node &node, llvm::ArrayRef<TransferEnd> ends) {
    if (ends.empty())
      return stop(stage, node, "has peers that are not known");
    std::vector<size_t> indices;
    for (const TransferEnd &end : ends) {
      Node *tensor = stages_[stage].values.lookup(end.tensor);
      if (!tensor)
        return stop(stage, node, "moves what is no tensor");
      Late late;
      late.channel = end.channel;
      if (end.sends) {
        late.node = tensor;
        sent_[end.channel].push_back(make(stage, node, "aten.clone.default", {tensor}));
      } else {
        late.buffer = end.tensor;
        late.index = expected_[end.channel]++;
      }
      indices.push_back(late_.size());
      late_.push_back(std::move(late));
    }
    stages_[stage].late[&node] = std::move(indices);
  }

  void reduce(size_t stage, const Node &node, const CollectiveCall &call, const std::vector<int64_t> &members) {
    const bool isPlain = call.spec->kind == CollectiveKind::AllReduce && !call.spec->coalesced && !call.spec->inPlace &&
                         !call.spec->legacy && call.inputs.size() == 1 && !combinerOf(call.reduceOp).empty();
    if (!isPlain)
      return stop(stage, node,
                  "is a collective over several stages that is no all_reduce of a sum, mean, least or "
                  "largest value");
    Node *tensor = stages_[stage].values.lookup(call.inputs.front());
    if (!tensor)
      return stop(stage, node, "reduces what is no tensor");
    std::vector<Node *> &launched = reductions_[members].launched[stage];
    Late late;
    late.members = members;
    late.index = launched.size();
    launched.push_back(make(stage, node, "aten.clone.default", {tensor}));
    launches_[launched.back()] = {stage, &node};
    stages_[stage].late[&node] = {late_.size()};
    late_.push_back(std::move(late));
  }

  /// Returns a copy of the result for one stage; null if some stage has not launched.
  Node *reduced(size_t stage, const Node &reader, const Late &late) {
    Reductions &reductions = reductions_[late.members];
    std::map<size_t, std::vector<int64_t>> ranksOf;
    for (int64_t rank : late.members)
      ranksOf[stageOf_(rank).stage].push_back(stageOf_(rank).rank);
    std::vector<Node *> tensors;
    for (const auto &[other, ranks] : ranksOf) {
      const std::vector<Node *> &launched = reductions.launched[other];
      if (late.index >= launched.size())
        return nullptr;
      if (ranks != ranksOf.begin()->second)
        return stop(stage, reader, "is reduced over other ranks on each stage"), nullptr;
      tensors.push_back(launched[late.index]);
    }
    if (late.index == reductions.results.size())
      reductions.results.push_back(combined(tensors, ranksOf.begin()->second.size()));
    merged_.order.push_back(reductions.results[late.index]->id());
    return make(stage, reader, "aten.clone.default", {reductions.results[late.index]});
  }

  /// Combines the tensors of the stages, and those of the other ranks of a stage.
  Node *combined(llvm::ArrayRef<Node *> tensors, size_t numRanks) {
    const auto [stage, launch] = launches_.lookup(tensors.front());
    const CollectiveCall call = *collectiveCall(*launch);
    Node *total = tensors.front();
    for (Node *tensor : tensors.drop_front())
      total = make(stage, *launch, combinerOf(call.reduceOp), {total, tensor});
    if (call.reduceOp == "avg")
      total = make(stage, *launch, "aten.div.Tensor", {total, static_cast<int64_t>(tensors.size())});
    merged_.order.push_back(numRanks);
    if (numRanks == 1)
      return total;
    total = make(stage, *launch, "_c10d_functional.all_reduce.default", {total, call.reduceOp, call.group});
    return make(stage, *launch, "_c10d_functional.wait_tensor.default", {total});
  }

  /// Replaces a wait for transfers or joint reductions, which have arrived; returns false for another wait.
  bool wait(size_t stage, const Node &node) {
    Stage &state = stages_[stage];
    if (llvm::none_of(node.dataOperands(), [&](const Node *operand) { return state.late.count(operand); }))
      return false;
    std::vector<size_t> indices;
    for (const Node *operand : node.dataOperands()) {
      if (auto late = state.late.find(operand); late != state.late.end()) {
        indices.insert(indices.end(), late->second.begin(), late->second.end());
        continue;
      }
      Late known;
      known.node = state.values.lookup(operand);
      indices.push_back(late_.size());
      late_.push_back(std::move(known));
    }
    state.late[&node] = std::move(indices);
    return true;
  }

  void copy(size_t stage, const Node &node) {
    Graph &graph = *merged_.graph;
    ArgumentBuilder builder(graph);
    bool isComplete = true;
    auto valueOf = [&](uint32_t operand) {
      Node *value = stages_[stage].values.lookup(node.operand(operand));
      isComplete &= value != nullptr;
      return value ? value : graph.front();
    };
    const ArgumentCopy arguments = copyArguments(builder, node, valueOf);
    if (!isComplete)
      return stop(stage, node, "reads a list of transfers");
    const std::string name = nameOf(stage, node);
    NodeSpec spec;
    spec.opcode = node.opcode();
    spec.name = name;
    spec.target = node.target();
    spec.type = node.type();
    spec.frame = graph.addFrame(node.graph()->frames()[node.frame()]);
    spec.provenance = graph.makeProvenance(node.provenance());
    Node *copied = graph.create(spec, std::move(builder), arguments.view());
    noteOrigin(*copied, stage, node);
    stages_[stage].values[&node] = copied;
  }

  void addOutputs() {
    std::vector<Actual> outputs;
    for (size_t stage = 0; stage != stages_.size() && merged_.problem.empty(); ++stage) {
      if (const Node *next = stages_[stage].next; next && next->opcode() != Opcode::Output)
        return stop(stage, *next, "waits for what no other stage sends or reduces");
      for (const Node *leaf : outputLeavesOf(*programs_[stage].graph)) {
        if (leaf && !isKnown(stage, *leaf))
          return stop(stage, *leaf, "is an output, and waits for what no other stage sends or reduces");
        if (leaf && !stages_[stage].values.count(leaf))
          return stop(stage, *leaf, "is an output that is a list of transfers");
        outputs.push_back(leaf ? Actual(stages_[stage].values[leaf]) : Actual::none());
      }
    }
    if (merged_.problem.empty())
      GraphBuilder(*merged_.graph).output(std::move(outputs));
  }

  llvm::ArrayRef<StageProgram> programs_;
  StageOfRank stageOf_;
  MergedStages merged_;
  std::vector<Stage> stages_;
  std::vector<Late> late_;
  std::map<Channel, std::vector<Node *>> sent_;
  std::map<Channel, size_t> expected_;
  std::map<std::vector<int64_t>, Reductions> reductions_;
  /// by kept tensor of a reduction
  llvm::DenseMap<const Node *, std::pair<size_t, const Node *>> launches_;
};

} // namespace

MergedStages mergeStages(llvm::ArrayRef<StageProgram> stages, StageOfRank stageOf) {
  return StageMerger(stages, stageOf).run();
}

} // namespace ccgraph::equality
