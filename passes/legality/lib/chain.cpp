#include "chain.h"

#include "computed_terms.h"
#include "exchanges.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

// One description is valid on all ranks. "own x from 0 + 2 * rank" is elements 0 and 1 on rank 0, and 2 and 3 on rank
// 1. An exchange turns a value that differs by rank into a list over the ranks: its gather is "rank 0's x from 0" and
// then "rank 1's x from 2" (ofRank). A reduction over the group is the same on every rank, so its term contains no
// rank.
using Outcome = std::variant<Layout, std::string>;

uint32_t Terms::intern(Term term) {
  auto known = llvm::find(terms_, term);
  if (known == terms_.end())
    known = terms_.insert(known, std::move(term));
  return static_cast<uint32_t>(known - terms_.begin());
}

Layout Terms::own(uint32_t step, llvm::ArrayRef<int64_t> sizes) {
  return whole(intern({.kind = Term::Kind::Own, .step = step}), false, sizes);
}

Layout Terms::replicated(uint32_t step, llvm::ArrayRef<int64_t> sizes) {
  return whole(intern({.kind = Term::Kind::Replicated, .step = step}), false, sizes);
}

Layout Terms::cast(const Layout &value, DType dtype) {
  Runs runs;
  for (Run run : *value.runs) {
    Term term = terms_[run.source];
    term.casts += shortName(dtype).str() + " ";
    run.source = intern(std::move(term));
    append(runs, run);
  }
  Layout layout = value;
  layout.runs = std::make_shared<const Runs>(std::move(runs));
  return layout;
}

bool Terms::isOwn(const Run &run) const { return terms_[run.source].kind == Term::Kind::Own; }

// The only rank of a group of one holds its own elements.
Run Terms::ofRank(Run run, int64_t rank) {
  if (group_.ranks == 1)
    return run;
  run.start += run.perRank * rank;
  run.perRank = 0;
  if (isOwn(run)) {
    Term term = terms_[run.source];
    term.kind = Term::Kind::OfRank;
    term.rank = rank;
    run.source = intern(std::move(term));
  } else if (isOfReceiver(run)) {
    run.source = received(run.source, rank);
  }
  return run;
}

Outcome Terms::exchange(const Call &call, const Layout &input) {
  if (std::string why = group_.add(call, "chain"); !why.empty())
    return why;
  if (input.unsized)
    return "has an input whose sizes are no numbers";
  auto sizes = resultSizes(call, input.sizes);
  if (!sizes)
    return "has an input whose first dimension does not divide among the ranks";
  switch (call.spec->kind) {
  case CollectiveKind::AllReduce:
    return reduce(call, input);
  case CollectiveKind::Broadcast:
    return broadcast(call, input);
  case CollectiveKind::AllGather:
    return gather(input, *sizes);
  case CollectiveKind::ReduceScatter:
    return scatter(call, input, *sizes);
  case CollectiveKind::AllToAll:
    return transpose(call, input, *sizes);
  default:
    return "is of a kind that cannot be followed through a chain";
  }
}

namespace {

bool isIdempotent(llvm::StringRef reduceOp) {
  return reduceOp == "min" || reduceOp == "max" || reduceOp == "band" || reduceOp == "bor";
}
/// Returns true for a reduction whose result over one rank is that rank's value.
bool keepsOneValue(llvm::StringRef reduceOp) {
  return isIdempotent(reduceOp) || reduceOp == "sum" || reduceOp == "avg" || reduceOp == "product" ||
         reduceOp == "bxor";
}

constexpr llvm::StringLiteral noReduction =
    "reduces what is reduced already, or is not the same part of a value on every rank";
constexpr llvm::StringLiteral noPieces = "does not send each rank the piece after that of the rank before it";

} // namespace

// An own run that is the same on every rank has a reduction with a term: "sum of x from 0". A sum of sums, or of runs
// that differ by rank, has no term in this algebra, so it is rejected.
std::optional<Run> Terms::reduced(const Call &call, Run run) {
  if ((group_.ranks == 1 && keepsOneValue(call.reduceOp)) || (isEqualEverywhere(run) && isIdempotent(call.reduceOp)))
    return run;
  if ((!isOwn(run) && !isReplicated(run)) || run.perRank != 0 || call.reduceOp.empty())
    return std::nullopt;
  const Term &own = terms_[run.source];
  run.source = intern(
      {.kind = Term::Kind::Reduced, .step = own.step, .reduceOp = call.reduceOp, .casts = "", .addends = own.casts});
  return run;
}

Outcome Terms::reduce(const Call &call, const Layout &input) {
  Runs runs;
  for (const Run &run : *input.runs) {
    std::optional<Run> result = reduced(call, run);
    if (!result)
      return noReduction.str();
    append(runs, *result);
  }
  return contiguous(input.sizes, std::move(runs));
}

