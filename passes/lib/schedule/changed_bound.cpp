// predictChangedBound(): the bound of all programs that keep-gathered, recompute-values and chunk-collectives may make.
//
// All repeated collectives are gone, and all regions that may be cut can run in any pieces. Neither makes a bound
// higher, so the result holds for every choice between that and the graph as it is. Steps that are computed again,
// and copies to the host and back, are work beside these.
#include "ccgraph/passes/bounds.h"
#include "ccgraph/passes/pass.h"
#include "schedule/chunks/chunk_forms.h"
#include "schedule/kept_problem.h"
#include "schedule/overlap/bound.h"
#include "schedule/overlap/cut_problem.h"
#include "schedule/overlap/program_problem.h"

namespace ccgraph {

namespace {

/// Collects the regions of a graph that chunk-collectives may cut.
class CutRegions {
public:
  CutRegions(Graph &graph, PassContext &context, llvm::ArrayRef<Node *> nodes)
      : graph_(graph), facts_(graph, context), forms_(graph, context, facts_), stepOf_(overlap::stepsById(nodes)) {}
  std::vector<overlap::CutRegion> collect();

private:
  void add(overlap::CutRegion &region, const Node *node) const { region.steps.push_back(stepOf_[node->id()]); }
  void add(overlap::CutRegion &region, const ChunkRegion &added) const;
  void addRegion(const ChunkRegion &region);
  void addChain(const ChunkChain &chain);

  Graph &graph_;
  RegionFacts facts_;
  ChunkForms forms_;
  std::vector<uint32_t> stepOf_;
  std::vector<overlap::CutRegion> regions_;
};

void CutRegions::add(overlap::CutRegion &region, const ChunkRegion &added) const {
  // A piece has a row of each block, or a column.
  region.mostPieces = added.rows;
  for (const Node *node : added.nodes())
    add(region, node);
  // A piece of rows need not be moved: the results are put together instead.
  for (const Node *move : added.cutsColumns() ? llvm::ArrayRef<Node *>() : llvm::ArrayRef<Node *>(added.moves))
    region.absent.push_back(stepOf_[move->id()]);
}

void CutRegions::addRegion(const ChunkRegion &region) {
  if (forms_.obstacle(region))
    return;
  add(regions_.emplace_back(), region);
}

void CutRegions::addChain(const ChunkChain &chain) {
  if (forms_.obstacle(chain))
    return;
  overlap::CutRegion &cut = regions_.emplace_back();
  for (const ChunkRegion &region : chain.regions)
    add(cut, region);
  for (const auto &links : chain.links)
    for (const Node *link : links)
      add(cut, link);
}

std::vector<overlap::CutRegion> CutRegions::collect() {
  for (Node *node : graph_) {
    if (!collectiveOf(*node))
      continue;
    ChunkMatch match = forms_.match(node);
    if (!match.region)
      continue;
    addRegion(*match.region);
    if (std::optional<ChunkChain> chain = forms_.matchChain(node))
      addChain(*chain);
  }
  return std::move(regions_);
}

} // namespace

StepBound predictChangedBound(Graph &graph, PassContext &context) {
  const ProgramFacts &facts = context.analyses().facts();
  overlap::ProgramProblem program(graph, facts, context.cost(), {context.spmd(), context.bitwise()});
  const overlap::GraphProblem &given = program.given();
  const overlap::Problem cut = overlap::withCuts(given.problem, CutRegions(graph, context, given.nodes).collect());
  const std::vector<Repetition> kept =
      keptRepetitions(graph, facts, context.spmd(), [](const Repetition &, RepetitionObstacle) {});
  return program.named(overlap::lowerBounds(withKept(cut, given.nodes, facts, kept)).anyMerging);
}

} // namespace ccgraph
