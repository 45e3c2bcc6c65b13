// ccgraph_plan_runs lowers random programs, runs them on an engine, and compares the results with the interpreter's.
//
//   ccgraph_plan_runs [--engine NAME] [--programs N] [--first N] [--print 1]
//
// For an engine with a process for each rank: mpirun -n RANKS ccgraph_plan_runs --engine mpi; programs for another
// number of ranks are then left out, and the process of rank 0 prints. The program's number also decides whether a plan
// has a stream for each group, one stream, or two.
//
// Each program is lowered unchanged, after -O2, and after merging into flat buckets. Each plan must pass the plan
// verifier, and give bitwise the interpreter's results for the original program: outputs, and inputs after the run. The
// engine's random choices depend on the program's number. A program that lowering refuses is counted by the rule.
// --print shows each program as FX text, and its plan. It prints a line for each failure, then a table. Exit: 0, 1 if
// anything failed, 2 usage.
#include "support/random_program.h"
#include "support/seeded_run.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/plan_text.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/passes/pipeline.h"
#include "ccgraph/runtime/engine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

struct Options {
  std::string engine = "local";
  uint32_t programs = 300;
  uint32_t first = 0;
  uint32_t print = 0;
  /// set if each rank has a process
  std::optional<runtime::ProcessPlace> place;

  [[nodiscard]] bool isMute() const { return place && place->rank != 0; }
};

/// Counts for the table.
struct Counts {
  std::map<std::string, size_t> refused;
  std::map<size_t, size_t> ranks;
  size_t programs = 0, plans = 0, steps = 0, collectives = 0, copies = 0, waits = 0, reused = 0, shared = 0,
         captured = 0, failed = 0;
};

constexpr llvm::StringLiteral pipelines[] = {"", "-O2", "coalesce-collectives{layout=flat}"};

std::string ruleOf(llvm::Error error) {
  std::string rule;
  llvm::handleAllErrors(std::move(error), [&](const DiagnosticError &e) { rule = e.diagnostics().front().rule; });
  return rule;
}

/// Returns the program after a pipeline; null if the pipeline fails, which other tests examine.
std::unique_ptr<Graph> rewritten(const Graph &graph, llvm::StringRef pipeline) {
  std::unique_ptr<Graph> copy = graph.clone();
  if (pipeline.empty())
    return copy;
  Pipeline passes = pipeline == "-O2" ? pipelineOfLevel(2) : llvm::cantFail(Pipeline::parse(pipeline));
  llvm::Expected<PipelineRun> run = runPipeline(*copy, passes);
  if (run)
    return copy;
  llvm::consumeError(run.takeError());
  return nullptr;
}

void count(const Plan &plan, Counts &counts) {
  ++counts.plans;
  counts.steps += plan.steps.size();
  int64_t own = 0;
  for (const PlanStep &step : plan.steps) {
    counts.collectives += step.collective() != nullptr;
    counts.copies += step.copy() != nullptr;
    counts.waits += step.waits.size();
  }
  for (const PlanBuffer &buffer : plan.buffers)
    if (buffer.home == Home::Compute)
      own += buffer.bytes.isStatic() ? buffer.bytes.value() : 0;
  counts.shared += llvm::any_of(plan.streams, [](const PlanStream &stream) {
    return stream.kind == PlanStream::Kind::Collective && !stream.group;
  });
  counts.reused += own > plan.layout.computeBytes;
}

/// Runs the request, without capture if a plan cannot be captured.
llvm::Expected<runtime::RunResult> runCaptured(const runtime::Engine &engine, runtime::PlanRequest &request,
                                               Counts &counts) {
  llvm::Expected<runtime::RunResult> got = runtime::runPlans(engine, request);
  if (got || !request.capture) {
    counts.captured += request.capture;
    return got;
  }
  std::string why = llvm::toString(got.takeError());
  if (why.find(" cannot be captured: ") == std::string::npos)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
  request.capture = false;
  return runtime::runPlans(engine, request);
}

