#include "rewrite/input_life.h"

namespace ccgraph {

bool waitFreesInput(const LiveBytes &memory, const Node *launch, const Node *wait) {
  return llvm::any_of(memory.intervalsOf(wait), [&](LiveBytes::IntervalId id) {
    if (memory.last(id) != wait || memory.isForGood(id) || memory.first(id) == launch)
      return false;
    bool alone = true;
    memory.forEachHolder(id, [&](const Node *holder) { alone &= holder == wait || !launch->isBefore(holder); });
    return alone;
  });
}

} // namespace ccgraph
