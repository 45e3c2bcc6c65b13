// offload-values: v = mm(x, y); r(v); ...; s(v)
//   ->  v = mm(x, y); o = offload(v); r(v); h = wait(o, v); ...; l = reload(h, device); w = wait(l, h); s(w)
//
// Values of the forward pass that the backward pass reads are live at the loss, where most memory is needed.
// recompute-values frees the cheap ones. This pass keeps others, such as products of matrices, in the host's memory
// meanwhile, under a budget below the peak of the program as it stands. The copies run on a stream of their own, and
// schedule-overlap decides when they are issued. So budgets become reachable that no order of the input meets.
//   may we      rewrite/offloading.h: values with a storage of their own that nothing writes, and a machine with a link
//               to the host (Machine::hostLink)
//   which       values at the peak, those first that free the most bytes for a microsecond of their copies that no
//               computation hides; in parts that reduce the peak by a sixteenth, two sixteenths, ... of it. Of these
//               parts, and of the program without any, the one with the fastest schedule within the budget counts; if
//               none fits, the one of the lowest peak
//   do it       rewrite/offloading.h
// Copies move elements unchanged, so results are bitwise equal.
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/offloading.h"
#include "schedule/freed_values.h"
#include "schedule/overlap/bound.h"
#include "schedule/overlap/program_problem.h"
#include "schedule/pass_search.h"

namespace ccgraph {

namespace {

class OffloadValues final : public Pass {
public:
  OffloadValues()
      : Pass({.name = "offload-values",
              .description = "Keeps large values in the host's memory between their early and late readers, where the "
                             "machine has a link to the host and memory is scarce.",
              .phase = Phase::Simplify,
              .choosesNodes = true}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::string repetition() const override {
    return (name() + "{only=" + OptionText<NodeNames>::print({done_}) + "}").str();
  }
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<OffloadValues>(); }

private:
  ChoiceOption<Occasion> when_{*this,
                               "when",
                               Occasion::BelowPeak,
                               {{"below-peak", Occasion::BelowPeak}, {"always", Occasion::Always}},
                               "below-peak: only under a memory budget below the peak of the program; always: also "
                               "where the freed memory makes the step faster"};
  Option<Count> parts_{*this, "parts", Count{8},
                       "how many parts are tried: they reduce the peak by one sixteenth of it, two sixteenths, ..."};
  Option<Count> walks_{*this, "walks", Count{16}, "trial schedules of the search for each part, see schedule-overlap"};
  Option<Count> beam_{*this, "beam", Count{64}, "beam of that search"};
  Option<NodeNames> only_{*this, "only", NodeNames{},
                          "the values that are offloaded, each with the step up to which it is kept at most as in "
                          "v.loss, in this order and without a prediction; *: the pass chooses them"};
  Statistic values_{*this, "offloaded", "values that are copied to the host and back"};
  Statistic bytes_{*this, "bytes", "bytes of these values"};
  Statistic copies_{*this, "copies-ns", "predicted time of the copies to the host and back, in nanoseconds"};
  Statistic searched_{*this, "searched", "parts, with none among them, whose schedule was searched"};
  Statistic after_{*this, "after-ns", "predicted step of the best schedule with the chosen part, in nanoseconds"};
  Reason offloaded_{*this, RemarkKind::Rewritten, "offloaded",
                    "is in the host's memory between `kept-to` and `reader`, so that `bytes` bytes are free; each of "
                    "its two copies takes `copy-ns` ns"};
  Reason small_{*this, RemarkKind::Missed, "small",
                "is live at the peak, and the latency of a copy is longer than the time of its bytes"};
  Reason written_{*this, RemarkKind::Missed, "written", "is live at the peak, and some step writes it"};
  Reason part_{*this, RemarkKind::Missed, "part",
               "is live at the peak, and does not fill a storage alone, or its layout or device is unknown"};
  Reason readThere_{*this, RemarkKind::Missed, "read-at-peak", "is live at the peak, and the step there reads it"};
  Reason flight_{*this, RemarkKind::Missed, "in-flight", "is live at the peak, because a collective has it in flight"};
  Reason otherName_{*this, RemarkKind::Missed, "other-name",
                    "is live at the peak, and a late reader names it by more than a few views of it"};
  Reason opaque_{*this, RemarkKind::Missed, "opaque",
                 "is live at the peak, and an opaque operator before its late readers may use any value"};
  Reason slower_{*this, RemarkKind::Missed, "not-faster",
                 "is live at the peak, and no schedule with more offloaded values is faster or needs less memory"};
  std::vector<std::string> done_; ///< by the last run, as the option `only` names them
  friend class Offloader;
};

std::string textOf(const Offloaded &value) { return freedValueText(*value.value, *value.after); }

/// One run.
class Offloader {
public:
  Offloader(OffloadValues &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), facts_(context.analyses().facts()),
        options_(searchOptionsOf(context, pass.walks_.get(), pass.beam_.get())) {}
  llvm::Expected<Changed> run();

private:
  /// A program with some values offloaded, and its best schedule.
  struct Choice {
    std::vector<std::string> values; ///< as the option `only` names them
    int64_t picoseconds = 0;
    int64_t peakBytes = 0;
  };
  void consider(Graph &graph, const CostModel &cost, llvm::ArrayRef<Offloaded> values);
  void tryParts();
  void choose();
  [[nodiscard]] llvm::Error noLink() const;
  [[nodiscard]] auto freeing() {
    return [this](const Node *value, const Node *after) { return offloading_->offload(value, after) != nullptr; };
  }
  void remarkKept(const Offloading &trial);
  void remarkAll();

