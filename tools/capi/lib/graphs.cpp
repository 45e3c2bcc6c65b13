#include "handles.h"
#include "views.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/schedule_file.h"
#include "ccgraph/ir/digest.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/toolkit/graph_choice.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/pass_options.h"
#include "ccgraph/toolkit/rewrite_graph.h"
#include "ccgraph/toolkit/schedule_files.h"
#include "ccgraph/toolkit/spmd_evidence.h"
#include "report/describe_run.h"
#include "report/json_output.h"
#include "report/sized_rewrite.h"

#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <limits>

using namespace ccgraph;
using namespace ccgraph::capi;

namespace {

using State = ccgraph_graph::State;

ccgraph_error *broken() {
  return usage("the optimization of this graph failed, so nothing is known of it", "read or import the graph again");
}

/// Reads the graph that the selector chooses in a file's text.
llvm::Error takeGraph(ccgraph_graph &handle, const InputFile &file, llvm::StringRef selector) {
  Diagnostics warnings;
  auto graph = loadGraph(handle.context, file, selector, &warnings);
  handle.warnings += toString(warnings.take());
  if (!graph)
    return graph.takeError();
  handle.graph = std::move(*graph);
  return llvm::Error::success();
}

llvm::Error readFile(ccgraph_graph &handle, llvm::StringRef path, llvm::StringRef selector) {
  Diagnostics warnings;
  auto input = openGraphs(path, selector, warnings);
  handle.warnings += toString(warnings.take());
  if (!input)
    return input.takeError();
  if (llvm::Error error = takeGraph(handle, input->file, input->selector))
    return error;
  addStatedGroups(*handle.graph, *input);
  handle.summary.input = path.str();
  handle.summary.choice = input->choice;
  handle.ranks = input->ranks;
  handle.gpus = input->gpus;
  return llvm::Error::success();
}

/// Returns the position of each line of a whole text.
CutLines allLines(llvm::StringRef text) {
  CutLines cut;
  for (size_t line = 0; line <= text.count('\n'); ++line)
    cut.lines.push_back(line + 1);
  return cut;
}

/// Returns the options of the passes. Reports every error in what the options name, before the graph is changed.
llvm::Expected<PassManagerOptions> prepare(ccgraph_graph &handle, const ccgraph_options &options, NamedFiles &files) {
  llvm::Expected<NamedFiles> named = readNamedFiles(options, handle.gpus, handle.warnings);
  if (!named)
    return named.takeError();
  files = std::move(*named);
  if (llvm::Error error = addGroupsAndObjects(*handle.graph, handle.objects, options.groups))
    return error;
  assumeGroups(*handle.graph, statedRanks(*handle.graph));
  handle.summary.ranksDiffer = ranksDifferText(*handle.graph, handle.ranks);
  if (llvm::Error error = checkWellFormed(*handle.graph))
    return error;
  if (files.schedule)
    if (llvm::Error error = checkSchedule(*files.schedule, *handle.graph))
      return error;
  if (files.costs.durations)
    if (llvm::Error error = files.costs.durations->holdTo(*handle.graph))
      return error;
  PassManagerOptions manager = passOptions(
      {options.manager, files.costs.machine, files.costs.ofGraph(), handle.objects, handle.summary.ranksDiffer});
  manager.predictTimes = true;
  return manager;
}

void describe(ccgraph_graph &handle, const ccgraph_options &options, const NamedFiles &files,
              const PassManagerOptions &manager) {
  std::string level = options.schedule.empty() ? options.pipeline : "--schedule " + options.schedule;
  const report::PlannedRun planned{*handle.graph, files.pipeline, std::move(level),         manager,
                                   handle.ranks,  handle.gpus,    !options.machine.empty(), files.schedule.has_value()};
  report::describePlan(handle.summary, planned);
  report::describeInput(handle.summary, planned);
}

/// Keeps the graph and the options from before the optimization.
void keepViews(ccgraph_graph &handle, const ccgraph_options &options, PassManagerOptions &manager) {
  manager.recordSchedules = true;
  manager.explainExposed = std::numeric_limits<size_t>::max();
  handle.views->input = handle.graph->clone();
  handle.views->manager = manager;
  if (options.schedule.empty())
    handle.views->level = levelOfText(options.pipeline);
}

/// Which sizes the passes decide by. A schedule decides nothing, and neither does an empty pipeline.
SymbolValues sizesOf(const ccgraph_graph &handle, const ccgraph_options &options, const NamedFiles &files) {
  if (files.schedule || files.pipeline.passes().empty())
    return {};
  return sizesFor(*handle.graph, options.sizes, /*usesHints=*/options.manager.spmd);
}

/// Runs the passes on the graph as it stands.
llvm::Error rewriteAsItStands(ccgraph_graph &handle, const NamedFiles &files, PassManagerOptions manager) {
  const Schedule *given = files.schedule ? &*files.schedule : nullptr;
  ScheduleRecorder recorder(*handle.graph);
  manager.onRewrite = [&](const Pass &pass, const Certificate &certificate) { recorder.note(pass, certificate); };
  auto done = rewriteGraph(*handle.graph, {files.pipeline, given, manager});
  if (!done)
    return done.takeError();
  if (given)
    handle.schedule = *given;
  else if (auto schedule = recorder.take(*handle.graph, done->run.memoryBudget))
    handle.schedule = std::move(*schedule);
  else
    handle.noSchedule = llvm::toString(schedule.takeError());
  report::describeResult(handle.summary, std::move(done->run), *handle.graph);
  handle.summary.after = gatherFacts(*handle.graph);
  return llvm::Error::success();
}

/// Lets the passes decide for the bound sizes. Returns false if none are bound, or if no schedule can carry the
/// decisions over; the graph is unchanged then.
bool rewriteForSizes(ccgraph_graph &handle, report::SizedRewrite &sized, const RewriteRequest &request) {
  std::string warning;
  std::optional<RewriteResult> done = sized.rewrite(*handle.graph, request, handle.summary, warning);
  handle.warnings += warning;
  if (!done)
    return false;
  report::describeResult(handle.summary, std::move(done->run), *handle.graph);
  handle.schedule = std::move(done->schedule);
  sized.describeFacts(*handle.graph, handle.summary);
  return true;
}

ccgraph_error *runPasses(ccgraph_graph &handle, const NamedFiles &files, report::SizedRewrite &sized,
                         PassManagerOptions manager) {
  std::optional<PassFailure> failure;
  manager.onFailure = [&](const PassFailure &what) { failure = what; };
  if (!rewriteForSizes(handle, sized, {files.pipeline, nullptr, manager, /*makesSchedule=*/true})) {
    failure.reset();
    if (llvm::Error error = rewriteAsItStands(handle, files, manager)) {
      handle.state = State::Broken;
      return toError(std::move(error), failure && isDefectOfPass(*failure) ? CCGRAPH_DEFECT : CCGRAPH_INPUT);
    }
  }
  handle.state = State::Optimized;
  if (!manager.bitwise)
    handle.summary.rounding = report::countRounding(*handle.graph, handle.summary.run);
  return nullptr;
}

llvm::Error printAs(ccgraph_graph &handle, llvm::StringRef form, llvm::raw_ostream &os) {
  if (isViewForm(form))
    printView(handle, form, os);
  else if (form == "json")
    return writeCheckedJsonGraph(os, *handle.graph);
  else if (form == "fx")
    return writeFxText(os, *handle.graph);
  else
    writeSchedule(os, *handle.schedule);
  return llvm::Error::success();
}

/// Returns NULL if the graph can be printed in this form.
ccgraph_error *checkForm(const ccgraph_graph &handle, llvm::StringRef form) {
  if (handle.state == State::Broken)
    return broken();
  if (isViewForm(form))
    return checkView(handle);
  if (form != "json" && form != "fx" && form != "schedule")
    return usage(("got form '" + form + "', expected json, fx, schedule, page or trace").str());
  if (form == "schedule" && !handle.noSchedule.empty())
    return usage(handle.noSchedule);
  if (form == "schedule" && !handle.schedule)
    return usage("a graph that was not optimized has no schedule", "call ccgraph_optimize first");
  return nullptr;
}

} // namespace

