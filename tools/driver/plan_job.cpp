#include "driver/plan_job.h"

#include "ccgraph/frontend/json_plan.h"
#include "ccgraph/frontend/plan_text.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/toolkit/graph_files.h"

namespace ccgraph::driver {
namespace {

/// Returns true if an option requires a graph.
bool asksOfGraph(const OptOptions &options) {
  bool passes = options.pipeline.level || options.pipeline.text || options.views.remarks || options.timing ||
                options.printAfterChange || !options.printPlanAfter.empty() || !options.pipeline.stopAfter.empty() ||
                options.dropTypes;
  bool graphs = options.listGraphs || !options.selector.empty() || !options.groups.empty();
  bool answers = options.summary || options.json || options.equivalenceRanks != 0;
  return passes || graphs || answers || !options.views.given().empty() ||
         (!options.emit.empty() && !isPlanFormat(options.format()));
}

llvm::Expected<std::unique_ptr<Plan>> readAndWarn(Context &context, const InputFile &file, Streams streams) {
  Diagnostics warnings;
  auto plan = readPlan(context, file.source(), {.warnings = &warnings});
  streams.err << toString(warnings.take());
  return plan;
}

ExitCode verifyPlanFile(const Plan &plan, const InputFile &file, Streams streams) {
  std::vector<Diagnostic> findings = verifyPlan(plan);
  for (Diagnostic &finding : findings) {
    finding.file = file.name();
    print(streams.err, finding);
  }
  if (findings.empty())
    streams.out << plan.name << ": " << counted(plan.steps.size(), "step") << ", an engine may run it\n";
  return findings.empty() ? ExitCode::Ok : ExitCode::Diagnosed;
}

llvm::Error writePlanFile(const OptOptions &options, const Plan &plan, Streams streams) {
  OutputFormat format = !options.writesGraphs()          ? OutputFormat::PlanText
                        : isPlanFormat(options.format()) ? options.format()
                                                         : OutputFormat::Plan;
  auto write = [&](llvm::raw_ostream &os) {
    writePlanAs(os, plan, format);
    return llvm::Error::success();
  };
  return options.output.empty() || options.output == "-" ? write(streams.out) : writeFile(options.output, write);
}

} // namespace

llvm::Expected<std::unique_ptr<Plan>> lowerFor(const OptOptions &options, const Graph &graph, Streams streams) {
  LoweringOptions lowering;
  lowering.afterPhase = [&](llvm::StringRef phase, const Plan &plan) {
    if (phase != options.printPlanAfter)
      return;
    streams.err << "# after " << phase << '\n';
    writePlanText(streams.err, plan);
  };
  lowering.streams = options.streams;
  if (!options.groups.empty()) {
    auto objects = loadObjects(options.groups);
    if (!objects)
      return objects.takeError();
    lowering.objects = std::move(*objects);
  }
  addOwnObjects(graph, lowering.objects);
  return lowerGraph(graph, lowering);
}

void writePlanAs(llvm::raw_ostream &os, const Plan &plan, OutputFormat format) {
  if (format == OutputFormat::PlanText)
    writePlanText(os, plan);
  else if (format == OutputFormat::PlanDot)
    writePlanDot(os, plan);
  else
    writePlan(os, plan);
}

ExitCode runPlanFile(const OptOptions &options, const InputFile &file, Streams streams) {
  if (asksOfGraph(options)) {
    printError(streams.err,
               llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "%s holds a plan, and no pass rewrites one\n  note: the flags of a plan are "
                                       "--verify-only, -o, and --emit plan, plan-text or plan-dot",
                                       file.name().c_str()));
    return ExitCode::Usage;
  }
  Context context;
  llvm::Error error = options.pipeline.declareOps(context);
  auto plan = error ? llvm::Expected<std::unique_ptr<Plan>>(std::move(error)) : readAndWarn(context, file, streams);
  if (!plan) {
    printError(streams.err, plan.takeError());
    return ExitCode::Diagnosed;
  }
  if (options.verifyOnly)
    return verifyPlanFile(**plan, file, streams);
  if (llvm::Error failed = writePlanFile(options, **plan, streams)) {
    printError(streams.err, std::move(failed));
    return ExitCode::Diagnosed;
  }
  return ExitCode::Ok;
}

} // namespace ccgraph::driver
