#include "sources.h"

#include "ccgraph/jobs/check.h"

#include "llvm/ADT/Hashing.h"

namespace ccgraph::jobs {
namespace {

/// The source lines of one rank's collectives on one set: equal `inOrder` for equal sequences, equal `together` for the
/// same lines in any order.
struct LinesHash {
  uint64_t inOrder = 0;
  uint64_t together = 0;
};

class SourceSearch {
public:
  SourceSearch(const JobData &job, const Classes &classes, size_t most) : job_(job), classes_(classes), most_(most) {}

  std::vector<std::string> run() {
    for (Id rank = 0; rank != job_.ranks.size(); ++rank)
      hashesOf(rank);
    for (Id set = 0; set != job_.sets.size() && found_.size() < most_; ++set)
      if (!classes_.locals[set].empty())
        compare(set);
    return std::move(found_);
  }

private:
  /// Ranks of one role with the same texts have the same lines.
  using Key = std::pair<Id, Id>;
  [[nodiscard]] Key keyOf(Id rank) const { return {classes_.members[rank].role, job_.ranks[rank].text}; }

  const std::vector<LinesHash> &hashesOf(Id rank) {
    auto [entry, isNew] = hashes_.try_emplace(keyOf(rank));
    if (isNew) {
      ProgramText text = job_.textOf(job_.ranks[rank]);
      for (Id local = 0; local != classes_.members[rank].sets.size(); ++local) {
        LinesHash hash;
        for (Id place : linesOf(rank, local, text)) {
          hash.inOrder = llvm::hash_combine(hash.inOrder, place);
          hash.together += llvm::hash_value(place);
        }
        entry->second.push_back(hash);
      }
    }
    return entry->second;
  }

  /// Returns the places of the rank's collectives on one of its sets.
  [[nodiscard]] std::vector<Id> linesOf(Id rank, Id local, const ProgramText &text) const {
    const Role &role = classes_.roles[classes_.members[rank].role];
    std::vector<Id> lines;
    for (Id launch : role.sequences[local])
      lines.push_back(text.launches[job_.programs[role.program]->launches[launch].text].place);
    return lines;
  }

  /// Compares the members with the first one, up to the first difference.
  void compare(Id set) {
    std::optional<std::pair<Id, Id>> first;
    for (size_t i = 0; i != job_.sets[set].size(); ++i) {
      auto rank = job_.rankIds.find(job_.sets[set][i]);
      Id local = classes_.locals[set][i];
      if (rank == job_.rankIds.end() || local == none)
        continue;
      if (!first)
        first = {rank->second, local};
      LinesHash a = hashesOf(first->first)[first->second], b = hashesOf(rank->second)[local];
      if (a.inOrder != b.inOrder && a.together == b.together)
        return note(set, *first, {rank->second, local});
    }
  }

  void note(Id set, std::pair<Id, Id> first, std::pair<Id, Id> other) {
    const Rank &a = job_.ranks[first.first], &b = job_.ranks[other.first];
    std::vector<Id> left = linesOf(first.first, first.second, job_.textOf(a)),
                    right = linesOf(other.first, other.second, job_.textOf(b));
    for (size_t k = 0; k < std::min(left.size(), right.size()); ++k)
      if (left[k] != right[k]) {
        found_.push_back("collective " + std::to_string(k + 1) + " of the group of " + spansText(job_.sets[set]) +
                         " is " + job_.places()[left[k]].str() + " on rank " + std::to_string(a.rank) + " and " +
                         job_.places()[right[k]].str() + " on rank " + std::to_string(b.rank) +
                         ", and these belong together");
        return;
      }
  }

  const JobData &job_;
  const Classes &classes_;
  size_t most_;
  std::map<Key, std::vector<LinesHash>> hashes_;
  std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> exchangedSources(const JobData &job, const Classes &classes, size_t most) {
  return SourceSearch(job, classes, most).run();
}

} // namespace ccgraph::jobs
