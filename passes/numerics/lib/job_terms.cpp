#include "job_terms.h"

#include "node_values.h"
#include "rank_sums.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/signature.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <map>

namespace ccgraph::numerics {
namespace {

/// A launch that waits for the other members of its group.
struct PendingLaunch {
  size_t rank = 0;
  RankLaunch launch;
};

/// The two ends of a transfer, and its tag.
using TransferKey = std::tuple<std::vector<int64_t>, int64_t, int64_t, int64_t>;

/// The values that one rank has evaluated so far.
struct RankProgress {
  RankProgress(TermTable &table, SumOrder order, int64_t rank) : nodes(table, order, rank) {}
  NodeValues nodes;
  const Node *next = nullptr;
  std::vector<HeldValue> values;
  std::vector<bool> pending;
};

class JobEvaluation {
public:
  JobEvaluation(TermTable &table, const JobProgram &program)
      : table_(table), program_(program), side_(program.side), graphs_(program.ranks), order_(program.order) {
    for (size_t rank = 0; rank != graphs_.size(); ++rank) {
      RankProgress &progress = ranks_.emplace_back(table, order_, static_cast<int64_t>(rank));
      progress.next = graphs_[rank].graph->front();
      progress.values.resize(graphs_[rank].graph->idLimit());
      progress.pending.assign(graphs_[rank].graph->idLimit(), false);
    }
    results_.ranks.resize(graphs_.size());
  }

  JobTerms run() {
    for (bool progresses = true; progresses && results_.problem.empty();) {
      progresses = false;
      for (size_t rank = 0; rank != ranks_.size() && results_.problem.empty(); ++rank)
        progresses |= step(rank);
    }
    for (size_t rank = 0; rank != ranks_.size() && results_.problem.empty(); ++rank)
      if (const Node *node = ranks_[rank].next)
        stop(rank, *node, "it waits for a collective that not all ranks of its group launch");
    return std::move(results_);
  }

private:
  void stop(size_t rank, const Node &node, const llvm::Twine &text) {
    if (!results_.problem.empty())
      return;
    Diagnostic diagnostic = diagnose(node, "same.numerics", text.str());
    results_.problem = std::string(side_ == Side::Before ? "before" : "after") + ", rank " + std::to_string(rank) +
                       ": " + diagnostic.where + ": " + diagnostic.message;
    for (const std::string &note : diagnostic.notes)
      results_.problem += "; " + note;
  }

  /// Evaluates the next node of a rank; returns false if it waits, or is at its end.
  bool step(size_t rank) {
    RankProgress &progress = ranks_[rank];
    const Node *node = progress.next;
    if (!node)
      return false;
    for (const Node *operand : node->dataOperands())
      if (progress.pending[operand->id()])
        return false;
    progress.next = node->next();
    table_.setPlace(side_, {node, static_cast<int64_t>(rank)});
    execute(rank, *node);
    if (!progress.nodes.problem().empty())
      stop(rank, *node, progress.nodes.problem());
    return true;
  }

  void execute(size_t rank, const Node &node) {
    RankProgress &progress = ranks_[rank];
    const std::string name = " of rank " + std::to_string(rank);
    switch (node.opcode()) {
    case Opcode::Placeholder: {
      std::vector<HeldValue> &inputs = results_.ranks[rank].inputs;
      const size_t position = inputs.size();
      std::optional<RunList> elements = program_.inputElements(static_cast<int64_t>(rank), position);
      inputs.push_back(elements ? progress.nodes.newValue(node, node.type(), *elements)
                                : progress.nodes.input(node, "input " + std::to_string(position) + name));
      progress.values[node.id()] = inputs.back();
      return;
    }
    case Opcode::GetAttr:
      progress.values[node.id()] = attribute(rank, node, "attribute " + node.target().str().str() + name);
      return;
    case Opcode::Output:
      for (const Node *leaf : outputLeavesOf(*graphs_[rank].graph))
        results_.ranks[rank].outputs.push_back(leaf ? progress.values[leaf->id()] : HeldValue());
      return;
    case Opcode::CallFunction:
      break;
    }
    if (node.op()->role == OpRole::Collective)
      return launch(rank, node);
    progress.values[node.id()] = progress.nodes.evaluate(node, progress.values);
  }

  /// All reads of an attribute of a rank are of one tensor.
  HeldValue attribute(size_t rank, const Node &node, const std::string &text) {
    auto [place, isNew] = attributes_.try_emplace({rank, text});
    if (isNew)
      place->second = ranks_[rank].nodes.input(node, text);
    return place->second;
  }

  void launch(size_t rank, const Node &node) {
    std::optional<CollectiveCall> call = collectiveCall(node);
    if (!call || call->spec->legacy)
      return stop(rank, node, "there is no rule for this form of a collective");
    const Group *group = graphs_[rank].groups.find(call->group);
    std::vector<int64_t> members = group ? group->members(static_cast<int64_t>(rank)).vec() : std::vector<int64_t>();
    if (members.empty())
      return stop(rank, node, "the ranks of group '" + call->group + "' are not known");
    auto mine = llvm::find(members, static_cast<int64_t>(rank));
    if (mine == members.end())
      return stop(rank, node, "rank " + llvm::Twine(rank) + " is no member of its group '" + call->group + "'");
    PendingLaunch pending{rank, {&node, std::move(*call), {}, members}};
    if (!readInputs(rank, node, pending.launch))
      return;
    ranks_[rank].pending[node.id()] = true;
    if (isPointToPoint(pending.launch.call.spec->kind))
      return transfer(std::move(pending), mine - members.begin());
    auto &queues = waiting_[members];
    queues.resize(members.size());
    queues[static_cast<size_t>(mine - members.begin())].push_back(std::move(pending));
    complete(queues);
  }

