// Call: a collective call as the checker reads it, in either program.
//
// It is read from the operator's CollectiveSpec and the arguments, by position, so that it can also
// be read off calls that were erased since.
//
// Ownership: plain values and references into the program. Cost: one small string a call. Nothing
// fails: what cannot be read stays empty and is unlike anything else.
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
/// Is the step a collective, or a control_deps around some?
[[nodiscard]] bool isCall(const Program &program, const Step &step);
/// Reads the call at `index`, which must be one.
[[nodiscard]] Call readCall(const Program &program, uint32_t index);
/// All steps of a program that communicate, in its order, those inside control_deps too.
[[nodiscard]] std::vector<Call> readCalls(const Program &program);
/// The same one after the other, for who keeps none of them.
void forEachCall(const Program &program, llvm::function_ref<void(const Call &)> visit);

/// The subgraph that a control_deps runs, also if it was erased since; null for any other step.
[[nodiscard]] const Graph *wrappedGraph(const Program &program, const Step &step);
/// Its one call; null where there is none or several.
[[nodiscard]] const Node *onlyCall(const Graph &graph);

/// True if the calls may be members of one bucket, as far as their arguments say.
[[nodiscard]] bool alike(const Call &a, const Call &b);
/// True for arguments that say nothing but what is read here.
[[nodiscard]] bool saysNothingElse(const Step &step);
/// True for a functional collective from one tensor to a new one.
[[nodiscard]] bool isPlainExchange(const Call &call);
/// May it add floating-point numbers of more than two ranks, in an order that a backend chooses by size and place?
[[nodiscard]] bool addsInSomeOrder(const Program &program, const Call &call);
/// True for what fences in other collectives: p2p and barriers.
[[nodiscard]] bool isFence(const Call &call);
/// Which groups may have two ranks in common, found through the ranks: a table may hold many groups of which few meet.
class Meetings {
public:
  /// One call of each group; they must outlive it. Cost: the members of all groups.
  explicit Meetings(llvm::ArrayRef<const Call *> samples);
  /// Indices of the groups that are not known to have fewer than two ranks in common with this one, itself among them,
  /// ascending. Cost: the groups that its ranks are in.
  [[nodiscard]] std::vector<uint32_t> of(uint32_t sample) const;

private:
  using Cell = std::pair<uint32_t, uint32_t>; ///< of which group, the which list of its ranks
  std::vector<std::vector<std::vector<int64_t>>> cells_;
  std::vector<uint32_t> unknown_;
  std::unordered_map<int64_t, std::vector<Cell>> byRank_;
};

} // namespace ccgraph::legality
