// Terms: the elements of a value after a chain of exchanges on one group, on all ranks at the same time.
//
// A value is a list of runs (layout.h). The source of a run is a *term*: elements of one form of an input. The form is
// the input as this rank holds it, as the rank of number k in the group holds it, or as a reduction over the group
// returns it. The start of a run may grow with the number that the rank has in the group (Run::perRank), so one text
// describes what differs by rank. For 2 ranks and x of 4 elements:
//
//   x                          own x from 0, 4 elements
//   reduce_scatter(x, sum)     sum of x from 0 + 2 * rank, 2 elements
//   all_gather of that         sum of x from 0, 2 elements; sum of x from 2, 2 elements
//                            = sum of x from 0, 4 elements
//   all_reduce(x, sum)         sum of x from 0, 4 elements
//
// so the two are equal. The evaluation is symbolic, without samples of numbers. An all_reduce of a value that is
// already reduced, or that differs by rank, has no term, with three exceptions:
//
//   one rank                   every exchange returns its input
//   equal on all ranks         min, max, and, or of it return it, and so does a broadcast
//   piece k is rank k's        a second all_to_all returns own elements: it sends each rank its elements back
//
// A product of gathered rows, or a row function of it, whose piece k is computed from rank k's rows has a
// reduce_scatter with a term: "sum of the products of the receiver's rows". On each rank the receiver is that rank. If
// such sums are gathered, piece k is the sum of the products of rank k's rows.
//
// A cast changes each element for itself, so it becomes a part of the term: "x cast to f32". The gather of a cast is
// the cast of the gather, but the sum of casts is not the cast of the sum.
//
// Ownership: plain values. Failure: a sentence that explains which part cannot be evaluated. Cost: ranks x runs an
// exchange.
#pragma once

#include "call.h"
#include "layout.h"
#include "row_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <variant>

namespace ccgraph::legality {

/// The dimensions and the number of ranks of a shard_dim_alltoall.
struct Resharding {
  int64_t gather = 0;
  int64_t shard = 0;
  int64_t ranks = 0;
};

class Terms {
public:
  /// Returns the value of a step as this rank holds it.
  [[nodiscard]] Layout own(uint32_t step, llvm::ArrayRef<int64_t> sizes);
  /// Returns the value of a step that is equal on all ranks of the chain's group.
  [[nodiscard]] Layout replicated(uint32_t step, llvm::ArrayRef<int64_t> sizes);
  /// Returns the value with each element cast.
  [[nodiscard]] Layout cast(const Layout &value, DType dtype);
  /// States the number of ranks of the chain's group, which a file or a call has given.
  void setRanks(int64_t ranks) { group_.ranks = ranks; }
  /// Returns the number of ranks that was stated, or that the exchanges so far agree on; 0 if it is unknown.
  [[nodiscard]] int64_t ranks() const { return group_.ranks; }
  /// Returns the value that a collective on one tensor computes, or why it cannot be determined. All calls of one chain
  /// must be on one group, and agree on its size.
  [[nodiscard]] std::variant<Layout, std::string> exchange(const Call &call, const Layout &input);

  /// Returns the product of a value's rows and a matrix: row i of the result is a function of row i and of the matrix.
  /// So it has a term of its own for each term of the rows, whose start and count are those of the rows. Column j of
  /// the result is a function of the rows and of column j of the matrix, so the product of some columns of a matrix is
  /// these columns of the product. The product of a matrix and of the transposed rows of other ranks has a term for
  /// each rank too: column j is a function of row j of these and of the matrix. Empty unless both are matrices that
  /// fit, and each run consists of whole rows.
  [[nodiscard]] std::optional<Layout> product(const Layout &first, const Layout &second);

  /// Returns the results of a call that computes row by row, or element by element. Row i of a result is a function of
  /// row i of the operands with rows, and of the other operands, so it has a term of its own, whose start and count are
  /// those of the rows of the first operand with rows. Empty unless each run of these operands consists of whole rows.
  [[nodiscard]] std::optional<llvm::SmallVector<Layout, 1>> rows(const RowCall &call,
                                                                 llvm::ArrayRef<const Layout *> operands);

  /// Returns the mean or the sum of all elements of a value, the sum of two such totals, or a total divided by a whole
  /// number. A total is the set of the elements that are added, each over a number. So the mean of a value is the sum
  /// of the means of its equal parts over their number. Empty for any other call.
  [[nodiscard]] std::optional<Layout> total(const Step &step, llvm::ArrayRef<const Layout *> operands);
  /// Returns the sum of all elements of a value, each over a number.
  [[nodiscard]] Layout sum(const Layout &value, int64_t over = 1);

