#include "rank_steps.h"

#include "launch_order.h"
#include "step_windows.h"
#include "transfer_match.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <map>
#include <set>

namespace ccgraph::measured {
namespace {

/// Builds the steps of one list of windows.
class StepBuilder {
public:
  StepBuilder(const RankSource &source, FoundSteps &found)
      : view_(source.view), profile_(source.view.profile()), source_(source), found_(found) {}

  void addWindows(llvm::ArrayRef<HostWindow> windows) {
    for (size_t i = 0; i != windows.size(); ++i)
      addWindow({windows[i], i + 1 == windows.size() ? std::numeric_limits<int64_t>::max() : windows[i + 1].begin});
  }

  void addWindow(const StepWindow &it) {
    found_.steps.push_back(view_.onDevice() ? deviceStep(it.window) : hostStep(it.window, it.until));
  }

  /// A trace without host events names the nodes of its kernels: the k-th event of a node is of step k.
  void addStatedSteps() {
    std::vector<std::vector<const ProfileEvent *>> steps;
    std::map<int32_t, size_t> seen;
    for (const ProfileEvent &event : profile_.events)
      if (isOnDevice(event) && event.node != noStatedNode && view_.namedBy(event)) {
        const size_t number = seen[event.node]++;
        steps.resize(std::max(steps.size(), number + 1));
        steps[number].push_back(&event);
      }
    for (auto &events : steps)
      found_.steps.push_back(statedStep(events));
    for (const ProfileEvent &event : profile_.events)
      if (isOnDevice(event) && !view_.namedBy(event))
        addToStepOf(event);
  }

private:
  // --- The host computes ---------------------------------------------------------------------------------------------

  Step hostStep(const HostWindow &window, int64_t until) {
    Step step{window.begin, window.end};
    const FoundCalls found = view_.match(window);
    for (const FoundCall &call : found.calls)
      step.lane.push_back(entryOf(call.named->rule, call.nodes(), call.event->begin, call.event->end));
    const LaunchOrder order(source_.graph, found.calls);
    for (const ProfileEvent *event : found.others)
      if (llvm::SmallVector<NodeIndex, 2> nodes = order.nodesOf(view_.nameOf(*event), event->begin); !nodes.empty())
        step.lane.push_back(computed(Rule::Order, nodes, *event));
      else
        addRest(step, *event);
    llvm::stable_sort(step.lane, [](const LaneEntry &a, const LaneEntry &b) { return a.begin < b.begin; });
    std::vector<const ProfileEvent *> records;
    auto first = llvm::partition_point(profile_.events, [&](const ProfileEvent &e) { return e.begin < window.begin; });
    for (; first != profile_.events.end() && first->begin < until; ++first)
      if (first->collective != noCollective && !isOnDevice(*first))
        records.push_back(&*first);
    // The backend's own threads record these beside the program, so what is not matched is no time of the program.
    addTransfers(step, records);
    return step;
  }

  [[nodiscard]] LaneEntry entryOf(Rule rule, llvm::ArrayRef<NodeIndex> nodes, int64_t begin, int64_t end) const {
    LaneEntry entry{LaneEntry::Kind::Compute, rule, {nodes.begin(), nodes.end()}, begin, end};
    if (nodes.size() == 1 && source_.graph.calls()[nodes.front()].isWait)
      entry.kind = LaneEntry::Kind::Wait;
    else if (nodes.size() == 1 && source_.graph.calls()[nodes.front()].kind)
      entry.kind = LaneEntry::Kind::Launch;
    return entry;
  }

  static LaneEntry computed(Rule rule, llvm::ArrayRef<NodeIndex> nodes, const ProfileEvent &event) {
    return {LaneEntry::Kind::Compute, rule, {nodes.begin(), nodes.end()}, event.begin, event.end};
  }

  void addRest(Step &step, const ProfileEvent &event) {
    step.rest.push_back({view_.nameOf(event).str(), event.begin, event.end});
  }

  // --- A device computes ---------------------------------------------------------------------------------------------

  /// A kernel, with the call of the runtime that launched it.
  struct Launched {
    const ProfileEvent *kernel = nullptr;
    const ProfileEvent *launch = nullptr;
  };

