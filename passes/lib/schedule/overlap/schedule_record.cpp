#include "ccgraph/passes/schedule_record.h"

#include "analysis/program_facts.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/frame_place.h"
#include "ccgraph/ir/lifetimes.h"
#include "schedule/overlap/graph_problem.h"
#include "schedule/overlap/replay.h"

namespace ccgraph {

using overlap::StepKind;

namespace {

StepRole roleOf(StepKind kind) {
  switch (kind) {
  case StepKind::Compute:
    return StepRole::Compute;
  case StepKind::Launch:
    return StepRole::Launch;
  case StepKind::Wait:
    return StepRole::Wait;
  case StepKind::Free:
    return StepRole::Free;
  }
  llvm_unreachable("no such kind");
}

/// Returns the line of the user's program, and the module of the node's own frame.
RecordedPlace placeOf(const Frame &line, const Frame &own) {
  auto text = [](const Identifier &word) { return word ? word.str().str() : std::string(); };
  bool isUsers = line.file && !isPyTorchFile(line.file.str());
  return {isUsers ? text(line.file) : "", isUsers ? line.line : 0, isUsers ? text(line.code) : "", moduleOf(own)};
}

/// Places, each once, found by their two source frames.
class PlaceTable {
public:
  PlaceTable(const Graph &graph, std::vector<RecordedPlace> &places) : graph_(graph), places_(places) {
    places_.emplace_back(); // for nodes without a frame
  }

  uint32_t operator()(const Node &node) {
    const Frame &own = graph_.frames()[node.frame()];
    const Frame &line = userFrameOf(node);
    auto [known, isNew] = index_.try_emplace({&line, &own}, static_cast<uint32_t>(places_.size()));
    if (isNew)
      places_.push_back(placeOf(line, own));
    return known->second;
  }

private:
  const Graph &graph_;
  std::vector<RecordedPlace> &places_;
  llvm::DenseMap<std::pair<const Frame *, const Frame *>, uint32_t> index_;
};

class Recorder {
public:
  Recorder(const Graph &graph, const CostModel &costs)
      : graph_(graph), costs_(costs), facts_(graph), groups_(graph, /*spmd=*/true),
        given_(overlap::timesOf(graph, facts_, groups_, costs)) {}

  ScheduleRecord run() {
    for (uint32_t stream = 0; stream < given_.problem.streams; ++stream)
      describeStream(stream);
    describeSteps();
    addTimes();
    findUses();
    return std::move(record_);
  }

private:
  [[nodiscard]] const overlap::Step &step(uint32_t index) const { return given_.problem.steps[index]; }

  void describeSteps() {
    std::vector<int64_t> curve = memoryCurve(graph_, facts_.storages());
    transferOf_.assign(given_.nodes.size(), noStep);
    record_.steps.reserve(given_.nodes.size());
    for (uint32_t i = 0; i < given_.nodes.size(); ++i) {
      const Node &node = *given_.nodes[i];
      RecordedStep &it = record_.steps.emplace_back();
      it.node = node.name().str().str();
      it.operation = node.target().str().str();
      it.role = roleOf(step(i).kind);
      it.source = costs_.estimatedTime(node).source;
      it.place = places_(node);
      it.alive = curve[i];
      record_.peakBytes = std::max(record_.peakBytes, it.alive);
      if (it.role == StepRole::Launch)
        describeTransfer(i);
    }
  }

