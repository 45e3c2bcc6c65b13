#include "driver/opt_job.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/json_plan.h"
#include "ccgraph/ir/infer_types.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/equivalence_check.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/machine_choice.h"
#include "ccgraph/toolkit/memory_files.h"
#include "ccgraph/toolkit/node_places.h"
#include "ccgraph/toolkit/pass_options.h"
#include "ccgraph/toolkit/rewrite_graph.h"
#include "ccgraph/toolkit/schedule_files.h"
#include "ccgraph/toolkit/spmd_evidence.h"
#include "ccgraph/toolkit/text.h"
#include "driver/chakra_trace.h"
#include "driver/equivalence_flags.h"
#include "driver/inspection.h"
#include "driver/known_orders.h"
#include "driver/opt_input.h"
#include "driver/over_budget.h"
#include "driver/plan_job.h"
#include "driver/progress_line.h"
#include "driver/reproducer.h"
#include "driver/summary_output.h"
#include "driver/training_step_times.h"
#include "driver/view_job.h"
#include "report/describe_run.h"
#include "report/json_output.h"
#include "report/measured_text.h"
#include "report/rounding.h"
#include "report/sized_rewrite.h"
#include "report/summary.h"

#include "llvm/Support/Format.h"

#include <chrono>

namespace ccgraph::driver {

using namespace report;

namespace {

/// Seconds since it was made or last asked.
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// The way of a file through the tool:
//   read         every graph of the file, or the one that --graph names, and the groups of --groups
//   verify       each graph as it was read: a graph that is not well formed goes no further
//   assume       ranks for groups that no file describes, and verify again if there were any
//   pass         the pipeline, with its own checks after each pass
//   compare      the graph before and after on N ranks, if --check-equivalence asks for it
//   lower        each graph to a plan, if plans are to be written
//   write        all graphs, and only now: if any graph failed anywhere, nothing is written
//   sum up       on standard output, or on standard error where the graph goes to standard output

/// One run over one file. Steps give back an exit code only where they end the run.
class OptJob {
public:
  OptJob(const OptOptions &options, Pipeline pipeline, Streams streams)
      : options_(options), pipeline_(std::move(pipeline)), streams_(streams), input_(options, streams.err) {}

  ExitCode run(std::optional<InputFile> opened) {
    Stopwatch watch;
    if (llvm::Error error = duringLine(streams_.err, "reading", [&] { return input_.open(std::move(opened)); }))
      return fail(std::move(error));
    if (isPlan(input_.file().text()))
      return runPlanFile(options_, input_.file(), streams_);
    if (llvm::Error error = duringLine(streams_.err, "reading", [&] { return input_.load(pipeline_); }))
      return fail(std::move(error));
    times_.read = watch.lap();
    if (options_.verifyOnly)
      return verifyAll();
    for (index_ = 0; index_ < graphs().size(); ++index_)
      if (ExitCode code = process(*graphs()[index_]); code != ExitCode::Ok)
        return code;
    watch.lap();
    if (ExitCode code = lowerAll(); code != ExitCode::Ok)
      return code;
    if (llvm::Error error = options_.writesGraphs() ? write() : llvm::Error::success())
      return fail(std::move(error));
    times_.write = options_.writesGraphs() ? watch.lap() : 0;
    for (Summary &summary : summaries_) {
      summary.times.read = times_.read;
      summary.times.write = times_.write;
    }
    if (llvm::Error error = duringLine(streams_.err, "writing views", [&] { return show(); }))
      return fail(std::move(error));
    if (printsSummary())
      printSummaries(options_, summaries_, streams_);
    return unmet_;
  }

private:
  ExitCode fail(llvm::Error error, ExitCode code = ExitCode::Diagnosed) {
    printError(streams_.err, std::move(error));
    return code;
  }

  // --- One graph -----------------------------------------------------------------------------------------------------

