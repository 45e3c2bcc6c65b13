// keep-gathered: c1 = gather(p); w1 = wait(c1); ...; c2 = gather(p); w2 = wait(c2)
//                ->  c1 = gather(p); w1 = wait(c1); ...   (w1 for w2)
//
// FSDP gathers each parameter in the forward pass and again in the backward pass, and frees it between the two
// (reshard_after_forward). A kept parameter costs memory for the time between, and saves the second gather. This pass
// keeps as many results as make the step faster within the memory budget. It prepares schedule-overlap, whose search
// evaluates each choice.
//   may we      rewrite/repeated_collectives.h: whether the second collective repeats the first
//   which       parts of the results, those first that save the most time for a byte; of these parts, the one with the
//               fastest schedule. The parts do not depend on the budget, so with more memory none is lost
//   do it       rewrite/repeated_collectives.h
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/repetition_reasons.h"
#include "schedule/kept_problem.h"
#include "schedule/overlap/bound.h"
#include "schedule/overlap/program_problem.h"
#include "schedule/overlap/replay.h"
#include "schedule/pass_search.h"

#include <cmath>

namespace ccgraph {

namespace {

class KeepGathered final : public Pass {
public:
  KeepGathered()
      : Pass({.name = "keep-gathered",
              .description = "Keeps results of collectives that the program repeats, and removes the repetitions, "
                             "where the step is predicted to be faster within the memory budget.",
              .phase = Phase::Simplify,
              .choosesNodes = true}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::string repetition() const override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<KeepGathered>(); }

private:
  Option<Count> parts_{*this, "parts", Count{8},
                       "into how many parts the repeated results are divided: one part, two parts, ... are tried"};
  Option<Count> walks_{*this, "walks", Count{16}, "trial schedules of the search for each part, see schedule-overlap"};
  Option<Count> beam_{*this, "beam", Count{64}, "beam of that search"};
  Option<NodeNames> only_{*this, "only", NodeNames{},
                          "the repeated collectives that are removed, without a prediction and whatever memory their "
                          "results need; *: the pass chooses them"};
  Statistic keptResults_{*this, "kept", "repeated collectives removed"};
  Statistic bytes_{*this, "bytes", "bytes of the kept results"};
  Statistic searched_{*this, "searched",
                      "parts, with none among them, whose schedule was searched: no bound showed that they are slower"};
  Statistic after_{*this, "after-ns", "predicted step of the best schedule with the kept results, in nanoseconds"};
  Reason kept_{*this, RemarkKind::Removed, "kept", "the result of `twin` is kept for it"};
  Reason slower_{*this, RemarkKind::Missed, "not-faster",
                 "no schedule is predicted to be faster if the result of `twin` is kept for it too"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget",
                 "with the results that come before it, the kept result of `twin` would exceed the memory budget"};
  RepetitionReasons obstacles_{*this};
  std::vector<std::string> removed_; ///< by the last run
  friend class Keeper;
};

std::string KeepGathered::repetition() const {
  return (name() + "{only=" + OptionText<NodeNames>::print({removed_}) + "}").str();
}

/// One run.
class Keeper {
public:
  Keeper(KeepGathered &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), facts_(context.analyses().facts()),
        options_(searchOptionsOf(context, pass.walks_.get(), pass.beam_.get())) {}
  llvm::Expected<Changed> run();

private:
  /// The first `count` repetitions are kept.
  struct Choice {
    size_t count = 0;
    int64_t picoseconds = 0; ///< of the best schedule
    int64_t bytes = 0;       ///< its peak, or the budget if that is larger
  };
  void collect();
  void sortBySavings();
  [[nodiscard]] std::vector<size_t> countsOfParts() const;
  [[nodiscard]] std::vector<size_t> fittingCounts(const overlap::GraphProblem &given);
  [[nodiscard]] Choice choose(const overlap::GraphProblem &given);
  [[nodiscard]] std::optional<overlap::Schedule> search(const overlap::GraphProblem &given, size_t count,
                                                        int64_t limit);
  [[nodiscard]] SearchRecord::Program &keeping(size_t count);
  [[nodiscard]] overlap::Problem withKept(const overlap::GraphProblem &given, size_t count) const;
  [[nodiscard]] size_t chooseBySchedule();
  [[nodiscard]] llvm::Error takeNamed();
  void remark(size_t count);
  void removeFirst(size_t count);