Outcome Terms::broadcast(const Call &call, const Layout &input) {
  if (!call.root)
    return "has a root that is no number";
  Runs runs;
  for (const Run &run : *input.runs)
    append(runs, ofRank(run, *call.root));
  return contiguous(input.sizes, std::move(runs));
}

Outcome Terms::gather(const Layout &input, const IntList &sizes) {
  Runs runs;
  for (int64_t rank = 0; rank < group_.ranks; ++rank)
    for (const Run &run : *input.runs) {
      append(runs, ofRank(run, rank));
      if (runs.size() > maxRuns)
        return "falls into too many pieces";
    }
  return contiguous(sizes, std::move(runs));
}

// A scatter sends piece k of the input to rank k. One description covers all ranks if the pieces are equal except for
// their start, which must grow by a constant step. For x[0, 2) and x[2, 4), the first piece is x[0, 2) and the step is
// 2. For x[0, 2) and x[1, 3) the step is 1. For x[0, 2) and y[0, 2) there is no step.
Runs Terms::piece(const Layout &input, int64_t rank) const {
  int64_t elements = input.numElements() / group_.ranks;
  Runs runs;
  take(*input.runs, rank * elements, elements, runs);
  return runs;
}

std::optional<Runs> Terms::firstPiece(const Layout &input) const {
  Runs first = piece(input, 0);
  Runs steps = group_.ranks > 1 ? piece(input, 1) : first;
  for (int64_t rank = 1; rank < group_.ranks; ++rank) {
    Runs own = piece(input, rank);
    if (own.size() != first.size())
      return std::nullopt;
    for (size_t i = 0; i < own.size(); ++i) {
      own[i].start -= rank * (steps[i].start - first[i].start);
      if (own[i] != first[i])
        return std::nullopt;
    }
  }
  for (size_t i = 0; i < first.size(); ++i)
    first[i].offset = steps[i].start - first[i].start;
  return first;
}

// For 2 ranks, the gather of x is "rank 0's x from 0; rank 1's x from 0". Its pieces differ in their rank alone, so the
// piece that a rank gets is its own x: piece k of the gather is taken as rank k sees it.
std::optional<Runs> Terms::ownPiece(const Layout &input) {
  Layout own = input;
  Runs runs;
  for (int64_t rank = 0; rank < group_.ranks; ++rank)
    for (Run run : piece(input, rank)) {
      Term term = terms_[run.source];
      if (term.kind != Term::Kind::OfRank || term.rank != rank)
        return std::nullopt;
      term.kind = Term::Kind::Own;
      term.rank = 0;
      run.source = intern(std::move(term));
      append(runs, run);
    }
  own.runs = std::make_shared<const Runs>(std::move(runs));
  return firstPiece(own);
}

// For 2 ranks, the product of the gathered x and this rank's W is "rank 0's x times W from 0; rank 1's x times W from
// 0". Each rank p sends rank k the product of rank k's x and p's own W, which is "the receiver's x times W from 0" in
// both pieces. A row function of several rows needs all of them to be the receiver's.
std::optional<uint32_t> Terms::ofReceiver(uint32_t source, int64_t rank) {
  return changed(source, [&](uint32_t rows) -> std::optional<uint32_t> {
    Term term = terms_[rows];
    if (term.kind != Term::Kind::OfRank || term.rank != rank)
      return std::nullopt;
    term.kind = Term::Kind::OfReceiver;
    term.rank = 0;
    return intern(std::move(term));
  });
}

std::optional<uint32_t> Terms::changed(uint32_t source, ChangeTerm change) {
  const Term term = terms_[source];
  const std::optional<Computed> computed = term.kind == Term::Kind::Own ? computedOf(term.step) : std::nullopt;
  if (!computed || !term.casts.empty() || computed->kind == Computed::Kind::Total)
    return change(source);
  if (computed->kind == Computed::Kind::Product) {
    Product product = products_[computed->number];
    std::optional<uint32_t> rows = changed(product.rows, change);
    if (!rows)
      return std::nullopt;
    product.rows = *rows;
    return internProduct(std::move(product));
  }
  RowTerm own = rowTerms_[computed->number];
  for (RowOperand &operand : own.operands) {
    std::optional<uint32_t> rows = operand.cut ? changed(operand.source, change) : std::optional(operand.source);
    if (!rows)
      return std::nullopt;
    operand.source = *rows;
  }
  return internRows(std::move(own));
}

// The sum of "the receiver's x times W" is, as rank k receives it, the sum of "rank k's x times W". The receiver of a
// reduction that is itself added is another one: it stays.
uint32_t Terms::received(uint32_t source, int64_t rank) {
  Term reduction = terms_[source];
  const uint32_t addends = *changed(intern({.kind = Term::Kind::Own, .step = reduction.step}), [&](uint32_t rows) {
    Term term = terms_[rows];
    if (term.kind != Term::Kind::OfReceiver)
      return std::optional(rows);
    term.kind = Term::Kind::OfRank;
    term.rank = rank;
    return std::optional(intern(std::move(term)));
  });
  reduction.step = terms_[addends].step;
  return intern(std::move(reduction));
}

