// recompute-values: v = exp(x); r(v); ...; s(v)   ->   v = exp(x); r(v); ...; u = exp(x); s(u)
//
// Values of the forward pass that the backward pass reads are live at the loss, where most memory is needed. This pass
// computes cheap ones again near their late readers: under a budget below the peak of the program as it stands, and
// with when=always also where the freed memory makes the step faster, since collectives can then be issued earlier. It
// prepares schedule-overlap, whose search evaluates each choice. keep-gathered does the reverse where there is memory
// to spare.
//   may we      rewrite/recomputation.h: pure, cheap calls with a time of their own, and all_gathers, of operands that
//               are unchanged
//   which       values at the peak, those first that free the most bytes for a microsecond, in two orders: a gather
//               takes its time, or none because it overlaps with computation; in parts that reduce the peak by a
//               sixteenth, two sixteenths, ... of it. The parts do not depend on the budget, so with more memory none
//               is lost; but where the budget is met without any, only some of them are tried, and after two parts
//               with repeated gathers that fit and are not faster, no larger one. Of these parts, and of the program
//               without any, the one with the fastest schedule within the budget counts, where repeated gathers must
//               save a thousandth of the step; of equally fast ones (to a nanosecond), the one with the lowest bound,
//               and then with the lowest bound after keep-gathered; if none fits, the one of the lowest peak
//   do it       rewrite/recomputation.h
// The same kernels compute the same numbers, so results are bitwise equal.
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/recomputation.h"
#include "schedule/freed_values.h"
#include "schedule/kept_problem.h"
#include "schedule/overlap/bound.h"
#include "schedule/overlap/program_problem.h"
#include "schedule/overlap/replay.h"
#include "schedule/pass_search.h"

