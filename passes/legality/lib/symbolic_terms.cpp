#include "symbolic_terms.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

using Outcome = SymbolicTerms::Outcome;

namespace {

constexpr llvm::StringLiteral noReduction =
    "reduces what is reduced already, or is not the same part of a value on every rank";
constexpr llvm::StringLiteral unfollowed = "has an input whose rows cannot be followed for every value of the symbol";

} // namespace

uint32_t SymbolicTerms::intern(Term term) {
  auto known = llvm::find(terms_, term);
  if (known == terms_.end())
    known = terms_.insert(known, std::move(term));
  return static_cast<uint32_t>(known - terms_.begin());
}

std::optional<RowValue> SymbolicTerms::product(const RowValue &rows, uint32_t matrix, int64_t columns) {
  RowRuns runs = *rows.runs;
  for (RowRun &run : runs)
    run.source = intern({.kind = Term::Kind::Product, .of = run.source, .matrix = matrix});
  return newValue(rows.dtype, {rows.sizes.front(), Quantity(columns)}, std::move(runs));
}

Outcome SymbolicTerms::exchange(const Call &call, const RowValue &input) {
  return exchangeBy<Outcome>(
      group_, call, [&] { return reduce(call, input); }, [&] { return gather(input); },
      [&] { return scatter(call, input); });
}

std::optional<RowRuns> SymbolicTerms::reduced(const Call &call, RowRuns runs) {
  for (RowRun &run : runs) {
    if (!isOwn(run.source) || run.perRank.number() != 0 || call.reduceOp.empty())
      return std::nullopt;
    run.source = intern({.kind = Term::Kind::Reduced, .of = run.source, .reduceOp = call.reduceOp});
  }
  return runs;
}

Outcome SymbolicTerms::reduce(const Call &call, const RowValue &input) {
  std::optional<RowRuns> runs = reduced(call, *input.runs);
  if (!runs)
    return noReduction.str();
  std::optional<RowValue> value = newValue(input.dtype, input.sizes, std::move(*runs));
  return value ? Outcome(std::move(*value)) : Outcome(unfollowed.str());
}

std::optional<RowRun> SymbolicTerms::ofRank(RowRun run, int64_t rank) {
  const std::optional<Quantity> distance = run.perRank.times(Quantity(rank));
  const std::optional<Quantity> start = distance ? run.start.plus(*distance) : std::nullopt;
  if (!start)
    return std::nullopt;
  run.start = *start;
  run.perRank = Quantity(0);
  if (isOwn(run.source))
    run.source = intern({.kind = Term::Kind::OfRank, .of = run.source, .rank = rank});
  else if (terms_[run.source].kind == Term::Kind::Reduced)
    run.source = received(run.source, rank);
  return run;
}

std::optional<RowRuns> SymbolicTerms::gathered(const RowValue &input) {
  RowRuns runs;
  for (int64_t rank = 0; rank < group_.ranks; ++rank)
    for (const RowRun &run : *input.runs)
      if (const std::optional<RowRun> held = ofRank(run, rank); !held || !append(runs, *held))
        return std::nullopt;
  return runs;
}

Outcome SymbolicTerms::gather(const RowValue &input) {
  std::optional<RowRuns> runs = gathered(input);
  const std::optional<Quantity> rows = input.sizes.front().times(Quantity(group_.ranks));
  if (!runs || !rows || input.sizes.size() < 2)
    return unfollowed.str();
  Quantities sizes = input.sizes;
  sizes.front() = *rows;
  std::optional<RowValue> value = newValue(input.dtype, sizes, std::move(*runs));
  return value ? Outcome(std::move(*value)) : Outcome(unfollowed.str());
}

std::optional<std::vector<RowRuns>> SymbolicTerms::piecesOf(const RowValue &input, const Quantity &rows) const {
  std::vector<RowRuns> pieces;
  for (int64_t rank = 0; rank < group_.ranks; ++rank) {
    const std::optional<Quantity> from = rows.times(Quantity(rank));
    std::optional<RowRuns> piece = from ? rowsOf(input, *from, rows) : std::nullopt;
    if (!piece)
      return std::nullopt;
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

namespace {

/// Returns true if both are the same rows but for a distance between their starts.
bool isAt(const RowRun &run, const RowRun &from, const std::optional<Quantity> &distance) {
  const std::optional<Quantity> start = distance ? from.start.plus(*distance) : std::nullopt;
  return start && start->equals(run.start) && run.count.equals(from.count) && run.source == from.source &&
         run.perRank.number() == 0 && from.perRank.number() == 0;
}

} // namespace

// For 2 ranks and x [0, 2*s0), the pieces are x [0, s0) and x [s0, 2*s0), so the step is s0.
std::optional<RowRuns> SymbolicTerms::firstPiece(llvm::ArrayRef<RowRuns> pieces) const {
  RowRuns first = pieces.front();
  const RowRuns &second = pieces[pieces.size() > 1 ? 1 : 0];
  if (llvm::any_of(pieces, [&](const RowRuns &piece) { return piece.size() != first.size(); }))
    return std::nullopt;
  for (size_t i = 0; i < first.size(); ++i) {
    const std::optional<Quantity> step = second[i].start.minus(first[i].start);
    for (size_t rank = 0; step && rank < pieces.size(); ++rank)
      if (!isAt(pieces[rank][i], pieces.front()[i], step->times(Quantity(static_cast<int64_t>(rank)))))
        return std::nullopt;
    if (!step)
      return std::nullopt;
    first[i].perRank = *step;
  }
  return first;
}

Outcome SymbolicTerms::scatter(const Call &call, const RowValue &input) {
  const std::optional<Quantity> share = group_.ranks > 0 ? input.sizes.front().over(group_.ranks) : std::nullopt;
  const std::optional<Quantity> rows = input.rows(), own = share && rows ? rows->over(group_.ranks) : std::nullopt;
  if (!own || input.sizes.size() < 2)
    return "has an input whose first dimension does not divide among the ranks for every value of the symbol";
  const std::optional<std::vector<RowRuns>> all = piecesOf(input, *own);
  std::optional<RowRuns> pieces = all ? firstPiece(*all) : std::nullopt;
  if (!pieces && all)
    pieces = pieceOfReceiver(*all);
  if (!pieces)
    return "does not send each rank the piece after that of the rank before it";
  RowRuns unmoved = *pieces;
  for (RowRun &run : unmoved)
    run.perRank = Quantity(0);
  const std::optional<RowRuns> results = reduced(call, std::move(unmoved));
  if (!results)
    return noReduction.str();
  RowRuns runs;
  for (size_t i = 0; i < results->size(); ++i)
    if (RowRun run = (*results)[i]; !append(runs, {run.source, run.start, run.count, (*pieces)[i].perRank}))
      return unfollowed.str();
  Quantities sizes = input.sizes;
  sizes.front() = *share;
  std::optional<RowValue> value = newValue(input.dtype, sizes, std::move(runs));
  return value ? Outcome(std::move(*value)) : Outcome(unfollowed.str());
}

} // namespace ccgraph::legality
