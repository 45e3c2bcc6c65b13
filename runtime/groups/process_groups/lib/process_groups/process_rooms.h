// Process rooms: what the ranks of a group share that are threads of one process.
//
// Rank 0 of the group makes the room, and tells the others its number by the group's store. A rank that leaves early is
// known to those that come later, because a room exists until its last member ends.
//
// Ownership: the members share the room; the table forgets it once all have entered. Thread-safe. Failure:
// group.argument where more ranks come than the group has, group.unsupported for a rank of another process, and the
// errors of the store. Cost: a lock, and a query of the store.
#pragma once

#include "ccgraph/runtime/backend.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph::runtime {

/// A kind of rooms.
struct RoomKind {
  /// the backend whose ranks share them
  llvm::StringRef backend;
  /// what ranks in several processes can use
  llvm::StringRef repair;
};

/// Returns the room of the group; `make` is called on its rank 0.
[[nodiscard]] llvm::Expected<std::shared_ptr<void>> enterRoom(const BackendSetup &setup, const RoomKind &kind,
                                                              llvm::function_ref<std::shared_ptr<void>()> make);

} // namespace ccgraph::runtime
