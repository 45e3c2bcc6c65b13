#include "ccgraph/passes/pass_manager.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/guard_check.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/snapshot.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/legality/legality.h"
#include "manager/choice.h"

#include <chrono>

namespace ccgraph {

llvm::StringRef stageName(PassFailure::Stage stage) {
  switch (stage) {
  case PassFailure::Stage::Input:
    return "input";
  case PassFailure::Stage::Run:
    return "run";
  case PassFailure::Stage::Unchanged:
    return "unchanged";
  case PassFailure::Stage::Verify:
    return "verify";
  case PassFailure::Stage::Legality:
    return "legality";
  }
  llvm_unreachable("no such stage");
}

bool isDefectOfPass(const PassFailure &failure) {
  return failure.stage != PassFailure::Stage::Input && failure.stage != PassFailure::Stage::Run && !failure.asTold;
}

bool PipelineRun::changed() const {
  return llvm::any_of(passes, [](const PassRun &run) { return run.changed == Changed::Yes; });
}

namespace {

class Stopwatch {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// One run of a pipeline over one graph.
class Runner {
public:
  Runner(Graph &graph, const Pipeline &pipeline, const PassManagerOptions &options)
      : graph_(graph), pipeline_(pipeline), options_(options), analyses_(graph, options.boundTypes),
        costs_(graph, options.machine ? *options.machine : *machinePreset(defaultMachine), options.durations,
               options.spmd ? RankView::Shared : RankView::Own) {}
  llvm::Expected<PipelineRun> run();

private:
  [[nodiscard]] llvm::Error verifyGraph();
  [[nodiscard]] llvm::Error verifyInput();
  llvm::Error runPass(size_t index);
  llvm::Error check(size_t index, PassContext &context, Changed changed);
  llvm::Error checkUnchanged(size_t index) const;
  void takeSnapshot();
  llvm::Error fail(size_t index, PassFailure::Stage stage, llvm::Error cause) const;
  void takeInputPeak();
  void takeBudget(const Pass &pass);
  void takeChoice(size_t index);
  [[nodiscard]] std::optional<int64_t> budgetOf(const Pass &pass) const;
  void takeCosts(const Pass &pass);
  void predictInput();
  void takeBounds();
  void takeChangedBound(PassContext &context);
  void recordInput();
  void predictResult();
  Graph &graph_;
  const Pipeline &pipeline_;
  const PassManagerOptions &options_;
  Analyses analyses_;
  CostsOnDemand costs_;
  /// the graph before the current pass; empty if nothing is checked
  std::optional<GraphSnapshot> before_;
  PipelineRun result_;
  bool haveBudget_ = false;
  std::optional<Choice> choice_; ///< for the passes that choose nodes
  /// true until the bounds hold for the graph apart from its order and buckets
  bool needsBounds_ = true;
  std::optional<StepBound> changedBound_; ///< the lowest before a pass that chooses nodes
  bool needsChangedBound_ = true;         ///< the graph has changed since it was computed, or it never was
  /// bytes; empty where no pass needs it
  std::optional<int64_t> inputPeak_;
};

std::string textUpTo(const Pipeline &pipeline, size_t index) {
  std::string text;
  for (size_t i = 0; i <= index; ++i)
    text += (i == 0 ? "" : ",") + pipeline.passes()[i]->str();
  return text;
}

llvm::StringRef stageMessage(PassFailure::Stage stage) {
  switch (stage) {
  case PassFailure::Stage::Input:
    return "got a graph that the verifier refuses";
  case PassFailure::Stage::Run:
    return "cannot work on this graph";
  case PassFailure::Stage::Unchanged:
    return "said that it changed nothing, but the graph is not what it was";
  case PassFailure::Stage::Verify:
    return "left a graph that the verifier refuses";
  case PassFailure::Stage::Legality:
    return "made a rewrite that the legality checker rejects";
  }
  llvm_unreachable("no such stage");
}

/// For a pass that follows a file.
llvm::StringRef toldMessage(PassFailure::Stage stage) {
  switch (stage) {
  case PassFailure::Stage::Input:
  case PassFailure::Stage::Run:
  case PassFailure::Stage::Unchanged:
    return stageMessage(stage);
  case PassFailure::Stage::Verify:
    return "was given a rewrite whose graph the verifier rejects";
  case PassFailure::Stage::Legality:
    return "was given a rewrite that the legality checker rejects";
  }
  llvm_unreachable("no such stage");
}

llvm::Error Runner::fail(size_t index, PassFailure::Stage stage, llvm::Error cause) const {
  const Pass &pass = *pipeline_.passes()[index];
  PassFailure failure{index, stage, pass.str(), textUpTo(pipeline_, index), pass.asTold(), &graph_};
  if (options_.onFailure)
    options_.onFailure(failure);
  Diagnostic head =
      diagnose(("pass." + stageName(stage)).str(),
               "pass '" + failure.pass + "' " + (pass.asTold() ? toldMessage(stage) : stageMessage(stage)).str());
  head.where = pass.name().str();
  if (!pass.asTold())
    head.notes.push_back("--pipeline '" + failure.pipeline + "' on the same input shows it again");
  std::vector<Diagnostic> all = {std::move(head)};
  llvm::Error rest = llvm::handleErrors(
      std::move(cause), [&](const DiagnosticError &error) { llvm::append_range(all, error.diagnostics()); });
  return llvm::joinErrors(makeError(std::move(all)), std::move(rest));
}

/// Takes a snapshot if there is none: a pass that changes nothing leaves the last one valid, surroundings and frames
/// included.
void Runner::takeSnapshot() {
  if (!before_ && (options_.verifyEach || options_.checkLegality))
    before_.emplace(graph_);
}

llvm::Error Runner::verifyGraph() {
  VerifyOptions verify;
  verify.storages = &analyses_.storages();
  return verifyOrError(graph_, verify);
}

llvm::Error Runner::checkUnchanged(size_t index) const {
  if (!before_ || before_->matches(graph_))
    return llvm::Error::success();
  return fail(index, PassFailure::Stage::Unchanged, llvm::Error::success());
}

llvm::Error Runner::check(size_t index, PassContext &context, Changed changed) {
  if (changed == Changed::No)
    return checkUnchanged(index);
  if (options_.verifyEach)
    if (llvm::Error error = verifyGraph())
      return fail(index, PassFailure::Stage::Verify, std::move(error));
  if (!options_.checkLegality)
    return llvm::Error::success();
  LegalityOptions legality;
  legality.memoryBudget = budgetOf(*pipeline_.passes()[index]);
  legality.spmd = options_.spmd;
  legality.bitwise = options_.bitwise;
  legality.objects = options_.objects;
  legality.reordersCollectives = pipeline_.passes()[index]->reordersCollectives();
  if (llvm::Error error = checkLegality(*before_, graph_, context.certificate(), legality))
    return fail(index, PassFailure::Stage::Legality, std::move(error));
  return llvm::Error::success();
}

int64_t partOf(int64_t bytes, int64_t percent) {
  constexpr int64_t whole = 100;
  return saturatingAdd(saturatingMultiply(bytes / whole, percent), bytes % whole * percent / whole);
}

/// Takes the peak of the input, and a budget that the caller chose.
void Runner::takeInputPeak() {
  auto moves = [](const std::unique_ptr<Pass> &pass) { return pass->phase() != Phase::Normalize; };
  if (options_.memoryPercent || llvm::any_of(pipeline_.passes(), moves))
    inputPeak_ = peakMemory(graph_, analyses_.storages()).bytes;
  if (options_.limitMemory && options_.hasBudget())
    result_.memoryBudget =
        options_.memoryBudget ? *options_.memoryBudget : partOf(*inputPeak_, *options_.memoryPercent);
}

// The budget is taken before the first pass that may move anything, and after the normalisation, which changes what the
// graph is made of and not what it does. It is what the program needs then, in its own order or in a known one, and
// holds for the whole pipeline.
void Runner::takeBudget(const Pass &pass) {
  if (haveBudget_ || !options_.limitMemory || pass.phase() == Phase::Normalize)
    return;
  haveBudget_ = true;
  auto changed = [](const PassRun &run) { return run.changed == Changed::Yes; };
  if (options_.hasBudget())
    return;
  if (llvm::any_of(result_.passes, changed))
    result_.memoryBudget = peakMemory(graph_, analyses_.storages()).bytes;
  else
    result_.memoryBudget = inputPeak_;
  if (result_.memoryBudget)
    for (const KnownOrder &known : options_.knownOrders)
      result_.memoryBudget = std::max(*result_.memoryBudget, known.peakBytes);
}

/// Returns the budget that the result of a pass must meet.
std::optional<int64_t> Runner::budgetOf(const Pass &pass) const {
  return pass.phase() == Phase::Normalize ? std::nullopt : result_.memoryBudget;
}

/// Takes the choice before the first pass that chooses nodes.
void Runner::takeChoice(size_t index) {
  const llvm::ArrayRef<std::unique_ptr<Pass>> passes = llvm::ArrayRef(pipeline_.passes()).drop_front(index);
  if (choice_ || !passes.front()->choosesNodes() || !needsChoice(passes))
    return;
  const Stopwatch inChoice;
  choice_ = chooseForStep(graph_, passes,
                          {analyses_, costs_, result_.memoryBudget, options_.spmd, options_.bitwise, options_.objects,
                           inputPeak_, options_.knownOrders});
  result_.choiceSeconds += inChoice.seconds();
}

/// Durations are found by name, and a pass may reuse a removed node's name for another node. So if a file names nodes,
/// the model is constructed before any pass that does more than normalize.
void Runner::takeCosts(const Pass &pass) {
  if (pass.phase() == Phase::Normalize)
    return;
  if (options_.machine || options_.durations)
    static_cast<void>(costs_.get());
  predictInput();
  recordInput();
}

void Runner::predictInput() {
  if (!options_.predictTimes || result_.timeBefore)
    return;
  result_.timeBefore = predictTimeline(graph_, analyses_, costs_.get());
}

StepBound lowerOf(const StepBound &a, const StepBound &b) { return b.picoseconds < a.picoseconds ? b : a; }

std::optional<BoundsWithin> lowerOf(const std::optional<BoundsWithin> &a, const std::optional<BoundsWithin> &b) {
  if (!a || !b)
    return std::nullopt;
  return BoundsWithin{b->bytes, lowerOf(a->anyOrder, b->anyOrder), lowerOf(a->anyMerging, b->anyMerging)};
}

/// Computes the bounds of the graph whose order and buckets are chosen. A pass that removes collectives lowers the
/// bounds, so they are computed after it. If such a pass follows a schedule, the lower bounds count.
void Runner::takeBounds() {
  if (!options_.predictTimes || options_.predictBounds == PredictBounds::None || !needsBounds_)
    return;
  needsBounds_ = false;
  const bool within = options_.predictBounds == PredictBounds::WithinBudget;
  StepBounds now = predictBounds(graph_, analyses_, costs_.get(),
                                 {options_.spmd, options_.bitwise, within ? result_.memoryBudget : std::nullopt});
  if (result_.bounds) {
    now.anyOrder = lowerOf(result_.bounds->anyOrder, now.anyOrder);
    now.anyMerging = lowerOf(result_.bounds->anyMerging, now.anyMerging);
    now.within = lowerOf(result_.bounds->within, now.within);
    if (result_.bounds->memory.bytes < now.memory.bytes)
      now.memory = result_.bounds->memory;
  }
  now.anyChange = changedBound_;
  result_.bounds = std::move(now);
}

/// Computes the bound of all choices of nodes before each pass that chooses some. The lowest one counts, because what
/// one pass chooses may permit another choice to the next one.
void Runner::takeChangedBound(PassContext &context) {
  if (!options_.predictTimes || options_.predictBounds == PredictBounds::None || !needsChangedBound_)
    return;
  needsChangedBound_ = false;
  const StepBound now = predictChangedBound(graph_, context);
  changedBound_ = changedBound_ ? lowerOf(*changedBound_, now) : now;
}

void Runner::recordInput() {
  if (options_.recordSchedules && !result_.scheduleBefore)
    result_.scheduleBefore = recordSchedule(graph_, costs_.get());
}

// Around each pass: a snapshot of the graph before, the pass, then the checks of its claims. If a pass reports
// "unchanged", the snapshot verifies this and then serves the next pass too. Statistics count from 0 in each run, since
// one pipeline may run on several graphs.
llvm::Error Runner::runPass(size_t index) {
  Pass &pass = *pipeline_.passes()[index];
  takeBudget(pass);
  takeCosts(pass);
  if (pass.phase() == Phase::Schedule)
    takeBounds();
  bool normalizes = pass.phase() == Phase::Normalize;
  takeChoice(index);
  const Choice choice = pass.choosesNodes() && choice_ ? *choice_ : Choice();
  PassContext context(pass.name(), {analyses_, costs_, choice.budget ? choice.budget : budgetOf(pass), options_.spmd,
                                    options_.bitwise, options_.objects, normalizes ? std::nullopt : inputPeak_,
                                    options_.knownOrders, choice.freesMemory, choice.actionPerValue});
  if (pass.choosesNodes())
    takeChangedBound(context);
  takeSnapshot();
  for (Statistic *statistic : pass.statistics())
    statistic->reset();

  Stopwatch inPass;
  llvm::Expected<Changed> changed = pass.run(graph_, context);
  PassRun record;
  record.seconds = inPass.seconds();
  if (!changed)
    return fail(index, PassFailure::Stage::Run, changed.takeError());
  Stopwatch inChecks;
  if (llvm::Error error = check(index, context, *changed))
    return error;
  if (*changed == Changed::Yes) {
    before_.reset();
    costs_.keepCosts();
    needsChangedBound_ = true;
    needsBounds_ = needsBounds_ || pass.phase() != Phase::Schedule;
  }
  record.checkSeconds = inChecks.seconds();

  record.pass = pass.str();
  record.changed = *changed;
  record.remarks = std::move(context.remarks());
  for (const Statistic *statistic : pass.statistics())
    record.statistics.emplace_back(statistic->name(), statistic->value());
  record.nodes = graph_.size();
  result_.passes.push_back(std::move(record));
  if (*changed == Changed::Yes && options_.onRewrite)
    options_.onRewrite(pass, context.certificate());
  if (*changed == Changed::Yes && options_.afterChange)
    options_.afterChange(pass, graph_);
  return llvm::Error::success();
}

/// Passes and checks rely on a well-formed graph. Without this check the first pass would be blamed for defects of the
/// input.
llvm::Error Runner::verifyInput() {
  if (!options_.verifyEach || !options_.verifyInput || pipeline_.passes().empty())
    return llvm::Error::success();
  llvm::Error error = verifyGraph();
  return error ? fail(0, PassFailure::Stage::Input, std::move(error)) : llvm::Error::success();
}

void Runner::predictResult() {
  takeBounds();
  result_.timeAfter = predictTimeline(graph_, analyses_, costs_.get());
  if (options_.explainExposed > 0)
    result_.exposed = explainExposed(graph_, analyses_, costs_.get(), result_.memoryBudget,
                                     {options_.spmd, options_.bitwise}, options_.explainExposed);
}

llvm::Expected<PipelineRun> Runner::run() {
  const Stopwatch inRun;
  if (llvm::Error error = checkGuards(graph_))
    return error;
  if (llvm::Error error = verifyInput())
    return error;
  takeInputPeak();
  for (size_t i = 0; i < pipeline_.passes().size(); ++i)
    if (llvm::Error error = runPass(i))
      return error;
  recordInput(); // a pipeline may consist of normalize passes only
  if (const CostModel *costs = costs_.made())
    result_.cost = costs->summary();
  if (result_.timeBefore)
    predictResult();
  if (options_.recordSchedules)
    result_.scheduleAfter = recordSchedule(graph_, costs_.get());
  result_.seconds = inRun.seconds();
  return std::move(result_);
}

} // namespace

llvm::Expected<PipelineRun> runPipeline(Graph &graph, const Pipeline &pipeline, const PassManagerOptions &options) {
  return Runner(graph, pipeline, options).run();
}

} // namespace ccgraph
