// chunk-rows: c = cast(p); s = log_softmax(c); m = mean(s); e = exp(s); d = cast(e)
//             ->  for each k: s_k = log_softmax(cast(rows k of p)); m_k = mean(s_k); d_k = cast(exp(s_k));
//                 d = cat(d_k); m = sum of m_k / pieces
//
// A training step needs most memory at the loss, whose values have a row for each token and a column for each word. All
// of them together are needed for no row, so this pass computes them in pieces of rows. The step is a little slower,
// because the results are put together by a copy. The freed memory is worth far more to the passes that follow:
// keep-gathered keeps results, and schedule-overlap issues collectives earlier.
//   may we      chunks/row_region.h: functions of rows, and means and sums of all elements
//   which       the region around the node at the peak; the fewest pieces, of 2, 4, 8, 16 and 32, that free nearly as
//               much memory as any of them. With when=faster, only where the manager found that the rest of the
//               pipeline makes the step faster with the freed memory, or meets the budget with it only
//               (manager/choice.h)
//   do it       chunks/row_pieces.cpp
// Each row is computed from the same numbers, but a kernel for fewer rows may add them in another order, and a mean is
// that of the means of the pieces, so --bitwise keeps the region whole.
#include "analysis/own_program.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/registry.h"
#include "schedule/chunks/in_copy.h"
#include "schedule/chunks/row_region.h"

namespace ccgraph {

namespace {

/// When the pass changes the program.
enum class Occasion : uint8_t { Always, Faster };

class ChunkRows final : public Pass {
public:
  ChunkRows()
      : Pass({.name = "chunk-rows",
              .description = "Computes functions of rows in pieces where the program needs the most memory.",
              .phase = Phase::Simplify,
              // One unit in the last place of bf16, in which results may be rounded, is 0.8 %.
              .tolerance = 0.01,
              .choosesNodes = true,
              .freesMemory = true}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::string repetition() const override {
    return (name() + "{pieces=" + llvm::Twine(cut_) + "}").str();
  }
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<ChunkRows>(); }

private:
  ChoiceOption<Occasion> when_{*this,
                               "when",
                               Occasion::Always,
                               {{"always", Occasion::Always}, {"faster", Occasion::Faster}},
                               "always: wherever less memory is needed; faster: where the passes that follow make the "
                               "step faster with the freed memory"};
  Option<Count> pieces_{*this, "pieces", Count{0}, "how many pieces; 0: as many as free the most memory"};
  Statistic functions_{*this, "functions", "functions that are computed in pieces"};
  Statistic count_{*this, "pieces", "pieces of each"};
  Statistic before_{*this, "before-bytes", "peak memory before, in bytes"};
  Statistic after_{*this, "after-bytes", "peak memory after, in bytes"};
  Reason cut_rows_{*this, RemarkKind::Rewritten, "cut",
                   "and `functions` functions around it are computed in `pieces` pieces of `rows` rows; the peak "
                   "falls from `before` to `after` bytes"};
  Reason notRows_{*this, RemarkKind::Missed, "not-rows",
                  "needs the most memory, and is not known to compute each row from one row"};
  Reason entangled_{*this, RemarkKind::Missed, "entangled",
                    "needs the most memory, and a value that belongs to it is read before all that it depends on is "
                    "known"};
  Reason bitwise_{*this, RemarkKind::Missed, "bitwise",
                  "needs the most memory; kernels for fewer rows may round results otherwise, and --bitwise was given"};
  Reason ordered_{*this, RemarkKind::Missed, "ordered",
                  "needs the most memory, and a node that would go has ordering edges"};
  Reason written_{*this, RemarkKind::Missed, "written",
                  "needs the most memory, and a value that belongs to it is written or reshaped"};
  Reason opaque_{*this, RemarkKind::Missed, "opaque",
                 "needs the most memory, and an operator with unknown effects is among the functions around it"};
  Reason uneven_{*this, RemarkKind::Missed, "uneven",
                 "needs the most memory, and the stated number of pieces does not divide its rows"};
  Reason smaller_{*this, RemarkKind::Missed, "not-smaller",
                  "needs the most memory, and no number of pieces would need less"};
  Reason faster_{*this, RemarkKind::Missed, "not-faster",
                 "needs the most memory, and the passes that follow find no faster step with the memory that pieces "
                 "would free"};
  Reason bound_{*this, RemarkKind::Missed, "bound",
                "needs the most memory with the bound sizes, but the program has symbols in their place, so its pieces "
                "would not be these"};
  int64_t cut_ = 0; ///< pieces of the last run
  [[nodiscard]] const Reason &reasonOf(RowObstacle obstacle) const {
    const Reason *reasons[] = {&notRows_, &entangled_, &bitwise_, &ordered_, &written_, &opaque_};
    static_assert(std::size(decltype(reasons){}) == numRowObstacles);
    return *reasons[static_cast<size_t>(obstacle)];
  }
  friend class RowCutter;
};

/// One run.
class RowCutter {
public:
  RowCutter(ChunkRows &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), peak_(peakMemory(graph, context.analyses().storages())) {}

