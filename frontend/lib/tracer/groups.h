// Groups of an open mode: registering them, and what a GroupLike comes to.
//
// Ownership: borrows the mode; pointers into its table die with the next group that is registered. Failure: a DiagnosticError.
// Cost: linear in the ranks, but for names and for meshes that were resolved before.
#pragma once

#include "ccgraph/tracer/group.h"
#include "tracer/mode.h"

namespace ccgraph::tracer {

/// What the copies of a mesh share.
struct DeviceMesh::Layout {
  std::string deviceType;
  std::vector<int64_t> shape;
  std::vector<std::string> names;
  std::vector<int64_t> ranks;
  /// why this is no mesh; empty where it is one
  std::string wrong;
  /// by dimension; none where it is no mesh
  std::vector<Group> groups;
};

namespace detail {

/// Puts a group into the mode's table; the same group twice is once.
[[nodiscard]] llvm::Error registerGroup(Mode &mode, const Group &group);
/// The group that a form means, in the table then.
[[nodiscard]] llvm::Expected<const Group *> resolveGroup(Mode &mode, const GroupLike &group, llvm::StringRef tag);
/// Members one cell after the other.
[[nodiscard]] std::vector<int64_t> allRanks(const Group &group);

/// A group, as a collective needs it.
struct CallGroup {
  std::string name;
  int64_t size = 0;
};
/// Error also where the mode is one rank's, and the group lacks this rank.
[[nodiscard]] llvm::Expected<CallGroup> groupOfCall(Mode &mode, const GroupLike &group, llvm::StringRef tag);

} // namespace detail
} // namespace ccgraph::tracer