/// Returns the problem of one program's plan; "" if there is none.
std::string problemOf(const Graph &graph, const RandomProgram &program, const runtime::RunResult &wanted,
                      const Options &options, uint32_t seed, Counts &counts) {
  runtime::Engine::Abilities able = runtime::findEngine(options.engine)->abilities();
  llvm::Expected<std::unique_ptr<Plan>> plan =
      lowerGraph(graph, {.separateCommunication = able.registersMemory && seed % 2 == 0, .streams = seed % 3});
  if (!plan) {
    ++counts.refused[ruleOf(plan.takeError())];
    return "";
  }
  count(**plan, counts);
  if (options.print) {
    llvm::cantFail(writeFxText(llvm::outs(), graph));
    writePlanText(llvm::outs(), **plan);
  }
  if (std::vector<Diagnostic> findings = verifyPlan(**plan); !findings.empty())
    return "refused by the plan verifier: " + toString(llvm::makeArrayRef(findings).take_front(1));
  runtime::PlanRequest request;
  request.plans = {plan->get()};
  request.ranks = program.ranks;
  request.inputs = seededRequest(*program.graph, program.ranks).inputs;
  request.seed = seed;
  request.deadline = std::chrono::minutes(1);
  request.capture = able.captures && seed % 3 == 0;
  llvm::Expected<runtime::RunResult> got = runCaptured(*runtime::findEngine(options.engine), request, counts);
  if (got && options.isMute())
    return "";
  return got ? firstDifference(wanted, *got, request.inputs) : llvm::toString(got.takeError());
}

void tryProgram(uint32_t seed, const Options &options, Counts &counts) {
  Context context;
  RandomProgram program = makeRandomProgram(context, randomNumbers(seed));
  if (options.place && options.place->ranks != program.ranks)
    return;
  ++counts.programs;
  ++counts.ranks[program.ranks];
  llvm::Expected<runtime::RunResult> wanted = runtime::interpret(seededRequest(*program.graph, program.ranks));
  if (!wanted) {
    ++counts.failed;
    if (options.print)
      llvm::cantFail(writeFxText(llvm::outs(), *program.graph));
    llvm::outs() << "program " << seed << ": the interpreter fails: " << llvm::toString(wanted.takeError()) << "\n";
    return;
  }
  for (llvm::StringRef pipeline : pipelines) {
    std::unique_ptr<Graph> graph = rewritten(*program.graph, pipeline);
    std::string problem = graph ? problemOf(*graph, program, *wanted, options, seed, counts) : "";
    if (problem.empty())
      continue;
    ++counts.failed;
    llvm::outs() << "program " << seed << " " << pipeline << ": " << problem << "\n";
  }
}

void print(const Counts &counts) {
  auto row = [](const llvm::Twine &what, size_t number) { llvm::outs() << "| " << what << " | " << number << " |\n"; };
  llvm::outs() << "| what | number |\n|---|---:|\n";
  row("programs", counts.programs);
  for (auto [ranks, programs] : counts.ranks)
    row("programs on " + llvm::Twine(ranks) + " ranks", programs);
  row("plans run (as it stands, after -O2, merged flat)", counts.plans);
  for (const auto &[rule, times] : counts.refused)
    row("not lowered (" + rule + ")", times);
  row("steps", counts.steps);
  row("steps that communicate", counts.collectives);
  row("steps that copy for a collective", counts.copies);
  row("waits for events", counts.waits);
  row("plans in which buffers take turns on the same bytes", counts.reused);
  row("plans in which groups share a stream", counts.shared);
  if (counts.captured)
    row("plans of which the steps were captured", counts.captured);
  row("**differ from the interpreter, or fail**", counts.failed);
}

std::optional<Options> parse(llvm::ArrayRef<char *> arguments) {
  Options options;
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    llvm::StringRef flag = arguments[i], value = arguments[i + 1];
    bool wrong = flag == "--programs" ? value.getAsInteger(10, options.programs)
                 : flag == "--first"  ? value.getAsInteger(10, options.first)
                 : flag == "--print"  ? value.getAsInteger(10, options.print)
                                      : flag != "--engine";
    if (wrong)
      return std::nullopt;
    if (flag == "--engine")
      options.engine = value.str();
  }
  return arguments.size() % 2 == 0 && runtime::findEngine(options.engine) ? std::optional(options) : std::nullopt;
}

} // namespace

int main(int argc, char **argv) {
  std::optional<Options> options = parse({argv + 1, argv + argc});
  if (!options) {
    llvm::errs() << "usage: ccgraph_plan_runs [--engine NAME] [--programs N] [--first N] [--print 1]\n";
    return 2;
  }
  const runtime::Engine &engine = *runtime::findEngine(options->engine);
  if (engine.isSpread())
    options->place = llvm::cantFail(engine.join(std::chrono::minutes(1)));
  Counts counts;
  for (uint32_t seed = options->first; seed < options->first + options->programs; ++seed)
    tryProgram(seed, *options, counts);
  if (!options->isMute())
    print(counts);
  llvm::outs().flush();
  return engine.leave(counts.failed ? 1 : 0);
}