namespace ccgraph {

namespace {

/// Whether results of all_gathers are gathered again.
enum class Gathers : uint8_t { Again, Kept };

class RecomputeValues final : public Pass {
public:
  RecomputeValues()
      : Pass({.name = "recompute-values",
              .description = "Computes cheap values again near their late readers instead of keeping them, where "
                             "memory is scarce.",
              .phase = Phase::Simplify,
              .choosesNodes = true}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::string repetition() const override {
    return (name() + "{only=" + OptionText<NodeNames>::print({done_}) + "}").str();
  }
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<RecomputeValues>(); }

private:
  ChoiceOption<Occasion> when_{
      *this,
      "when",
      Occasion::BelowPeak,
      {{"below-peak", Occasion::BelowPeak}, {"always", Occasion::Always}},
      "below-peak: only under a memory budget below the peak of the program; always: also where the freed memory makes "
      "the step faster"};
  ChoiceOption<Gathers> gathers_{*this,
                                 "gathers",
                                 Gathers::Again,
                                 {{"again", Gathers::Again}, {"kept", Gathers::Kept}},
                                 "again: results of all_gathers may be gathered again; kept: no collective is added"};
  Option<Count> parts_{*this, "parts", Count{8},
                       "how many parts are tried: they reduce the peak by one sixteenth of it, two sixteenths, ..."};
  Option<Count> walks_{*this, "walks", Count{16}, "trial schedules of the search for each part, see schedule-overlap"};
  Option<Count> beam_{*this, "beam", Count{64}, "beam of that search"};
  Option<NodeNames> only_{*this, "only", NodeNames{},
                          "the values that are computed again, each with the step up to which it is kept at most as in "
                          "v.loss, in this order and without a prediction; *: the pass chooses them"};
  Statistic values_{*this, "recomputed", "values that are computed again"};
  Statistic calls_{*this, "calls", "calls that are repeated for them"};
  Statistic bytes_{*this, "bytes", "bytes of the values, less those that are kept instead"};
  Statistic cost_{*this, "cost-ns", "predicted time of the repeated computation, in nanoseconds"};
  Statistic gatheredAgain_{*this, "gathered", "all_gathers among the repeated calls"};
  Statistic gatherTime_{*this, "gather-ns", "predicted time of these all_gathers, in nanoseconds"};
  Statistic searched_{*this, "searched", "parts, with none among them, whose schedule was searched"};
  Statistic after_{*this, "after-ns", "predicted step of the best schedule with the chosen part, in nanoseconds"};
  Reason recomputed_{
      *this, RemarkKind::Rewritten, "recomputed",
      "is computed again before `reader` by `calls` calls, which take `cost-ns` ns, so that `bytes` bytes "
      "are not kept after `kept-to`"};
  Reason cheap_{*this, RemarkKind::Missed, "not-cheap",
                "is live at the peak, and some call that computes it is expensive, random, or has an effect"};
  Reason chain_{*this, RemarkKind::Missed, "long-chain", "is live at the peak, and more than 16 calls compute it"};
  Reason written_{*this, RemarkKind::Missed, "written",
                  "is live at the peak, and some step writes it, or what the calls read that compute it"};
  Reason opaque_{*this, RemarkKind::Missed, "opaque",
                 "is live at the peak, and an opaque operator before its late readers may write any value"};
  Reason flight_{*this, RemarkKind::Missed, "in-flight", "is live at the peak, because a collective has it in flight"};
  Reason smaller_{*this, RemarkKind::Missed, "not-smaller",
                  "is live at the peak, and the values that would be kept instead are as large"};
  Reason unknown_{*this, RemarkKind::Missed, "unknown-time",
                  "is live at the peak, and the durations give no time to some call that computes it, since it is a "
                  "part of a fused kernel or unknown"};
  Reason whole_{*this, RemarkKind::Missed, "not-faster",
                "is live at the peak, and no schedule with more recomputation is faster or needs less memory"};
  std::vector<std::string> done_; ///< by the last run, as the option `only` names them
  friend class Recomputer;
};

/// One run.
class Recomputer {
public:
  Recomputer(RecomputeValues &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), facts_(context.analyses().facts()),
        options_(searchOptionsOf(context, pass.walks_.get(), pass.beam_.get())) {}
  llvm::Expected<Changed> run();

private:
  /// A program with some values computed again, and its best schedule.
  struct Choice {
    std::vector<std::string> values; ///< as the option `only` names them
    int64_t picoseconds = 0;
    int64_t peakBytes = 0;
    /// picoseconds that no schedule beats, with any memory: of these nodes, and without the collectives that
    /// keep-gathered may remove
    std::pair<int64_t, int64_t> bound;
  };
  [[nodiscard]] bool mayGather() const { return pass_.gathers_.get() == Gathers::Again; }
  [[nodiscard]] bool isBetter(const Choice &choice, bool gathers) const;
  void searchWhole();
  [[nodiscard]] SearchRecord::Program &changedBy(llvm::ArrayRef<std::string> values);
  bool consider(Graph &graph, const CostModel &cost, llvm::ArrayRef<Recomputed> values);
  void tryParts(GatherTime time);
  void choose();
  [[nodiscard]] auto freeing() {
    return [this](const Node *value, const Node *after) { return recomputation_->recompute(value, after) != nullptr; };
  }
  void remarkKept(const Recomputation &trial);
  void remarkAll();

