// GroupId: which group a collective communicates on, as far as its graph can tell.
//
// A call gives its group by name ("tp"), by a tag and a list of ranks, or by a value of the program:
// an attribute that holds a process group, an input, a call that makes one. Two such calls may be
// on one group though they say it differently, so "one group?" has three answers:
//
//   a == b               proved to be one: the same name; the same tag and ranks; the same value, or
//                        two calls of one operator without effects with equal arguments
//   !mayBeOneGroup(a, b) proved to be two: two names (each is a registry key of its own); lists of
//                        other ranks; members that differ
//   otherwise            open: mesh_get_process_group(mesh, 0) and (mesh, 1); two attributes; a name
//                        that is not in the table and a list of ranks; two names to which a file
//                        gives the same members, which may be two names of one group
//
// Only what is proved to be one group may be merged. Where it is open, collectives keep their order:
// they may be on one group, whose order of issue is what ranks agree on. A group whose call says
// nothing at all is Unknown, and equals no group but that of the very same call.
//
// Identities are those of one graph, at one moment: a rename makes others. Graphs of different
// ranks are compared by members (see group_table.h), never by these.
//
// Ownership: plain values. Failure: none; what cannot be read is Unknown. Cost: groupIdOf is linear
// in the expression that makes the group (cut off where it is large); comparing is linear in the
// text, and mayBeOneGroup and mayShareRanks in the members that the table gives.
#pragma once

#include "ccgraph/ir/group_table.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

class Node;

struct GroupId {
  enum class Kind : uint8_t {
    /// nothing is said that could be read
    Unknown,
    /// a name, or an attribute that the graph's table describes
    Name,
    /// tag and ranks, as older calls give them
    Ranks,
    /// a value of the program, or the expression that makes it
    Value,
  };

  Kind kind = Kind::Unknown;
  /// What messages call it: "tp", "ranks [0, 1]", "_dtensor.mesh_get_process_group.default(mesh, dim = 0)". Equal
  /// for equal identities of one kind, different for different ones.
  std::string text;
  /// of Ranks: in the order given
  std::vector<int64_t> ranks;
  friend bool operator==(const GroupId &, const GroupId &) = default;
};

/// The group of a collective, or of the collective inside a control_deps; Unknown for any other node. Attributes
/// are looked up in the table of the node's own graph.
[[nodiscard]] GroupId groupIdOf(const Node &node);

/// The lists of ranks that the group may be: one, or the cells of a partition; empty where nothing is known.
[[nodiscard]] std::vector<std::vector<int64_t>> possibleMembers(const GroupTable &table, const GroupId &group);
/// False only where the two are proved to be two groups.
[[nodiscard]] bool mayBeOneGroup(const GroupTable &table, const GroupId &a, const GroupId &b);
/// Attribute of a group in the table (GroupTable) whose members follow from the place of this rank in it. Another rank
/// may have a place that does not tell them.
inline constexpr llvm::StringLiteral knownByPlace = "known_by_place";

/// The lists of ranks as every rank of an SPMD job derives them: the cells of a partition, or all ranks of a world of
/// `world` ranks. Empty for the list that the table of one rank gives of some ranks, since the tables of other ranks
/// may give a longer or a shorter one, and for members known by place. Equal to possibleMembers where the size of the
/// world is not known.
[[nodiscard]] std::vector<std::vector<int64_t>> sharedMembers(const GroupTable &table, const GroupId &group,
                                                              std::optional<int64_t> world);
/// By place in `groups`, which are distinct: may it be one with another of them? Reads shared members alone. Linear in
/// groups and members, where asking for each pair is not.
[[nodiscard]] std::vector<bool> openGroups(const GroupTable &table, llvm::ArrayRef<GroupId> groups,
                                           std::optional<int64_t> world = std::nullopt);
/// False only where the two are proved to have fewer than two ranks in common.
[[nodiscard]] bool mayShareRanks(const GroupTable &table, const GroupId &a, const GroupId &b);

} // namespace ccgraph
