#include "driver/measured_run.h"

#include "ccgraph/frontend/trace_file.h"
#include "ccgraph/toolkit/text.h"
#include "driver/run_report.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

namespace ccgraph::driver {
namespace {

using runtime::CollectiveTimes;
using runtime::RunTimes;

template <typename Of>
double medianOf(llvm::ArrayRef<RunTimes> runs, Of of) {
  std::vector<double> values;
  for (const RunTimes &run : runs)
    values.push_back(of(run));
  return median(std::move(values));
}

/// The rows are those of the first run; every run has the same rows, whatever its durations.
void printCollectives(llvm::raw_ostream &os, llvm::ArrayRef<RunTimes> runs) {
  for (size_t i = 0; i < runs.front().collectives.size(); ++i) {
    CollectiveTimes row = runs.front().collectives[i];
    row.seconds = medianOf(runs, [&](const RunTimes &run) {
      return i < run.collectives.size() ? run.collectives[i].seconds : row.seconds;
    });
    os << "time      " << row.operation << " on " << row.group << ", " << counted(row.ranks, "rank") << ": "
       << counted(row.calls, "call") << ", " << bytesText(row.bytes) << ", " << runTimeText(row.seconds) << ", busbw "
       << llvm::format("%.3g", row.busBandwidth() * 1e-9) << " GB/s\n";
  }
}

} // namespace

void printStepTimes(llvm::raw_ostream &os, llvm::ArrayRef<RunTimes> runs) {
  if (runs.empty())
    return;
  std::vector<double> steps;
  for (const RunTimes &run : runs)
    steps.push_back(run.steps);
  os << "time      steps alone: " << spreadText(steps) << '\n';
}

void printCommunication(llvm::raw_ostream &os, llvm::ArrayRef<RunTimes> runs) {
  if (runs.empty() || runs.front().collectives.empty())
    return;
  os << "time      communication: " << runTimeText(medianOf(runs, [](const RunTimes &run) { return run.inFlight; }))
     << " in flight, " << runTimeText(medianOf(runs, [](const RunTimes &run) { return run.exposed; }))
     << " of it exposed, on the rank with most\n";
  printCollectives(os, runs);
}

llvm::Error saveTrace(const std::string &path, llvm::ArrayRef<FlightRecord> records) {
  return writeFile(path, [&](llvm::raw_ostream &os) {
    writeTrace(os, records);
    return llvm::Error::success();
  });
}

llvm::Error saveDurations(const std::string &path, const RunProgram &program, llvm::ArrayRef<RunTimes> runs) {
  llvm::MapVector<std::string, double, std::map<std::string, unsigned>> seconds;
  const Plan &plan = *program.plans().front();
  for (size_t position = 0; position < plan.steps.size(); ++position) {
    double measured = medianOf(runs, [&](const RunTimes &run) {
      auto found = run.byStep.find(static_cast<int64_t>(position));
      return found == run.byStep.end() ? 0 : found->second;
    });
    for (const auto &[name, share] : program.originsOf(plan.steps[position].name.str()))
      seconds[name] += measured * share;
  }
  return writeFile(path, [&](llvm::raw_ostream &os) {
    os << "# graph " << program.inputDigest() << "\nname\tus\n";
    for (const auto &[name, time] : seconds)
      os << name << '\t' << llvm::format("%.3f", time * 1e6) << '\n';
    return llvm::Error::success();
  });
}

} // namespace ccgraph::driver