bool Terms::isOfReceiver(const Run &run) {
  return terms_[run.source].kind == Term::Kind::Reduced && received(run.source, 0) != run.source;
}

std::optional<Runs> Terms::piecesOfReceiver(const Layout &input) {
  Runs runs;
  for (int64_t rank = 0; rank < group_.ranks; ++rank)
    for (Run run : piece(input, rank)) {
      std::optional<uint32_t> source = isOwn(run) ? ofReceiver(run.source, rank) : std::nullopt;
      if (!source)
        return std::nullopt;
      run.source = *source;
      append(runs, run);
    }
  Layout received = input;
  received.runs = std::make_shared<const Runs>(std::move(runs));
  return firstPiece(received);
}

// A reduction of equal values that keeps them returns each rank its piece: of a gather, the rank's own value.
Outcome Terms::scatter(const Call &call, const Layout &input, const IntList &sizes) {
  bool keeps =
      isIdempotent(call.reduceOp) && llvm::all_of(*input.runs, [&](const Run &run) { return isEqualEverywhere(run); });
  auto pieces = keeps ? ownPiece(input) : std::nullopt;
  bool own = pieces.has_value();
  pieces = own ? pieces : firstPiece(input);
  if (!pieces)
    pieces = piecesOfReceiver(input);
  if (!pieces)
    return noPieces.str();
  Runs runs;
  for (Run run : *pieces) {
    std::optional<Run> result = own ? run : reduced(call, run);
    if (!result)
      return noReduction.str();
    result->perRank = run.offset;
    append(runs, *result);
  }
  return contiguous(sizes, std::move(runs));
}

// For 2 ranks and x of 4 elements, an all_to_all leaves "rank 0's x from 0 + 2 * rank; rank 1's x from 0 + 2 * rank".
// The second one brings this rank, from rank r, the piece of number `rank` that r holds: its own x from 2 * r.
Outcome Terms::sendBack(const Runs &pieces, const IntList &sizes) const {
  Runs runs;
  for (int64_t rank = 0; rank < group_.ranks; ++rank)
    for (Run run : pieces) {
      run.start += run.perRank * rank;
      run.perRank = run.offset;
      append(runs, run);
      if (runs.size() > maxRuns)
        return "falls into too many pieces";
    }
  return contiguous(sizes, std::move(runs));
}

Outcome Terms::transpose(const Call &call, const Layout &input, const IntList &sizes) {
  auto uneven = [](const std::vector<int64_t> &splits) {
    return llvm::any_of(splits, [&](int64_t split) { return split != splits.front(); });
  };
  if (uneven(*call.inputSplits) || *call.inputSplits != *call.outputSplits)
    return noPieces.str();
  if (auto pieces = ownPiece(input))
    return sendBack(*pieces, sizes);
  auto pieces = firstPiece(input);
  if (!pieces)
    return noPieces.str();
  Runs runs;
  for (int64_t rank = 0; rank < group_.ranks; ++rank)
    for (const Run &run : *pieces) {
      Run received = ofRank(run, rank);
      received.perRank = run.offset;
      append(runs, received);
      if (runs.size() > maxRuns)
        return "falls into too many pieces";
    }
  return contiguous(sizes, std::move(runs));
}

// For 2 ranks and x = f32[2, 4] with gather 0 and shard 1, this rank's block of rank r's x is
//   x of rank r, rows of [0 + 2 * rank, 2 + 2 * rank)
// and the result has those of rank 0 above those of rank 1.
Outcome Terms::reshard(const Call &call, const Layout &input, const Resharding &how) {
  if (call.group.form == GroupTerm::Form::Unread)
    return "is on a group with unknown ranks";
  group_.group = call.group;
  group_.ranks = how.ranks;
  Excerpt block = excerptOf(input);
  auto dim = static_cast<size_t>(how.shard);
  block.sizes[dim] /= group_.ranks;
  std::optional<Layout> first = look(input, block);
  if (!first)
    return "falls into too many pieces";
  std::vector<Layout> received;
  for (int64_t rank = 0; rank < group_.ranks; ++rank) {
    Runs runs;
    for (const Run &run : *first->runs) {
      Run own = ofRank(run, rank);
      own.perRank = block.sizes[dim] * block.steps[dim];
      append(runs, own);
    }
    received.push_back(contiguous(first->sizes, std::move(runs)));
  }
  std::optional<Layout> all = concatenate(received, how.gather);
  return all ? Outcome(std::move(*all)) : Outcome("falls into too many pieces");
}

} // namespace ccgraph::legality
