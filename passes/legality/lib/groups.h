// GroupTerm: the identity of a collective's group, as the checker reads it, independent of the passes' own reading.
//
// Two terms with equal keys are one group, as the calls prove. Two terms with different keys are proved to be two
// groups only in these cases: two names of which a file describes at most one, or different members. In all other cases
// they may be one group, and the checker allows no merge and no reordering.
//
// Keys contain ids of nodes, which are the same in the program before and after.
//
// Ownership: plain values, and a reference into the graph's table. Failure: none; a group that cannot be read has a key
// of its own. Cost: linear in the expression that computes the group, with a limit for large ones.
#pragma once

#include "program.h"

#include "ccgraph/ir/group_table.h"

#include <string>
#include <vector>

namespace ccgraph::legality {

struct GroupTerm {
  enum class Form : uint8_t { Unread, Name, Ranks, Value };
  Form form = Form::Unread;
  std::string key;
  /// for messages
  std::string text;
  /// where the table contains the name
  const Group *group = nullptr;
  /// where the call states them
  std::vector<int64_t> ranks;

  /// Returns the lists of ranks that the group may have; empty if nothing is known.
  [[nodiscard]] std::vector<std::vector<int64_t>> cells() const;
  /// Returns true if a file or the call gives the members; assumed members prove nothing.
  [[nodiscard]] bool described() const;
};

/// Returns the group of the collective at `index`. `call` is the collective: the step's own call or the one in its
/// wrapper (a control_deps), whose placeholders are the step's arguments.
[[nodiscard]] GroupTerm readGroup(const Program &program, uint32_t index, const Node &call);
/// Returns the term for a node that communicates on unknown groups.
[[nodiscard]] GroupTerm unreadGroup(const Node &node);

/// Returns true if the groups may have two or more ranks in common.
[[nodiscard]] bool mayShareRanks(const GroupTerm &a, const GroupTerm &b);
/// Returns, by index in `terms` (distinct groups), whether the group may be the same as another of them. Linear in
/// their members.
[[nodiscard]] std::vector<bool> mayBeAnother(llvm::ArrayRef<GroupTerm> terms, std::optional<int64_t> world);

} // namespace ccgraph::legality
