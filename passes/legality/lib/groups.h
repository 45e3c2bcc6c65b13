// GroupTerm: the group of a collective, as the checker tells groups apart; by its own reading, not
// that of the passes.
//
// Two terms with equal keys are one group, proved by what the calls say. Two others are two groups
// only where that is proved too: two names of which a file describes one at most, or members that
// differ. In between lies what may be one group, and there the checker lets nothing merge or pass.
//
// Keys hold ids of nodes, which are the same in the program before and after.
//
// Ownership: plain values, and a reference into the graph's table. Failure: none; a group that cannot be read has a key of its own. Cost:
// linear in the expression that makes the group, cut off where it is large.
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
  /// where the table has the name
  const Group *group = nullptr;
  /// where the call gives them
  std::vector<int64_t> ranks;

  /// Lists of ranks that it may be; empty where nothing is known.
  [[nodiscard]] std::vector<std::vector<int64_t>> cells() const;
  /// A file gives the members, or the call does; what was assumed proves nothing.
  [[nodiscard]] bool described() const;
};

/// The group of the collective at `index`. `call` is the collective: the step's own call or the one in its wrapper
/// (a control_deps), whose placeholders stand for the step's arguments.
[[nodiscard]] GroupTerm readGroup(const Program &program, uint32_t index, const Node &call);
/// For what communicates on nobody knows which groups.
[[nodiscard]] GroupTerm unreadGroup(const Node &node);

/// True if the groups are not known to have fewer than two ranks in common.
[[nodiscard]] bool mayShareRanks(const GroupTerm &a, const GroupTerm &b);
/// By place in `terms` (distinct groups): may it be one with another of them? Linear in their members.
[[nodiscard]] std::vector<bool> mayBeAnother(llvm::ArrayRef<GroupTerm> terms, std::optional<int64_t> world);

} // namespace ccgraph::legality