ccgraph_error *ccgraph_read(const char *path, const char *selector, ccgraph_graph **graph) {
  if (!path || !graph)
    return usage("ccgraph_read: got NULL, expected a path and a place for the graph");
  auto handle = std::make_unique<ccgraph_graph>();
  if (llvm::Error error = readFile(*handle, path, textOf(selector)))
    return toError(std::move(error));
  *graph = handle.release();
  return nullptr;
}

ccgraph_error *ccgraph_read_bytes(const char *name, const void *bytes, size_t size, const char *selector,
                                  ccgraph_graph **graph) {
  if (!name || (!bytes && size) || !graph)
    return usage("ccgraph_read_bytes: got NULL, expected a name, bytes and a place for the graph");
  std::string text(static_cast<const char *>(bytes), size);
  CutLines lines = allLines(text);
  InputFile file = InputFile::ofText(name, std::move(text), std::move(lines));
  auto handle = std::make_unique<ccgraph_graph>();
  if (llvm::Error error = takeGraph(*handle, file, textOf(selector)))
    return toError(std::move(error));
  handle->summary.input = name;
  *graph = handle.release();
  return nullptr;
}

void ccgraph_graph_free(ccgraph_graph *graph) { delete graph; }
const char *ccgraph_graph_warnings(const ccgraph_graph *graph) { return graph ? graph->warnings.c_str() : ""; }