  // The graph before the passes is cloned only for the comparison, since it is a second graph in memory.
  ExitCode process(Graph &graph) {
    Summary summary;
    Stopwatch watch;
    if (ExitCode code = verifyInput(summary); code != ExitCode::Ok)
      return code;
    summary.times.checks = watch.lap();
    prepare(graph);
    ranksDiffer_ = ranksDifferText(graph, input_.ranks());
    if (llvm::Error error = checkAssumption(graph))
      return fail(withPlaces(std::move(error), place()));
    if (llvm::Error error = input_.holdDurationsTo(graph))
      return fail(std::move(error));
    input_.warnOfUnfitFiles(graph);
    if (!options_.compare.empty())
      return compareWithFile(graph);
    known_ = duringLine(streams_.err, "Inductor's order", [&] {
      return knownOrders({input_, pipeline_, [&](Graph &other) { return prepareOther(other); }}, graph, streams_.err);
    });
    describe(graph, summary);
    if (llvm::Error error = compareWithSnapshot(graph, options_.memorySnapshot).moveInto(summary.memory))
      return fail(std::move(error));
    if (options_.views.diff)
      if (llvm::Error error = diffedText(graph).moveInto(textBefore_))
        return fail(std::move(error));
    auto before = options_.equivalenceRanks || options_.wantsAdvice() ? graph.clone() : nullptr;
    auto unmerged = wantsRounding() ? graph.clone() : nullptr;
    watch.lap();
    if (ExitCode code = runPasses(graph, summary); code != ExitCode::Ok)
      return code;
    if (!fitsBudget(graph, summary.run))
      unmet_ = ExitCode::CheckFailed;
    watch.lap();
    if (options_.equivalenceRanks)
      if (ExitCode code = compare(*before, graph, summary); code != ExitCode::Ok)
        return code;
    summary.times.equivalence = options_.equivalenceRanks ? watch.lap() : 0;
    if (wantsSummary())
      gatherFactsAfter(graph, summary);
    if (summary.step)
      duringLine(streams_.err, "other graphs of the step", [&] {
        addTrainingStepTimes(summary,
                             {input_, pipeline_, managerOptions(), [&](Graph &other) { return prepareOther(other); }});
      });
    if (unmerged)
      summary.rounding = duringLine(streams_.err, "the same with --bitwise", [&] {
        return describeRounding({graph, *unmerged, pipeline_, managerOptions()}, summary.run);
      });
    else if (options_.json && !options_.pipeline.manager.bitwise)
      summary.rounding = countRounding(graph, summary.run);
    summary.advised = options_.wantsAdvice();
    if (summary.advised)
      summary.advice =
          duringLine(streams_.err, "trying what else would help", [&] { return adviceFor(*before, summary); });
    summaries_.push_back(std::move(summary));
    return ExitCode::Ok;
  }

  /// Where sizes were bound, bytes are those of the copy that has them.
  void gatherFactsAfter(const Graph &graph, Summary &summary) {
    if (!sized_.describeFacts(graph, summary))
      summary.after = gatherFacts(graph);
  }

  [[nodiscard]] GraphChoice place() const { return input_.place(index_); }
  [[nodiscard]] const GraphList &graphs() const { return input_.graphs(); }

  static bool isError(const Diagnostic &finding) { return finding.severity == Severity::Error; }

  std::vector<Diagnostic> verifyGraph() {
    auto findings = verify(*graphs()[index_], {.strict = options_.strict});
    if (options_.verifyOnly || llvm::any_of(findings, isError))
      addPlaces(findings, place());
    return findings;
  }

  ExitCode verifyInput(Summary &summary) {
    auto findings = verifyGraph();
    auto errors = static_cast<size_t>(llvm::count_if(findings, isError));
    summary.warnings = findings.size() - errors;
    for (const Diagnostic &finding : findings)
      if (isError(finding))
        print(streams_.err, finding);
    return errors ? ExitCode::Diagnosed : ExitCode::Ok;
  }

