// Two orders of one program side by side: step, exposed communication, memory, and the collectives that differ most.
//
// Collectives are one and the same where they have one name; a bucket has a name that the other order does not know.
//
// Ownership: borrows the schedules for the call. Failure: none. Cost: linear in the collectives.
#pragma once

#include "report/report_data.h"

namespace ccgraph::report {

struct OrdersCompared {
  NamedSchedule first, second;
  /// what both are predicted for
  std::string machine;
};

/// About a dozen lines.
void printOrders(llvm::raw_ostream &os, const OrdersCompared &orders);

} // namespace ccgraph::report