  Step deviceStep(const HostWindow &window) {
    Step step;
    const FoundCalls host = view_.match(window);
    std::vector<Launched> kernels;
    std::vector<const ProfileEvent *> records;
    for (const ProfileEvent *event : view_.hostEvents(window))
      if (event->kind == ProfileEventKind::Launch)
        for (const ProfileEvent *kernel : view_.launchedBy(*event))
          kernel->collective == noCollective ? kernels.push_back({kernel, event}) : records.push_back(kernel);
    std::vector<std::pair<int64_t, LaneEntry>> issued;
    addKernels(step, kernels, host, issued);
    for (const FoundCall &call : host.calls)
      if (LaneEntry entry = entryOf(call.named->rule, call.nodes(), call.event->begin, call.event->begin);
          entry.kind != LaneEntry::Kind::Compute)
        issued.emplace_back(call.event->begin, std::move(entry));
    llvm::stable_sort(issued, [](const auto &a, const auto &b) { return a.first < b.first; });
    for (auto &[time, entry] : issued)
      step.lane.push_back(std::move(entry));
    for (const ProfileEvent *record : addTransfers(step, records))
      addRest(step, *record);
    setDeviceBounds(step);
    return step;
  }

  void addKernels(Step &step, llvm::ArrayRef<Launched> kernels, const FoundCalls &host,
                  std::vector<std::pair<int64_t, LaneEntry>> &issued) {
    const LaunchOrder order(source_.graph, host.calls);
    llvm::DenseMap<const NamedCalls *, size_t> counts, seen;
    auto named = [&](const Launched &it) { return view_.namedBy(*it.kernel); };
    for (const Launched &it : kernels)
      ++counts[named(it)];
    for (const Launched &it : kernels) {
      const NamedCalls *own = named(it);
      if (own && counts[own] == own->calls.size())
        issued.emplace_back(it.launch->begin,
                            entryOf(own->rule, own->calls[seen[own]++], it.kernel->begin, it.kernel->end));
      else if (const FoundCall *call = callAround(host.calls, *it.launch))
        issued.emplace_back(it.launch->begin, computed(call->named->rule, call->nodes(), *it.kernel));
      else if (const auto nodes = order.nodesOf(view_.nameOf(*it.kernel), it.launch->begin); !nodes.empty())
        issued.emplace_back(it.launch->begin, computed(Rule::Order, nodes, *it.kernel));
      else
        addRest(step, *it.kernel);
    }
  }

  /// Returns the matched call of the host in which the launch lies; null if there is none.
  static const FoundCall *callAround(llvm::ArrayRef<FoundCall> calls, const ProfileEvent &launch) {
    auto after = llvm::partition_point(calls, [&](const FoundCall &c) { return c.event->begin <= launch.begin; });
    while (after != calls.begin() && std::prev(after)->event->lane != launch.lane)
      --after;
    if (after == calls.begin() || std::prev(after)->event->end < launch.end)
      return nullptr;
    return &*std::prev(after);
  }

  static void setDeviceBounds(Step &step) {
    step.begin = std::numeric_limits<int64_t>::max();
    step.end = std::numeric_limits<int64_t>::min();
    auto add = [&](int64_t begin, int64_t end) {
      step.begin = std::min(step.begin, begin);
      step.end = std::max(step.end, end);
    };
    for (const LaneEntry &entry : step.lane)
      if (entry.kind == LaneEntry::Kind::Compute)
        add(entry.begin, entry.end);
    for (const Transfer &transfer : step.transfers)
      add(transfer.begin, transfer.end);
    for (const Unmatched &event : step.rest)
      add(event.begin, event.end);
    if (step.begin > step.end)
      step.begin = step.end = 0;
  }

