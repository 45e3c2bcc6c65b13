// RepetitionReasons: the reasons that a pass states for repeated collectives that stay
// (rewrite/repeated_collectives.h).
//
// Ownership: owns the reasons; the pass that declares them must outlive this object. Failure: none. Cost: constant.
#pragma once

#include "ccgraph/passes/pass.h"
#include "rewrite/repeated_collectives.h"

namespace ccgraph {

class RepetitionReasons {
public:
  explicit RepetitionReasons(Pass &pass);
  [[nodiscard]] const Reason &of(RepetitionObstacle obstacle) const;

private:
  Reason written_, returned_, readers_, spmd_;
};

/// Returns the arguments of each remark about a repetition: `twin`, the first collective, and `bytes`, the size of its
/// result.
[[nodiscard]] RemarkArgs remarkArgs(const Repetition &repetition);

} // namespace ccgraph
