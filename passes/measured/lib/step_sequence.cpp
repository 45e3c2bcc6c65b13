#include "step_sequence.h"

#include "ccgraph/ir/diagnostic.h"
#include "step_windows.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <limits>
#include <map>

namespace ccgraph::measured {
namespace {

/// Indices of graphs, in the order of their executions in a step.
using Sequence = std::vector<uint32_t>;

/// One execution of a compiled graph on one rank.
struct GraphExecution {
  uint32_t graph = 0;
  HostWindow window;
  Step step;
};

/// The executions of one rank, in the order of time.
struct RankExecutions {
  int64_t rank = 0;
  const RankProfile *profile = nullptr;
  std::deque<ProfileView> views; ///< by graph
  std::vector<GraphExecution> executions;
  std::vector<std::string> notes;
};

int64_t restTime(const Step &step) {
  int64_t time = 0;
  for (const Unmatched &event : step.rest)
    time += event.end - event.begin;
  return time;
}

/// Finds which compiled graph of a profile is which given graph, and matches all executions.
class RankMatcher {
public:
  RankMatcher(const MatchRequest &request, llvm::ArrayRef<GraphCalls> graphs, RankExecutions &rank)
      : request_(request), graphs_(graphs), rank_(rank) {
    for (const GraphCalls &graph : graphs)
      rank_.views.emplace_back(*rank.profile, graph);
    lists_ = windowsOf(rank_.views.front());
    for (const WindowList &list : lists_)
      for (const HostWindow &window : list.windows)
        begins_.push_back(window.begin);
    llvm::sort(begins_);
  }

  void run() {
    for (auto [graph, list] : assignment())
      addExecutions(graph, lists_[list].windows);
    llvm::stable_sort(rank_.executions,
                      [](const GraphExecution &a, const GraphExecution &b) { return a.window.begin < b.window.begin; });
  }

private:
  struct Score {
    int64_t matched = 0; ///< nanoseconds
    uint32_t graph = 0;
    size_t list = 0;
  };

  [[nodiscard]] RankSource sourceOf(uint32_t graph) const {
    return {rank_.views[graph], graphs_[graph], request_.graphs[graph].graph.groups(), rank_.rank};
  }

  [[nodiscard]] std::vector<StepWindow> withEnds(llvm::ArrayRef<HostWindow> windows) const {
    std::vector<StepWindow> found;
    for (const HostWindow &window : windows) {
      auto next = llvm::upper_bound(begins_, window.begin);
      found.push_back({window, next == begins_.end() ? std::numeric_limits<int64_t>::max() : *next});
    }
    return found;
  }

  /// Of a graph that is another one, at most a few operators are matched by chance.
  [[nodiscard]] std::optional<Score> scoreOf(uint32_t graph, size_t list) const {
    constexpr size_t judged = 3;
    constexpr int64_t least = 4; // of the time of all events, a fourth
    Score score{0, graph, list};
    int64_t rest = 0;
    const FoundSteps found =
        stepsIn(sourceOf(graph), withEnds(llvm::ArrayRef(lists_[list].windows).take_front(judged)));
    for (const Step &step : found.steps) {
      score.matched += matchedTime(step);
      rest += restTime(step);
    }
    return score.matched > 0 && score.matched * least >= score.matched + rest ? std::optional(score) : std::nullopt;
  }

  /// Returns pairs of a graph and a list of windows, those that match for the longest time first.
  [[nodiscard]] std::map<uint32_t, size_t> assignment() const {
    std::vector<Score> scores;
    for (uint32_t graph = 0; graph != graphs_.size(); ++graph)
      for (size_t list = 0; list != lists_.size(); ++list)
        if (std::optional<Score> score = scoreOf(graph, list))
          scores.push_back(*score);
    llvm::stable_sort(scores, [](const Score &a, const Score &b) { return a.matched > b.matched; });
    std::map<uint32_t, size_t> found;
    std::vector<bool> isTaken(lists_.size());
    for (const Score &score : scores)
      if (!isTaken[score.list] && found.try_emplace(score.graph, score.list).second)
        isTaken[score.list] = true;
    return found;
  }

  void addExecutions(uint32_t graph, llvm::ArrayRef<HostWindow> windows) {
    FoundSteps found = stepsIn(sourceOf(graph), withEnds(windows));
    for (size_t i = 0; i != found.steps.size(); ++i)
      rank_.executions.push_back({graph, windows[i], std::move(found.steps[i])});
    llvm::append_range(rank_.notes, found.notes);
  }

