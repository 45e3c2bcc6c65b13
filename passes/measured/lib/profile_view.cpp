#include "profile_view.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <map>

namespace ccgraph::measured {
namespace {

/// Ranges of PyTorch around operators; they are no work of their own.
constexpr llvm::StringLiteral wrappers[] = {"Torch-Compiled Region", "## Call CompiledFxGraph",
                                            "ProfilerStep#",         "CompiledFunction",
                                            "PyTorch Profiler",      "autograd::engine::evaluate_function"};

bool isWrapper(llvm::StringRef name) {
  return llvm::any_of(wrappers, [&](llvm::StringRef wrapper) { return name.startswith(wrapper); });
}

/// Returns whether one of the sorted times lies in the event.
bool holdsOne(const ProfileEvent &event, llvm::ArrayRef<int64_t> times) {
  auto first = llvm::lower_bound(times, event.begin);
  return first != times.end() && *first < event.end;
}

} // namespace

bool isOnDevice(const ProfileEvent &event) {
  return event.kind == ProfileEventKind::Kernel || event.kind == ProfileEventKind::Copy;
}

ProfileView::ProfileView(const RankProfile &profile, const GraphCalls &graph) : profile_(profile) {
  for (const std::string &name : profile.names) {
    byName_.push_back(graph.find(name));
    byNode_.push_back(graph.findNode(name));
  }
  for (const ProfileEvent &event : profile.events)
    if (isOnDevice(event)) {
      onDevice_ = true;
      if (event.correlation != noCorrelation)
        launched_[event.correlation].push_back(&event);
    }
}

const NamedCalls *ProfileView::namedBy(const ProfileEvent &event) const {
  if (event.node != noStatedNode)
    return byNode_[static_cast<size_t>(event.node)];
  if (event.kind == ProfileEventKind::Annotation)
    return byNode_[event.name];
  return event.kind == ProfileEventKind::Launch ? nullptr : byName_[event.name];
}

std::vector<const ProfileEvent *> ProfileView::hostEvents(const HostWindow &window) const {
  std::vector<const ProfileEvent *> found;
  auto first = llvm::partition_point(profile_.events, [&](const ProfileEvent &e) { return e.begin < window.begin; });
  for (; first != profile_.events.end() && first->begin <= window.end; ++first)
    if ((!window.lane || first->lane == *window.lane) && first->end <= window.end && !isOnDevice(*first))
      found.push_back(&*first);
  return found;
}

llvm::ArrayRef<const ProfileEvent *> ProfileView::launchedBy(const ProfileEvent &launch) const {
  auto found = launched_.find(launch.correlation);
  return found == launched_.end() ? llvm::ArrayRef<const ProfileEvent *>() : llvm::ArrayRef(found->second);
}

void ProfileView::addOutermost(llvm::ArrayRef<const ProfileEvent *> ofThread, FoundCalls &found) const {
  constexpr int64_t never = std::numeric_limits<int64_t>::min();
  std::vector<const ProfileEvent *> rest;
  std::vector<int64_t> begins;
  int64_t end = never;
  for (const ProfileEvent *event : ofThread) {
    if (event->begin < end || event->kind == ProfileEventKind::Launch || event->collective != noCollective)
      continue;
    if (const NamedCalls *named = namedBy(*event)) {
      found.calls.push_back({event, named, 0});
      begins.push_back(event->begin);
      end = event->end;
    } else if (!isWrapper(nameOf(*event))) {
      rest.push_back(event);
    }
  }
  end = never;
  for (const ProfileEvent *event : rest)
    if (event->begin >= end && !holdsOne(*event, begins)) {
      found.others.push_back(event);
      end = event->end;
    }
}

FoundCalls ProfileView::outermost(const HostWindow &window) const {
  std::map<int64_t, std::vector<const ProfileEvent *>> byThread;
  for (const ProfileEvent *event : hostEvents(window))
    byThread[event->lane].push_back(event);
  FoundCalls found;
  for (const auto &[thread, events] : byThread)
    addOutermost(events, found);
  llvm::stable_sort(found.calls,
                    [](const FoundCall &a, const FoundCall &b) { return a.event->begin < b.event->begin; });
  llvm::stable_sort(found.others, [](const ProfileEvent *a, const ProfileEvent *b) { return a->begin < b->begin; });
  return found;
}

FoundCalls ProfileView::match(const HostWindow &window) const {
  FoundCalls found = outermost(window);
  llvm::DenseMap<const NamedCalls *, size_t> counts, seen;
  for (const FoundCall &call : found.calls)
    ++counts[call.named];
  std::vector<FoundCall> matched;
  for (FoundCall &call : found.calls)
    if (counts[call.named] == call.named->calls.size()) {
      call.number = seen[call.named]++;
      matched.push_back(call);
    } else {
      found.others.push_back(call.event);
    }
  llvm::sort(found.others, [](const ProfileEvent *a, const ProfileEvent *b) { return a->begin < b->begin; });
  found.calls = std::move(matched);
  return found;
}

} // namespace ccgraph::measured
