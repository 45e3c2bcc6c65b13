#include "driver/view_job.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/toolkit/schedule_trace.h"
#include "ccgraph/toolkit/text_diff.h"
#include "driver/remark_views.h"
#include "report/report_data.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Process.h"

namespace ccgraph::driver {
namespace {

llvm::Error saveTrace(const std::string &path, const PipelineRun &run) {
  return writeFile(path, [&](llvm::raw_ostream &os) {
    writeScheduleTrace(os, *run.scheduleAfter, run.changed() ? &*run.scheduleBefore : nullptr);
    return llvm::Error::success();
  });
}

llvm::Error saveReport(const std::string &path, const report::Report &report) {
  return writeFile(path, [&](llvm::raw_ostream &os) {
    report::writeReport(os, report);
    return llvm::Error::success();
  });
}

report::Report reportOf(const report::Summary &summary) {
  report::Report report{summary, {}};
  if (summary.run.changed())
    report.schedules.push_back({"before", &*summary.run.scheduleBefore});
  report.schedules.push_back({summary.run.changed() ? "after" : "as it stands", &*summary.run.scheduleAfter});
  return report;
}

llvm::Error saveRemarks(const ViewFlags &flags, const report::Summary &summary) {
  std::vector<Remark> remarks = wantedRemarks(flags, summary.run);
  return writeFile(flags.remarksFile, [&](llvm::raw_ostream &os) {
    if (isJson(flags.remarksFile))
      writeRemarkJson(os, summary.graph, remarks);
    else
      writeRemarkYaml(os, summary.graph, remarks);
    return llvm::Error::success();
  });
}

/// Returns the name at the start of a line of FX text, such as "wait_tensor".
llvm::StringRef nameOfLine(llvm::StringRef line) {
  return line.ltrim().take_until([](char c) { return c == ':' || c == ' '; });
}

/// Returns the modules of the nodes of both schedules, by name.
llvm::StringMap<std::string> modulesOf(const PipelineRun &run) {
  llvm::StringMap<std::string> modules;
  for (const ScheduleRecord *record : {&*run.scheduleBefore, &*run.scheduleAfter})
    for (const RecordedStep &step : record->steps)
      modules.try_emplace(step.node, record->places[step.place].module);
  return modules;
}

/// Returns texts such as "merged into all_reduce_coalesced" by the name of the removed node.
llvm::StringMap<std::string> mergersOf(const PipelineRun &run) {
  llvm::StringMap<std::string> mergers;
  for (const PassRun &pass : run.passes)
    for (const Remark &remark : pass.remarks)
      for (const auto &[name, value] : remark.args)
        if (remark.kind == RemarkKind::Merged && name == "into")
          mergers[remark.node] = "merged into " + value;
  return mergers;
}

// Computation has a larger weight. If a node and a collective swap places, the diff then shows the collective as moved.
void printDiff(llvm::raw_ostream &os, const ViewedRun &run) {
  llvm::StringMap<std::string> modules = modulesOf(run.summary.run);
  auto heading = [&](llvm::StringRef line) { return modules.lookup(nameOfLine(line)); };
  llvm::StringMap<std::string> mergers = mergersOf(run.summary.run);
  auto note = [&](llvm::StringRef line) { return mergers.lookup(nameOfLine(line)); };
  auto weight = [](llvm::StringRef line) { return line.contains("c10d_functional.") ? 1U : 2U; };
  DiffOptions options;
  options.color = os.has_colors() && !llvm::sys::Process::GetEnv("NO_COLOR");
  options.heading = heading;
  options.note = note;
  options.weight = weight;
  const std::string name = visibleText(run.summary.input);
  writeUnifiedDiff(os, {name, run.before}, {name + " after " + run.summary.level, run.after}, options);
}

} // namespace

llvm::Expected<std::string> diffedText(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (llvm::Error error = writeFxText(os, graph, {.comments = false, .liveness = false}))
    return error;
  return os.str();
}

llvm::Error saveComparison(const std::string &path, llvm::StringRef graph, const report::OrdersCompared &orders) {
  report::Summary summary;
  summary.input = orders.first.name + " and " + orders.second.name;
  summary.graph = graph.str();
  summary.level = "two orders, as they stand";
  summary.run.cost.emplace();
  summary.run.cost->machine = orders.machine;
  report::Report report{summary, {{"first", orders.first.record}, {"second", orders.second.record}}};
  llvm::raw_string_ostream os(report.text);
  report::printOrders(os, orders);
  os.flush();
  return saveReport(path, report);
}

std::vector<Remark> wantedRemarks(const ViewFlags &flags, const PipelineRun &run) {
  return matchingRemarks(detailedRemarks(run), flags.remarks.value_or(""));
}

llvm::Error writeViews(const ViewFlags &flags, const ViewedRun &run, Streams streams) {
  if (!flags.trace.empty())
    if (llvm::Error error = saveTrace(flags.trace, run.summary.run))
      return error;
  if (!flags.report.empty())
    if (llvm::Error error = saveReport(flags.report, reportOf(run.summary)))
      return error;
  if (!flags.remarksFile.empty())
    if (llvm::Error error = saveRemarks(flags, run.summary))
      return error;
  if (flags.diff)
    printDiff(streams.out, run);
  return llvm::Error::success();
}

} // namespace ccgraph::driver
