// Communication: a collective call as the checker reads it, in either program.
//
// It is read from the operator's CollectiveSpec and the arguments, by position, so that it can also
// be read off calls that were erased since.
//
// Ownership: plain values and references into the program. Cost: one small string a call. Nothing
// fails: what cannot be read stays empty and is unlike anything else.
#pragma once

#include "legality/program.h"

#include <string>

namespace ccgraph::legality {

/// One call. Steps are numbers of the program that it was read from.
struct Communication {
  uint32_t step = 0;
  const CollectiveSpec *spec = nullptr;
  std::string
      group; ///< equal for equal groups: the name, the ranks, or the expression that makes it; "?" where unknown
  llvm::StringRef groupName;  ///< where the group is given by name
  std::vector<int64_t> ranks; ///< where it is given by ranks
  std::string reduceOp;
  std::optional<int64_t> groupSize;
  std::optional<int64_t> root;
  llvm::SmallVector<uint32_t, 4> inputs; ///< steps that are sent
  std::optional<std::vector<int64_t>> inputSplits;
  std::optional<std::vector<int64_t>> outputSplits;
};
/// Reads the call at `index`, which must be a collective, or a control_deps around one.
[[nodiscard]] Communication readCommunication(const Program &program, uint32_t index);
/// All collectives of a program, in its order, those inside control_deps too.
[[nodiscard]] std::vector<Communication> readCommunications(const Program &program);

/// The subgraph that a control_deps runs, also if it was erased since; null for any other step.
[[nodiscard]] const Graph *wrappedGraph(const Program &program, const Step &step);
/// Its one call; null where there is none or several.
[[nodiscard]] const Node *onlyCall(const Graph &graph);

/// True if the calls may be members of one bucket, as far as their arguments say.
[[nodiscard]] bool alike(const Communication &a, const Communication &b);
/// True for what fences in other collectives: p2p and barriers.
[[nodiscard]] bool isFence(const Communication &call);
/// True if the groups are not known to have fewer than two ranks in common.
[[nodiscard]] bool mayShareRanks(const GroupTable &groups, const Communication &a, const Communication &b);

} // namespace ccgraph::legality
