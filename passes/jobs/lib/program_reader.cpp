#include "program_reader.h"

#include "call_reader.h"
#include "frontiers.h"

#include "ccgraph/ir/async_pairs.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/frame_place.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/subgraph_calls.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::jobs {
namespace {

constexpr llvm::StringLiteral rule = "job.program";

/// Returns "train.py:41 in step: loss = all_reduce(loss)", the user's own line; empty if the graph has none.
std::string placeOf(const Node &node) {
  const Frame &frame = userFrameOf(node);
  std::string text;
  if (!frame.file)
    return text;
  auto add = [&](llvm::StringRef part) { text.append(part.data(), part.size()); };
  constexpr size_t usualLength = 160;
  text.reserve(usualLength);
  add(frame.file.str());
  text += ':';
  text += std::to_string(frame.line);
  if (frame.function) {
    add(" in ");
    add(frame.function.str());
  }
  if (llvm::StringRef code = frame.code ? frame.code.str().trim() : llvm::StringRef(); !code.empty()) {
    add(": ");
    add(code);
  }
  if (std::string module = moduleOf(frame); !module.empty())
    text += " [" + module + "]";
  return text;
}

/// Returns whether the host reads the value of the call's operand.
bool isHostReadTarget(llvm::StringRef target) {
  return target.contains("_local_scalar_dense") || target.startswith("aten.item");
}

bool launchesSomewhere(const Graph &graph) {
  for (const Node *node : graph)
    if (collectiveOf(*node))
      return true;
  return llvm::any_of(graph.subgraphs(), [](const auto &entry) { return launchesSomewhere(*entry.second); });
}

struct GraphWithStorages {
  const Graph &graph;
  const StorageMap &storages;
};

class ProgramReader {
public:
  ProgramReader(GraphWithStorages from, JobData &data, std::vector<std::vector<int64_t>> &calledRanks)
      : graph_(from.graph), data_(data), calledRanks_(calledRanks), storages_(from.storages), pairs_(graph_, storages_),
        written_(storages_.numStorages()), read_(storages_.numStorages()), inputsOf_(graph_.idLimit()) {}

  llvm::Expected<ReadProgram> read() {
    findReturned();
    for (const Node *node : graph_)
      if (llvm::Error error = visit(*node))
        return error;
    program_.usedGroups = static_cast<Id>(text_.groups.size());
    for (const Group &group : graph_.groups().groups())
      groupOf(group.name, {});
    program_.numGroups = static_cast<Id>(text_.groups.size());
    return ReadProgram{std::move(program_), std::move(text_)};
  }

private:
  llvm::Error visit(const Node &node) {
    if (node.opcode() == Opcode::CallFunction && propertiesOf(*node.op()).onlyReads && isOfSchema(node)) {
      readOnly(node);
      return llvm::Error::success();
    }
    const Effects effects = effectsOf(node);
    Id inputs = inputsOf(node, effects);
    const Node *call = wrappedCall(node);
    if (call && collectiveOf(*call)) {
      if (llvm::Error error = launch(node, *call, inputs))
        return error;
    } else if (node.op() && node.op()->role == OpRole::HigherOrder && hasLaunches(node)) {
      return makeError(diagnose(node, rule, "got a collective in a subgraph, whose place in the order is unknown",
                                "give the graph in which the subgraph is inlined: Inductor's post-grad graph"));
    }
    if (!pairs_.completes(&node).empty())
      inputs = frontiers_.unite(inputs, wait(node));
    if (isHostRead(node))
      addStep(Step::Kind::HostRead, frontiers_[inputs]);
    inputsOf_[node.id()] = inputs;
    write(node, effects, inputs);
    return llvm::Error::success();
  }

  /// Visits a computation that writes no operand, which most nodes are. Its effects are not needed.
  void readOnly(const Node &node) {
    Id inputs = Frontiers::empty;
    for (unsigned i = 0; i < node.numOperands(); ++i)
      for (StorageId storage : storages_.storages(node.operand(i)))
        inputs = frontiers_.unite(inputs, written_[storage]);
    for (const Node *before : node.orderedAfter())
      if (!collectiveOf(*before))
        inputs = frontiers_.unite(inputs, inputsOf_[before->id()]);
    inputsOf_[node.id()] = inputs;
    if (inputs == Frontiers::empty)
      return;
    for (StorageId storage : storages_.storages(&node))
      written_[storage] = frontiers_.unite(written_[storage], inputs);
  }

  /// What is asked of each operator once, because a graph has few.
  struct OpProperties {
    bool isHostRead = false;
    /// it computes, and no parameter of its schema is written
    bool onlyReads = false;
  };

