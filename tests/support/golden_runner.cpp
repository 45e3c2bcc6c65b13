#include "support/golden_runner.h"

#include "support/golden_case.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/schedule_file.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/runtime/equivalence.h"
#include "ccgraph/toolkit/rewrite_graph.h"

namespace ccgraph::test {

namespace {

/// Returns everything in a graph that a file can hold.
std::string wholeText(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeJsonGraph(os, graph);
  return os.str();
}

/// Returns the text in a golden: with source comments only if the input has some, and without liveness, since a diff of
/// it is not useful.
std::string shownText(const Graph &graph) {
  FxTextOptions options;
  options.comments = graph.frames().size() > 1;
  options.liveness = false;
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::cantFail(writeFxText(os, graph, options));
  return os.str();
}

class Runner {
public:
  explicit Runner(GoldenCase golden) : case_(std::move(golden)), input_(*case_.inputs.front()) {}
  llvm::Expected<GoldenOutcome> run();

private:
  llvm::Expected<PipelineRun> runOnce(Graph &graph) const;
  void record(const PipelineRun &run, const Graph &after);
  void checkSecondRun();
  void checkSchedule();
  std::optional<Schedule> scheduleOfRun();
  void checkValues(const Graph &after);
  void broke(const llvm::Twine &promise) { outcome_.broken.push_back(promise.str()); }

  GoldenCase case_;
  const Graph &input_;
  std::string firstText_;
  GoldenOutcome outcome_;
};

llvm::Expected<PipelineRun> Runner::runOnce(Graph &graph) const {
  llvm::Expected<RewriteResult> result = case_.rewrite(graph, case_.manager);
  if (!result)
    return result.takeError();
  return std::move(result->run);
}

std::string remarksText(const PipelineRun &run) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const PassRun &pass : run.passes)
    for (const Remark &remark : pass.remarks)
      print(os, remark);
  return os.str();
}

void Runner::record(const PipelineRun &run, const Graph &after) {
  firstText_ = wholeText(after);
  outcome_.remarks = remarksText(run);
  outcome_.output = run.changed() ? shownText(after) : "unchanged\n";
  if (!run.changed() && firstText_ != wholeText(input_))
    broke("the pipeline said 'unchanged', but the graph differs from its input");
  if (run.changed() && firstText_ == wholeText(input_))
    broke("the pipeline said that it changed the graph, but the graph is what it was");
  if (llvm::Error error = verifyOrError(after))
    broke("the output does not verify: " + llvm::toString(std::move(error)));
}

void Runner::checkSecondRun() {
  std::unique_ptr<Graph> again = input_.clone();
  llvm::Expected<PipelineRun> run = runOnce(*again);
  if (!run)
    return broke("a second run fails: " + llvm::toString(run.takeError()));
  if (wholeText(*again) != firstText_)
    broke("a second run gives another graph:\n" + shownText(*again));
  if (remarksText(*run) != outcome_.remarks)
    broke("a second run gives other remarks:\n" + remarksText(*run));
}

/// Writes the schedule to a file and reads it back; empty if no schedule can represent the pipeline, which is
/// permitted.
std::optional<Schedule> Runner::scheduleOfRun() {
  std::unique_ptr<Graph> again = input_.clone();
  llvm::Expected<RewriteResult> made = case_.rewrite(*again, case_.manager, /*makesSchedule=*/true);
  if (!made) {
    std::string why = llvm::toString(made.takeError());
    if (!llvm::StringRef(why).contains("[schedule.pipeline]"))
      broke("no schedule comes of it: " + why);
    return std::nullopt;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  writeSchedule(os, *made->schedule);
  return llvm::cantFail(readSchedule({"schedule", os.str()}));
}

/// Checks that the schedule of the run, applied to the input, gives the same graph.
void Runner::checkSchedule() {
  std::optional<Schedule> schedule = scheduleOfRun();
  if (!schedule)
    return;
  Pipeline pipeline = llvm::cantFail(pipelineOf(*schedule));
  std::unique_ptr<Graph> graph = input_.clone();
  PassManagerOptions manager = case_.manager;
  manager.memoryBudget = std::nullopt;
  llvm::Expected<RewriteResult> applied = rewriteGraph(*graph, {pipeline, &*schedule, manager});
  if (!applied)
    return broke("its schedule is refused: " + llvm::toString(applied.takeError()));
  if (wholeText(*graph) != firstText_)
    broke("its schedule gives another graph:\n" + shownText(*graph));
}

void Runner::checkValues(const Graph &after) {
  runtime::EquivalenceReport report = runtime::checkEquivalence(case_.request(), {&after}, case_.rules());
  switch (report.verdict) {
  case runtime::Verdict::Equal:
    if (case_.options["values"] == "none")
      broke("the option 'values: none' stands for a program that cannot run, but this one runs");
    return;
  case runtime::Verdict::NotChecked:
    if (!report.beforeFailure.empty() && case_.options["values"] != "none")
      broke("neither input nor output runs: " + report.beforeFailure);
    else if (report.beforeFailure.empty() && report.comparison.outputs != 0)
      broke("no other program could be told from this one: its outputs are NaN, or the same number everywhere");
    return;
  case runtime::Verdict::Different:
    broke("other values than the input computes: " + report.beforeFailure + report.afterFailure);
    for (const runtime::Difference &difference : report.comparison.differences)
      broke("  rank " + llvm::Twine(difference.rank) + " " + difference.output + ": " + difference.message);
  }
}

llvm::Expected<GoldenOutcome> Runner::run() {
  if (llvm::Error error = verifyOrError(input_))
    return error;
  std::unique_ptr<Graph> after = input_.clone();
  std::optional<PassFailure::Stage> failed;
  case_.manager.onFailure = [&](const PassFailure &failure) { failed = failure.stage; };
  llvm::Expected<PipelineRun> run = runOnce(*after);
  if (!run) {
    outcome_.diagnostics = llvm::toString(run.takeError());
    if (failed && *failed != PassFailure::Stage::Run)
      broke("the " + stageName(*failed) + " check after a pass fails: " + outcome_.diagnostics);
    return std::move(outcome_);
  }
  record(*run, *after);
  checkSecondRun();
  checkSchedule();
  case_.forEachSize([&] { checkValues(*after); });
  return std::move(outcome_);
}

} // namespace

llvm::Expected<GoldenOutcome> runGolden(const GoldenFile &file) {
  llvm::Expected<GoldenCase> golden = GoldenCase::read(file);
  if (!golden)
    return golden.takeError();
  return runGolden(std::move(*golden));
}

llvm::Expected<GoldenOutcome> runGolden(GoldenCase golden) {
  if (golden.inputs.size() != 1)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "expected one graph as input");
  return Runner(std::move(golden)).run();
}

} // namespace ccgraph::test
