// FlightTable: the calls of all ranks side by side.
//
// A *line* is where calls match in order: a group, or the transfers from one rank to another with one tag. A *match* is
// the k-th call of a line, with what each rank brought.
//
// Ownership: borrows the records. Failure: none. Cost: linear in the calls.
#pragma once

#include "ccgraph/ir/flight_record.h"

#include "llvm/ADT/ArrayRef.h"

#include <deque>
#include <map>
#include <set>

namespace ccgraph::runtime {

struct FlightLine {
  /// global ranks; of a transfer from and to
  std::vector<int64_t> members;
  /// where a record has several groups of these members: which one
  std::string name;
  /// of a transfer
  int64_t from = -1;
  int64_t to = -1;
  int64_t tag = 0;
  friend auto operator<=>(const FlightLine &,
                          const FlightLine &) = default; // NOLINT(modernize-use-nullptr): no pointer
};

struct FlightMatch {
  const FlightLine *line = nullptr;
  /// what a person calls it: "collective 3 of group 0", "transfer 1 from rank 0 to rank 2"
  std::string name;
  /// the earliest time at which it was issued anywhere
  int64_t since = 0;
  /// launches by rank
  std::map<int64_t, const FlightCall *> calls;
  /// Members that have not launched it, and whose record would show if they had, or that left none.
  std::vector<int64_t> missing;

  /// Ranks by what they brought, those of a text in order.
  [[nodiscard]] std::map<std::string, std::vector<int64_t>> votes(bool onePlan) const;
  [[nodiscard]] bool isIncomplete() const;
};

/// The activity of a rank.
struct FlightStanding {
  RankActivity activity = RankActivity::Unknown;
  /// the step that a busy rank executes; empty between steps
  std::string busyWith;
};

class FlightTable {
public:
  explicit FlightTable(llvm::ArrayRef<FlightRecord> records);
  FlightTable(const FlightTable &) = delete;
  FlightTable &operator=(const FlightTable &) = delete;

  /// Matched calls in the order of time.
  [[nodiscard]] llvm::ArrayRef<FlightMatch> matches() const { return matches_; }
  /// Null where the rank left none.
  [[nodiscard]] const FlightRecord *record(int64_t rank) const;
  /// Returns the activity of a rank that left a record, at the time of the first record.
  [[nodiscard]] FlightStanding standing(int64_t rank) const;
  /// The rank has issued what comes later in the plan, and this call, which its plan has too, never.
  [[nodiscard]] bool hasLeftOut(int64_t rank, const FlightMatch &match) const;
  /// All ranks that any record speaks of.
  [[nodiscard]] const std::set<int64_t> &ranks() const { return ranks_; }
  /// Returns whether all records are of one plan, as far as they show: matching calls have the same index in it.
  [[nodiscard]] bool isOnePlan() const { return onePlan_; }

private:
  [[nodiscard]] std::vector<int64_t> membersOf(const FlightGroup &group) const;
  [[nodiscard]] FlightLine lineOf(const FlightRecord &record, const FlightCall &call) const;
  void addRecord(const FlightRecord &record);
  /// Returns the call in its state when the first record was taken: a stopped rank that resumed after the others had
  /// ended has continued since.
  [[nodiscard]] const FlightCall &asItWas(const FlightCall &call);
  void findMissing(FlightMatch &match, int64_t sequence) const;
  [[nodiscard]] bool wouldShow(int64_t rank, const FlightLine &line, int64_t sequence) const;

  std::map<int64_t, const FlightRecord *> records_;
  std::set<int64_t> ranks_;
  bool onePlan_ = false;
  /// when the first record was taken
  int64_t end_ = INT64_MAX;
  std::deque<FlightCall> changed_;
  /// by line and sequence; moved into matches_ when complete
  std::map<std::pair<FlightLine, int64_t>, FlightMatch> byLine_;
  /// by rank and line: the oldest call that the record has
  std::map<std::pair<int64_t, FlightLine>, int64_t> oldest_;
  std::vector<FlightMatch> matches_;
  /// by rank: places in its plan
  std::map<int64_t, std::set<int64_t>> issued_;
};

/// "all_reduce sum f32[4] `ar`".
[[nodiscard]] std::string callText(const FlightCall &call);

} // namespace ccgraph::runtime