  OffloadValues &pass_;
  Graph &graph_;
  PassContext &context_;
  const ProgramFacts &facts_;
  overlap::SearchOptions options_;
  int64_t peak_ = 0; ///< of the program as it stands
  std::optional<Choice> best_;
  std::vector<std::string> tried_;       ///< values of some part
  std::optional<Offloading> offloading_; ///< of the graph itself
};

/// Searches a schedule, unless a bound shows that it is no better than the best one, and keeps the better choice. The
/// program as it stands comes first and wins a tie.
void Offloader::consider(Graph &graph, const CostModel &cost, llvm::ArrayRef<Offloaded> values) {
  const ProgramFacts facts(graph);
  const overlap::ProgramProblem program(graph, facts, cost, {context_.spmd(), context_.bitwise()});
  const bool isMet = best_ && best_->peakBytes <= options_.budget;
  if (isMet && overlap::lowerBounds(program.given().problem).anyMerging.picoseconds >= best_->picoseconds)
    return;
  const Effort effort = values.empty() ? Effort::Thorough : Effort::Once;
  const overlap::Schedule schedule = searchRecorded(context_.analyses().searches(), program.given(), options_, effort);
  ++pass_.searched_;
  auto rank = [&](int64_t peakBytes, int64_t picoseconds) {
    return std::pair(std::max(peakBytes, options_.budget), picoseconds);
  };
  if (best_ && rank(schedule.peakBytes, schedule.picoseconds) >= rank(best_->peakBytes, best_->picoseconds))
    return;
  best_ = {{}, schedule.picoseconds, schedule.peakBytes};
  llvm::transform(values, std::back_inserter(best_->values), textOf);
}

void Offloader::tryParts() {
  std::unique_ptr<Graph> copy = graph_.clone();
  std::unique_ptr<CostModel> costs = context_.cost().forCopy(graph_, *copy);
  const ProgramFacts before(*copy);
  Offloading trial(*copy, before, *costs);
  constexpr int64_t wholes = 16;
  const int64_t parts = std::min(pass_.parts_.get().limit.value_or(wholes), wholes);
  size_t values = 0;
  for (int64_t part = 1; part <= parts; ++part) {
    trial.reduceTo(peak_ - peak_ / wholes * part);
    if (trial.done().size() == values)
      continue;
    values = trial.done().size();
    consider(*copy, *costs, trial.done());
  }
  llvm::transform(trial.done(), std::back_inserter(tried_), textOf);
  remarkKept(trial);
}

void Offloader::choose() {
  consider(graph_, context_.cost(), {});
  tryParts();
  for (const std::string &value : best_->values)
    if (!freeValue(graph_, value, freeing()))
      llvm_unreachable("the copy is the same graph");
  remarkTried(graph_, context_, pass_.slower_, best_->values, tried_);
  pass_.after_ += best_->picoseconds / picosecondsOfNs;
}

llvm::Error Offloader::noLink() const {
  return makeError(diagnose("pass.option",
                            "option 'only' names values to offload, but the machine '" +
                                context_.cost().machine().name +
                                "' states no link to the host; expected a machine with one",
                            "give --machine FILE with \"host_link\": {\"gb_per_s\": ..., \"latency_us\": ...}"));
}

void Offloader::remarkKept(const Offloading &trial) {
  const std::array<const Reason *, numOffloadObstacles> reasons = {
      &pass_.small_,  &pass_.written_,   &pass_.part_,  &pass_.readThere_,
      &pass_.flight_, &pass_.otherName_, &pass_.opaque_};
  ccgraph::remarkKept(graph_, context_, reasons, trial.kept());
}

void Offloader::remarkAll() {
  for (const Offloaded &value : offloading_->done()) {
    context_.remark(pass_.offloaded_, *value.value,
                    {{"reader", value.reader->name().str().str()},
                     {"bytes", std::to_string(value.bytes)},
                     {"copy-ns", std::to_string(value.picoseconds / picosecondsOfNs)},
                     {"kept-to", value.after->name().str().str()}});
    stateOffload(value, context_.certificate());
    pass_.done_.push_back(textOf(value));
    ++pass_.values_;
    pass_.bytes_ += value.bytes;
    pass_.copies_ += 2 * value.picoseconds / picosecondsOfNs;
  }
}

llvm::Expected<Changed> Offloader::run() {
  pass_.done_.clear();
  const bool isNamed = !pass_.only_.get().names.empty();
  const bool hasLink = context_.cost().machine().hostLink.exists();
  if (isNamed && !hasLink)
    return noLink();
  if (!graph_.front() || !hasLink)
    return Changed::No;
  if (!isNamed) {
    const std::optional<int64_t> peak = peakToReduce(graph_, context_, pass_.when_.get(), options_);
    if (!peak)
      return Changed::No;
    peak_ = *peak;
  }
  offloading_.emplace(graph_, facts_, context_.cost());
  if (!isNamed)
    choose();
  else if (llvm::Error error = freeNamed(graph_, pass_.only_.get(), "be offloaded", freeing()))
    return error;
  remarkAll();
  return offloading_->done().empty() ? Changed::No : Changed::Yes;
}

llvm::Expected<Changed> OffloadValues::run(Graph &graph, PassContext &context) {
  return Offloader(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createOffloadValues() { return std::make_unique<OffloadValues>(); }

} // namespace ccgraph
