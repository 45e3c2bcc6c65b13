// Terms of row functions of symbolic rows, and of reductions of the receiver's rows.
#include "symbolic_terms.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

uint32_t SymbolicTerms::internRows(RowTerm term) {
  auto isSame = [](const RowOperand &a, const RowOperand &b) {
    return a.cut == b.cut && a.source == b.source && a.start.equals(b.start) && a.perRank.equals(b.perRank);
  };
  auto known = llvm::find_if(rowTerms_, [&](const RowTerm &other) {
    return other.result == term.result && sameCalls(other.call, term.call) &&
           std::equal(other.operands.begin(), other.operands.end(), term.operands.begin(), term.operands.end(), isSame);
  });
  if (known == rowTerms_.end())
    known = rowTerms_.insert(known, std::move(term));
  return intern({.kind = Term::Kind::Rows, .of = static_cast<uint32_t>(known - rowTerms_.begin())});
}

/// Follows the runs of an operand with rows.
struct SymbolicTerms::RowCursor {
  const RowValue *value;
  size_t run = 0;
  Quantity used = Quantity(0); ///< rows of that run
  [[nodiscard]] bool isAtEnd() const { return run == value->runs->size(); }
  /// Returns the rows that are left of the run; empty at the end.
  [[nodiscard]] std::optional<Quantity> left() const {
    return isAtEnd() ? std::nullopt : (*value->runs)[run].count.minus(used);
  }
  /// Returns so many rows of the run.
  [[nodiscard]] std::optional<RowRun> rows(const Quantity &count) const {
    const RowRun &at = (*value->runs)[run];
    const std::optional<Quantity> start = at.start.plus(used);
    return start ? std::optional(RowRun{at.source, *start, count, at.perRank}) : std::nullopt;
  }
  [[nodiscard]] bool pass(const Quantity &rows) {
    const std::optional<Quantity> more = used.plus(rows);
    if (!more)
      return false;
    used = *more;
    if (used.equals((*value->runs)[run].count))
      ++run, used = Quantity(0);
    return true;
  }
};

/// Returns the rows that the cursors have left of their runs, if the same cursor has the fewest for every value of the
/// symbol.
std::optional<Quantity> SymbolicTerms::commonRows(llvm::ArrayRef<RowCursor> cursors) {
  std::optional<Quantity> least = cursors.front().left();
  for (const RowCursor &cursor : cursors.drop_front()) {
    const std::optional<Quantity> left = cursor.left();
    least = least && left ? Quantity::smaller(*least, *left) : std::nullopt;
  }
  return least;
}

/// Returns the operands of a row function at so many rows; `first` are the rows of the first operand with rows.
std::optional<SymbolicTerms::RowOperands>
SymbolicTerms::operandsAt(llvm::ArrayRef<RowCursor> cursors, llvm::ArrayRef<uint32_t> steps, const RowRun &first) {
  RowOperands operands;
  for (const uint32_t step : steps) {
    if (step != none) {
      operands.push_back({false, step});
      continue;
    }
    const std::optional<RowRun> own = cursors.front().rows(first.count);
    const std::optional<Quantity> start = own ? own->start.minus(first.start) : std::nullopt,
                                  perRank = own ? own->perRank.minus(first.perRank) : std::nullopt;
    if (!start || !perRank)
      return std::nullopt;
    operands.push_back({true, own->source, *start, *perRank});
    cursors = cursors.drop_front();
  }
  return operands;
}

// For r [0, s0) and w = sum of x from s0 * rank, s0 rows, the sum of both is "r + (sum of x that begins s0 * rank rows
// later) [0, s0)". A piece with the rows [s0//2, s0) of both is the same term.
std::optional<SymbolicTerms::RowValues>
SymbolicTerms::rows(const RowCall &call, llvm::ArrayRef<const RowValue *> operands, llvm::ArrayRef<uint32_t> steps) {
  llvm::SmallVector<RowCursor, 2> cursors;
  for (const RowValue *operand : operands)
    cursors.push_back({operand});
  std::vector<RowRuns> results(call.results.size());
  while (!cursors.front().isAtEnd()) {
    const std::optional<Quantity> count = commonRows(cursors);
    const std::optional<RowRun> first = count ? cursors.front().rows(*count) : std::nullopt;
    std::optional<RowOperands> own = first ? operandsAt(cursors, steps, *first) : std::nullopt;
    if (!own)
      return std::nullopt;
    for (size_t result = 0; result < results.size(); ++result)
      if (!append(results[result], {internRows({call, result, *own}), first->start, *count, first->perRank}))
        return std::nullopt;
    if (!llvm::all_of(cursors, [&](RowCursor &cursor) { return cursor.pass(*count); }))
      return std::nullopt;
  }
  RowValues values;
  for (size_t result = 0; result < results.size(); ++result) {
    Quantities sizes = operands.front()->sizes;
    sizes.back() = Quantity(call.results[result].back());
    std::optional<RowValue> value = newValue(operands.front()->dtype, sizes, std::move(results[result]));
    if (!value)
      return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

std::optional<uint32_t> SymbolicTerms::changed(uint32_t source, ChangeTerm change) {
  Term term = terms_[source];
  if (term.kind == Term::Kind::Product) {
    const std::optional<uint32_t> rows = changed(term.of, change);
    if (!rows)
      return std::nullopt;
    term.of = *rows;
    return intern(std::move(term));
  }
  if (term.kind != Term::Kind::Rows)
    return change(source);
  RowTerm own = rowTerms_[term.of];
  for (RowOperand &operand : own.operands) {
    const std::optional<uint32_t> rows = operand.cut ? changed(operand.source, change) : std::optional(operand.source);
    if (!rows)
      return std::nullopt;
    operand.source = *rows;
  }
  return internRows(std::move(own));
}

// For 2 ranks, the product of the gathered x and this rank's b is "rank 0's x times b, then rank 1's x times b". Each
// rank p sends rank k the product of rank k's x and p's own b, which is "the receiver's x times b" in both pieces.
std::optional<uint32_t> SymbolicTerms::ofReceiver(uint32_t source, int64_t rank) {
  return changed(source, [&](uint32_t rows) -> std::optional<uint32_t> {
    const Term term = terms_[rows];
    if (term.kind != Term::Kind::OfRank || term.rank != rank)
      return std::nullopt;
    return intern({.kind = Term::Kind::OfReceiver, .of = term.of});
  });
}

// The receiver within a reduction that is itself computed from is another one: it stays.
uint32_t SymbolicTerms::received(uint32_t reduction, int64_t rank) {
  Term term = terms_[reduction];
  term.of = *changed(term.of, [&](uint32_t rows) -> std::optional<uint32_t> {
    const Term own = terms_[rows];
    if (own.kind != Term::Kind::OfReceiver)
      return rows;
    return intern({.kind = Term::Kind::OfRank, .of = own.of, .rank = rank});
  });
  return intern(std::move(term));
}

std::optional<RowRuns> SymbolicTerms::pieceOfReceiver(std::vector<RowRuns> pieces) {
  for (size_t rank = 0; rank < pieces.size(); ++rank)
    for (RowRun &run : pieces[rank]) {
      const std::optional<uint32_t> source = ofReceiver(run.source, static_cast<int64_t>(rank));
      if (!source)
        return std::nullopt;
      run.source = *source;
    }
  return firstPiece(pieces);
}

} // namespace ccgraph::legality