  RecomputeValues &pass_;
  Graph &graph_;
  PassContext &context_;
  const ProgramFacts &facts_;
  overlap::SearchOptions options_;
  int64_t peak_ = 0;    ///< of the program as it stands
  std::string program_; ///< the key of the search of the program as it stands
  std::optional<Choice> best_;
  bool isMetWithout_ = false;                  ///< whether the program as it stands meets the budget
  std::vector<std::string> tried_;             ///< values of some part
  std::optional<Recomputation> recomputation_; ///< of the graph itself
};

std::string textOf(const Recomputed &value) { return freedValueText(*value.value, *value.after); }

bool repeatsGathers(llvm::ArrayRef<Recomputed> values) {
  return llvm::any_of(values, [](const Recomputed &value) { return value.gatherTime > 0; });
}

/// Returns true if the choice is better than the best one. Later passes may gain more without repeated gathers, so
/// these must save a thousandth of the step. Of equally fast ones, later passes gain more with a lower bound. A
/// difference below a nanosecond, the unit of all measured durations, counts as none.
bool Recomputer::isBetter(const Choice &choice, bool gathers) const {
  if (!best_)
    return true;
  constexpr int64_t leastPart = 1000;
  const int64_t part = best_->picoseconds / leastPart, least = isMetWithout_ && gathers ? part : 0;
  auto over = [&](const Choice &it) { return std::max(it.peakBytes, options_.budget); };
  if (over(choice) != over(*best_))
    return over(choice) < over(*best_);
  return choice.picoseconds + least < best_->picoseconds ||
         (choice.picoseconds < best_->picoseconds + picosecondsOfNs && choice.bound < best_->bound);
}

/// A program with some values computed again, as a problem.
class ChangedProgram {
public:
  ChangedProgram(Graph &graph, const CostModel &cost, PassContext &context)
      : graph_(graph), context_(context), facts_(graph),
        program_(graph, facts_, cost, {context.spmd(), context.bitwise()}) {}
  [[nodiscard]] const overlap::GraphProblem &given() const { return program_.given(); }
  [[nodiscard]] int64_t bound() const { return boundOf(given().problem); }
  /// Returns the bound without the collectives that keep-gathered may remove.
  [[nodiscard]] int64_t keptBound() const {
    const std::vector<Repetition> kept = keptRepetitions(graph_, facts_, context_.spmd(), [](auto &&...) {});
    return boundOf(withKept(given().problem, given().nodes, facts_, kept));
  }

private:
  static int64_t boundOf(const overlap::Problem &problem) {
    return overlap::lowerBounds(problem).anyMerging.picoseconds;
  }

