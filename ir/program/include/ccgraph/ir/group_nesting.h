// Group nesting: computes the layout of process groups of which only sizes are known.
//
// A program states how many ranks a group has (all_gather(x, 8, "tp")), and rarely which ranks. Device meshes arrange
// ranks as nested dimensions: the innermost group holds consecutive ranks, the next one holds every n-th rank. The
// functions below assign such a stride to each group, so that two groups never have the same ranks:
//
//   world 64, "tp" of 8, "fsdp" of 8    ->    tp = 0, 1, ..., 7    fsdp = 0, 8, ..., 56
//
// The result reads only the program, the number of ranks of the job, and what callers add to a UsedGroup. It never
// reads names, nor the members that the table of one rank gives, so every rank of an SPMD program derives the same
// layout.
//
// The nesting order is a guess: a group that only reduces gradients is outermost, then groups that gather parameters
// and scatter gradients, then groups that communicate activations.
//
// Ownership: plain values. Failure: none. Cost: linear in the program.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/group_id.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

/// For each cell, the ranks first, first + stride, ..., `size` of them.
struct GroupLayout {
  int64_t size = 0;
  int64_t stride = 1;
  friend bool operator==(const GroupLayout &, const GroupLayout &) = default;
};

/// One group that a program communicates on.
struct UsedGroup {
  GroupId id;
  /// as stated by calls; 0 if no call states it
  int64_t size = 0;
  /// 0: reduces gradients; 1: gathers parameters or scatters gradients as well; 2: communicates activations
  unsigned depth = 0;
  size_t launches = 0;
  /// set if the ranks are known; other groups are nested around it
  std::optional<GroupLayout> given;
  /// the place of `rank` in its cell, if known
  std::optional<int64_t> place;
  int64_t rank = 0;
  friend bool operator==(const UsedGroup &, const UsedGroup &) = default;
};

/// Returns the groups in order of first appearance, including those of subgraphs.
[[nodiscard]] std::vector<UsedGroup> usedGroups(const Graph &graph);

/// Returns the number of ranks of the job, derived alike on every rank. It is the graph's world size, the size of the
/// default group, or that of a group that holds all ranks in the table. Empty if the graph has none of these.
[[nodiscard]] std::optional<int64_t> knownWorldSize(const Graph &graph);
/// Returns the number of ranks that stated sizes imply, as dimensions of one mesh; 0 if no size is stated.
[[nodiscard]] int64_t impliedWorldSize(llvm::ArrayRef<UsedGroup> groups);

/// Returns the layouts by index in `groups`. Empty for a group whose size is neither stated nor implied. `world` 0:
/// unknown.
[[nodiscard]] std::vector<std::optional<GroupLayout>> nestGroups(llvm::ArrayRef<UsedGroup> groups, int64_t world);
/// Returns all cells of a layout in a world; empty if the cells would not cover the world.
[[nodiscard]] std::vector<std::vector<int64_t>> cellsOf(const GroupLayout &layout, int64_t world);

} // namespace ccgraph