  KeepGathered &pass_;
  Graph &graph_;
  PassContext &context_;
  const ProgramFacts &facts_;
  overlap::SearchOptions options_;
  std::string program_;           ///< the key of the search of the program as it stands
  std::vector<Repetition> found_; ///< those that may be removed, best first
  size_t fitting_ = 0;            ///< how many of them fit the budget
};

/// What is named may have an unknown size: another run chose it for sizes of one batch.
void Keeper::collect() {
  found_ = keptRepetitions(
      graph_, facts_, context_.spmd(),
      [&](const Repetition &repetition, RepetitionObstacle obstacle) {
        context_.remark(pass_.obstacles_.of(obstacle), *repetition.again, remarkArgs(repetition));
      },
      pass_.only_.get().names.empty() ? UnknownSizes::LeaveOut : UnknownSizes::Include);
}

/// Sorts by the time that a byte saves. Equal ones keep the order of the program: the parameters of the first layers
/// are gathered again at the end of the backward pass, where the last reductions of gradients occupy the same links.
void Keeper::sortBySavings() {
  auto savings = [&](const Repetition &repetition) {
    double time = static_cast<double>(context_.cost().estimatedTime(*repetition.again).picoseconds);
    return time / static_cast<double>(std::max<int64_t>(*outputBytes(*repetition.again), 1));
  };
  llvm::stable_sort(found_, [&](const Repetition &a, const Repetition &b) { return savings(a) > savings(b); });
}

/// Returns how many results make up one part of all bytes, two parts, and so on; ascending, each once.
std::vector<size_t> Keeper::countsOfParts() const {
  int64_t total = 0, sum = 0;
  for (const Repetition &repetition : found_)
    total += *outputBytes(*repetition.again);
  const double parts = static_cast<double>(pass_.parts_.get().limit.value_or(static_cast<int64_t>(found_.size())));
  std::vector<size_t> counts;
  double complete = 0; // parts so far
  for (size_t i = 0; i < found_.size() && parts > 0; ++i) {
    sum += *outputBytes(*found_[i].again);
    double reached =
        i + 1 == found_.size() ? parts : std::floor(static_cast<double>(sum) * parts / static_cast<double>(total));
    if (reached > complete)
      counts.push_back(i + 1);
    complete = reached;
  }
  return counts;
}

overlap::Problem Keeper::withKept(const overlap::GraphProblem &given, size_t count) const {
  return ccgraph::withKept(given.problem, given.nodes, facts_, llvm::ArrayRef(found_).take_front(count));
}

/// Returns the record of the program in which the first results are kept.
SearchRecord::Program &Keeper::keeping(size_t count) {
  return context_.analyses().searches().changed(program_ + ";keep;" + std::to_string(count));
}

/// Returns the counts whose results fit the budget in the input's order.
std::vector<size_t> Keeper::fittingCounts(const overlap::GraphProblem &given) {
  const int64_t peak = overlap::memoryPeak(given.problem, overlap::asItStands(given.problem)).bytes;
  const int64_t limit = std::max(peak, context_.memoryBudget().value_or(overlap::unlimited));
  std::vector<size_t> counts = countsOfParts();
  auto exceeds = [&](size_t count) {
    SearchRecord::Program &known = keeping(count);
    if (!known.peak) {
      const overlap::Problem problem = withKept(given, count);
      known.peak = overlap::memoryPeak(problem, overlap::asItStands(problem)).bytes;
      known.bound = overlap::lowerBounds(problem).anyMerging.picoseconds;
    }
    return *known.peak > limit;
  };
  counts.erase(llvm::find_if(counts, exceeds), counts.end());
  return counts;
}

/// Returns the schedule with the first results kept, or nothing if it takes longer than the limit in picoseconds.
std::optional<overlap::Schedule> Keeper::search(const overlap::GraphProblem &given, size_t count, int64_t limit) {
  SearchRecord &record = context_.analyses().searches();
  SearchRecord::Program &known = keeping(count);
  if (*known.bound > limit)
    return std::nullopt;
  ++pass_.searched_;
  if (!record.find(known.search, options_.budget))
    known.search = recordSearch(record, {withKept(given, count), given.nodes}, options_, Effort::Once);
  return *record.find(known.search, options_.budget);
}

/// Returns the part with the fastest schedule within the budget, which may be none; of equally fast ones the smallest.
/// If no schedule fits, the one of the lowest peak counts.
Keeper::Choice Keeper::choose(const overlap::GraphProblem &given) {
  SearchRecord &record = context_.analyses().searches();
  program_ = recordSearch(record, given, options_, Effort::Thorough);
  keeping(0) = {.bound = overlap::lowerBounds(given.problem).anyMerging.picoseconds, .search = program_};
  std::vector<size_t> counts = fittingCounts(given);
  if (counts.empty())
    return {};
  fitting_ = counts.back();
  counts.insert(counts.begin(), 0);
  std::optional<Choice> best;
  // The largest part first: its schedule is often faster than the bound of every smaller part.
  for (size_t count : llvm::reverse(counts)) {
    const bool isMet = best && best->bytes == options_.budget;
    const std::optional<overlap::Schedule> schedule =
        search(given, count, isMet ? best->picoseconds : overlap::unlimited);
    if (!schedule)
      continue;
    const Choice choice{count, schedule->picoseconds, std::max(schedule->peakBytes, options_.budget)};
    if (!best || std::pair(choice.bytes, choice.picoseconds) <= std::pair(best->bytes, best->picoseconds))
      best = choice;
  }
  return *best;
}

size_t Keeper::chooseBySchedule() {
  sortBySavings();
  overlap::ProgramProblem program(graph_, facts_, context_.cost(), {context_.spmd(), context_.bitwise()});
  Choice choice = choose(program.given());
  pass_.after_ += choice.picoseconds / picosecondsOfNs;
  return choice.count;
}

/// Reduces what was found to the collectives that the option names.
llvm::Error Keeper::takeNamed() {
  std::vector<Repetition> named;
  for (const std::string &name : pass_.only_.get().names) {
    auto isNamed = [&](const Repetition &it) { return it.again->name().str() == name; };
    if (llvm::any_of(named, isNamed))
      continue;
    auto found = llvm::find_if(found_, isNamed);
    if (found == found_.end())
      return makeError(
          diagnose("pass.option",
                   "option 'only' names '" + name + "', which repeats no earlier collective that could be kept for it",
                   "name collectives that --remarks lists for this pass, or leave the option out"));
    named.push_back(*found);
  }
  found_ = std::move(named);
  fitting_ = found_.size();
  return llvm::Error::success();
}

void Keeper::remark(size_t count) {
  for (size_t i = 0; i < found_.size(); ++i) {
    const Reason &reason = i < count ? pass_.kept_ : i < fitting_ ? pass_.slower_ : pass_.budget_;
    context_.remark(reason, *found_[i].again, remarkArgs(found_[i]));
  }
}

/// Removes the first repetitions, in program order.
void Keeper::removeFirst(size_t count) {
  found_.resize(count);
  llvm::sort(found_, [](const Repetition &a, const Repetition &b) { return a.again->isBefore(b.again); });
  for (const Repetition &repetition : found_) {
    pass_.removed_.push_back(repetition.again->name().str().str());
    pass_.bytes_ += outputBytes(*repetition.again).value_or(0);
    ++pass_.keptResults_;
    removeRepetition(graph_, repetition, context_.certificate());
  }
}

llvm::Expected<Changed> Keeper::run() {
  pass_.removed_.clear();
  collect();
  size_t count = 0;
  if (!pass_.only_.get().names.empty()) {
    if (llvm::Error error = takeNamed())
      return error;
    count = found_.size();
  } else if (!found_.empty()) {
    count = chooseBySchedule();
  }
  remark(count);
  removeFirst(count);
  return count > 0 ? Changed::Yes : Changed::No;
}

llvm::Expected<Changed> KeepGathered::run(Graph &graph, PassContext &context) {
  return Keeper(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createKeepGathered() { return std::make_unique<KeepGathered>(); }

} // namespace ccgraph
