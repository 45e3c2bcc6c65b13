// GroupTable: the meaning of the group names in a graph.
//
// A name ("0", "tp") is a registry key of one rank: ranks are not in a traced graph, and the same name may mean another
// mesh axis on another rank. So the table gives each name its members as an ordered list of global ranks. In a text
// that serves every rank, it gives a partition of the ranks, of which each rank takes its own cell. Graphs of different
// ranks are compared by members, never by name.
//
// Ownership: plain values; pointers from find() are invalid after the next set(). Failure: an empty result only; file
// readers check that no rank is negative or occurs twice in a group. Cost: find is a hash look-up, members linear in
// the partition, the rest O(1); a program has only a few groups.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

/// One name. At most one of `ranks` and `partition` is given; without either, nothing is known.
struct Group {
  std::string name;
  /// ordered global ranks; empty if `partition` is given
  std::vector<int64_t> ranks;
  /// disjoint cells; a rank's group is the cell that holds it
  std::vector<std::vector<int64_t>> partition;
  /// e.g. "default_pg", "mesh_dp"
  std::string description;
  std::string tag;
  std::string backend;
  /// name of the device mesh whose axis this is
  std::string mesh;
  /// axis of that mesh, negative if unknown
  int64_t axis = -1;
  /// no file states the members: ranks 0..n-1 were assumed
  bool assumed = false;
  /// foreign keys of a file: name, text of the value
  std::vector<std::pair<std::string, std::string>> attributes;
  friend bool operator==(const Group &, const Group &) = default;

  /// Returns the members for `rank`: the list, or its cell (empty if no cell holds it).
  [[nodiscard]] llvm::ArrayRef<int64_t> members(int64_t rank) const;
  /// Returns the number of members if it is the same on every rank; empty if cells differ in size or nothing is known.
  [[nodiscard]] std::optional<int64_t> size() const;
};

/// Groups in the order in which they were added, which is also the order in which they are written.
class GroupTable {
public:
  [[nodiscard]] const Group *find(llvm::StringRef name) const;
  /// Adds a group, or replaces the one of the same name in its position.
  void set(Group group);
  [[nodiscard]] llvm::ArrayRef<Group> groups() const { return groups_; }
  [[nodiscard]] bool empty() const { return groups_.empty(); }
  friend bool operator==(const GroupTable &a, const GroupTable &b) { return a.groups_ == b.groups_; }

private:
  std::vector<Group> groups_;
  llvm::StringMap<unsigned> index_;
};

} // namespace ccgraph
