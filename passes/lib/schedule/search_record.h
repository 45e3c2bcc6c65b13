// SearchRecord: the schedules that searches of one pipeline found, by program and options.
//
// Each pass that compares schedules first finds the one of the program as it stands, which the pass before has often
// found already. A pass that runs under several budgets (manager/choice.h) compares the same changed programs
// again. A search, a bound and a choice of pieces are functions of the program and of options, so none is repeated. The
// options are those that have an effect on the program (overlap::effectiveOptions()).
//
// A search within a budget visits the memory limits below it. Its results for these limits as budgets are recorded too.
//
// A program is recorded by a digest of the names of its nodes, the operators and groups of its collectives, and the
// numbers of its problem. Operator and group determine the time of a collective within a bucket of any size, which the
// numbers do not contain.
//
// Ownership: plain values; owned by Analyses, whose other results an edit of the graph invalidates. Failure: none.
// Cost: linear in the size of the problem; a schedule for each search.
#pragma once

#include "schedule/chunks/chunk_choice.h"
#include "schedule/overlap/graph_problem.h"
#include "schedule/overlap/search.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ccgraph {

class SearchRecord {
public:
  /// What is known of a changed program.
  struct Program {
    /// picoseconds that no schedule beats, with any memory; empty: not computed
    std::optional<int64_t> bound;
    /// the same without the collectives that keep-gathered may remove, if a pass needs it
    int64_t keptBound = 0;
    /// bytes that it needs in its present order, if a pass needs them
    std::optional<int64_t> peak;
    /// the key of its search; empty: not searched
    std::string search;
  };

  /// Returns a text that is the same for equal programs.
  [[nodiscard]] static std::string keyOf(const overlap::Problem &problem, llvm::ArrayRef<Node *> nodes);
  /// Returns a text that is the same for equal searches of equal programs, apart from the budget. The options must have
  /// no known orders.
  [[nodiscard]] static std::string keyOf(llvm::StringRef program, const overlap::SearchOptions &options);

  /// Returns what the search of this key finds within the budget, or null.
  [[nodiscard]] const overlap::Schedule *find(const std::string &key, int64_t budget) const {
    auto known = schedules_.find({key, budget});
    return known == schedules_.end() ? nullptr : known->second.get();
  }
  [[nodiscard]] bool empty() const { return schedules_.empty(); }
  void add(const std::string &key, std::vector<overlap::BudgetResult> results) {
    for (overlap::BudgetResult &result : results)
      schedules_.emplace(std::pair(key, result.budget),
                         std::make_shared<overlap::Schedule>(std::move(result.schedule)));
  }
  /// Adds what another record of the same pipeline has.
  void add(SearchRecord other) {
    schedules_.merge(other.schedules_);
    programs_.merge(other.programs_);
    pieces_.merge(other.pieces_);
  }
  /// Adds the faster result of two searches for each budget for which both are recorded; the first one wins a tie.
  void addFaster(const std::string &key, const std::string &first, const std::string &second);
  /// Returns the program that results from a change, named by the key of the program before and the change.
  [[nodiscard]] Program &changed(const std::string &name) { return programs_[name]; }
  /// Returns the pieces that a prediction chose for a region, named likewise; empty: not chosen.
  [[nodiscard]] std::optional<ChunkChoice> &pieces(const std::string &name) { return pieces_[name]; }

private:
  /// by key and budget
  std::map<std::pair<std::string, int64_t>, std::shared_ptr<const overlap::Schedule>> schedules_;
  std::map<std::string, Program> programs_;
  std::map<std::string, std::optional<ChunkChoice>> pieces_;
};

} // namespace ccgraph
