#include "step_windows.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ccgraph::measured {
namespace {

constexpr llvm::StringLiteral compiledRange = "## Call CompiledFxGraph";
constexpr llvm::StringLiteral profilerRange = "ProfilerStep#";

/// Returns the most frequent value; of equally frequent ones the smallest. `values` is not empty.
template <typename Value>
Value mostFrequent(llvm::ArrayRef<Value> values) {
  std::map<Value, size_t> counts;
  for (const Value &value : values)
    ++counts[value];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto &a, const auto &b) { return a.second < b.second; })
      ->first;
}

/// A compiled graph runs on one thread. A program on a device runs on several.
std::optional<int64_t> threadOf(const ProfileView &view, int64_t thread) {
  return view.onDevice() ? std::nullopt : std::optional(thread);
}

std::vector<WindowList> rangesOf(const ProfileView &view, llvm::StringRef prefix, bool byName) {
  std::map<std::string, WindowList> lists;
  for (const ProfileEvent &event : view.profile().events)
    if (llvm::StringRef name = view.nameOf(event); !isOnDevice(event) && name.startswith(prefix))
      lists[byName ? name.str() : std::string()].windows.push_back(
          {event.begin, event.end, byName ? std::optional(event.lane) : threadOf(view, event.lane)});
  std::vector<WindowList> found;
  for (auto &[name, list] : lists)
    found.push_back(std::move(list));
  return found;
}

/// Returns the thread on which most operators run, for the time of these operators, and of a device all threads;
/// nothing without operators.
std::optional<HostWindow> wholeProgram(const ProfileView &view) {
  std::vector<int64_t> lanes;
  for (const ProfileEvent &event : view.profile().events)
    if (event.kind == ProfileEventKind::Operator && view.nameOf(event).contains("::"))
      lanes.push_back(event.lane);
  if (lanes.empty())
    return std::nullopt;
  HostWindow window{0, 0, threadOf(view, mostFrequent<int64_t>(lanes))};
  bool isFirst = true;
  for (const ProfileEvent &event : view.profile().events)
    if ((!window.lane || event.lane == *window.lane) && event.kind == ProfileEventKind::Operator) {
      window.begin = isFirst ? event.begin : window.begin;
      window.end = std::max(window.end, event.end);
      isFirst = false;
    }
  return window;
}

// Most operators of a repeated program run a multiple of their number in the graph. The first one must do so too,
// since each step begins with it.
std::vector<int64_t> beginsOfSteps(const ProfileView &view, const HostWindow &whole) {
  const std::vector<FoundCall> calls = view.outermost(whole).calls;
  if (calls.empty())
    return {};
  llvm::DenseMap<const NamedCalls *, size_t> counts;
  for (const FoundCall &call : calls)
    ++counts[call.named];
  std::vector<size_t> executions;
  for (const auto &[named, count] : counts)
    if (count % named->calls.size() == 0)
      executions.push_back(count / named->calls.size());
  const NamedCalls *first = calls.front().named;
  if (executions.empty() || counts[first] != mostFrequent<size_t>(executions) * first->calls.size())
    return {};
  std::vector<int64_t> begins;
  size_t seen = 0;
  for (const FoundCall &call : calls)
    if (call.named == first && seen++ % first->calls.size() == 0)
      begins.push_back(call.event->begin);
  return begins;
}

} // namespace

bool isCompiledRange(llvm::StringRef name, const ProfileEvent &event) {
  return !isOnDevice(event) && name.startswith(compiledRange);
}

std::vector<WindowList> windowsOf(const ProfileView &view) {
  for (auto [prefix, byName] : {std::pair(compiledRange, true), std::pair(profilerRange, false)})
    if (std::vector<WindowList> found = rangesOf(view, prefix, byName); !found.empty())
      return found;
  const std::optional<HostWindow> whole = wholeProgram(view);
  if (!whole)
    return {};
  const std::vector<int64_t> begins = beginsOfSteps(view, *whole);
  WindowList list;
  for (size_t i = 0; i != begins.size(); ++i)
    list.windows.push_back({begins[i], i + 1 == begins.size() ? whole->end : begins[i + 1] - 1, whole->lane});
  if (list.windows.empty())
    list.windows.push_back(*whole);
  return {list};
}

} // namespace ccgraph::measured