  const MatchRequest &request_;
  llvm::ArrayRef<GraphCalls> graphs_;
  RankExecutions &rank_;
  std::vector<WindowList> lists_;
  std::vector<int64_t> begins_; ///< of all windows
};

/// Returns the graph that is executed least often; of equally rare ones that of the last execution, since a profile
/// usually ends with a step.
uint32_t rarestGraph(llvm::ArrayRef<GraphExecution> executions) {
  std::map<uint32_t, size_t> counts;
  for (const GraphExecution &execution : executions)
    ++counts[execution.graph];
  uint32_t rarest = executions.back().graph;
  for (auto [graph, count] : counts)
    rarest = count < counts[rarest] ? graph : rarest;
  return rarest;
}

/// Returns the executions of each step. The last ones, of a step that does not end, are left out.
std::vector<llvm::ArrayRef<GraphExecution>> cutIntoSteps(llvm::ArrayRef<GraphExecution> executions) {
  std::vector<llvm::ArrayRef<GraphExecution>> steps;
  if (executions.empty())
    return steps;
  const uint32_t last = rarestGraph(executions);
  size_t begin = 0;
  for (size_t i = 0; i != executions.size(); ++i)
    if (executions[i].graph == last) {
      steps.push_back(executions.slice(begin, i + 1 - begin));
      begin = i + 1;
    }
  return steps;
}

Sequence sequenceOf(llvm::ArrayRef<GraphExecution> executions) {
  Sequence sequence;
  for (const GraphExecution &execution : executions)
    sequence.push_back(execution.graph);
  return sequence;
}

class SequenceMatcher {
public:
  SequenceMatcher(const MatchRequest &request, llvm::ArrayRef<int64_t> ranks) : request_(request) {
    for (uint32_t i = 0; i != request.graphs.size(); ++i) {
      graphs_.emplace_back(numbers_).add(request.graphs[i], i, request.provenance);
      job_.hasKernelNames |= graphs_.back().hasKernelNames();
    }
    for (size_t i = 0; i != request.profiles.size(); ++i) {
      RankExecutions &rank = ranks_.emplace_back();
      rank.rank = ranks[i];
      rank.profile = &request.profiles[i];
    }
  }

  llvm::Expected<MatchedJob> run() {
    for (RankExecutions &rank : ranks_) {
      RankMatcher(request_, graphs_, rank).run();
      if (rank.executions.empty())
        return rejectTrace(*rank.profile);
    }
    sequence_ = usualSequence();
    addCalls();
    for (RankExecutions &rank : ranks_)
      addRank(rank);
    noteGraphs();
    llvm::sort(job_.ranks, [](const RankSteps &a, const RankSteps &b) { return a.rank < b.rank; });
    return std::move(job_);
  }

private:
  [[nodiscard]] llvm::Error rejectTrace(const RankProfile &profile) const {
    std::string graphs;
    for (const ExecutedGraph &graph : request_.graphs)
      graphs += (graphs.empty() ? "" : ", ") + graph.label;
    Diagnostic diagnostic = diagnose("measured.profile", "this trace executes none of the graphs " + graphs,
                                     "give the graphs that the job executed (--graph chooses one of a log)");
    diagnostic.file = profile.origin;
    return makeError(std::move(diagnostic));
  }

  /// Returns the most frequent sequence of all ranks; of equally frequent ones the longest.
  [[nodiscard]] Sequence usualSequence() const {
    std::map<Sequence, size_t> counts;
    for (const RankExecutions &rank : ranks_)
      for (llvm::ArrayRef<GraphExecution> step : cutIntoSteps(rank.executions))
        ++counts[sequenceOf(step)];
    auto weight = [](const auto &entry) { return std::pair(entry.second, entry.first.size()); };
    return std::max_element(counts.begin(), counts.end(),
                            [&](const auto &a, const auto &b) { return weight(a) < weight(b); })
        ->first;
  }

  /// Returns "forward 0/0", or "forward 0/0 (2)" for the second execution of a step.
  [[nodiscard]] std::string labelOf(size_t position) const {
    const uint32_t graph = sequence_[position];
    const std::string &label = request_.graphs[graph].label;
    if (llvm::count(sequence_, graph) == 1)
      return label;
    const auto number = llvm::count(llvm::ArrayRef(sequence_).take_front(position + 1), graph);
    return label + " (" + std::to_string(number) + ")";
  }