ccgraph_error *ccgraph_print(ccgraph_graph *graph, const char *form, ccgraph_text **text) {
  if (!graph || !form || !text)
    return usage("ccgraph_print: got NULL, expected a graph, a form and a place for the text");
  std::lock_guard lock(graph->mutex);
  if (ccgraph_error *error = checkForm(*graph, textOf(form)))
    return error;
  auto result = std::make_unique<ccgraph_text>();
  llvm::raw_string_ostream os(result->text);
  if (llvm::Error error = printAs(*graph, form, os))
    return toError(std::move(error));
  os.flush();
  *text = result.release();
  return nullptr;
}

ccgraph_error *ccgraph_write(ccgraph_graph *graph, const char *path, const char *form) {
  if (!graph || !path || !form)
    return usage("ccgraph_write: got NULL, expected a graph, a path and a form");
  std::lock_guard lock(graph->mutex);
  if (ccgraph_error *error = checkForm(*graph, textOf(form)))
    return error;
  return toError(writeFile(textOf(path), [&](llvm::raw_ostream &os) { return printAs(*graph, form, os); }));
}

ccgraph_error *ccgraph_digest(ccgraph_graph *graph, ccgraph_text **text) {
  if (!graph || !text)
    return usage("ccgraph_digest: got NULL, expected a graph and a place for the text");
  std::lock_guard lock(graph->mutex);
  if (graph->state == State::Broken)
    return broken();
  *text = new ccgraph_text{digestOf(*graph->graph).str()};
  return nullptr;
}

ccgraph_error *ccgraph_verify(ccgraph_graph *graph) {
  if (!graph)
    return usage("ccgraph_verify: got NULL, expected a graph");
  std::lock_guard lock(graph->mutex);
  return graph->state == State::Broken ? broken() : toError(verifyOrError(*graph->graph));
}

ccgraph_error *ccgraph_optimize(ccgraph_graph *graph, const ccgraph_options *options) {
  if (!graph)
    return usage("ccgraph_optimize: got NULL, expected a graph");
  std::lock_guard lock(graph->mutex);
  if (graph->state != State::Fresh)
    return graph->state == State::Broken ? broken()
                                         : usage("this graph was optimized already", "read or import the graph again");
  const ccgraph_options otherwise;
  const ccgraph_options &used = options ? *options : otherwise;
  NamedFiles ofThisCall;
  graph->views = used.views ? std::make_unique<Views>() : nullptr;
  NamedFiles &files = used.views ? graph->views->files : ofThisCall;
  llvm::Expected<PassManagerOptions> manager = prepare(*graph, used, files);
  if (!manager)
    return toError(manager.takeError());
  describe(*graph, used, files, *manager);
  if (graph->imported)
    graph->before.emplace(*graph->graph);
  if (used.views)
    keepViews(*graph, used, *manager);
  report::SizedRewrite sized;
  sized.describe(*graph->graph, sizesOf(*graph, used, files), used.sizes, graph->summary);
  return runPasses(*graph, files, sized, *manager);
}

ccgraph_error *ccgraph_report(ccgraph_graph *graph, ccgraph_text **text) {
  if (!graph || !text)
    return usage("ccgraph_report: got NULL, expected a graph and a place for the text");
  std::lock_guard lock(graph->mutex);
  if (graph->state != State::Optimized)
    return graph->state == State::Broken
               ? broken()
               : usage("a graph that was not optimized has no report", "call ccgraph_optimize first");
  auto result = std::make_unique<ccgraph_text>();
  llvm::raw_string_ostream os(result->text);
  report::printSummariesJson(os, graph->summary);
  os.flush();
  *text = result.release();
  return nullptr;
}