  /// --verify-only: every graph, whatever is wrong with another.
  ExitCode verifyAll() {
    std::vector<VerifiedGraph> verified;
    ExitCode code = ExitCode::Ok;
    for (index_ = 0; index_ < graphs().size(); ++index_) {
      const Graph &graph = *graphs()[index_];
      VerifiedGraph &entry = verified.emplace_back(VerifiedGraph{options_.input, graph.name().str(), graph.size()});
      entry.findings = verifyGraph();
      entry.wellFormed = llvm::none_of(entry.findings, isError);
      if (!entry.wellFormed)
        code = ExitCode::Diagnosed;
      if (options_.json)
        continue;
      for (const Diagnostic &finding : entry.findings)
        print(streams_.err, finding);
      if (entry.wellFormed)
        streams_.out << graph.name() << ": " << counted(graph.size(), "node") << ", well formed, "
                     << counted(entry.findings.size(), "warning") << '\n';
    }
    if (options_.json)
      printVerifiedJson(streams_.out, verified);
    return code;
  }

  /// What the passes and the interpreter need to know, where something is to be done at all.
  void prepare(Graph &graph) {
    if (options_.dropTypes) {
      forgetTypes(graph);
      inferTypes(graph);
    }
    if (!pipeline_.passes().empty() || options_.equivalenceRanks || options_.writesPlans())
      assumeGroups(graph, options_.equivalenceRanks ? options_.equivalenceRanks : statedRanks(graph));
  }

  /// Because a graph that is well formed may not be so with the ranks that its groups were taken to have.
  static llvm::Error checkAssumption(const Graph &graph) {
    bool assumed = llvm::any_of(graph.groups().groups(), [](const Group &group) { return group.assumed; });
    return assumed ? checkWellFormed(graph) : llvm::Error::success();
  }

  void describe(const Graph &graph, Summary &summary) {
    summary.input = options_.input == "-" ? "<stdin>" : options_.input;
    summary.choice = input_.choice();
    summary.inductorOrder = inductorOrderText(graph, input_.orders());
    summary.given = options_.given;
    summary.ranksDiffer = ranksDiffer_;
    summary.measured = index_ == 0 ? input_.explanation() : std::nullopt; // the step is explained once
    const PassManagerOptions manager = managerOptions();
    const PlannedRun planned = plannedRun(graph, manager);
    describePlan(summary, planned);
    if (wantsSummary())
      describeInput(summary, planned);
    bool decides = !input_.schedule() && !pipeline_.passes().empty();
    sized_.describe(graph, decides ? input_.sizesOf(graph) : SymbolValues(), options_.sizes, summary);
    if (wantsSummary() && !options_.exposed && input_.input().step)
      summary.step = describeStep(input_.input());
  }

  [[nodiscard]] PlannedRun plannedRun(const Graph &graph, const PassManagerOptions &manager) const {
    return {graph,
            pipeline_,
            input_.schedule() ? "--schedule " + options_.schedule : options_.pipeline.levelText(defaultLevel),
            manager,
            input_.ranks(),
            input_.gpus(),
            !options_.pipeline.machine.empty(),
            input_.schedule() != nullptr};
  }

  llvm::Error prepareOther(Graph &graph) {
    if (llvm::Error error = input_.addGivenGroups(graph))
      return error;
    prepare(graph);
    if (llvm::Error error = checkAssumption(graph))
      return error;
    bindSizes(graph, input_.sizesOf(graph));
    return llvm::Error::success();
  }

  [[nodiscard]] PassManagerOptions managerOptions() const {
    PassManagerOptions manager =
        passOptions({options_.pipeline.manager, input_.machine(), input_.durations(), input_.objects(), ranksDiffer_});
    manager.knownOrders = known_;
    return manager;
  }

