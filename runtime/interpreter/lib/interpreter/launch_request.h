// LaunchRequest: the launches of one call of a communication operator, in any form.
//
// A call is one launch; batch_p2p_ops is one launch for each entry. ccgraph/ir/internal/bound_call.h binds the call to
// its operands; this file gives the bound rows their memory and the call its value.
//
// Ownership: a request shares storages with the rank's values, and owns the fresh ones until the node's value does.
// Failure: a DiagnosticError of rule `run.collective` about arguments that are invalid for the group. Cost: that of the
// memory: results are allocated here, inputs copied where they are copied at launch.
#pragma once

#include "ccgraph/runtime/interpreter.h"
#include "collectives/communication.h"
#include "kernels/call_site.h"

namespace ccgraph::runtime {

struct LaunchRequest {
  struct Entry {
    Launch launch;
    /// global rank of the other end, of transfers only
    int64_t peer = -1;
  };
  Members group;
  std::vector<Entry> entries;
  /// the value of the node, in flight
  Value result;
  bool synchronous = false;
  /// results have memory of their own
  bool ownMemory = false;
};

/// `program` has the rank's group table.
[[nodiscard]] llvm::Expected<LaunchRequest> readLaunch(const CallSite &site, const Graph &program,
                                                       const ObjectMeanings &objects);

} // namespace ccgraph::runtime
