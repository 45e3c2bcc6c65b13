#include "line_terms.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

using Outcome = LineTerms::Outcome;

namespace {

constexpr llvm::StringLiteral tooMany = "falls into too many pieces";

} // namespace

uint32_t LineTerms::intern(Term term) {
  auto known = llvm::find(terms_, term);
  if (known == terms_.end())
    known = terms_.insert(known, std::move(term));
  return static_cast<uint32_t>(known - terms_.begin());
}

std::optional<LineValue> LineTerms::own(uint32_t step, const Type &type, LineAxis axis) {
  if (!type.isTensor() || type.sizes().size() != 2 || !type.stridesKnown())
    return std::nullopt;
  const bool isOfRows = axis == LineAxis::Rows;
  const Dim &count = type.sizes()[isOfRows ? 0 : 1];
  if (!count.isStatic() || count.value() <= 0)
    return std::nullopt;
  LineValue value{.axis = axis, .line = {type.sizes()[isOfRows ? 1 : 0]}, .counts = {count.value()}};
  value.strides.assign(type.strides().begin(), type.strides().end());
  value.dtype = type.dtype();
  value.runs = {{intern({.kind = Term::Kind::Own, .of = step, .axis = axis}), 0, count.value()}};
  return value;
}

std::optional<LineValue> LineTerms::made(const LineValue &value, const Term &like, DimList line) {
  LineValue result = value;
  result.line = std::move(line);
  result.runs.clear();
  for (LineRun run : value.runs) {
    Term term = like;
    term.of = run.source;
    run.source = intern(std::move(term));
    if (!append(result.runs, run))
      return std::nullopt;
  }
  result.strides = denseStrides(*context_, result);
  result.fillsMemory = true;
  return result;
}

std::optional<LineValue> LineTerms::product(uint32_t matrix, const Dim &rows, const LineValue &columns) {
  if (columns.axis != LineAxis::Columns || columns.rank() != 2)
    return std::nullopt;
  return made(columns, {.kind = Term::Kind::Product, .with = matrix}, {rows});
}

std::optional<LineValue> LineTerms::function(const RowCall &call, llvm::ArrayRef<uint32_t> numbers,
                                             const LineValue &value) {
  auto known = llvm::find_if(functions_, [&](const Function &other) {
    return sameCalls(other.call, call) && llvm::makeArrayRef(other.numbers) == numbers;
  });
  if (known == functions_.end())
    known = functions_.insert(known, {call, llvm::SmallVector<uint32_t, 2>(numbers.begin(), numbers.end())});
  const auto number = static_cast<uint32_t>(known - functions_.begin());
  return made(value, {.kind = Term::Kind::Function, .with = number}, value.line);
}

Outcome LineTerms::exchange(const Call &call, const LineValue &input) {
  return exchangeBy<Outcome>(
      group_, call, [&] { return reduce(call, input); }, [&] { return gather(input); },
      [&] { return scatter(call, input); });
}

Outcome LineTerms::reduce(const Call &call, const LineValue &input) {
  if (call.reduceOp.empty())
    return "has a reduction that is no literal";
  auto result = made(input, {.kind = Term::Kind::Reduced, .reduceOp = call.reduceOp}, input.line);
  return result ? Outcome(std::move(*result)) : Outcome(tooMany.str());
}

// The rows of each rank follow those of the rank before it. What is the same on every rank stays as it is.
Outcome LineTerms::gather(const LineValue &input) {
  if (input.axis != LineAxis::Rows)
    return "gathers what is cut into columns";
  LineValue all = input;
  all.runs.clear();
  for (int64_t rank = 0; rank < group_.ranks; ++rank)
    for (LineRun run : input.runs) {
      const Term::Kind kind = terms_[run.source].kind;
      if (kind != Term::Kind::OfRank && kind != Term::Kind::Reduced)
        run.source = intern({.kind = Term::Kind::OfRank, .of = run.source, .rank = rank});
      if (!append(all.runs, run))
        return tooMany.str();
    }
  all.counts.front() = saturatingMultiply(all.counts.front(), group_.ranks);
  all.strides = denseStrides(*context_, all);
  all.fillsMemory = true;
  return all;
}

// Each column falls into shares, and this rank receives its own one. The collective fails in both programs for values
// of a symbol that give rows which do not divide among the ranks.
Outcome LineTerms::scatter(const Call &call, const LineValue &input) {
  if (input.axis != LineAxis::Columns || call.reduceOp.empty())
    return "scatters what is cut into rows, or has a reduction that is no literal";
  const std::optional<Dim> share =
      group_.ranks > 0 ? floorDivide(*context_, input.line.front(), Dim(group_.ranks)) : std::nullopt;
  if (!share)
    return "has an input whose share for each rank is no known size";
  DimList line = input.line;
  line.front() = *share;
  auto result = made(input, {.kind = Term::Kind::Scattered, .reduceOp = call.reduceOp}, std::move(line));
  return result ? Outcome(std::move(*result)) : Outcome(tooMany.str());
}

} // namespace ccgraph::legality