  // A check that fails after a pass is a defect of ours, whatever the input was: the user gets a file that reproduces
  // it, and an exit code of its own. Any other error is about the input or the options, and names its place in the
  // file.
  ExitCode runPasses(Graph &graph, Summary &summary) {
    PassManagerOptions manager = managerOptions();
    // Because where the budget is missed it is said what any order needs.
    manager.predictTimes = wantsSummary() || manager.hasBudget();
    manager.recordSchedules = options_.views.wantsSchedules();
    manager.explainExposed = options_.explainedCollectives();
    std::optional<PassFailure> failure;
    manager.onFailure = [&](const PassFailure &what) { failure = what; };
    if (options_.printAfterChange)
      manager.afterChange = [&](const Pass &pass, const Graph &after) {
        streams_.err << "# after " << pass.str() << '\n';
        if (llvm::Error error = writeFxText(streams_.err, after))
          printError(streams_.err, std::move(error));
      };
    auto done = duringLine(streams_.err, "passes", [&]() -> llvm::Expected<RewriteResult> {
      RewriteRequest request{pipeline_, input_.schedule(), manager, options_.writesSchedule()};
      std::string warning;
      if (std::optional<RewriteResult> sized = sized_.rewrite(graph, request, summary, warning))
        return std::move(*sized);
      if (!warning.empty())
        streams_.err << options_.input << ": " << warning;
      failure.reset(); // because the graph is rewritten once more, without the sizes
      return rewriteGraph(graph, std::move(request));
    });
    if (!done) {
      bool ours = failure && isDefectOfPass(*failure);
      printError(streams_.err, ours ? done.takeError() : withPlaces(done.takeError(), place()));
      if (ours) {
        OptOptions used = options_;
        used.pipeline.manager.spmd = manager.spmd; // because the file of one rank does not say what the others show
        writeReproducer(used, input_.file(), *failure, streams_.err);
      }
      return ours ? ExitCode::Internal : ExitCode::Diagnosed;
    }
    describeResult(summary, std::move(done->run), graph);
    made_ = std::move(done->schedule);
    report(summary);
    return ExitCode::Ok;
  }

  [[nodiscard]] std::vector<Advice> adviceFor(const Graph &input, const Summary &summary) const {
    if (!summary.run.timeAfter)
      return {};
    return advise(
        {input, pipeline_,
         options_.pipeline.text ? std::nullopt : std::optional(options_.pipeline.level.value_or(defaultLevel)),
         managerOptions(), summary.run.timeAfter->total, summary.after.peakBytes});
  }

  void report(Summary &summary) {
    if (options_.views.remarks)
      for (const Remark &remark : wantedRemarks(options_.views, summary.run))
        print(streams_.err, remark);
    if (!options_.timing)
      return;
    if (const double choice = summary.run.choiceSeconds; choice > 0)
      streams_.err << llvm::format("%9.3f ms choice of nodes, before the passes that choose them\n", choice * 1000);
    for (const PassRun &run : summary.run.passes)
      streams_.err << llvm::format("%9.3f ms pass %9.3f ms checks  ", run.seconds * 1000, run.checkSeconds * 1000)
                   << run.pass << '\n';
  }

  // Because the order that needs least is what the user goes on from, it is written all the same.
  [[nodiscard]] bool fitsBudget(const Graph &graph, const PipelineRun &run) const {
    const PassManagerOptions &manager = options_.pipeline.manager;
    if (!manager.hasBudget() || !manager.limitMemory || options_.pipeline.leastMemory)
      return true;
    std::string error = overBudgetText(options_.input, graph, run, *run.memoryBudget);
    streams_.err << error;
    return error.empty();
  }

  ExitCode compare(const Graph &before, const Graph &after, Summary &summary) {
    auto asked = equivalenceQuestion(options_, input_.objects());
    if (!asked)
      return fail(asked.takeError());
    asked->tolerance = toleranceOf(pipeline_, summary.run);
    EquivalenceAnswer answer = duringLine(streams_.err, "comparing values",
                                          [&] { return checkEquivalenceOf(before, after, std::move(*asked)); });
    summary.equivalence = answer.verdict;
    if (answer.holds)
      return ExitCode::Ok;
    streams_.err << visibleText(options_.input) << ": error: equivalence " << answer.verdict << '\n' << answer.details;
    return ExitCode::CheckFailed;
  }

  ExitCode compareWithFile(const Graph &graph) {
    auto loaded = input_.loadOther(options_.compare);
    if (!loaded)
      return fail(loaded.takeError());
    Graph &other = *loaded->graph;
    prepare(other);
    if (llvm::Error error = checkWellFormed(other))
      return fail(withPlaces(std::move(error), {loaded->input.file, loaded->input.selector}));
    if (options_.equivalenceRanks == 0)
      return compareOrders(options_, input_, {graph, other}, streams_);
    Summary summary;
    if (ExitCode code = compare(graph, other, summary); code != ExitCode::Ok)
      return code;
    if (options_.json)
      printComparisonJson(streams_.out, {options_.input, options_.compare, summary.equivalence});
    else
      streams_.out << "equivalence  " << summary.equivalence << '\n';
    return ExitCode::Ok;
  }