  const OpProperties &propertiesOf(const OpDef &op) {
    auto [known, isNew] = properties_.try_emplace(&op);
    if (isNew) {
      constexpr Access writes = Access::Write | Access::InFlightWrite;
      known->second.isHostRead = isHostReadTarget(op.target.str());
      known->second.onlyReads =
          !known->second.isHostRead && !op.opaque && (op.role == OpRole::Compute || op.role == OpRole::GetItem) &&
          llvm::none_of(op.params, [](const OpParam &param) { return hasAny(param.access, writes); });
    }
    return known->second;
  }

  /// An argument that the schema does not have may be written.
  static bool isOfSchema(const Node &node) {
    return node.args().size() <= node.op()->params.size() && node.kwargs().empty();
  }

  bool isHostRead(const Node &node) {
    return node.opcode() == Opcode::CallFunction && propertiesOf(*node.op()).isHostRead;
  }

  static bool hasLaunches(const Node &node) {
    for (const Node *operand : node.dataOperands())
      if (const Graph *graph = namedSubgraph(*operand); graph && launchesSomewhere(*graph))
        return true;
    return false;
  }

  /// Returns what the operands are computed from, and the launches that still read what the node overwrites.
  Id inputsOf(const Node &node, const Effects &effects) {
    Id inputs = Frontiers::empty;
    for (unsigned i = 0; i < node.numOperands(); ++i)
      for (StorageId storage : storages_.storages(node.operand(i))) {
        inputs = frontiers_.unite(inputs, written_[storage]);
        if (hasAny(effects.operands[i], Access::Write | Access::InFlightWrite))
          inputs = frontiers_.unite(inputs, read_[storage]);
      }
    for (const Node *before : node.orderedAfter())
      if (!collectiveOf(*before))
        inputs = frontiers_.unite(inputs, inputsOf_[before->id()]);
    return inputs;
  }

  void write(const Node &node, const Effects &effects, Id inputs) {
    if (effects.launches || inputs == Frontiers::empty)
      return;
    for (StorageId storage : storages_.storages(&node))
      written_[storage] = frontiers_.unite(written_[storage], inputs);
    for (unsigned i = 0; i < node.numOperands(); ++i)
      if (has(effects.operands[i], Access::Write))
        for (StorageId storage : storages_.storages(node.operand(i)))
          written_[storage] = frontiers_.unite(written_[storage], inputs);
  }

  /// Adds the step of a wait; returns the launches that it completes.
  Id wait(const Node &node) {
    Id completed = Frontiers::empty;
    std::vector<Id> launches;
    for (const Node *launch : pairs_.completes(&node)) {
      auto found = launchIds_.find(launch);
      if (found == launchIds_.end())
        continue;
      launches.push_back(found->second);
      completed = frontiers_.unite(completed, frontierOf_[found->second]);
    }
    addStep(Step::Kind::Wait, launches);
    for (const Node *operand : node.dataOperands())
      for (StorageId storage : storages_.storages(operand))
        written_[storage] = frontiers_.unite(written_[storage], completed);
    return completed;
  }

  void addStep(Step::Kind kind, llvm::ArrayRef<Id> launches) {
    if (launches.empty())
      return;
    program_.steps.push_back({kind, append(program_.stepLaunches, launches)});
  }

  template <typename T>
  static Slice append(std::vector<T> &list, llvm::ArrayRef<T> more) {
    Slice slice{static_cast<Id>(list.size()), static_cast<Id>(more.size())};
    list.insert(list.end(), more.begin(), more.end());
    return slice;
  }

  llvm::Error launch(const Node &node, const Node &inner, Id inputs) {
    std::optional<CollectiveCall> call = collectiveCall(inner);
    llvm::Expected<Id> group = groupOfCall(node, inner);
    if (!group)
      return group.takeError();
    Launch launch;
    launch.text = static_cast<Id>(text_.launches.size());
    text_.launches.push_back({node.name().str().str(), data_.places().add(placeOf(node))});
    launch.group = *group;
    launch.isTransfer = isPointToPoint(call->spec->kind);
    launch.stopsHost = call->spec->kind == CollectiveKind::Barrier;
    launch.neverWaited = !launch.stopsHost && !call->spec->synchronous && isLost(node);
    launch.inputs = append(program_.inputs, frontiers_[inputs]);
    llvm::SmallVector<Id, 2> keys;
    if (launch.isTransfer)
      readMoves(inner, *call, launch, keys);
    else
      launch.call = data_.internCall(readCall(inner, *call));
    if (keys.empty())
      keys.push_back(2 * launch.group);
    auto id = static_cast<Id>(program_.launches.size());
    launchIds_[&node] = id;
    program_.launches.push_back(launch);
    frontierOf_.push_back(frontiers_.addLaunch(std::move(keys)));
    addStep(Step::Kind::Launch, id);
    noteLaunch(node, *call, id);
    return llvm::Error::success();
  }