  // Without host events, the order of the program is the order of issue.
  Step statedStep(llvm::ArrayRef<const ProfileEvent *> events) {
    Step step;
    llvm::ArrayRef<Call> calls = source_.graph.calls();
    for (const ProfileEvent *event : events) {
      const NodeIndex node = view_.namedBy(*event)->calls.front().front();
      if (event->collective == noCollective)
        step.lane.push_back({LaneEntry::Kind::Compute, Rule::Stated, {node}, event->begin, event->end});
      else
        step.transfers.push_back({node, membersOf(*event, node), event->begin, event->end});
    }
    for (size_t i = 0; i != calls.size(); ++i)
      if (calls[i].isWait || calls[i].kind)
        step.lane.push_back(entryOf(Rule::Stated, {static_cast<NodeIndex>(i)}, 0, 0));
    llvm::stable_sort(step.lane,
                      [](const LaneEntry &a, const LaneEntry &b) { return a.nodes.front() < b.nodes.front(); });
    setDeviceBounds(step);
    return step;
  }

  void addToStepOf(const ProfileEvent &event) {
    for (Step &step : llvm::reverse(found_.steps))
      if (step.begin <= event.begin || &step == &found_.steps.front())
        return addRest(step, event);
  }

  // --- Collectives ---------------------------------------------------------------------------------------------------

  /// Returns the records that are not matched.
  std::vector<const ProfileEvent *> addTransfers(Step &step, llvm::ArrayRef<const ProfileEvent *> records) {
    FoundTransfers found = matchTransfers(records, profile_, source_.graph.calls());
    for (auto [node, event] : found.matched)
      step.transfers.push_back({node, membersOf(*event, node), event->begin, event->end});
    for (std::string &note : found.notes)
      if (!llvm::is_contained(found_.notes, note))
        found_.notes.push_back(std::move(note));
    return std::move(found.others);
  }

  [[nodiscard]] std::vector<int64_t> membersOf(const ProfileEvent &event, NodeIndex node) const {
    const ProfiledCollective &record = profile_.collectives[static_cast<size_t>(event.collective)];
    std::vector<int64_t> members = record.ranks;
    llvm::StringRef name = record.group.empty() ? source_.graph.calls()[node].group : record.group;
    for (const ProfiledGroup &group : profile_.groups)
      if (members.empty() && group.name == name)
        members = group.ranks;
    const Group *stated = members.empty() ? source_.groups.find(source_.graph.calls()[node].group) : nullptr;
    if (stated && !stated->assumed)
      members = stated->members(source_.rank).vec();
    llvm::sort(members);
    return members;
  }

  const ProfileView &view_;
  const RankProfile &profile_;
  const RankSource &source_;
  FoundSteps &found_;
};

bool statesNodes(const RankProfile &profile) {
  return llvm::any_of(profile.events,
                      [](const ProfileEvent &event) { return isOnDevice(event) && event.node != noStatedNode; });
}

} // namespace

int64_t matchedTime(const Step &step) {
  int64_t time = 0;
  for (const LaneEntry &entry : step.lane)
    if (entry.rule != Rule::Order)
      time += entry.end - entry.begin;
  return time;
}

FoundSteps stepsIn(const RankSource &source, llvm::ArrayRef<StepWindow> windows) {
  FoundSteps found;
  StepBuilder builder(source, found);
  for (const StepWindow &window : windows)
    builder.addWindow(window);
  return found;
}

void addOtherEvents(const ProfileView &view, const HostWindow &window, Step &step) {
  auto add = [&](const ProfileEvent &event) {
    step.rest.push_back({view.nameOf(event).str(), event.begin, event.end});
  };
  if (view.onDevice()) {
    for (const ProfileEvent *event : view.hostEvents(window))
      if (event->kind == ProfileEventKind::Launch)
        for (const ProfileEvent *kernel : view.launchedBy(*event))
          add(*kernel);
    return;
  }
  const FoundCalls found = view.outermost(window);
  for (const FoundCall &call : found.calls)
    add(*call.event);
  for (const ProfileEvent *event : found.others)
    add(*event);
}

FoundSteps findSteps(const RankSource &source) {
  FoundSteps best;
  int64_t most = -1;
  if (statesNodes(source.view.profile())) {
    StepBuilder(source, best).addStatedSteps();
    return best;
  }
  for (const WindowList &list : windowsOf(source.view)) {
    FoundSteps found;
    StepBuilder(source, found).addWindows(list.windows);
    int64_t time = 0;
    for (const Step &step : found.steps)
      time += matchedTime(step);
    if (time > most)
      best = std::move(found), most = time;
  }
  return best;
}

} // namespace ccgraph::measured