  // --- Out -----------------------------------------------------------------------------------------------------------

  /// Makes the plans that are to be written; a plan that no engine may run is a defect of ours.
  ExitCode lowerAll() {
    for (index_ = 0; options_.writesPlans() && index_ < graphs().size(); ++index_) {
      auto plan = lowerFor(options_, *graphs()[index_], streams_);
      if (!plan)
        return fail(withPlaces(plan.takeError(), place()));
      if (llvm::Error error = verifyPlanOrError(**plan))
        return fail(std::move(error), ExitCode::Internal);
      plans_.push_back(std::move(*plan));
    }
    return ExitCode::Ok;
  }

  llvm::Error write() {
    auto writeAll = [&](llvm::raw_ostream &os) -> llvm::Error {
      for (const auto &plan : plans_)
        writePlanAs(os, *plan, options_.format());
      if (made_)
        writeSchedule(os, *made_);
      if (options_.writesPlans() || made_)
        return llvm::Error::success();
      if (options_.format() == OutputFormat::Chakra) {
        writeChakraTrace(os, *graphs().front(), managerOptions());
        return llvm::Error::success();
      }
      for (const auto &graph : graphs())
        if (llvm::Error error =
                options_.format() == OutputFormat::Json ? writeCheckedJsonGraph(os, *graph) : writeFxText(os, *graph))
          return error;
      return llvm::Error::success();
    };
    if (options_.writesToStdout())
      return writeAll(streams_.out);
    return writeFile(options_.output, writeAll);
  }

  /// What the flags of views ask for; they show one graph.
  llvm::Error show() {
    if (options_.views.given().empty() || !options_.compare.empty()) // because a comparison writes its own report
      return llvm::Error::success();
    llvm::Expected<std::string> after = options_.views.diff ? diffedText(*graphs().front()) : std::string();
    return after ? writeViews(options_.views, {summaries_.front(), textBefore_, *after}, streams_) : after.takeError();
  }

  [[nodiscard]] bool printsSummary() const { return options_.printsSummary(); }
  /// A report holds the summary too.
  [[nodiscard]] bool wantsSummary() const { return printsSummary() || !options_.views.report.empty(); }
  /// Whether the passes run once more with --bitwise: a search of -O3 would double the time of a run that is long
  /// already, and so would each run of a script that writes graphs.
  [[nodiscard]] bool wantsRounding() const {
    constexpr unsigned longest = 3;
    bool isOfScript = options_.json && options_.writesGraphs() && !options_.summary;
    return options_.printsSummary() && !isOfScript && !options_.exposed && !input_.schedule() &&
           !options_.pipeline.manager.bitwise && options_.pipeline.level.value_or(defaultLevel) < longest;
  }

  const OptOptions &options_;
  Pipeline pipeline_;
  Streams streams_;
  OptInput input_;
  SizedRewrite sized_;
  std::optional<Schedule> made_;             ///< where one is to be written
  std::vector<KnownOrder> known_;            ///< of the graph that is being processed
  size_t index_ = 0;                         ///< of the graph that is being processed
  std::vector<std::unique_ptr<Plan>> plans_; ///< of the graphs, where plans are written
  std::vector<Summary> summaries_;
  PhaseTimes times_;
  /// of what was asked for and does not hold, though all else went well
  ExitCode unmet_ = ExitCode::Ok;
  std::string ranksDiffer_; ///< why ranks run different programs; of the graph that is being processed
  std::string textBefore_;  ///< where a diff is asked for
};

} // namespace

ExitCode runOptJob(const OptOptions &options, Pipeline pipeline, std::optional<InputFile> opened, Streams streams) {
  if (options.listGraphs)
    return listGraphsOf(options, streams);
  return OptJob(options, std::move(pipeline), streams).run(std::move(opened));
}

} // namespace ccgraph::driver
