// ccgraph_rewrite_programs rewrites random programs of regions, and compares their values before and after.
//
//   ccgraph_rewrite_programs [--programs N] [--first N] [--print 1]
//
// A program's number is its seed: `--first 17 --programs 1 --print 1` shows program 17 as FX text. Each program is cut
// into pieces, keeps what it gathers, computes again what it may, has its collectives in stages, and goes through
// -O3. After each of them the verifier and the legality checker run, and every output on every rank must be bitwise
// equal; after stages, which add in another order, it must be close.
//
// It prints a line for each failure, then two tables. Exit: 0, 1 if anything failed, 2 usage.
#include "region_program.h"

#include "support/program_numbers.h"
#include "support/seeded_run.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/pass_manager.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

/// What one rewrite did to all programs.
struct Tally {
  size_t programs = 0, changed = 0, refused = 0, wrong = 0;
  int64_t regions = 0; ///< regions cut, results kept, values computed again, or collectives in stages
};

/// How a program is rewritten.
struct Rewrite {
  std::string name;
  std::string pipeline;
  /// the statistic that counts its regions
  llvm::StringRef statistic;
  /// percent of the program's peak; 0: no limit
  int64_t memory = 0;
  /// 0: that of the default machine
  int64_t ranksPerNode = 0;
  /// by which outputs may differ, in absolute terms and relative to the value
  double tolerance = 0;
};

PassManagerOptions optionsOf(const Graph &graph, const Rewrite &rewrite) {
  PassManagerOptions options;
  options.limitMemory = rewrite.memory != 0;
  if (rewrite.memory != 0)
    options.memoryBudget = peakMemory(graph).bytes * rewrite.memory / 100;
  if (rewrite.ranksPerNode != 0) {
    options.machine = machinePreset(defaultMachine);
    options.machine->ranksPerNode = rewrite.ranksPerNode;
  }
  return options;
}

class RewritePrograms {
public:
  explicit RewritePrograms(const ProgramNumbers &options) : options_(options) {}
  int run();

private:
  void check(uint32_t number);
  void attempt(uint32_t number, const RegionProgram &program, const Rewrite &rewrite);
  [[nodiscard]] std::string recomputable(const RegionProgram &program) const;
  [[nodiscard]] std::string problemOf(const RegionProgram &program, const Graph &after, double tolerance) const;
  void print() const;

  ProgramNumbers options_;
  std::map<std::string, Tally> rewrites_;
  std::array<std::array<size_t, numRegionBaits>, numRegionForms> regions_ = {};
};

/// Returns, for each value with several uses, the value and the step before the last one, as recompute-values names
/// them.
std::vector<std::string> lateReads(const Graph &graph) {
  std::vector<std::string> names;
  for (const Node *node : graph) {
    const Node *last = nullptr;
    for (const Use &use : node->uses())
      last = !last || last->isBefore(use.user()) ? use.user() : last;
    if (last && node->opcode() == Opcode::CallFunction && last->prev() != node)
      names.push_back((node->name().str() + "." + last->prev()->name().str()).str());
  }
  return names;
}

/// Returns the pipeline that computes again all values that may be, where a budget would choose few; empty if there is
/// none.
std::string RewritePrograms::recomputable(const RegionProgram &program) const {
  std::vector<std::string> done;
  auto pipelineOf = [](llvm::ArrayRef<std::string> names) {
    return "recompute-values{only=" + llvm::join(names, "+") + "}";
  };
  PassManagerOptions options;
  options.verifyEach = options.checkLegality = false; // attempt() checks the result
  for (const std::string &name : lateReads(*program.graph)) {
    done.push_back(name);
    std::unique_ptr<Graph> graph = program.graph->clone();
    llvm::Expected<PipelineRun> run = runPipeline(*graph, llvm::cantFail(Pipeline::parse(pipelineOf(done))), options);
    if (run)
      continue;
    llvm::consumeError(run.takeError());
    done.pop_back();
  }
  return done.empty() ? "" : pipelineOf(done);
}

std::string RewritePrograms::problemOf(const RegionProgram &program, const Graph &after, double tolerance) const {
  if (llvm::Error error = verifyOrError(after))
    return llvm::toString(std::move(error));
  const runtime::EquivalenceReport report = runtime::checkEquivalence(
      seededRequest(*program.graph, program.ranks), {&after}, {{}, {tolerance == 0, tolerance, tolerance}, {}});
  if (!report.beforeFailure.empty())
    return "the program fails: " + report.beforeFailure;
  return differencesIn(report);
}

