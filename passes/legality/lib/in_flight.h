// The tensors that are in flight at each step of a Program.
//
// A launch puts its results' storages in flight, and the operands that it reads or writes until it completes. The first
// wait on a result (on any value that shares its storage) ends this. A coalesced launch is one async pair an element.
// The log of the program before is compared with that of the program after: an access in flight that existed before is
// the user's, a new one is the pass's.
//
// The first wait on each element of a list may copy all results again (CollectiveSpec::waitsRewriteAll). It then writes
// the results that some step writes; all other results hold the same before and after.
//
// Ownership: plain numbers of steps and storages, valid in that program only.
// Failure: none. Cost: O(steps + operands).
#pragma once

#include "storages.h"

namespace ccgraph::legality {

/// One launch, or one element of a coalesced launch, with its wait.
struct AsyncPair {
  uint32_t launch = 0;
  uint32_t wait = none;                   ///< the first wait that ends it; `none`: it never ends
  llvm::SmallVector<uint32_t, 2> results; ///< storages
  llvm::SmallVector<uint32_t, 2> reads;   ///< storages of operands, read until the wait
  llvm::SmallVector<uint32_t, 2> writes;  ///< storages of operands, written until the wait
};

/// A step that accesses a storage, or a part of it, that a launch has in flight.
struct Intrusion {
  uint32_t launch = 0;
  uint32_t step = 0;
  uint32_t storage = 0;
  uint32_t held = 0;     ///< value that is in flight: an operand of the launch, or its result
  uint32_t element = 0;  ///< of a result that is a list: the element that is in flight
  uint32_t touched = 0;  ///< operand of the step; the step itself where a wait copies results again
  uint32_t reshapes = 0; ///< of tensors in the storage, before the step
};

/// A wait that may copy a result of its list again.
struct CopyAgain {
  uint32_t wait = 0;
  uint32_t storage = 0;
};

struct AsyncPairLog {
  std::vector<AsyncPair> asyncPairs;
  std::vector<Intrusion> intrusions;  ///< in program order
  std::vector<CopyAgain> copiesAgain; ///< in program order
};
[[nodiscard]] AsyncPairLog logAsyncPairs(const Program &program, const Storages &storages);

} // namespace ccgraph::legality
