// Knowledge: facts about operators that PyTorch's registered schemas do not state, in families.
//
//   own_schemas       operators that the generated table lacks: Python's, higher-order, Inductor's private ones
//   sharing           results that share storage, or may not share it, against the schema; undeclared writes
//   domains           order against the outside: random state, the host, everything
//   storage_readers   operators that depend on an operand's place in its storage
//   collective_specs  the meaning of a collective's arguments, and when it reads and writes them
//   types             rules for result types (ir/operators/lib/infer/table.cpp)
//   view_geometry     the place in the viewed tensor where a view begins
//   work              rules for FLOPs and bytes, and operators that only move bytes
//   values            requirements on the numbers in operands: indices, numbers above zero
//
// An operator's schema is applied first, then each family in the order in which OpTable calls them. A later family may
// refine the result of an earlier one. Keys are targets without ".default"; in a family whose keys are bases, a key
// applies to all overloads.
//
// Ownership: tables are constants; an OpDraft borrows the operator that it describes. Failure: none; a family does not
// change operators that it does not contain, and a table out of order asserts. Cost: each family is a table sorted by
// key, searched once for each operator, at its first look-up; nothing is built at start-up.
#pragma once

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

/// An operator under construction.
struct OpDraft {
  OpDef &op;
  llvm::StringRef key;  ///< "aten.add_.Tensor"
  llvm::StringRef base; ///< "aten.add_"
  llvm::StringRef tags;
};

/// Entry of a table sorted by `key`; null where there is none.
template <typename Entry>
[[nodiscard]] const Entry *findEntry(llvm::ArrayRef<Entry> table, llvm::StringRef key) {
  assert(llvm::is_sorted(table, [](const Entry &a, const Entry &b) { return a.key < b.key; }) &&
         "an operator family is not sorted");
  const Entry *entry = llvm::partition_point(table, [&](const Entry &candidate) { return candidate.key < key; });
  return entry != table.end() && entry->key == key ? entry : nullptr;
}
/// The entry of the whole key, else of the base.
template <typename Entry>
[[nodiscard]] const Entry *findEntry(llvm::ArrayRef<Entry> table, const OpDraft &draft) {
  const Entry *entry = findEntry(table, draft.key);
  return entry ? entry : findEntry(table, draft.base);
}

/// Schema of an operator that the generated table lacks, and how its target is spelled in full; empty where unknown.
struct OwnSchema {
  std::string target;
  std::string schema;
};
[[nodiscard]] OwnSchema findOwnSchema(llvm::StringRef key);
/// Calls `visit` with every target of the own schemas.
void forEachOwnTarget(llvm::function_ref<void(llvm::StringRef target)> visit);

/// One family each: writes what its table holds about the draft's operator into it.
void applySharing(const OpDraft &draft);
void applyDomains(const OpDraft &draft);
void applyPlaces(const OpDraft &draft);
void applyCollectives(const OpDraft &draft);
void applyTypeRules(const OpDraft &draft);
void applyViews(const OpDraft &draft);
void applyWork(const OpDraft &draft);
void applyValues(const OpDraft &draft);

/// For a collective of c10d that takes a list with one tensor for each device of the rank: returns the number of
/// devices. Returns empty for other nodes, whose lists hold one call for each element. PyTorch runs one process for
/// each device: NCCL accepts one tensor, and gloo reduces the tensors of a rank together with those of other ranks.
[[nodiscard]] std::optional<size_t> numDevices(const Node &node);

/// Calls `visit` with every key of the families collectives, types and work.
void forEachCollectiveKey(llvm::function_ref<void(llvm::StringRef key)> visit);
void forEachTypedKey(llvm::function_ref<void(llvm::StringRef key)> visit);
void forEachWorkKey(llvm::function_ref<void(llvm::StringRef key)> visit);

} // namespace ccgraph
