#include "chain.h"

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
  return whole(intern({Term::Kind::Own, step, 0, ""}), false, sizes);
}

bool Terms::isOwn(const Run &run) const { return terms_[run.source].kind == Term::Kind::Own; }

Run Terms::ofRank(Run run, int64_t rank) {
  run.start += run.perRank * rank;
  run.perRank = 0;
  if (isOwn(run))
    run.source = intern({Term::Kind::OfRank, terms_[run.source].step, rank, ""});
  return run;
}

/// Returns why this call cannot be in the chain; empty if it can.
std::string Terms::agree(const Call &call) {
  if (call.group.form == GroupTerm::Form::Unread)
    return "is on a group with unknown ranks";
  if (group_ && call.group.key != group_->key)
    return "is on group '" + call.group.text + "', expected '" + group_->text + "' as the rest of the chain";
  group_ = call.group;
  bool counts = call.spec->groupSize >= 0 || call.inputSplits;
  int64_t ranks = call.inputSplits ? static_cast<int64_t>(call.inputSplits->size()) : call.groupSize.value_or(0);
  if (!counts)
    return "";
  if (ranks <= 0 || (ranks_ != 0 && ranks != ranks_))
    return "is on " + std::to_string(ranks) + " ranks, expected as many as the rest of the chain";
  ranks_ = ranks;
  return "";
}

Outcome Terms::exchange(const Call &call, const Layout &input) {
  if (std::string why = agree(call); !why.empty())
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
  case CollectiveKind::Scatter:
  case CollectiveKind::Send:
  case CollectiveKind::Recv:
  case CollectiveKind::BatchP2P:
  case CollectiveKind::ShardDimAllToAll:
  case CollectiveKind::Barrier:
    break;
  }
  return "is of a kind that cannot be followed through a chain";
}

// An own run that is the same on every rank has a reduction with a term: "sum of x from 0". A sum of sums, or of runs
// that differ by rank, has no term in this algebra, so it is rejected.
Outcome Terms::reduce(const Call &call, const Layout &input) {
  Runs runs;
  for (Run run : *input.runs) {
    if (!isOwn(run) || run.perRank != 0 || call.reduceOp.empty())
      return "reduces what is reduced already, or is not the same part of a value on every rank";
    run.source = intern({Term::Kind::Reduced, terms_[run.source].step, 0, call.reduceOp});
    append(runs, run);
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
  for (int64_t rank = 0; rank < ranks_; ++rank)
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
std::optional<Runs> Terms::firstPiece(const Layout &input) const {
  int64_t piece = input.numElements() / ranks_;
  auto pieceOf = [&](int64_t rank) {
    Runs runs;
    take(*input.runs, rank * piece, piece, runs);
    return runs;
  };
  Runs first = pieceOf(0);
  Runs steps = ranks_ > 1 ? pieceOf(1) : first;
  for (int64_t rank = 1; rank < ranks_; ++rank) {
    Runs own = pieceOf(rank);
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

Outcome Terms::scatter(const Call &call, const Layout &input, const IntList &sizes) {
  auto pieces = firstPiece(input);
  if (!pieces)
    return "does not send each rank the piece after that of the rank before it";
  Runs runs;
  for (Run run : *pieces) {
    if (!isOwn(run) || run.perRank != 0 || call.reduceOp.empty())
      return "reduces what is reduced already, or is not the same part of a value on every rank";
    run.source = intern({Term::Kind::Reduced, terms_[run.source].step, 0, call.reduceOp});
    run.perRank = run.offset;
    append(runs, run);
  }
  return contiguous(sizes, std::move(runs));
}

Outcome Terms::transpose(const Call &call, const Layout &input, const IntList &sizes) {
  auto uneven = [](const std::vector<int64_t> &splits) {
    return llvm::any_of(splits, [&](int64_t split) { return split != splits.front(); });
  };
  auto pieces = uneven(*call.inputSplits) || *call.inputSplits != *call.outputSplits ? std::nullopt : firstPiece(input);
  if (!pieces)
    return "does not send each rank the piece after that of the rank before it";
  Runs runs;
  for (int64_t rank = 0; rank < ranks_; ++rank)
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
  group_ = call.group;
  ranks_ = how.ranks;
  Excerpt block = excerptOf(input);
  auto dim = static_cast<size_t>(how.shard);
  block.sizes[dim] /= ranks_;
  std::optional<Layout> first = look(input, block);
  if (!first)
    return "falls into too many pieces";
  std::vector<Layout> received;
  for (int64_t rank = 0; rank < ranks_; ++rank) {
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
