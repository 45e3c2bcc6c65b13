// ccgraph_api_programs verifies and runs random programs in the tracing API, and compares them before and after -O2.
//
//   ccgraph_api_programs [--programs N] [--first N] [--print 1]
//
// A program's number is its seed: `--first 17 --programs 1 --print 1` shows program 17. --print shows each program as
// FX text. It prints a line for each failure, then a table. Exit: 0; 1 if anything failed, or if more than one program
// in a thousand has no result that could show a difference; 2 usage.
#include "support/compared_after_o2.h"
#include "support/program_numbers.h"
#include "support/random_api_program.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/verifier.h"

#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

/// Counts for the table.
struct Counts {
  std::map<size_t, size_t> ranks;
  std::set<std::string> operators;
  size_t programs = 0, differentiated = 0, nodes = 0, collectives = 0, wrapped = 0, collectivesAfter = 0, failed = 0;
  /// programs of which no result could show a difference, such as where all are NaN
  size_t unchecked = 0;
};

bool isCollective(const Node *node) { return node->op() && node->op()->collective; }

void count(const Graph &graph, Counts &counts) {
  counts.nodes += graph.size();
  for (const Node *node : graph) {
    if (node->opcode() != Opcode::CallFunction)
      continue;
    counts.operators.insert(node->target().str().str());
    counts.collectives += isCollective(node);
    counts.wrapped += node->target().str().startswith("c10d.");
  }
}

/// Returns the problem of one program; "" if there is none.
std::string problemOf(const RandomApiProgram &program, Counts &counts) {
  const Graph &graph = *program.graph;
  if (std::vector<Diagnostic> findings = verify(graph); !findings.empty())
    return "the verifier says " + toString(findings);
  ComparedAfterO2 after = compareAfterO2(graph, program.ranks);
  if (after.graph)
    counts.collectivesAfter += llvm::count_if(*after.graph, isCollective);
  counts.unchecked += after.problem.empty() && !after.isChecked;
  return after.problem;
}

void tryProgram(uint32_t seed, const ProgramNumbers &options, Counts &counts) {
  Context context;
  ++counts.programs;
  llvm::Expected<RandomApiProgram> program = makeRandomApiProgram(context, seed);
  std::string problem;
  if (program) {
    ++counts.ranks[program->ranks];
    counts.differentiated += program->isDifferentiated;
    count(*program->graph, counts);
    if (options.print)
      llvm::cantFail(writeFxText(llvm::outs(), *program->graph));
    problem = problemOf(*program, counts);
  } else {
    problem = llvm::toString(program.takeError());
  }
  if (problem.empty())
    return;
  ++counts.failed;
  llvm::outs() << "program " << seed << ": " << problem << "\n";
}

void print(const Counts &counts) {
  auto row = [](const llvm::Twine &what, size_t number) { llvm::outs() << "| " << what << " | " << number << " |\n"; };
  llvm::outs() << "| what | number |\n|---|---:|\n";
  row("programs", counts.programs);
  for (auto [ranks, programs] : counts.ranks)
    row("programs on " + llvm::Twine(ranks) + " ranks", programs);
  row("programs that hold their own gradients", counts.differentiated);
  row("nodes", counts.nodes);
  row("operators that occur", counts.operators.size());
  row("collectives", counts.collectives);
  row("of these c10d's own, on wrapped tensors", counts.wrapped);
  row("collectives after -O2", counts.collectivesAfter);
  row("programs without a result that could show a difference, such as where all are NaN", counts.unchecked);
  row("**refused, or different after -O2**", counts.failed);
}

bool tooManyUnchecked(const Counts &counts) { return counts.unchecked > std::max<size_t>(1, counts.programs / 1000); }

} // namespace

int main(int argc, char **argv) {
  std::optional<ProgramNumbers> options = readProgramNumbers({argv + 1, argv + argc});
  if (!options) {
    llvm::errs() << "usage: ccgraph_api_programs [--programs N] [--first N] [--print 1]\n";
    return 2;
  }
  Counts counts;
  for (uint32_t i = 0; i != options->programs; ++i)
    tryProgram(options->first + i, *options, counts);
  print(counts);
  return counts.failed || tooManyUnchecked(counts) ? 1 : 0;
}
