// TypeTexts: the JSON text of each type, computed once.
//
// A file of a million nodes has some hundred distinct types; computing each text again would take most of the time of
// writing.
//
// Ownership: keeps the texts; types are the Context's. Nothing fails. Cost: a hash lookup a type.
#pragma once

#include "ccgraph/ir/type.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace ccgraph {

/// The table is used for lookups only and never iterated.
class TypeTexts {
public:
  /// Returns a quoted string, an array of strings for a list, null where unknown. Valid until the next call.
  [[nodiscard]] llvm::StringRef json(const Type *type);
  /// Returns the text of one type that is not a list without its quotes, for use within a string.
  [[nodiscard]] llvm::StringRef inString(const Type *type) { return json(type).drop_front().drop_back(); }

private:
  llvm::DenseMap<const Type *, std::string> texts_;
};

} // namespace ccgraph
