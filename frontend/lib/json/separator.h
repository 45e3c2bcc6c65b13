// Separator: a comma before all but the first member of an object, or entry of an array.
//
// Ownership: borrows its text, which is a literal. Nothing fails; cost: none.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace ccgraph {

class Separator {
public:
  /// ", " within a line; "," where each entry has a line of its own.
  explicit Separator(llvm::StringRef between = ", ") : between_(between) {}
  llvm::StringRef next() {
    llvm::StringRef text = first_ ? llvm::StringRef() : between_;
    first_ = false;
    return text;
  }

private:
  llvm::StringRef between_;
  bool first_ = true;
};

} // namespace ccgraph