  /// A synchronous collective completes where it is issued. What the others still read may not be overwritten yet.
  void noteLaunch(const Node &node, const CollectiveCall &call, Id id) {
    const Effects effects = effectsOf(node);
    for (unsigned i = 0; i < node.numOperands(); ++i)
      if (has(effects.operands[i], Access::InFlightRead))
        for (StorageId storage : storages_.storages(node.operand(i)))
          read_[storage] = frontiers_.unite(read_[storage], frontierOf_[id]);
    if (!call.spec->synchronous || call.spec->kind == CollectiveKind::Barrier)
      return;
    addStep(Step::Kind::Wait, id);
    for (StorageId storage : storages_.storages(&node))
      written_[storage] = frontiers_.unite(written_[storage], frontierOf_[id]);
    for (const Node *output : call.outputs)
      if (output->graph() == &graph_)
        for (StorageId storage : storages_.storages(output))
          written_[storage] = frontiers_.unite(written_[storage], frontierOf_[id]);
  }

  void readMoves(const Node &inner, const CollectiveCall &call, Launch &launch, llvm::SmallVector<Id, 2> &keys) {
    std::vector<Move> moves;
    for (const TransferCall &from : readTransfers(inner, call)) {
      Transfer transfer{launch.group, from.peer, from.tag, from.receives};
      auto [entry, isNew] = transferIds_.try_emplace(transfer, static_cast<Id>(program_.transfers.size()));
      if (isNew)
        program_.transfers.push_back(transfer);
      moves.push_back({entry->second, data_.internCall(from.call)});
      keys.push_back(2 * entry->second + 1);
    }
    launch.moves = append<Move>(program_.moves, moves);
  }

  llvm::Expected<Id> groupOfCall(const Node &node, const Node &inner) {
    GroupId id = groupIdOf(node);
    if (id.kind == GroupId::Kind::Unknown || id.kind == GroupId::Kind::Value)
      id = groupIdOf(inner);
    if (id.kind == GroupId::Kind::Ranks)
      return groupOf("ranks " + id.text, id.ranks);
    if (id.kind == GroupId::Kind::Name)
      return groupOf(id.text, {});
    return makeError(diagnose(node, rule, "got a group that is a value of the program, expected one with known ranks",
                              "name the object in the group file, with its ranks"));
  }

  Id groupOf(llvm::StringRef name, llvm::ArrayRef<int64_t> ranks) {
    auto [entry, isNew] = groupIds_.try_emplace(name, static_cast<Id>(text_.groups.size()));
    if (isNew) {
      text_.groups.push_back(data_.names().add(name));
      calledRanks_.push_back(ranks.vec());
    }
    return entry->second;
  }

  void findReturned() {
    const Node *output = graph_.output();
    if (!output)
      return;
    for (const Node *result : output->dataOperands())
      for (StorageId storage : storages_.storages(result))
        returned_.insert(storage);
  }

  /// Returns whether some result is neither waited for nor returned.
  bool isLost(const Node &node) const {
    return pairs_.staysOpen(&node) &&
           llvm::none_of(storages_.storages(&node), [&](StorageId storage) { return returned_.contains(storage); });
  }

  const Graph &graph_;
  JobData &data_;
  std::vector<std::vector<int64_t>> &calledRanks_;
  const StorageMap &storages_;
  AsyncPairs pairs_;
  Frontiers frontiers_;
  Program program_;
  ProgramText text_;
  /// by storage: what its elements are computed from, and the launches that read it in flight
  std::vector<Id> written_, read_;
  /// by node id
  std::vector<Id> inputsOf_;
  /// by launch
  std::vector<Id> frontierOf_;
  llvm::DenseMap<const Node *, Id> launchIds_;
  llvm::StringMap<Id> groupIds_;
  std::map<Transfer, Id> transferIds_;
  llvm::DenseMap<const OpDef *, OpProperties> properties_;
  llvm::DenseSet<StorageId> returned_;
};

} // namespace

llvm::Expected<ReadProgram> readProgram(const Graph &graph, const StorageMap *storages, JobData &data,
                                        std::vector<std::vector<int64_t>> &calledRanks) {
  std::optional<StorageMap> own;
  if (!storages)
    storages = &own.emplace(graph);
  return ProgramReader({graph, *storages}, data, calledRanks).read();
}

} // namespace ccgraph::jobs
