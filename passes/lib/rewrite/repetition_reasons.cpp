#include "rewrite/repetition_reasons.h"

#include "ccgraph/ir/collective.h"

namespace ccgraph {

RepetitionReasons::RepetitionReasons(Pass &pass)
    : written_(pass, RemarkKind::Missed, "written", "one of the two results is written later, so their values differ"),
      returned_(pass, RemarkKind::Missed, "returned",
                "both results are returned, and an in-place write of the caller to one must not change the other"),
      readers_(pass, RemarkKind::Missed, "in-flight-readers",
               "before it completes, its result has a user other than a single wait of the same type that follows the "
               "first wait"),
      spmd_(pass, RemarkKind::Missed, "not-spmd", "ranks run different graphs, and another rank may keep its part") {}

const Reason &RepetitionReasons::of(RepetitionObstacle obstacle) const {
  switch (obstacle) {
  case RepetitionObstacle::NotSpmd:
    return spmd_;
  case RepetitionObstacle::Readers:
    return readers_;
  case RepetitionObstacle::Written:
    return written_;
  case RepetitionObstacle::Returned:
    return returned_;
  }
  llvm_unreachable("all obstacles are listed");
}

RemarkArgs remarkArgs(const Repetition &repetition) {
  return {{"twin", repetition.first->name().str().str()},
          {"bytes", std::to_string(outputBytes(*repetition.again).value_or(0))}};
}

} // namespace ccgraph
