// Groups of an open mode: registers groups, and resolves a GroupLike.
//
// Ownership: borrows the mode; pointers into its table become invalid when the next group is registered. Failure: a
// DiagnosticError. Cost: linear in the ranks; constant for names and for meshes that were resolved before.
#pragma once

#include "ccgraph/tracer/group.h"
#include "tracer/mode.h"

namespace ccgraph::tracer {

/// The data that the copies of a mesh share.
struct DeviceMesh::Layout {
  std::string deviceType;
  std::vector<int64_t> shape;
  std::vector<std::string> names;
  std::vector<int64_t> ranks;
  /// why the mesh is invalid; empty where it is valid
  std::string wrong;
  /// by dimension; none where the mesh is invalid
  std::vector<Group> groups;
};

namespace detail {

/// Adds a group to the mode's table; adding the same group twice has the effect of once.
[[nodiscard]] llvm::Error registerGroup(Mode &mode, const Group &group);
/// Returns the group that a form means, which is then in the table.
[[nodiscard]] llvm::Expected<const Group *> resolveGroup(Mode &mode, const GroupLike &group, llvm::StringRef tag);
/// Returns the members, one cell after the other.
[[nodiscard]] std::vector<int64_t> allRanks(const Group &group);

/// The parts of a group that a collective needs.
struct CallGroup {
  std::string name;
  int64_t size = 0;
};
/// Fails also where the mode belongs to one rank, and the group lacks this rank.
[[nodiscard]] llvm::Expected<CallGroup> groupOfCall(Mode &mode, const GroupLike &group, llvm::StringRef tag);

} // namespace detail
} // namespace ccgraph::tracer
