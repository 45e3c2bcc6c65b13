// Prints two orders of one program side by side: step time, exposed communication, memory, and the collectives that
// differ most.
//
// Collectives of both orders are matched by name; the name of a bucket exists in one order only.
//
// Ownership: borrows the schedules for the call. Failure: none. Cost: linear in the collectives.
#pragma once

#include "report/report_data.h"

namespace ccgraph::report {

struct OrdersCompared {
  NamedSchedule first, second;
  /// the machine of both predictions
  std::string machine;
};

/// Prints about a dozen lines.
void printOrders(llvm::raw_ostream &os, const OrdersCompared &orders);

} // namespace ccgraph::report
