// The tables that give type rules to operators, by family.
//
// Ownership: constants. Nothing here fails. Cost: a binary search for each table at an operator's first look-up.
#pragma once

#include "ops/knowledge.h"

namespace ccgraph::infer {

inline constexpr bool Certain = true;

struct Entry {
  llvm::StringLiteral key; ///< key, or base for all overloads
  TypeRule rule;
  /// Does the rule answer what holds of every program, but where a call takes a default? All answers of other rules are
  /// assumed.
  bool certain = false;
};

/// The rules of image and matrix types, and those of the operators in the namespace prims, sorted by key.
[[nodiscard]] llvm::ArrayRef<Entry> imageEntries();
[[nodiscard]] llvm::ArrayRef<Entry> primEntries();

} // namespace ccgraph::infer
