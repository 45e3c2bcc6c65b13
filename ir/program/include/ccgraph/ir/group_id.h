// GroupId: identifies the group of a collective, as far as its graph determines it.
//
// A call gives its group by name ("tp"), by a tag and a list of ranks, or by a value of the program. Such a value is an
// attribute that holds a process group, an input, or a call that creates one. Two such calls may be on one group
// although they express it differently. So a comparison has three results:
//
//   a == b               proved to be one: the same name; the same tag and ranks; the same value, or
//                        two calls of one operator without effects with equal arguments
//   !mayBeOneGroup(a, b) proved to be two: two names (each is a registry key of its own); lists of
//                        other ranks; members that differ
//   otherwise            open: mesh_get_process_group(mesh, 0) and (mesh, 1); two attributes; a name
//                        that is not in the table and a list of ranks; two names to which a file
//                        gives the same members, which may be two names of one group
//
// Only collectives on groups that are proved to be one may be merged. In the open case, collectives keep their order:
// they may be on one group, whose ranks agree on an order of issue. A group without any readable information in its
// call is Unknown, and equals only the group of the very same call.
//
// Identities are valid for one graph, at one moment: a rename changes them. Graphs of different ranks are compared by
// members (see group_table.h), never by identities.
//
// Ownership: plain values. Failure: none; an unreadable group is Unknown. Cost: groupIdOf is linear in the expression
// that computes the group (with a limit for large ones). A comparison is linear in the text; mayBeOneGroup and
// mayShareRanks are linear in the members that the table gives.
#pragma once

#include "ccgraph/ir/group_table.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

class Node;

struct GroupId {
  enum class Kind : uint8_t {
    /// the call has no readable information
    Unknown,
    /// a name, or an attribute that the graph's table describes
    Name,
    /// tag and ranks, as in older calls
    Ranks,
    /// a value of the program, or the expression that computes it
    Value,
  };

  Kind kind = Kind::Unknown;
  /// The group's name in messages: "tp", "ranks [0, 1]", "_dtensor.mesh_get_process_group.default(mesh, dim = 0)".
  /// Equal for equal identities of one kind, different for different ones.
  std::string text;
  /// for Ranks: in the order given
  std::vector<int64_t> ranks;
  friend bool operator==(const GroupId &, const GroupId &) = default;
};

/// Returns the group of a collective, or of the collective inside a control_deps; Unknown for any other node.
/// Attributes are looked up in the table of the node's own graph.
[[nodiscard]] GroupId groupIdOf(const Node &node);

/// Returns the lists of ranks that the group may have: one, or the cells of a partition; empty if nothing is known.
[[nodiscard]] std::vector<std::vector<int64_t>> possibleMembers(const GroupTable &table, const GroupId &group);
/// Returns false only if the two are proved to be two groups.
[[nodiscard]] bool mayBeOneGroup(const GroupTable &table, const GroupId &a, const GroupId &b);
/// Attribute of a group in the table (GroupTable) whose members follow from this rank's place in it. The place of
/// another rank may not determine them.
inline constexpr llvm::StringLiteral knownByPlace = "known_by_place";

/// Returns the lists of ranks that every rank of an SPMD job derives alike: the cells of a partition, or all ranks of a
/// world of `world` ranks. Empty for members known by place. Also empty for the list that the table of one rank gives
/// of some ranks, since the tables of other ranks may give a longer or a shorter one. Equal to possibleMembers if the
/// size of the world is unknown.
[[nodiscard]] std::vector<std::vector<int64_t>> sharedMembers(const GroupTable &table, const GroupId &group,
                                                              std::optional<int64_t> world);
/// Returns, by index in `groups`, which are distinct, whether the group may be the same as another of them. Reads
/// shared members only. Linear in groups and members, unlike a test of each pair.
[[nodiscard]] std::vector<bool> openGroups(const GroupTable &table, llvm::ArrayRef<GroupId> groups,
                                           std::optional<int64_t> world = std::nullopt);
/// Returns false only if the two are proved to have fewer than two ranks in common.
[[nodiscard]] bool mayShareRanks(const GroupTable &table, const GroupId &a, const GroupId &b);

} // namespace ccgraph
