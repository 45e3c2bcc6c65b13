#include "driver/gen_plan.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/toolkit/cost_files.h"
#include "driver/progress_line.h"
#include "planner/plan_output.h"
#include "report/advice_command.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph::driver {
namespace {

using planner::PlanChoices;
using planner::PlanRequest;

bool isGiven(const GenOptions &options, llvm::StringRef flag) {
  return llvm::any_of(options.given, [&](const report::GivenFlag &given) { return given.name == flag; });
}

/// What the user fixes.
PlanChoices choicesOf(const GenOptions &options) {
  PlanChoices choices;
  const models::Parallelism &parallel = options.request.parallel;
  if (isGiven(options, "--fsdp") || isGiven(options, "--hsdp") || isGiven(options, "--ddp")) {
    choices.shards = parallel.shards;
    choices.replicas = parallel.replicas;
  }
  if (isGiven(options, "--tp"))
    choices.tensor = parallel.tensor;
  if (isGiven(options, "--ep"))
    choices.experts = parallel.experts;
  if (isGiven(options, "--cp"))
    choices.context = parallel.context;
  if (options.isPipeline())
    choices.pipeline = options.pipeline.ranks;
  if (isGiven(options, "--schedule"))
    choices.schedule = options.pipeline.kind;
  if (isGiven(options, "--stages-per-rank"))
    choices.stagesPerRank = options.pipeline.stagesPerRank;
  if (options.zero)
    choices.zero = static_cast<int64_t>(*options.zero);
  if (isGiven(options, "--recompute"))
    choices.recompute = options.request.recompute.activations;
  return choices;
}

/// Returns those of the given flags, as they were given.
std::string givenOf(const GenOptions &options, llvm::ArrayRef<llvm::StringLiteral> flags) {
  std::vector<std::string> words;
  for (const report::GivenFlag &given : options.given)
    if (llvm::is_contained(flags, given.name))
      words.push_back(given.name + (given.value ? " " + report::shellWord(*given.value) : ""));
  return llvm::join(words, " ");
}

/// Names what the plan does not choose.
planner::PlanNames namesOf(const GenOptions &options, const std::string &machine) {
  constexpr llvm::StringLiteral ofModel[] = {"--config", "--seq", "--dtype", "--fp8",   "--loss-chunks", "--device",
                                             "--layers", "--dim", "--ffn",   "--heads", "--kv-heads",    "--vocab"};
  constexpr llvm::StringLiteral ofOptimizer[] = {"--optimizer", "--lr", "--clip", "--foreach"};
  const std::string sizes = givenOf(options, ofModel);
  return {options.model + (options.model.empty() || sizes.empty() ? "" : " ") + sizes, givenOf(options, ofOptimizer),
          report::shellWord(machine)};
}

PlanRequest requestOf(const GenOptions &options, const Machine &machine) {
  PlanRequest request;
  request.job = {.step = options.request,
                 .ranks = options.plan.ranks,
                 .ranksPerNode = machine.ranksPerNode,
                 .batch = options.request.shape.batch};
  request.choices = choicesOf(options);
  request.machine = machine;
  request.memoryBytes = options.plan.memory;
  request.rows = options.plan.rows;
  request.isExhaustive = options.plan.exhaustive;
  return request;
}

void write(llvm::raw_ostream &os, const PlanFlags &flags, const planner::PlanText &plan) {
  if (flags.csv)
    writePlanCsv(os, plan);
  else if (flags.json)
    writePlanJson(os, plan);
  else
    writePlanTable(os, plan);
}

} // namespace

llvm::Error writePlan(const GenOptions &options, Streams streams) {
  const std::string name = options.plan.machine.empty() ? defaultMachine.str() : options.plan.machine;
  llvm::Expected<Machine> machine = loadMachine(name);
  if (!machine)
    return machine.takeError();
  const PlanRequest request = requestOf(options, *machine);
  llvm::Expected<planner::PlanResult> result =
      duringLine(streams.err, "comparing parallelisms", [&] { return planTraining(request); });
  if (!result)
    return result.takeError();
  const planner::PlanText plan{request, *result, namesOf(options, name)};
  if (!options.plan.report.empty())
    if (llvm::Error error = writeFile(options.plan.report, [&](llvm::raw_ostream &os) {
          writePlanPage(os, plan);
          return llvm::Error::success();
        }))
      return error;
  if (options.output.empty() || options.output == "-") {
    write(streams.out, options.plan, plan);
    return llvm::Error::success();
  }
  return writeFile(options.output, [&](llvm::raw_ostream &os) {
    write(os, options.plan, plan);
    return llvm::Error::success();
  });
}

} // namespace ccgraph::driver
