// Replication: which values of the program before are bitwise equal on all ranks of a group.
//
// All ranks run one text, but two ranks may hold other numbers in it: a rank's offset is traced as a literal. So a call
// with a number, a dtype apart, proves nothing. The following values are equal:
//
//   all_reduce, all_gather, broadcast     on the group, of any value
//   wait, view of all elements, copy, cast of an equal value
//   elementwise operator                  of equal values, without a number among its arguments
//
// Operators that sum within a rank are left out, because kernels may add in an order that differs by device.
//
// Ownership: refers to the program and its storages. Failure: none; a value that is not proved is not equal. Cost: at
// most `mostSteps` steps a question.
#pragma once

#include "groups.h"
#include "storages.h"

namespace ccgraph::legality {

class Replication {
public:
  static constexpr unsigned mostSteps = 256;
  /// `group` must be readable, as the group of the calls to compare with.
  Replication(const Program &program, const Storages &storages, GroupTerm group)
      : program_(program), storages_(storages), group_(std::move(group)) {}
  [[nodiscard]] bool isEqualOnAllRanks(uint32_t step);

private:
  [[nodiscard]] bool isKept(uint32_t step) const;
  [[nodiscard]] bool follows(const Step &step) const;
  [[nodiscard]] bool prove(uint32_t index);

  const Program &program_;
  const Storages &storages_;
  GroupTerm group_;
  unsigned left_ = 0;
};

} // namespace ccgraph::legality
