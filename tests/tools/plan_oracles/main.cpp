// ccgraph_plan_oracles reports what each oracle alone finds about the plans of the lowering.
//
//   ccgraph_plan_oracles verifier|execution [--programs N] [--orders N] [--golden-orders N] GOLDEN...
//
// Every golden's input is lowered unchanged, and every random program (100) unchanged and after passes; each with one
// arena and with two. `verifier` runs only the plan verifier on each plan; `execution` verifies nothing, and compares
// the local engine's results of the plans, in this number of orders (2; 20 of a golden), with the interpreter's results
// of the program. It prints `program: what` for the first catch, else `PROGRAMS programs,
// nothing`. Exit: 0 whatever was caught, 2 usage.
#include "support/golden_case.h"
#include "support/random_program.h"
#include "support/seeded_run.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/runtime/engine.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

struct Survey {
  bool executes = false;
  unsigned programs = 100;
  unsigned orders = 2;
  unsigned goldenOrders = 20;
  std::vector<std::string> goldens;
  unsigned asked = 0;
};

/// A program on its ranks and its expected results; one graph, or one for each rank.
struct Program {
  std::string name;
  std::vector<const Graph *> graphs;
  runtime::RunRequest asStands;
  runtime::RunResult wanted;
  unsigned orders = 1;
};

using Plans = std::vector<std::unique_ptr<Plan>>;

constexpr llvm::StringLiteral pipelines[] = {"", "schedule-overlap{walks=4 beam=8 buckets=none},sink-waits",
                                             "coalesce-collectives{layout=flat}"};

std::string firstFinding(llvm::Error error) {
  std::string text;
  llvm::handleAllErrors(
      std::move(error),
      [&](const DiagnosticError &found) {
        const Diagnostic &first = found.diagnostics().front();
        text = first.rule + " (" + first.where + ": " + first.message + ")";
      },
      [&](const llvm::ErrorInfoBase &other) { text = other.message(); });
  return text;
}

std::string verifierSays(const Plans &plans) {
  for (const std::unique_ptr<Plan> &plan : plans)
    if (std::vector<Diagnostic> findings = verifyPlan(*plan); !findings.empty())
      return findings.front().rule + " (" + findings.front().where + ": " + findings.front().message + ")";
  return "";
}

std::string executionSays(const Program &program, const Plans &plans) {
  runtime::PlanRequest request;
  for (const std::unique_ptr<Plan> &plan : plans)
    request.plans.push_back(plan.get());
  request.ranks = program.asStands.ranks;
  request.deadline = std::chrono::seconds(20);
  for (request.seed = 0; request.seed < program.orders; ++*request.seed) {
    request.inputs = program.asStands.inputs;
    llvm::Expected<runtime::RunResult> got = runtime::runPlans(*runtime::findEngine("local"), request);
    std::string said = got ? firstDifference(program.wanted, *got, request.inputs) : firstFinding(got.takeError());
    if (!said.empty())
      return said;
  }
  return "";
}

/// Returns none if a graph is refused: there is then nothing to check.
std::optional<Plans> lowered(llvm::ArrayRef<const Graph *> graphs, bool separate) {
  LoweringOptions options;
  options.separateCommunication = separate;
  Plans plans;
  for (const Graph *graph : graphs) {
    llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(*graph, options);
    if (!plan) {
      llvm::consumeError(plan.takeError());
      return std::nullopt;
    }
    plans.push_back(std::move(*plan));
  }
  return plans;
}

/// Returns the oracle's finding for this program; "" if there is none.
std::string ask(Survey &survey, const Program &program) {
  for (bool separate : {false, true}) {
    std::optional<Plans> plans = lowered(program.graphs, separate);
    if (!plans)
      return "";
    ++survey.asked;
    std::string said = survey.executes ? executionSays(program, *plans) : verifierSays(*plans);
    if (!said.empty())
      return program.name + ": " + said;
  }
  return "";
}

