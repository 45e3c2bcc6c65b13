#include "rank_values.h"

#include "ccgraph/ir/group_id.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

namespace ccgraph::legality {

namespace {

using Cells = std::vector<std::vector<int64_t>>;

void append(Pieces &pieces, Piece piece) {
  if (piece.count == 0)
    return;
  Piece *last = pieces.empty() ? nullptr : &pieces.back();
  if (last && last->content == piece.content && last->start + last->count == piece.start)
    last->count += piece.count;
  else
    pieces.push_back(piece);
}

/// A list, and where each of its pieces ends.
class IndexedPieces {
public:
  explicit IndexedPieces(const Pieces &pieces) : pieces_(pieces) {
    int64_t end = 0;
    for (const Piece &piece : pieces)
      ends_.push_back(end += piece.count);
  }

  /// Appends elements `offset` .. `offset + count`.
  void take(int64_t offset, int64_t count, Pieces &to) const {
    const int64_t last = offset + count;
    for (auto i = static_cast<size_t>(llvm::upper_bound(ends_, offset) - ends_.begin()); offset < last; ++i) {
      const int64_t skipped = pieces_[i].count - (ends_[i] - offset), taken = std::min(last, ends_[i]) - offset;
      append(to, {pieces_[i].start + skipped, taken, pieces_[i].content});
      offset += taken;
    }
  }

private:
  const Pieces &pieces_;
  std::vector<int64_t> ends_;
};

int64_t numElements(const Pieces &pieces) {
  int64_t count = 0;
  for (const Piece &piece : pieces)
    count += piece.count;
  return count;
}

/// Returns the common number of elements; empty if the lists differ in it.
template <typename List>
std::optional<int64_t> commonCount(const std::vector<List> &lists) {
  const int64_t count = numElements(*lists.front());
  bool alike = llvm::all_of(lists, [&](const List &list) { return numElements(*list) == count; });
  return alike ? std::optional(count) : std::nullopt;
}

bool areEqualSplits(const std::optional<std::vector<int64_t>> &splits, size_t ranks) {
  return splits && splits->size() == ranks && llvm::is_splat(*splits);
}

} // namespace

RankValues::RankValues(const Cells &cells, int64_t numElements) {
  auto &own = values_.emplace_back();
  for (const std::vector<int64_t> &cell : cells)
    for (int64_t rank : cell)
      own[rank] = std::make_shared<Pieces>(Pieces{{0, numElements, intern({{rank}, ""})}});
}

uint32_t RankValues::intern(Content content) {
  auto [known, isNew] = numbers_.try_emplace(content, static_cast<uint32_t>(contents_.size()));
  if (isNew)
    contents_.push_back(std::move(content));
  return known->second;
}

RankValues::Shared RankValues::heldBy(int64_t rank, const Layout &value, SharedCopies &copies) const {
  const Runs &runs = *value.runs;
  auto isOfFirst = [&](const Run &run) { return run.source == runs.front().source; };
  const bool hasOneSource = !runs.empty() && llvm::all_of(runs, isOfFirst);
  Shared *copy = hasOneSource ? &copies[values_[runs.front().source].at(rank).get()] : nullptr;
  if (copy && *copy)
    return *copy;
  Pieces pieces;
  std::map<uint32_t, IndexedPieces> sources;
  for (const Run &run : runs)
    sources.try_emplace(run.source, *values_[run.source].at(rank)).first->second.take(run.start, run.count, pieces);
  Shared held = std::make_shared<Pieces>(std::move(pieces));
  if (copy)
    *copy = held;
  return held;
}

/// Returns why a collective on these cells does not give each rank one result; empty if it does.
std::string RankValues::misfit(const Cells &cells) const {
  std::set<int64_t> met;
  for (const std::vector<int64_t> &cell : cells) {
    auto isKnown = [&](int64_t rank) { return values_[0].count(rank) != 0; };
    if (llvm::any_of(cell, isKnown) && !llvm::all_of(cell, isKnown))
      return "is on a group with ranks beyond those of the replaced collective";
    for (int64_t rank : cell)
      if (!met.insert(rank).second)
        return "is on a group that lists rank " + std::to_string(rank) + " twice";
    if (cell.size() != cells.front().size())
      return "is on a group that has different numbers of ranks";
  }
  for (const auto &[rank, held] : values_[0])
    if (met.count(rank) == 0)
      return "is on a group without rank " + std::to_string(rank);
  return "";
}

std::variant<uint32_t, std::string> RankValues::addExchange(const Call &call, const Cells &cells, const Layout &sent) {
  if (std::string why = misfit(cells); !why.empty())
    return why;
  std::map<int64_t, Shared> results;
  SharedCopies copies;
  size_t pieces = 0;
  for (const std::vector<int64_t> &cell : cells) {
    if (values_[0].count(cell.front()) == 0)
      continue;
    std::vector<Shared> own;
    for (int64_t rank : cell)
      own.push_back(heldBy(rank, sent, copies));
    Outcome outcome = exchange(call, own);
    if (auto *why = std::get_if<std::string>(&outcome))
      return std::move(*why);
    const auto &received = std::get<std::vector<Shared>>(outcome);
    for (size_t i = 0; i < cell.size(); ++i)
      results[cell[i]] = received[i];
    for (size_t i = 0; i < received.size(); ++i)
      pieces += i > 0 && received[i] == received[i - 1] ? 0 : received[i]->size();
    if (pieces > maxRuns)
      return "falls into too many pieces";
  }
  values_.push_back(std::move(results));
  return static_cast<uint32_t>(values_.size() - 1);
}

RankValues::Outcome RankValues::exchange(const Call &call, const std::vector<Shared> &sent) {
  switch (call.spec->kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::ReduceScatter: {
    auto all = reduce(call, sent);
    if (auto *why = std::get_if<std::string>(&all))
      return std::move(*why);
    if (call.spec->kind == CollectiveKind::ReduceScatter)
      return scatter(std::get<Pieces>(all), sent.size());
    return std::vector<Shared>(sent.size(), std::make_shared<Pieces>(std::move(std::get<Pieces>(all))));
  }
  case CollectiveKind::AllGather: {
    Pieces all;
    for (const Shared &pieces : sent)
      for (const Piece &piece : *pieces)
        append(all, piece);
    return std::vector<Shared>(sent.size(), std::make_shared<Pieces>(std::move(all)));
  }
  case CollectiveKind::AllToAll:
    return transpose(call, sent);
  default:
    return "is of a kind that has no stages";
  }
}

// For a sum of {0, 1} [2, 4) and of {2, 3} [2, 4) the result is the sum of {0, 1, 2, 3} [2, 4).
std::variant<Pieces, std::string> RankValues::reduce(const Call &call, const std::vector<Shared> &sent) {
  std::optional<int64_t> count = commonCount(sent);
  if (!count)
    return "reduces values of different sizes";
  std::vector<std::pair<size_t, int64_t>> at(sent.size()); // piece, and elements of it that are done
  Pieces result;
  for (int64_t done = 0; done < *count;) {
    int64_t length = *count - done;
    for (size_t i = 0; i < sent.size(); ++i)
      length = std::min(length, (*sent[i])[at[i].first].count - at[i].second);
    std::vector<uint32_t> contents;
    const int64_t start = (*sent[0])[at[0].first].start + at[0].second;
    for (size_t i = 0; i < sent.size(); ++i) {
      const Piece &piece = (*sent[i])[at[i].first];
      if (piece.start + at[i].second != start)
        return "reduces elements of different positions";
      contents.push_back(piece.content);
      at[i].second += length;
      if (at[i].second == piece.count)
        at[i] = {at[i].first + 1, 0};
    }
    std::optional<uint32_t> content = reduced(call, contents);
    if (!content)
      return "reduces by '" + call.reduceOp +
             "', expected inputs of distinct ranks, or reductions of equally many by the same word";
    append(result, {start, length, *content});
    done += length;
  }
  return result;
}

std::optional<uint32_t> RankValues::reduced(const Call &call, llvm::ArrayRef<uint32_t> contents) {
  Content result{{}, call.reduceOp};
  const Content first = contents_[contents.front()];
  for (uint32_t number : contents) {
    const auto &[ranks, op] = contents_[number];
    if (op != first.second || (!op.empty() && op != call.reduceOp) || ranks.size() != first.first.size())
      return std::nullopt;
    llvm::append_range(result.first, ranks);
  }
  llvm::sort(result.first);
  bool repeats = std::adjacent_find(result.first.begin(), result.first.end()) != result.first.end();
  return repeats || call.reduceOp.empty() ? std::nullopt : std::optional(intern(std::move(result)));
}

RankValues::Outcome RankValues::scatter(const Pieces &all, size_t ranks) {
  const int64_t count = numElements(all), share = count / static_cast<int64_t>(ranks);
  if (share * static_cast<int64_t>(ranks) != count)
    return "scatters elements that its ranks do not divide";
  std::vector<Shared> results;
  const IndexedPieces indexed(all);
  for (size_t i = 0; i < ranks; ++i) {
    Pieces own;
    indexed.take(static_cast<int64_t>(i) * share, share, own);
    results.push_back(std::make_shared<Pieces>(std::move(own)));
  }
  return results;
}

RankValues::Outcome RankValues::transpose(const Call &call, const std::vector<Shared> &sent) {
  std::optional<int64_t> count = commonCount(sent);
  const bool fits = count && areEqualSplits(call.inputSplits, sent.size()) &&
                    areEqualSplits(call.outputSplits, sent.size()) && call.inputSplits == call.outputSplits;
  if (!fits)
    return "has splits that are not equal";
  const int64_t share = *count / static_cast<int64_t>(sent.size());
  std::vector<Shared> results;
  std::vector<IndexedPieces> indexed;
  for (const Shared &pieces : sent)
    indexed.emplace_back(*pieces);
  for (size_t i = 0; i < sent.size(); ++i) {
    Pieces own;
    for (const IndexedPieces &pieces : indexed)
      pieces.take(static_cast<int64_t>(i) * share, share, own);
    results.push_back(std::make_shared<Pieces>(std::move(own)));
  }
  return results;
}

std::optional<int64_t> RankValues::differingRank(const Layout &a, const Layout &b) {
  SharedCopies copiesOfA, copiesOfB;
  for (const auto &[rank, own] : values_[0])
    if (*heldBy(rank, a, copiesOfA) != *heldBy(rank, b, copiesOfB))
      return rank;
  return std::nullopt;
}

Cells commonCells(const GroupTerm &group, std::optional<int64_t> world) {
  if (!group.group || group.group->assumed || !world)
    return {};
  bool isByPlace = llvm::any_of(group.group->attributes, [](const auto &key) { return key.first == knownByPlace; });
  if (!group.group->partition.empty())
    return isByPlace ? Cells() : group.group->partition;
  return static_cast<int64_t>(group.group->ranks.size()) == *world ? Cells{group.group->ranks} : Cells();
}

} // namespace ccgraph::legality
