#include "microbatch_sums.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::equality {

std::optional<int64_t> microbatchOfTerm(llvm::ArrayRef<TermOperand> operands) {
  std::optional<int64_t> microbatch;
  for (const TermOperand &operand : operands) {
    const Match &match = *operand.match;
    if (match.isTrivial)
      continue;
    if (match.isNone || match.factor != fromPlain(1))
      return std::nullopt;
    const bool isPart = !match.wholes.empty();
    const bool isOfSingle =
        isPart ? llvm::is_contained(match.wholes, operand.contentOfSingle) : match.content == operand.contentOfSingle;
    if (!isOfSingle || operand.contentOfSingle == 0)
      return std::nullopt;
    if (isPart && microbatch.value_or(match.microbatch) != match.microbatch)
      return std::nullopt;
    if (isPart)
      microbatch = match.microbatch;
  }
  return microbatch;
}

std::optional<MicrobatchTerms> sumOfTerms(const MicrobatchTerms &a, const MicrobatchTerms &b) {
  MicrobatchTerms sum = a;
  for (int64_t microbatch : b.microbatches)
    if (!sum.microbatches.insert(microbatch).second)
      return std::nullopt;
  return a.sum == b.sum ? std::optional(std::move(sum)) : std::nullopt;
}

} // namespace ccgraph::equality
