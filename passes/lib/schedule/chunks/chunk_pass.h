// ChunkCollectives: the pass chunk-collectives (chunk_collectives.cpp): its options, its statistics, and the reasons of
// its remarks.
//
// Ownership: see Pass. Failure: an error for an option that names what is not cut. Cost: see chunk_collectives.cpp.
#pragma once

#include "ccgraph/passes/pass.h"
#include "schedule/chunks/named_pieces.h"

namespace ccgraph {

class ChunkCollectives final : public Pass {
public:
  ChunkCollectives()
      : Pass({.name = "chunk-collectives",
              .description = "Cuts collectives and the products of matrices beside them into pieces, so that the "
                             "collective of one piece overlaps with the products of another.",
              .phase = Phase::Simplify,
              // One unit in the last place of bf16, in which results may be rounded, is 0.8 %.
              .tolerance = 0.01,
              .choosesNodes = true}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::string repetition() const override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<ChunkCollectives>(); }

private:
  Option<Count> pieces_{*this, "pieces", Count{0},
                        "cuts every region into so many pieces of equal size, without a prediction; 0: the pieces of "
                        "the fastest prediction, if they are faster than the whole"};
  Option<Count> most_{*this, "max-pieces", Count{4}, "largest number of pieces that a prediction may choose"};
  Option<Count> walks_{
      *this, "walks", Count{0},
      "trial schedules of the search for the program with and without pieces, see schedule-overlap; 0: "
      "each region is judged alone"};
  Option<Count> beam_{*this, "beam", Count{0}, "beam of that search"};
  Option<NodeNames> only_{
      *this, "only", NodeNames{},
      "the collectives that are cut, each with the rows of its pieces as in g.512.1536, or their parts of symbolic "
      "rows, or those that are cut together as in s-g.512.1536, without a prediction and whatever memory the pieces "
      "need; *: the pass chooses them"};
  Statistic regions_{*this, "regions", "regions cut"};
  Statistic made_{*this, "pieces", "pieces of them"};
  Statistic saved_{*this, "saved-ns", "predicted time that the regions alone take less, in nanoseconds"};
  Statistic before_{*this, "before-ns", "predicted step of the best schedule without pieces, in nanoseconds"};
  Statistic after_{*this, "after-ns", "predicted step of the best schedule with the pieces, in nanoseconds"};
  Statistic boundBefore_{*this, "bound-before-ns",
                         "step that no schedule without pieces can beat, with any merging and any memory, in "
                         "nanoseconds"};
  Statistic boundAfter_{*this, "bound-after-ns", "the same for the chosen pieces"};
  Reason cut_{*this, RemarkKind::Rewritten, "cut",
              "and the products beside it were cut into pieces of `rows` rows; the region alone is predicted to take "
              "`whole-ns` ns whole and `pieces-ns` ns in pieces"};
  Reason cutSymbolic_{*this, RemarkKind::Rewritten, "cut-symbolic",
                      "and the products beside it were cut into pieces of `rows` rows, for every value of the symbol"};
  Reason cutBound_{*this, RemarkKind::Rewritten, "cut-bound",
                   "and the products beside it were cut into pieces of `rows` rows, for every value of the symbol; "
                   "with the bound sizes, the region alone is predicted to take `whole-ns` ns whole and `pieces-ns` ns "
                   "in pieces that have `parts` of the rows"};
  Reason chainSymbolic_{*this, RemarkKind::Rewritten, "chain-symbolic",
                        "and `with`, with the computation beside and between them, were cut into pieces of `rows` "
                        "rows, for every value of the symbol"};
  Reason chainBound_{*this, RemarkKind::Rewritten, "chain-bound",
                     "and `with`, with the computation beside and between them, were cut into pieces of `rows` rows, "
                     "for every value of the symbol; with the bound sizes, together they are predicted to take "
                     "`whole-ns` ns whole and `pieces-ns` ns in pieces that have `parts` of the rows"};
  Reason columns_{*this, RemarkKind::Rewritten, "cut-columns",
                  "and the product beside it were cut into pieces of `columns` columns; the region alone is predicted "
                  "to take `whole-ns` ns whole and `pieces-ns` ns in pieces"};
  Reason columnsSymbolic_{
      *this, RemarkKind::Rewritten, "columns-symbolic",
      "and the product beside it were cut into pieces of `columns` columns, for every value of the symbols"};
  Reason chain_{
      *this, RemarkKind::Rewritten, "chain",
      "and `with`, with the computation beside and between them, were cut into pieces of `rows` rows; together "
      "they are predicted to take `whole-ns` ns whole and `pieces-ns` ns in pieces"};
  Reason apart_{*this, RemarkKind::Missed, "chain-whole", "and `with` are not cut together: `why`"};
  Reason parallel_{*this, RemarkKind::Missed, "not-parallel",
                   "`node`, beside it, calls `operator`, whose rows are not proved to be independent"};
  Reason spmd_{*this, RemarkKind::Missed, "not-spmd", "ranks run different graphs, so another rank may send it whole"};
  Reason arguments_{*this, RemarkKind::Missed, "arguments",
                    "is not called with exactly the positional arguments of its schema"};
  Reason bitwise_{*this, RemarkKind::Missed, "bitwise",
                  "results must be bitwise equal (--bitwise), and a product of fewer rows may be rounded otherwise"};
  Reason ordered_{*this, RemarkKind::Missed, "ordered", "a node that would go has ordering edges"};
  Reason written_{*this, RemarkKind::Missed, "written",
                  "a value that the pieces would read is written, so they might read another one"};
  Reason reshaped_{*this, RemarkKind::Missed, "reshaped",
                   "an operand or a result may be reshaped in place, so its type does not determine it"};
  Reason opaque_{*this, RemarkKind::Missed, "opaque",
                 "an opaque operator is between the nodes of the region, and may write any value"};
  Reason observed_{*this, RemarkKind::Missed, "address-observed",
                   "the gathered value and a view of it are read whole, and one of them is returned, or read by an "
                   "operator that observes its address"};
  Reason type_{*this, RemarkKind::Missed, "type-mismatch", "its wait has another stated type"};
  Reason symbolic_{*this, RemarkKind::Missed, "symbolic", "has sizes that are known only at run time: `why`"};
  Reason rows_{*this, RemarkKind::Missed, "few-rows", "one row or column cannot be cut"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget",
                 "the pieces would hold `bytes` bytes beside the whole, which would exceed the memory budget"};
  Reason slower_{*this, RemarkKind::Missed, "slower",
                 "the region alone is predicted to take `whole-ns` ns, and no cut takes less"};
  Reason hidden_{*this, RemarkKind::Missed, "hidden",
                 "it is not exposed in the best schedule of the program; if columns would be cut, no exposed "
                 "collective is in its sequence"};
  Reason whole_{*this, RemarkKind::Missed, "not-faster",
                "no schedule with its pieces was found that is faster than the best one without"};
  std::vector<std::string> done_; ///< by the last run, as the option `only` names them
  friend class Chunker;
};

} // namespace ccgraph