  void addCalls() {
    for (size_t i = 0; i != sequence_.size(); ++i) {
      const auto offset = static_cast<NodeIndex>(job_.calls.size());
      offsets_.push_back(offset);
      llvm::append_range(job_.calls, graphs_[sequence_[i]].calls());
      for (Call &call : llvm::MutableArrayRef(job_.calls).drop_front(offset)) {
        if (sequence_.size() > 1)
          nameByGraph(call, labelOf(i));
        for (NodeIndex &launch : call.launches)
          launch += offset;
      }
    }
  }

  void addRank(RankExecutions &rank) {
    RankSteps steps{rank.rank, rank.profile->origin, rank.views.front().onDevice(), {}};
    size_t kept = 0;
    for (llvm::ArrayRef<GraphExecution> step : cutIntoSteps(rank.executions))
      if (sequenceOf(step) == sequence_) {
        steps.steps.push_back(joined(rank, step));
        kept += step.size();
      }
    if (kept != rank.executions.size())
      rank.notes.push_back(std::to_string(rank.executions.size() - kept) + " of " +
                           std::to_string(rank.executions.size()) +
                           " executions of graphs belong to no complete step and are left out");
    for (const std::string &note : rank.notes)
      job_.notes.push_back("rank " + std::to_string(rank.rank) + ": " + note);
    job_.ranks.push_back(std::move(steps));
  }

  Step joined(const RankExecutions &rank, llvm::ArrayRef<GraphExecution> executions) const {
    Step step{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
    for (size_t i = 0; i != executions.size(); ++i) {
      addExecution(step, executions[i], offsets_[i]);
      if (i + 1 != executions.size())
        addBetween(rank.views.front(), executions[i].window, executions[i + 1].window, step);
    }
    for (const Unmatched &event : step.rest) {
      step.begin = std::min(step.begin, event.begin);
      step.end = std::max(step.end, event.end);
    }
    if (step.end < step.begin)
      step.begin = step.end = 0;
    return step;
  }

  static void addExecution(Step &step, const GraphExecution &execution, NodeIndex offset) {
    const Step &own = execution.step;
    if (own.end > own.begin) {
      step.begin = std::min(step.begin, own.begin);
      step.end = std::max(step.end, own.end);
      step.executions.push_back({execution.graph, own.begin, own.end});
    }
    for (LaneEntry entry : own.lane) {
      for (NodeIndex &node : entry.nodes)
        node += offset;
      step.lane.push_back(std::move(entry));
    }
    for (Transfer transfer : own.transfers) {
      transfer.node += offset;
      step.transfers.push_back(std::move(transfer));
    }
    llvm::append_range(step.rest, own.rest);
  }

  /// The two executions may be on different threads, as forward and backward are on a device.
  static void addBetween(const ProfileView &view, const HostWindow &before, const HostWindow &after, Step &step) {
    if (after.begin <= before.end)
      return;
    addOtherEvents(view, {before.end, after.begin, before.lane}, step);
    if (after.lane != before.lane)
      addOtherEvents(view, {before.end, after.begin, after.lane}, step);
  }

  void noteGraphs() {
    for (uint32_t i = 0; i != request_.graphs.size(); ++i)
      if (!llvm::is_contained(sequence_, i))
        job_.notes.push_back("no step executes " + request_.graphs[i].label + ", so its nodes have no times");
  }

  const MatchRequest &request_;
  CallNumbers numbers_;
  std::vector<GraphCalls> graphs_;
  std::deque<RankExecutions> ranks_;
  Sequence sequence_;
  std::vector<NodeIndex> offsets_; ///< of the calls, by position in the sequence
  MatchedJob job_;
};

} // namespace

bool executesCompiled(const RankProfile &profile) {
  return llvm::any_of(profile.events,
                      [&](const ProfileEvent &event) { return isCompiledRange(profile.nameOf(event), event); });
}

void nameByGraph(Call &call, llvm::StringRef label) { call.name = call.node + " of " + label.str(); }

llvm::Expected<MatchedJob> matchSequences(const MatchRequest &request, llvm::ArrayRef<int64_t> ranks) {
  return SequenceMatcher(request, ranks).run();
}

} // namespace ccgraph::measured