  /// Returns the result of a shard_dim_alltoall over this many ranks on an own value: each rank's block along one
  /// dimension that has this rank's number, concatenated along another dimension.
  [[nodiscard]] std::variant<Layout, std::string> reshard(const Call &call, const Layout &input, const Resharding &how);

private:
  struct Term {
    enum class Kind : uint8_t { Own, Replicated, OfRank, Reduced, OfReceiver } kind = Kind::Own;
    uint32_t step = 0;
    int64_t rank = 0;     ///< OfRank
    std::string reduceOp; ///< Reduced
    std::string casts;    ///< dtypes to which the elements were cast, in order
    std::string addends;  ///< Reduced: the casts before the reduction
    friend bool operator==(const Term &, const Term &) = default;
  };
  /// The product of one term's rows and a matrix. Its term has the number of the product, counted from above, in place
  /// of a step.
  struct Product {
    uint32_t rows = 0;
    IntList matrixSizes;
    Runs matrix;
    bool isTransposed = false; ///< the matrix is multiplied in its transposed form
    friend bool operator==(const Product &, const Product &) = default;
  };
  /// One operand of a row function: rows of a term, or a value that is the same for every row.
  struct RowOperand {
    bool cut = false;
    uint32_t source = 0; ///< cut: the term of the rows
    int64_t start = 0;   ///< cut: distance to the rows of the first operand that is cut, in rows
    int64_t perRank = 0; ///< cut: the same for the step by rank
    int64_t columns = 0; ///< cut
    IntList sizes;       ///< not cut
    Runs runs;           ///< not cut
    friend bool operator==(const RowOperand &, const RowOperand &) = default;
  };
  /// One result of a row function of some terms, numbered like a product.
  struct RowTerm {
    RowCall call;
    size_t result = 0;
    llvm::SmallVector<RowOperand, 2> operands;
  };
  /// Elements that a total adds, each over the same number. The offset of the run has no meaning.
  struct Share {
    Run run;
    int64_t over = 1;
    friend bool operator==(const Share &, const Share &) = default;
  };
  using Shares = std::vector<Share>;
  /// The operands of a row function, and how far each was followed.
  struct RowCursor;
  uint32_t intern(Term term);
  uint32_t internRows(RowTerm term);
  uint32_t internProduct(Product product);
  [[nodiscard]] Layout internTotal(Shares shares);
  /// Returns null for a value that is no total.
  [[nodiscard]] const Shares *sharesOf(const Layout &value) const;
  /// Returns the product with a matrix whose columns are rows of other ranks.
  [[nodiscard]] std::optional<Layout> productOfGathered(const Layout &rows, const Layout &columns);
  /// Returns the product of these runs, which consist of whole rows of so many elements, and a matrix of so many
  /// columns, with the term of `product`; empty if a run does not consist of whole rows.
  [[nodiscard]] std::optional<Runs> productOfRuns(const Runs &rows, int64_t inner, int64_t columns, Product product);
  /// Returns the product if the matrix has some columns of a wider matrix; empty if it has not, or if it has no term.
  [[nodiscard]] std::optional<Runs> productOfColumns(const Layout &rows, const Layout &matrix);
  /// Returns the result of a function of each element of the operand with rows, whose run it follows.
  [[nodiscard]] Layout elements(const RowCall &call, llvm::ArrayRef<const Layout *> operands);
  [[nodiscard]] bool isOwn(const Run &run) const;
  [[nodiscard]] bool isReplicated(const Run &run) const { return terms_[run.source].kind == Term::Kind::Replicated; }
  /// Returns true for elements that are the same on every rank: none depends on the number of the rank.
  [[nodiscard]] bool isEqualEverywhere(const Run &run) { return run.perRank == 0 && !isOwn(run) && !isOfReceiver(run); }
  /// Returns true for a reduction that differs by rank, since it is one of the receiver's rows.
  [[nodiscard]] bool isOfReceiver(const Run &run);
  /// Returns the run as the rank of this number holds it, valid on any rank.
  Run ofRank(Run run, int64_t rank);
  /// Returns the run after a reduction over the group; empty if it has no term.
  std::optional<Run> reduced(const Call &call, Run run);
  std::variant<Layout, std::string> reduce(const Call &call, const Layout &input);
  std::variant<Layout, std::string> broadcast(const Call &call, const Layout &input);
  std::variant<Layout, std::string> gather(const Layout &input, const IntList &sizes);
  std::variant<Layout, std::string> scatter(const Call &call, const Layout &input, const IntList &sizes);
  [[nodiscard]] std::variant<Layout, std::string> sendBack(const Runs &pieces, const IntList &sizes) const;
  std::variant<Layout, std::string> transpose(const Call &call, const Layout &input, const IntList &sizes);
  /// Returns the runs of the piece that goes to the rank of number 0; `offset` of each is the distance to the start of
  /// the next rank's run. Empty if the pieces do not differ by a constant step.
  [[nodiscard]] std::optional<Runs> firstPiece(const Layout &input) const;
  /// Returns the runs of the piece that goes to the rank of number 0, if piece k is the same part of rank k's elements;
  /// `offset` as above. On rank k this part is its own.
  [[nodiscard]] std::optional<Runs> ownPiece(const Layout &input);
  /// Returns the runs of the piece that goes to the rank of number 0, if piece k is computed from rank k's rows by the
  /// same products and row functions; in terms of the receiver's rows.
  [[nodiscard]] std::optional<Runs> piecesOfReceiver(const Layout &input);
  using ChangeTerm = llvm::function_ref<std::optional<uint32_t>(uint32_t)>;
  /// Returns the term with `change` applied to each term that its products and row functions are computed from; empty
  /// if the change of one is.
  [[nodiscard]] std::optional<uint32_t> changed(uint32_t source, ChangeTerm change);
  /// Returns a reduction with the receiver's rows replaced by those of the rank of this number, which received it.
  [[nodiscard]] uint32_t received(uint32_t source, int64_t rank);
  /// Returns the term with the rows of the rank of this number replaced by those of the receiver; empty if it is
  /// computed from other rows.
  [[nodiscard]] std::optional<uint32_t> ofReceiver(uint32_t source, int64_t rank);
  [[nodiscard]] Runs piece(const Layout &input, int64_t rank) const;

  std::vector<Term> terms_;
  std::vector<Product> products_;
  std::vector<RowTerm> rowTerms_;
  std::vector<Shares> totals_;
  CommonGroup group_;
};

} // namespace ccgraph::legality