void RewritePrograms::attempt(uint32_t number, const RegionProgram &program, const Rewrite &rewrite) {
  Tally &tally = rewrites_[rewrite.name];
  ++tally.programs;
  std::unique_ptr<Graph> graph = program.graph->clone();
  llvm::Expected<PipelineRun> run =
      runPipeline(*graph, llvm::cantFail(Pipeline::parse(rewrite.pipeline)), optionsOf(*graph, rewrite));
  std::string problem;
  if (run) {
    for (const PassRun &pass : run->passes)
      for (const auto &[name, value] : pass.statistics)
        tally.regions += name == rewrite.statistic ? value : 0;
    const bool isChanged = llvm::any_of(run->passes, [](const PassRun &pass) { return pass.changed == Changed::Yes; });
    tally.changed += isChanged;
    problem = isChanged ? problemOf(program, *graph, rewrite.tolerance) : "";
    tally.wrong += !problem.empty();
  } else {
    problem = llvm::toString(run.takeError());
    ++tally.refused;
  }
  if (!problem.empty())
    llvm::outs() << "program " << number << ", " << rewrite.pipeline << ": " << problem << '\n';
}

void RewritePrograms::check(uint32_t number) {
  Context context;
  const RegionProgram program = makeRegionProgram(context, number);
  for (const Region &region : program.regions)
    ++regions_[static_cast<size_t>(region.form)][static_cast<size_t>(region.bait)];
  if (options_.print != 0)
    llvm::cantFail(writeFxText(llvm::outs(), *program.graph));
  const std::string pieces = std::to_string(2 + number % 3);
  attempt(number, program,
          {"`chunk-collectives`, pieces of equal size", "chunk-collectives{pieces=" + pieces + "}", "regions"});
  attempt(number, program, {"`keep-gathered`", "keep-gathered{beam=0}", "kept"});
  if (const std::string again = recomputable(program); !again.empty()) {
    attempt(number, program, {"`recompute-values`, all that may be", again, "recomputed"});
    attempt(number, program, {"the same, gathers among the repeated calls", again, "gathered"});
  }
  attempt(number, program,
          {"`chunk-collectives`, then `recompute-values` within 70 % of the peak",
           "chunk-collectives{pieces=2},recompute-values{walks=2 beam=0}", "recomputed", 70});
  if (program.ranks == 4)
    attempt(number, program,
            {"`hierarchical-collectives` on two nodes, then `schedule-overlap`",
             "hierarchical-collectives{max-longer=unlimited},schedule-overlap", "staged", 0, 2, 1e-4});
  if (number % 8 == 0)
    attempt(number, program,
            {"`-O3` within the peak, every eighth program", pipelineOfLevel(3).str(), "after-ns", 100});
}

void RewritePrograms::print() const {
  llvm::outs() << "| rewrite | programs | changed | regions cut, results kept, values computed again, "
                  "collectives in stages | refused by a check | **other values** |\n|---|---:|---:|---:|---:|---:|\n";
  for (const auto &[name, tally] : rewrites_)
    llvm::outs() << "| " << name << " | " << tally.programs << " | " << tally.changed << " | "
                 << (llvm::StringRef(name).startswith("`-O3`") ? "" : std::to_string(tally.regions)) << " | "
                 << tally.refused << " | " << tally.wrong << " |\n";
  llvm::outs() << "\n| regions in the programs | no bait | operand written | result written | alias written | random "
                  "state | not parallel | read later |\n|---|---:|---:|---:|---:|---:|---:|---:|\n";
  constexpr llvm::StringLiteral forms[] = {"gather and products", "product and reduction", "chain", "gathered twice",
                                           "late reader"};
  for (size_t form = 0; form != numRegionForms; ++form) {
    llvm::outs() << "| " << forms[form];
    for (size_t regions : regions_[form])
      llvm::outs() << " | " << regions;
    llvm::outs() << " |\n";
  }
}

int RewritePrograms::run() {
  for (uint32_t i = 0; i != options_.programs; ++i)
    check(options_.first + i);
  print();
  return llvm::any_of(rewrites_, [](const auto &it) { return it.second.refused + it.second.wrong > 0; }) ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  std::optional<ProgramNumbers> options = readProgramNumbers({argv + 1, argv + argc});
  if (!options) {
    llvm::errs() << "usage: ccgraph_rewrite_programs [--programs N] [--first N] [--print 1]\n";
    return 2;
  }
  return RewritePrograms(*options).run();
}
