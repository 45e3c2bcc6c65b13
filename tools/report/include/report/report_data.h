// Writes the data of an HTML report as one compact JSON value.
//
// Whatever stands for every node is a column: an array of numbers, or a string with a letter for each. Times are
// nanoseconds, and the ends of steps and the bytes alive are differences to the step before. tools/report/page/data.js
// unpacks all of it, and says what is what.
//
// Ownership: borrows summary and schedules for the call. Failure: none; bytes that are not UTF-8 are replaced. Cost:
// linear in nodes and remarks; about 60 bytes a node and schedule.
#pragma once

#include "report/summary.h"

namespace ccgraph::report {

struct NamedSchedule {
  /// "before", "after"
  std::string name;
  const ScheduleRecord *record = nullptr;
};

struct Report {
  const Summary &summary;
  /// at least one; the report shows the last and compares it with the first
  std::vector<NamedSchedule> schedules;
  /// the text under "summary"; empty: the summary of the run
  std::string text = {};
};

/// Returns one line. The line contains no '<', so that it can be part of a script element.
[[nodiscard]] std::string reportData(const Report &report);

/// Writes the page with its data: one file, which loads nothing.
void writeReport(llvm::raw_ostream &os, const Report &report);

} // namespace ccgraph::report