  bool readInputs(size_t rank, const Node &node, RankLaunch &launch) {
    for (const Node *input : launch.call.inputs) {
      const HeldValue &value = ranks_[rank].values[input->id()];
      if (!value.isTensor())
        return stop(rank, node, "an input of this collective is no tensor of known sizes"), false;
      HeldTensor sent = value.tensor;
      sent.memory = std::make_shared<Memory>(*value.tensor.memory);
      launch.inputs.push_back(std::move(sent));
    }
    return true;
  }

  /// A send and the receive of the same two ranks and tag, in their order.
  void transfer(PendingLaunch pending, int64_t mine) {
    const CollectiveCall &call = pending.launch.call;
    const bool sends = call.spec->kind == CollectiveKind::Send;
    if (call.spec->kind == CollectiveKind::BatchP2P || call.peers.size() != 1)
      return stop(pending.rank, *pending.launch.node, "there is no rule for this form of a transfer");
    const int64_t tag = call.tags.empty() ? 0 : call.tags.front(), peer = call.peers.front();
    const TransferKey key{pending.launch.members, sends ? mine : peer, sends ? peer : mine, tag};
    if (sends) {
      const Node &node = *pending.launch.node;
      sends_[key].push_back(std::move(pending.launch.inputs.front()));
      ranks_[pending.rank].values[node.id()] =
          HeldValue::of(newTensor(sends_[key].back().dtype, IntList{0}, RunList()));
      ranks_[pending.rank].pending[node.id()] = false;
    } else {
      receives_[key].push_back(std::move(pending));
    }
    while (!sends_[key].empty() && !receives_[key].empty()) {
      const PendingLaunch receive = std::move(receives_[key].front());
      const HeldTensor sent = std::move(sends_[key].front());
      receives_[key].pop_front();
      sends_[key].pop_front();
      std::optional<RunList> elements = readElements(sent);
      if (!elements)
        return stop(receive.rank, *receive.launch.node, "the tensor that is sent is cut too finely");
      give(receive, {{sent.dtype, sent.sizes, *elements}});
    }
  }

  /// Computes the first collective of a group once every member has launched it.
  void complete(std::vector<std::deque<PendingLaunch>> &queues) {
    if (llvm::any_of(queues, [](const std::deque<PendingLaunch> &queue) { return queue.empty(); }))
      return;
    std::vector<const RankLaunch *> launches;
    for (const std::deque<PendingLaunch> &queue : queues)
      launches.push_back(&queue.front().launch);
    const PendingLaunch &first = queues.front().front();
    table_.setPlace(side_, {first.launch.node, static_cast<int64_t>(first.rank)});
    auto received = receivedRows(table_, order_, launches);
    if (!received)
      return stop(first.rank, *first.launch.node, llvm::toString(received.takeError()));
    for (size_t i = 0; i != queues.size(); ++i) {
      give(queues[i].front(), (*received)[i]);
      queues[i].pop_front();
    }
  }

  /// Stores what a member receives: in its buffers, or in new tensors.
  void give(const PendingLaunch &pending, llvm::ArrayRef<ReceivedRow> rows) {
    RankProgress &progress = ranks_[pending.rank];
    const Node &node = *pending.launch.node;
    const CollectiveCall &call = pending.launch.call;
    const bool receives = call.spec->kind == CollectiveKind::Recv;
    llvm::ArrayRef<Node *> targets = call.spec->inPlace || (receives && call.outputs.empty())
                                         ? llvm::ArrayRef<Node *>(call.inputs)
                                         : llvm::ArrayRef<Node *>(call.outputs);
    std::vector<HeldValue> list;
    for (size_t i = 0; i != rows.size(); ++i) {
      if (targets.empty()) {
        list.push_back(HeldValue::of(newTensor(rows[i].dtype, rows[i].sizes, rows[i].elements)));
        continue;
      }
      const HeldValue &target = progress.values[targets[std::min(i, targets.size() - 1)]->id()];
      progress.nodes.store(target, rows[i].elements);
      list.push_back(target);
    }
    if (!progress.nodes.problem().empty())
      return stop(pending.rank, node, progress.nodes.problem());
    progress.values[node.id()] = call.spec->coalesced ? HeldValue::of(std::move(list)) : list.front();
    progress.pending[node.id()] = false;
  }

  TermTable &table_;
  const JobProgram &program_;
  Side side_;
  llvm::ArrayRef<RankGraph> graphs_;
  SumOrder order_;
  std::deque<RankProgress> ranks_;
  /// by members of the group, the launches of each member in order
  std::map<std::vector<int64_t>, std::vector<std::deque<PendingLaunch>>> waiting_;
  std::map<TransferKey, std::deque<HeldTensor>> sends_;
  std::map<TransferKey, std::deque<PendingLaunch>> receives_;
  std::map<std::pair<size_t, std::string>, HeldValue> attributes_;
  JobTerms results_;
};

} // namespace

JobTerms evaluateJob(TermTable &table, const JobProgram &program) { return JobEvaluation(table, program).run(); }

} // namespace ccgraph::numerics
