// TypeTexts: the JSON text of each type, spelled once.
//
// A file of a million nodes has some hundred distinct types, and spelling each again would be most of the writing.
//
// Ownership: keeps the texts; types are the Context's. Nothing fails. Cost: a hash look-up a type.
#pragma once

#include "ccgraph/ir/type.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace ccgraph {

/// Looked up only, never walked.
class TypeTexts {
public:
  /// A quoted string, an array of such for a list, null where unknown. Valid until the next call.
  [[nodiscard]] llvm::StringRef json(const Type *type);
  /// The same of one type that is no list, as it stands within a string: without its quotes.
  [[nodiscard]] llvm::StringRef inString(const Type *type) { return json(type).drop_front().drop_back(); }

private:
  llvm::DenseMap<const Type *, std::string> texts_;
};

} // namespace ccgraph
