// ccgraph_oracles reports what each oracle alone finds about the passes, on goldens and random programs.
//
//   ccgraph_oracles checker|execution|verifier [--programs N] [--catches N] GOLDEN...
//
// Every golden runs with its own pipeline, and every random program with each of pipelines(). `checker` runs only the
// legality checker after each pass; `verifier` runs only the verifier after each pass; `execution` checks nothing and
// compares the program's results before and after. It prints one line for each catch, `program: what`, until the
// requested number (3), then `PROGRAMS programs, CATCHES catches`. Exit: 0 whatever was caught, 2 usage.
#include "support/golden_case.h"
#include "support/random_program.h"

#include "ccgraph/ir/verifier.h"
#include "ccgraph/runtime/equivalence.h"
#include "ccgraph/runtime/seeded_inputs.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

enum class Oracle : uint8_t { Checker, Execution, Verifier };

struct Program {
  std::string name;
  GoldenCase golden;
};

const std::vector<llvm::StringLiteral> &pipelines() {
  static const std::vector<llvm::StringLiteral> all = {
      "inline-control-deps",
      "deduplicate-collectives{max-held=unlimited}",
      "eliminate-dead-collectives",
      "simplify-collectives",
      "chunk-collectives{pieces=2}",
      "sink-waits",
      "schedule-overlap{walks=4 beam=8}",
      "coalesce-collectives",
      "coalesce-collectives{layout=flat}",
      "sink-waits,coalesce-collectives,schedule-overlap{walks=4 beam=8}",
  };
  return all;
}

std::string firstFinding(llvm::Error error) {
  std::string text;
  llvm::handleAllErrors(std::move(error), [&](const DiagnosticError &diagnostics) {
    for (const Diagnostic &diagnostic : diagnostics.diagnostics())
      if (text.empty() && !llvm::StringRef(diagnostic.rule).startswith("pass."))
        text = diagnostic.rule + " (" + diagnostic.where + ": " + diagnostic.message + ")";
  });
  return text.empty() ? "error" : text;
}

std::string firstLine(llvm::StringRef text) { return text.trim().split('\n').first.str(); }

std::string difference(const GoldenCase &golden, const std::vector<const Graph *> &after) {
  runtime::EquivalenceReport report = runtime::checkEquivalence(golden.request(), after, golden.rules());
  if (report.verdict != runtime::Verdict::Different)
    return "";
  if (!report.comparison.differences.empty()) {
    const runtime::Difference &first = report.comparison.differences.front();
    return "rank " + std::to_string(first.rank) + " " + first.output + ": " + first.message;
  }
  return report.afterFailure.empty() ? "different" : firstLine(report.afterFailure);
}

/// Returns the first difference for the values of the symbol that a golden states.
std::string differenceOfSizes(GoldenCase &golden, const std::vector<const Graph *> &after) {
  std::string found;
  golden.forEachSize([&] {
    if (found.empty())
      found = difference(golden, after);
  });
  return found;
}

/// Returns the oracle's finding for this program; "" if there is none.
std::string ask(Oracle oracle, Program &program) {
  PassManagerOptions manager = program.golden.manager;
  manager.verifyEach = oracle == Oracle::Verifier;
  manager.checkLegality = oracle == Oracle::Checker;
  std::vector<std::unique_ptr<Graph>> graphs;
  std::vector<const Graph *> after;
  for (const std::unique_ptr<Graph> &input : program.golden.inputs) {
    graphs.push_back(input->clone());
    after.push_back(graphs.back().get());
    llvm::Expected<RewriteResult> run = program.golden.rewrite(*graphs.back(), manager);
    if (!run)
      return firstFinding(run.takeError());
  }
  return oracle == Oracle::Execution ? differenceOfSizes(program.golden, after) : "";
}

/// Returns a golden whose input every oracle accepts; goldens that show how a pass refuses its input are left out.
std::optional<Program> readGolden(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return std::nullopt;
  auto file = GoldenFile::parse(path.str(), (*buffer)->getBuffer());
  if (!file || file->find("pipeline") == nullptr || file->find("diagnostics") != nullptr) {
    llvm::consumeError(file.takeError());
    return std::nullopt;
  }
  auto golden = GoldenCase::read(*file);
  if (!golden) {
    llvm::errs() << path << ": " << llvm::toString(golden.takeError()) << '\n';
    return std::nullopt;
  }
  return Program{path.rsplit('/').second.str(), std::move(*golden)};
}

Program randomProgram(uint32_t seed, llvm::StringRef pipeline) {
  Program program{"program " + std::to_string(seed) + " (" + pipeline.str() + ")", {}};
  program.golden.context = std::make_unique<Context>();
  RandomProgram made = makeRandomProgram(*program.golden.context, randomNumbers(seed));
  program.golden.inputs.push_back(std::move(made.graph));
  program.golden.ranks = made.ranks;
  program.golden.manager.limitMemory = false;
  program.golden.pipeline = llvm::cantFail(Pipeline::parse(pipeline));
  return program;
}

struct Survey {
  Oracle oracle = Oracle::Checker;
  unsigned programs = 200;
  unsigned most = 3;
  unsigned asked = 0;
  unsigned caught = 0;

  [[nodiscard]] bool enough() const { return caught >= most; }
  void add(Program program) {
    ++asked;
    std::string what = ask(oracle, program);
    if (what.empty())
      return;
    ++caught;
    llvm::outs() << program.name << ": " << what << '\n';
    llvm::outs().flush();
  }
};

std::optional<Oracle> oracleNamed(llvm::StringRef name) {
  if (name == "checker")
    return Oracle::Checker;
  if (name == "execution")
    return Oracle::Execution;
  if (name == "verifier")
    return Oracle::Verifier;
  return std::nullopt;
}

void runAll(Survey &survey, llvm::ArrayRef<std::string> goldens) {
  for (const std::string &path : goldens)
    if (std::optional<Program> program = survey.enough() ? std::nullopt : readGolden(path))
      survey.add(std::move(*program));
  for (uint32_t seed = 0; seed != survey.programs; ++seed)
    for (llvm::StringRef pipeline : pipelines())
      if (!survey.enough())
        survey.add(randomProgram(seed, pipeline));
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc), goldens;
  std::optional<Oracle> oracle = words.empty() ? std::nullopt : oracleNamed(words.front());
  Survey survey;
  for (size_t i = 1; i < words.size(); ++i) {
    unsigned *number = words[i] == "--programs" ? &survey.programs : words[i] == "--catches" ? &survey.most : nullptr;
    if (number == nullptr)
      goldens.push_back(words[i]);
    else if (++i == words.size() || llvm::StringRef(words[i]).getAsInteger(10, *number))
      oracle = std::nullopt;
  }
  if (!oracle) {
    llvm::errs() << "usage: ccgraph_oracles checker|execution|verifier [--programs N] [--catches N] GOLDEN...\n";
    return 2;
  }
  survey.oracle = *oracle;
  runAll(survey, goldens);
  llvm::outs() << survey.asked << " programs, " << survey.caught << " catches\n";
  return 0;
}