  Changed run() {
    pass_.cut_ = 0;
    if (!peak_.at)
      return Changed::No;
    Node *node = graph_.find(peak_.at->name().str());
    RegionFacts facts(graph_, context_);
    RowMatch match = matchRowRegion(facts, node);
    if (!match.region)
      return refuse(*node, pass_.reasonOf(match.obstacle));
    if (!isOfProgram(*node, *match.region))
      return refuse(*node, pass_.bound_);
    if (const int64_t stated = pass_.pieces_.get().limit.value_or(0); stated > 0 && match.region->rows % stated != 0)
      return refuse(*node, pass_.uneven_);
    if (pass_.when_.get() == Occasion::Faster && !context_.freesMemory())
      return refuse(*node, pass_.faster_);
    const Choice choice = choose(*match.region);
    if (choice.pieces < 2 || choice.bytes >= peak_.bytes)
      return refuse(*node, pass_.smaller_);
    cut(*node, *match.region, choice);
    return Changed::Yes;
  }

private:
  struct Choice {
    int64_t pieces = 0;
    int64_t bytes = 0; ///< at the peak
  };

  /// Returns true if the same region needs the most memory in the program itself, where sizes may be unknown: there the
  /// rewrite is done again.
  [[nodiscard]] bool isOfProgram(const Node &node, const RowRegion &region) {
    OwnProgram own(graph_, context_);
    if (!own.isOfCopy())
      return true;
    const Node *peak = peakMemory(own.program()).at;
    if (!peak || peak->name() != node.name())
      return false;
    RegionFacts facts(own.program(), own.context());
    const RowMatch match = matchRowRegion(facts, own.program().find(node.name()));
    return match.region && match.region->nodes().size() == region.nodes().size();
  }

  Changed refuse(const Node &node, const Reason &reason) {
    context_.remark(reason, node);
    return Changed::No;
  }

  /// Returns the peak of the program in so many pieces.
  [[nodiscard]] int64_t peakIn(const RowRegion &region, int64_t pieces) const {
    std::unique_ptr<Graph> copy = graph_.clone();
    RowRegion same{.stages = {}, .rows = region.rows};
    for (const RowRegion::Stage &stage : region.stages)
      same.stages.push_back({inCopy(stage.position, *copy), inCopy(stage.functions, *copy), inCopy(stage.losses, *copy),
                             inCopy(stage.totals, *copy), inCopy(stage.results, *copy)});
    RuleEntry entry;
    buildRowPieces(*context_.cost().forCopy(graph_, *copy), *copy, same, pieces, entry);
    return peakMemory(*copy).bytes;
  }

  /// Returns the pieces that were stated, or the fewest that free fifteen sixteenths of what any number frees.
  [[nodiscard]] Choice choose(const RowRegion &region) const {
    constexpr int64_t mostPieces = 32;
    // Whether later passes gain from the memory is not known without all of their searches.
    const int64_t worthPart = pass_.when_.get() == Occasion::Faster ? 16 : 64;
    if (const int64_t stated = pass_.pieces_.get().limit.value_or(0); stated > 0)
      return {stated, peakIn(region, stated)};
    std::vector<Choice> choices;
    int64_t least = peak_.bytes - peak_.bytes / worthPart;
    for (int64_t pieces = 2; pieces <= mostPieces; pieces *= 2)
      if (region.rows % pieces == 0) {
        choices.push_back({pieces, peakIn(region, pieces)});
        least = std::min(least, choices.back().bytes);
      }
    const int64_t enough = least + (peak_.bytes - least) / 16;
    const auto best = llvm::find_if(choices, [&](const Choice &choice) { return choice.bytes <= enough; });
    return best == choices.end() ? Choice{} : *best;
  }

  void cut(const Node &node, const RowRegion &region, const Choice &choice) {
    size_t functions = 0;
    for (const RowRegion::Stage &stage : region.stages)
      functions += stage.functions.size();
    context_.remark(pass_.cut_rows_, node,
                    {{"functions", std::to_string(functions)},
                     {"pieces", std::to_string(choice.pieces)},
                     {"rows", std::to_string(region.rows / choice.pieces)},
                     {"before", std::to_string(peak_.bytes)},
                     {"after", std::to_string(choice.bytes)}});
    pass_.functions_ += static_cast<int64_t>(functions);
    pass_.count_ += choice.pieces;
    pass_.before_ += peak_.bytes;
    pass_.after_ += choice.bytes;
    pass_.cut_ = choice.pieces;
    RuleEntry entry;
    buildRowPieces(context_.cost(), graph_, region, choice.pieces, entry);
    context_.certificate().rules.push_back(std::move(entry));
  }

  ChunkRows &pass_;
  Graph &graph_;
  PassContext &context_;
  MemoryPeak peak_;
};

llvm::Expected<Changed> ChunkRows::run(Graph &graph, PassContext &context) {
  return RowCutter(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createChunkRows() { return std::make_unique<ChunkRows>(); }

} // namespace ccgraph