/// Returns false if the interpreter cannot run the unchanged program.
bool interpret(const Survey &survey, Program &program) {
  if (!survey.executes)
    return true;
  llvm::Expected<runtime::RunResult> wanted = runtime::interpret(program.asStands);
  if (!wanted) {
    llvm::consumeError(wanted.takeError());
    return false;
  }
  program.wanted = std::move(*wanted);
  return true;
}

std::optional<GoldenCase> readGolden(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return std::nullopt;
  llvm::Expected<GoldenFile> file = GoldenFile::parse(path.str(), (*buffer)->getBuffer());
  if (!file || file->find("diagnostics") != nullptr) {
    llvm::consumeError(file.takeError());
    return std::nullopt;
  }
  llvm::Expected<GoldenCase> golden = GoldenCase::read(*file);
  if (golden)
    return std::move(*golden);
  llvm::errs() << path << ": " << llvm::toString(golden.takeError()) << '\n';
  return std::nullopt;
}

std::string askGolden(Survey &survey, llvm::StringRef path) {
  std::optional<GoldenCase> golden = readGolden(path);
  if (!golden)
    return "";
  Program program;
  program.name = path.rsplit('/').second.str();
  program.orders = survey.goldenOrders;
  program.asStands = golden->request();
  program.graphs = program.asStands.graphs;
  return interpret(survey, program) ? ask(survey, program) : "";
}

std::string askRandom(Survey &survey, uint32_t seed) {
  Context context;
  RandomProgram made = makeRandomProgram(context, randomNumbers(seed));
  Program program;
  program.orders = survey.orders;
  program.asStands = seededRequest(*made.graph, made.ranks);
  if (!interpret(survey, program))
    return "";
  for (llvm::StringRef pipeline : pipelines) {
    std::unique_ptr<Graph> graph = made.graph->clone();
    program.name = "program " + std::to_string(seed) + (pipeline.empty() ? "" : " (" + pipeline.str() + ")");
    program.graphs = {graph.get()};
    llvm::Error error = llvm::Error::success();
    if (!pipeline.empty())
      error = runPipeline(*graph, llvm::cantFail(Pipeline::parse(pipeline))).takeError();
    if (error) {
      llvm::consumeError(std::move(error));
      continue;
    }
    if (std::string said = ask(survey, program); !said.empty())
      return said;
  }
  return "";
}

std::string askAll(Survey &survey) {
  for (const std::string &path : survey.goldens)
    if (std::string said = askGolden(survey, path); !said.empty())
      return said;
  for (uint32_t seed = 0; seed < survey.programs; ++seed)
    if (std::string said = askRandom(survey, seed); !said.empty())
      return said;
  return "";
}

std::optional<Survey> parse(llvm::ArrayRef<char *> words) {
  Survey survey;
  llvm::StringRef oracle = words.empty() ? "" : words.front();
  survey.executes = oracle == "execution";
  if (!survey.executes && oracle != "verifier")
    return std::nullopt;
  for (size_t i = 1; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    unsigned *number = word == "--programs"        ? &survey.programs
                       : word == "--orders"        ? &survey.orders
                       : word == "--golden-orders" ? &survey.goldenOrders
                                                   : nullptr;
    if (number == nullptr)
      survey.goldens.push_back(word.str());
    else if (++i == words.size() || llvm::StringRef(words[i]).getAsInteger(10, *number))
      return std::nullopt;
  }
  return survey;
}

} // namespace

int main(int argc, char **argv) {
  std::optional<Survey> survey = parse({argv + 1, argv + argc});
  if (!survey) {
    llvm::errs() << "usage: ccgraph_plan_oracles verifier|execution [--programs N] [--orders N] [--golden-orders N] "
                    "GOLDEN...\n";
    return 2;
  }
  std::string said = askAll(*survey);
  llvm::outs() << (said.empty() ? std::to_string(survey->asked) + " plans, nothing" : said.substr(0, said.find('\n')))
               << '\n';
  return 0;
}