  Graph &graph_;
  PassContext &context_;
  ProgramFacts facts_;
  overlap::ProgramProblem program_;
};

/// Searches a schedule, unless a bound shows that it is over the budget or no better than the best one. Returns false
/// if it fits the budget and is no better than the best one.
bool Recomputer::consider(Graph &graph, const CostModel &cost, llvm::ArrayRef<Recomputed> values) {
  Choice choice;
  llvm::transform(values, std::back_inserter(choice.values), textOf);
  SearchRecord &record = context_.analyses().searches();
  SearchRecord::Program &known = changedBy(choice.values);
  std::optional<ChangedProgram> program;
  auto given = [&]() -> ChangedProgram & { return program ? *program : program.emplace(graph, cost, context_); };
  if (!known.bound)
    known.bound = given().bound();
  const bool isMet = best_ && best_->peakBytes <= options_.budget;
  if (isMet && *known.bound >= best_->picoseconds)
    return true;
  if (!record.find(known.search, options_.budget)) {
    known.search = recordSearch(record, given().given(), options_, Effort::Once);
    known.keptBound = given().keptBound();
  }
  const overlap::Schedule &schedule = *record.find(known.search, options_.budget);
  ++pass_.searched_;
  choice.picoseconds = schedule.picoseconds;
  choice.peakBytes = schedule.peakBytes;
  choice.bound = {*known.bound, known.keptBound};
  if (!isBetter(choice, repeatsGathers(values)))
    return schedule.peakBytes > options_.budget;
  best_ = std::move(choice);
  return true;
}

/// Tries parts of the values, in the order that follows from this time of gathers.
void Recomputer::tryParts(GatherTime time) {
  std::unique_ptr<Graph> copy = graph_.clone();
  std::unique_ptr<CostModel> costs = context_.cost().forCopy(graph_, *copy);
  const ProgramFacts before(*copy);
  const RepeatableGathers repeatable(*copy, before, context_.spmd());
  Recomputation trial(*copy, before, *costs, {mayGather() ? &repeatable : nullptr, time});
  constexpr int64_t wholes = 16;
  const int64_t parts = std::min(pass_.parts_.get().limit.value_or(wholes), wholes);
  constexpr unsigned mostInVain = 2;
  size_t values = 0;
  unsigned inVain = 0;
  for (int64_t part = 1; part <= parts; ++part) {
    trial.reduceTo(peak_ - peak_ / wholes * part);
    if (trial.done().size() == values)
      continue;
    const bool gathers = repeatsGathers(trial.done());
    // Gathers that take no time are first. Without any, the order is the one that was tried before.
    if (!gathers && time == GatherTime::Hidden)
      return;
    values = trial.done().size();
    inVain = consider(*copy, *costs, trial.done()) || !gathers ? 0 : inVain + 1;
    // Larger parts have these gathers too, which overlap with too little computation.
    if (inVain == mostInVain)
      break;
  }
  llvm::transform(trial.done(), std::back_inserter(tried_), textOf);
  if (time == GatherTime::Exposed)
    remarkKept(trial);
}

/// Returns the record of the program with these values computed again.
SearchRecord::Program &Recomputer::changedBy(llvm::ArrayRef<std::string> values) {
  return context_.analyses().searches().changed(program_ + (mayGather() ? ";again;" : ";kept;") +
                                                llvm::join(values, ","));
}

/// Searches the program as it stands.
void Recomputer::searchWhole() {
  const ChangedProgram whole(graph_, context_.cost(), context_);
  program_ = recordSearch(context_.analyses().searches(), whole.given(), options_, Effort::Thorough);
  SearchRecord::Program &known = changedBy({});
  if (!known.bound)
    known = {.bound = whole.bound(), .keptBound = whole.keptBound(), .search = program_};
}

void Recomputer::choose() {
  searchWhole();
  static_cast<void>(consider(graph_, context_.cost(), {}));
  isMetWithout_ = best_->peakBytes <= options_.budget;
  tryParts(GatherTime::Exposed);
  if (mayGather())
    tryParts(GatherTime::Hidden);
  for (const std::string &value : best_->values)
    if (!freeValue(graph_, value, freeing()))
      llvm_unreachable("the copy is the same graph");
  remarkTried(graph_, context_, pass_.whole_, best_->values, tried_);
  pass_.after_ += best_->picoseconds / picosecondsOfNs;
}

void Recomputer::remarkKept(const Recomputation &trial) {
  const std::array<const Reason *, numRecomputeObstacles> reasons = {
      &pass_.cheap_, &pass_.chain_, &pass_.written_, &pass_.opaque_, &pass_.flight_, &pass_.smaller_, &pass_.unknown_};
  ccgraph::remarkKept(graph_, context_, reasons, trial.kept());
}

void Recomputer::remarkAll() {
  for (const Recomputed &value : recomputation_->done()) {
    context_.remark(pass_.recomputed_, *value.value,
                    {{"reader", value.reader->name().str().str()},
                     {"calls", std::to_string(value.calls.size())},
                     {"cost-ns", std::to_string((value.picoseconds + value.gatherTime) / picosecondsOfNs)},
                     {"bytes", std::to_string(value.bytes)},
                     {"kept-to", value.after->name().str().str()}});
    stateRepetitions(value, context_.certificate());
    pass_.done_.push_back(textOf(value));
    ++pass_.values_;
    pass_.calls_ += static_cast<int64_t>(value.calls.size());
    pass_.bytes_ += value.bytes;
    pass_.cost_ += value.picoseconds / picosecondsOfNs;
    pass_.gatheredAgain_ += value.gatherTime > 0;
    pass_.gatherTime_ += value.gatherTime / picosecondsOfNs;
  }
}

llvm::Expected<Changed> Recomputer::run() {
  pass_.done_.clear();
  const bool isNamed = !pass_.only_.get().names.empty();
  if (!graph_.front())
    return Changed::No;
  if (!isNamed) {
    const std::optional<int64_t> peak = peakToReduce(graph_, context_, pass_.when_.get(), options_);
    if (!peak)
      return Changed::No;
    peak_ = *peak;
  }
  const RepeatableGathers gathers(graph_, facts_, context_.spmd());
  recomputation_.emplace(graph_, facts_, context_.cost(), GathersAgain{mayGather() ? &gathers : nullptr});
  if (!isNamed)
    choose();
  else if (llvm::Error error = freeNamed(graph_, pass_.only_.get(), "be computed again", freeing()))
    return error;
  remarkAll();
  return recomputation_->done().empty() ? Changed::No : Changed::Yes;
}

llvm::Expected<Changed> RecomputeValues::run(Graph &graph, PassContext &context) {
  return Recomputer(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createRecomputeValues() { return std::make_unique<RecomputeValues>(); }

} // namespace ccgraph