  void describeTransfer(uint32_t i) {
    const Node &node = *given_.nodes[i];
    transferOf_[i] = static_cast<uint32_t>(record_.transfers.size());
    RecordedTransfer &transfer = record_.transfers.emplace_back();
    transfer.launch = i;
    transfer.group = step(i).stream;
    if (isHostCopy(node)) {
      describeHostCopy(node, transfer);
      return;
    }
    transfer.inputBytes = inputBytes(node).value_or(0);
    transfer.outputBytes = outputBytes(node).value_or(0);
    record_.groups[transfer.group].placement = costs_.placementOf(node);
    std::optional<CollectiveCall> call = collectiveCall(node);
    if (!call) { // a control_deps launches the collective inside it
      transfer.kind = node.target().str().str();
      return;
    }
    transfer.kind = collectiveName(call->spec->kind).str();
    transfer.reduction = call->reduceOp;
    transfer.tensors = std::max<size_t>(1, call->inputs.size());
    const Type *type = call->inputs.empty() ? nullptr : call->inputs.front()->type();
    if (type && type->isTensor())
      transfer.dtype = shortName(type->dtype()).str();
  }

  void describeHostCopy(const Node &node, RecordedTransfer &transfer) const {
    transfer.kind = isOffload(node) ? "offload" : "reload";
    transfer.inputBytes = transfer.outputBytes = step(transfer.launch).bytes;
    if (node.type() && node.type()->isTensor())
      transfer.dtype = shortName(node.type()->dtype()).str();
  }

  void describeStream(uint32_t stream) {
    RecordedGroup &group = record_.groups.emplace_back();
    group.name = overlap::streamName(groups_, stream);
    if (stream == overlap::hostStream(groups_)) {
      group.description = "copies to the host's memory and back";
      group.isHost = true;
      return;
    }
    if (const Group *known = graph_.groups().find(group.name)) {
      group.description = known->description;
      group.assumed = known->assumed;
    }
  }

  void addTimes() {
    overlap::Replay replay = overlap::replay(given_.problem, overlap::asItStands(given_.problem));
    record_.total = replay.total;
    record_.compute = replay.compute;
    record_.exposed = replay.exposed;
    for (uint32_t i = 0; i < record_.steps.size(); ++i) {
      record_.steps[i].begin = replay.at[i];
      record_.steps[i].end = replay.left[i];
      for (uint32_t launch : given_.problem.completes[i])
        if (uint32_t &wait = record_.transfers[transferOf_[launch]].wait; wait == noStep)
          wait = i;
    }
    for (RecordedTransfer &transfer : record_.transfers) {
      transfer.begin = replay.begin[transfer.launch];
      transfer.end = replay.end[transfer.launch];
      transfer.exposed = replay.exposedBy[transfer.launch];
    }
  }

  /// Follows a launch's result through views and waits; the first other node is its use.
  void findUses() {
    std::vector<llvm::SmallVector<uint32_t, 1>> yields(graph_.idLimit());
    for (uint32_t i = 0; i < given_.nodes.size(); ++i) {
      const Node *node = given_.nodes[i];
      const StepRole role = record_.steps[i].role;
      llvm::SmallVector<uint32_t, 1> &mine = yields[node->id()];
      for (const Node *operand : node->dataOperands())
        for (uint32_t transfer : yields[operand->id()])
          if (role == StepRole::Wait || role == StepRole::Free)
            mine.push_back(transfer);
          else
            record_.transfers[transfer].use = std::min(record_.transfers[transfer].use, i);
      llvm::sort(mine);
      mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
      if (role == StepRole::Launch)
        mine.assign(1, transferOf_[i]);
    }
  }

  const Graph &graph_;
  const CostModel &costs_;
  ProgramFacts facts_;
  CommGroups groups_;
  overlap::GraphProblem given_;
  /// by step: index of the transfer that it launches
  std::vector<uint32_t> transferOf_;
  ScheduleRecord record_;
  PlaceTable places_{graph_, record_.places};
};

} // namespace

int64_t ScheduleRecord::communicating() const {
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const RecordedTransfer &transfer : transfers)
    spans.emplace_back(transfer.begin, transfer.end);
  llvm::sort(spans);
  int64_t time = 0, end = 0;
  for (const auto &[from, to] : spans) {
    time += std::max<int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return time;
}

ScheduleRecord recordSchedule(const Graph &graph, const CostModel &costs) { return Recorder(graph, costs).run(); }

} // namespace ccgraph
