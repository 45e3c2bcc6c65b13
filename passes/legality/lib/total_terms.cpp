#include "chain.h"
#include "computed_terms.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace ccgraph::legality {

namespace {

constexpr llvm::StringLiteral meanTarget = "aten.mean.default", sumTarget = "aten.sum.default",
                              addTarget = "aten.add.Tensor", divideTarget = "aten.div.Tensor";

llvm::StringRef targetOf(const Step &step) { return step.op ? step.op->target.str() : llvm::StringRef(); }

/// With fewer bits, totals of parts would be rounded before they are added.
bool isWide(const Step &step) {
  return step.type && step.type->isTensor() && (step.type->dtype() == DType::F32 || step.type->dtype() == DType::F64);
}

} // namespace

bool isTotalCall(const Step &step) {
  const llvm::StringRef target = targetOf(step);
  const size_t arguments = step.arguments ? step.arguments->positional.size() : 0;
  if (!isWide(step) || !step.type->sizes().empty() || !step.arguments->keyword.empty())
    return false;
  if (target == meanTarget || target == sumTarget)
    return step.numOperands == 1 && arguments == 1;
  return (target == addTarget && step.numOperands == 2 && arguments == 2) ||
         (target == divideTarget && step.numOperands == 1 && arguments == 2);
}

// For x of 8 elements, the mean of the first half is "x from 0, 4 elements over 4", and that of the second half "x from
// 4, 4 elements over 4". Their sum over 2 is "x from 0, 8 elements over 8".
Layout Terms::internTotal(Shares shares) {
  auto key = [](const Share &share) {
    return std::tuple(share.run.source, share.over, share.run.perRank, share.run.start, share.run.count);
  };
  llvm::sort(shares, [&](const Share &a, const Share &b) { return key(a) < key(b); });
  Shares joined;
  for (Share &share : shares) {
    share.run.offset = 0;
    Share *last = joined.empty() ? nullptr : &joined.back();
    const bool continues = last && last->run.source == share.run.source && last->over == share.over &&
                           last->run.perRank == share.run.perRank &&
                           last->run.start + last->run.count == share.run.start;
    if (continues)
      last->run.count += share.run.count;
    else
      joined.push_back(share);
  }
  auto known = llvm::find(totals_, joined);
  if (known == totals_.end())
    known = totals_.insert(known, std::move(joined));
  const auto number = static_cast<uint32_t>(known - totals_.begin());
  return whole(intern({.kind = Term::Kind::Own, .step = computedStep({Computed::Kind::Total, number})}), false, {});
}

const Terms::Shares *Terms::sharesOf(const Layout &value) const {
  if (!value.sizes.empty() || value.unsized || value.runs->size() != 1)
    return nullptr;
  const Term &term = terms_[value.runs->front().source];
  const auto computed = term.kind == Term::Kind::Own && term.casts.empty() ? computedOf(term.step) : std::nullopt;
  return computed && computed->kind == Computed::Kind::Total ? &totals_[computed->number] : nullptr;
}

Layout Terms::sum(const Layout &value, int64_t over) {
  Shares shares;
  for (const Run &run : *value.runs)
    shares.push_back({run, over});
  return internTotal(std::move(shares));
}

std::optional<Layout> Terms::total(const Step &step, llvm::ArrayRef<const Layout *> operands) {
  const llvm::StringRef target = targetOf(step);
  if (target == meanTarget || target == sumTarget) {
    const int64_t count = operands[0]->numElements();
    if (operands[0]->unsized || operands[0]->sizes.empty() || count == 0)
      return std::nullopt;
    return sum(*operands[0], target == meanTarget ? count : 1);
  }
  Shares shares;
  for (const Layout *operand : operands) {
    const Shares *own = sharesOf(*operand);
    if (!own)
      return std::nullopt;
    llvm::append_range(shares, *own);
  }
  if (target == addTarget)
    return internTotal(std::move(shares));
  const Argument &number = step.arguments->positional[1];
  if (!number.is(Argument::Kind::Int) || number.integer() <= 0)
    return std::nullopt;
  for (Share &share : shares)
    if (__builtin_mul_overflow(share.over, number.integer(), &share.over))
      return std::nullopt;
  return internTotal(std::move(shares));
}

} // namespace ccgraph::legality
