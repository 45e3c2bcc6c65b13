#include "plan_program.h"

#include "frontiers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ccgraph::jobs {
namespace {

class PlanProgramReader {
public:
  PlanProgramReader(const Plan &plan, JobData &data)
      : plan_(plan), data_(data), ofStream_(plan.streams.size(), Frontiers::empty),
        ofEvent_(plan.numEvents, Frontiers::empty) {}

  ReadProgram read() {
    for (const PlanStep &step : plan_.steps)
      read(step);
    program_.usedGroups = static_cast<Id>(text_.groups.size());
    for (const Group &group : plan_.groups)
      groupOf(group.name);
    program_.numGroups = static_cast<Id>(text_.groups.size());
    return {std::move(program_), std::move(text_)};
  }

private:
  void read(const PlanStep &step) {
    Id before = frontiers_.unite(ofHost_, ofStream_[step.stream]), awaited = Frontiers::empty;
    for (EventId event : step.waits)
      awaited = frontiers_.unite(awaited, ofEvent_[event]);
    before = frontiers_.unite(before, awaited);
    if (const CollectiveStep *work = step.collective()) {
      before = frontiers_.unite(before, launch(step, *work, before));
    } else {
      if (step.stream == Plan::computeStream || step.stream == Plan::hostStream)
        addStep(Step::Kind::Wait, frontiers_[awaited]);
      if (step.stream == Plan::hostStream)
        addStep(Step::Kind::HostRead, frontiers_[before]);
    }
    if (step.stream == Plan::hostStream)
      ofHost_ = before;
    ofStream_[step.stream] = before;
    if (step.event)
      ofEvent_[*step.event] = before;
  }

  template <typename T>
  static Slice append(std::vector<T> &list, llvm::ArrayRef<T> more) {
    Slice slice{static_cast<Id>(list.size()), static_cast<Id>(more.size())};
    list.insert(list.end(), more.begin(), more.end());
    return slice;
  }

  void addStep(Step::Kind kind, llvm::ArrayRef<Id> launches) {
    if (!launches.empty())
      program_.steps.push_back({kind, append(program_.stepLaunches, launches)});
  }

  /// Returns the frontier of the launch.
  Id launch(const PlanStep &step, const CollectiveStep &work, Id before) {
    const PlanCollective &first = work.calls.front();
    Launch launch;
    launch.text = static_cast<Id>(text_.launches.size());
    text_.launches.push_back({step.name.str().str(), data_.places().add("")});
    launch.group = groupOf(plan_.groups[first.group].name);
    launch.isTransfer = isPointToPoint(first.kind);
    launch.inputs = append(program_.inputs, frontiers_[before]);
    llvm::SmallVector<Id, 2> keys;
    if (launch.isTransfer)
      readMoves(work, launch, keys);
    else
      launch.call = data_.internCall(callOf(first));
    if (keys.empty())
      keys.push_back(2 * launch.group);
    auto id = static_cast<Id>(program_.launches.size());
    program_.launches.push_back(launch);
    addStep(Step::Kind::Launch, id);
    return frontiers_.addLaunch(std::move(keys));
  }

  void readMoves(const CollectiveStep &work, Launch &launch, llvm::SmallVector<Id, 2> &keys) {
    std::vector<Move> moves;
    for (const PlanCollective &call : work.calls) {
      bool receives = call.kind == CollectiveKind::Recv;
      Transfer transfer{groupOf(plan_.groups[call.group].name), call.peer, call.tag, receives};
      auto [entry, isNew] = transferIds_.try_emplace(transfer, static_cast<Id>(program_.transfers.size()));
      if (isNew)
        program_.transfers.push_back(transfer);
      moves.push_back({entry->second, data_.internCall(callOf(call))});
      keys.push_back(2 * entry->second + 1);
    }
    launch.moves = append<Move>(program_.moves, moves);
  }

  /// Returns what the ranks must agree about: what is sent, or for a receive and a scatter what is received.
  static Call callOf(const PlanCollective &from) {
    Call call;
    call.kind = from.kind;
    call.reduceOp = from.reduceOp;
    if (from.root >= 0)
      call.root = from.root;
    bool isOfResult = from.kind == CollectiveKind::Recv || from.kind == CollectiveKind::Scatter;
    for (const PlanRow &row : from.rows)
      addRow(call, isOfResult ? row.receive : row.send);
    call.sends = numbersOf(from.sendCounts);
    call.receives = numbersOf(from.receiveCounts);
    return call;
  }

  static void addRow(Call &call, const std::optional<PlanWindow> &window) {
    if (!window)
      return call.rows.emplace_back(), void();
    call.rows.push_back({window->type->dtype(), window->type->numElements()});
    if (call.rows.back().elements)
      return;
    std::string text;
    for (const Dim &size : window->type->sizes())
      text += (text.empty() ? "" : ", ") + size.str();
    call.symbols += "[" + text + "]";
  }

  /// Returns no numbers if one is not known.
  static std::vector<int64_t> numbersOf(llvm::ArrayRef<Dim> dims) {
    std::vector<int64_t> numbers;
    for (const Dim &dim : dims) {
      if (!dim.isStatic())
        return {};
      numbers.push_back(dim.value());
    }
    return numbers;
  }

  Id groupOf(llvm::StringRef name) {
    auto [entry, isNew] = groupIds_.try_emplace(name, static_cast<Id>(text_.groups.size()));
    if (isNew)
      text_.groups.push_back(data_.names().add(name));
    return entry->second;
  }

  const Plan &plan_;
  JobData &data_;
  Frontiers frontiers_;
  Program program_;
  ProgramText text_;
  /// what has completed when the last step of the host, of a stream, or the step that records an event has ended
  Id ofHost_ = Frontiers::empty;
  std::vector<Id> ofStream_, ofEvent_;
  llvm::StringMap<Id> groupIds_;
  std::map<Transfer, Id> transferIds_;
};

} // namespace

ReadProgram readPlanProgram(const Plan &plan, JobData &data) { return PlanProgramReader(plan, data).read(); }

} // namespace ccgraph::jobs
