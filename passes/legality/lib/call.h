// Call: a collective call as the checker reads it, in either program.
//
// It is read from the operator's CollectiveSpec and the arguments, by position, so that calls that were erased since
// can be read too.
//
// Ownership: plain values and references into the program. Cost: one small string a call. Failure: none; a field that
// cannot be read stays empty and is equal to no other.
#pragma once

#include "groups.h"

#include <string>
#include <unordered_map>

namespace ccgraph::legality {

/// One call. Steps are numbers of the program that it was read from.
struct Call {
  uint32_t step = 0;
  const CollectiveSpec *spec = nullptr; ///< null for a control_deps around several calls
  GroupTerm group;
  std::string reduceOp;
  std::optional<int64_t> groupSize;
  std::optional<int64_t> root;
  llvm::SmallVector<uint32_t, 4> inputs; ///< steps that are sent
  std::optional<std::vector<int64_t>> inputSplits;
  std::optional<std::vector<int64_t>> outputSplits;
};
/// Returns true if the step is a collective, or a control_deps around collectives.
[[nodiscard]] bool isCall(const Program &program, const Step &step);
/// Reads the call at `index`, which must be one.
[[nodiscard]] Call readCall(const Program &program, uint32_t index);
/// Returns all steps of a program that communicate, in program order, including those inside control_deps.
[[nodiscard]] std::vector<Call> readCalls(const Program &program);
/// Visits the same calls one after the other, for callers that do not keep them.
void forEachCall(const Program &program, llvm::function_ref<void(const Call &)> visit);

/// Returns the subgraph that a control_deps runs, even if it was erased since; null for any other step.
[[nodiscard]] const Graph *wrappedGraph(const Program &program, const Step &step);
/// Returns the only call of the graph; null if it has none or several.
[[nodiscard]] const Node *onlyCall(const Graph &graph);

/// Returns true if the arguments of the calls allow them to be members of one bucket.
[[nodiscard]] bool alike(const Call &a, const Call &b);
/// Returns true if the arguments contain no information beyond the fields of `Call`.
[[nodiscard]] bool saysNothingElse(const Step &step);
/// Returns true for a functional collective from one tensor to a new one.
[[nodiscard]] bool isPlainExchange(const Call &call);
/// Returns the number of ranks that a file or the call gives the group, if all of its cells have as many.
[[nodiscard]] std::optional<int64_t> describedRanks(const Call &call);
/// Returns how the number of ranks that a call states contradicts describedRanks(); empty if it does not.
[[nodiscard]] std::string wrongRanks(const Call &call);
/// The group on which all calls of a region are.
struct CommonGroup {
  std::optional<GroupTerm> group; ///< of the calls so far
  int64_t ranks = 0;              ///< as stated, or as the calls so far agree on; 0: unknown
  /// Adds a call. Returns why it cannot be in the region, which has this name; empty if it can.
  [[nodiscard]] std::string add(const Call &call, llvm::StringRef region);
};
/// Adds a call of a region to the group, and returns what the function for its kind returns, or why there is none.
template <class Outcome>
[[nodiscard]] Outcome exchangeBy(CommonGroup &group, const Call &call, llvm::function_ref<Outcome()> reduce,
                                 llvm::function_ref<Outcome()> gather, llvm::function_ref<Outcome()> scatter) {
  if (std::string why = group.add(call, "region"); !why.empty())
    return why;
  switch (call.spec->kind) {
  case CollectiveKind::AllReduce:
    return reduce();
  case CollectiveKind::AllGather:
    return gather();
  case CollectiveKind::ReduceScatter:
    return scatter();
  default:
    return std::string("is of a kind that cannot be followed for every value of a symbol");
  }
}
/// Returns true if the call may add floating-point numbers of more than two ranks, in an order that a backend chooses
/// by size and position.
[[nodiscard]] bool addsInSomeOrder(const Program &program, const Call &call);
/// Returns true for a call across which other collectives may not move: p2p and barriers.
[[nodiscard]] bool isFence(const Call &call);
/// Finds the groups that may have two ranks in common, by their ranks: a table may hold many groups of which few
/// overlap.
class OverlappingGroups {
public:
  /// `samples`: one call of each group; they must outlive this object. Cost: the members of all groups.
  explicit OverlappingGroups(llvm::ArrayRef<const Call *> samples);
  /// Returns the indices, ascending, of the groups that may have two or more ranks in common with this one, itself
  /// included. Cost: the groups that contain its ranks.
  [[nodiscard]] std::vector<uint32_t> of(uint32_t sample) const;

private:
  using Cell = std::pair<uint32_t, uint32_t>; ///< group, and index in its lists of ranks
  std::vector<std::vector<std::vector<int64_t>>> cells_;
  std::vector<uint32_t> unknown_;
  std::unordered_map<int64_t, std::vector<Cell>> byRank_;
};

} // namespace ccgraph::legality
