// AcceptedNames: the identifiers that a rule of the grammar of names (ccgraph/ir/internal/names.h) accepts, each
// checked once.
//
// A rule reads each character of a text, and a graph calls few operators many times. A name that the rule refuses is
// checked each time, since it ends in an error.
//
// Ownership: the identifiers are those of one context, which outlives this. Failure: none. Cost: a hash look-up for an
// identifier that was accepted before.
#pragma once

#include "ccgraph/ir/context.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph {

class AcceptedNames {
public:
  using Rule = bool (*)(llvm::StringRef);
  explicit AcceptedNames(Rule rule) : rule_(rule) {}

  [[nodiscard]] bool accepts(Identifier name) {
    if (accepted_.contains(name))
      return true;
    return rule_(name.str()) && accepted_.insert(name).second;
  }

private:
  Rule rule_;
  llvm::DenseSet<Identifier> accepted_;
};

} // namespace ccgraph
