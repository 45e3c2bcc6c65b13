#include "rewrite/candidate_reasons.h"

#include <cassert>

namespace ccgraph {
namespace {

/// The words `DONE`, `ROUNDING` and `OTHER` stand for those of the pass.
struct Row {
  Obstacle obstacle;
  /// the narrowest scope with the obstacle
  CandidateScope scope;
  llvm::StringLiteral id;
  llvm::StringLiteral text;
};

constexpr Row rows[] = {
    {Obstacle::Form, CandidateScope::AllReduce, "unsupported-form",
     "an in-place, out, coalesced, synchronous or older form: only functional collectives on one tensor are DONE"},
    {Obstacle::Kind, CandidateScope::AnyKind, "unsupported-kind",
     "a kind that is never DONE (point-to-point, scatter, barrier)"},
    {Obstacle::NeedsFlat, CandidateScope::AnyCollective, "needs-flat",
     "PyTorch has no operator on a list for this kind: layout=flat merges it"},
    {Obstacle::ListForm, CandidateScope::AnyCollective, "list-form",
     "PyTorch's operator on a list rejects this dtype: layout=flat merges it"},
    {Obstacle::Arguments, CandidateScope::AllReduce, "arguments",
     "is not called with exactly the positional arguments of its schema, the only call that is DONE"},
    {Obstacle::Readers, CandidateScope::AllReduce, "in-flight-readers",
     "before it completes, its result has a user other than its wait, or is returned"},
    {Obstacle::SeveralWaits, CandidateScope::AllReduce, "several-waits", "its result has several waits"},
    {Obstacle::UnknownSize, CandidateScope::AllReduce, "unknown-size", "its size is unknown"},
    {Obstacle::Rewritten, CandidateScope::AnyCollective, "rewritten",
     "its result is written later, and a wait on any result of the list form may copy all results again"},
    {Obstacle::Reshaped, CandidateScope::AllReduce, "reshaped",
     "its input may be reshaped in place, so its type does not determine what is sent"},
    {Obstacle::WaitType, CandidateScope::AllReduce, "wait-type",
     "its wait has another stated type than the collective, which the rewrite cannot preserve"},
    {Obstacle::Written, CandidateScope::AnyCollective, "written",
     "its result is written later, the pieces of a flat buffer share one storage, and copying the piece out would "
     "exceed max-copied"},
    {Obstacle::PlaceSeen, CandidateScope::AnyCollective, "address-observed",
     "its result is returned, passed to an opaque operator, or read by an operator that observes its storage offset, "
     "and copying it out of a flat buffer would exceed max-copied"},
    {Obstacle::Strided, CandidateScope::AllReduce, "strided", "its input or result is not contiguous"},
    {Obstacle::DynamicSplits, CandidateScope::AnyKind, "dynamic-splits", "its split sizes are known only at run time"},
    {Obstacle::NotSpmd, CandidateScope::AllReduce, "not-spmd", "ranks run different graphs, so another rank may OTHER"},
    {Obstacle::Bitwise, CandidateScope::AllReduce, "bitwise",
     "results must be bitwise equal (--bitwise), and ROUNDING"},
};
static_assert(std::size(rows) == numObstacles);

std::string inWordsOf(const CandidateWords &words, std::string text) {
  const std::pair<llvm::StringRef, llvm::StringRef> places[] = {
      {"DONE", words.done}, {"ROUNDING", words.rounding}, {"OTHER", words.otherRank}};
  for (auto [place, word] : places)
    if (size_t at = text.find(place); at != std::string::npos)
      text.replace(at, place.size(), word);
  return text;
}

} // namespace

CandidateReasons::CandidateReasons(Pass &pass, CandidateScope scope, const CandidateWords &words) {
  for (const Row &row : rows)
    if (scope >= row.scope)
      byObstacle_[static_cast<size_t>(row.obstacle)] =
          &reasons_.emplace_back(pass, RemarkKind::Missed, row.id, inWordsOf(words, row.text.str()));
}

const Reason &CandidateReasons::of(Obstacle obstacle) const {
  const Reason *reason = byObstacle_[static_cast<size_t>(obstacle)];
  assert(reason && "an all_reduce has a flat layout, whose pieces may be copied");
  return *reason;
}

} // namespace ccgraph
