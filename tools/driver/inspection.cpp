#include "driver/inspection.h"

#include "ccgraph/toolkit/machine_choice.h"
#include "driver/graph_list.h"
#include "driver/view_job.h"
#include "report/compare_orders.h"
#include "report/json_output.h"

namespace ccgraph::driver {

ExitCode listGraphsOf(const OptOptions &options, Streams streams) {
  Diagnostics warnings;
  auto graphs = listGraphs(options.input, warnings);
  streams.err << toString(warnings.take());
  if (!graphs) {
    printError(streams.err, graphs.takeError());
    return ExitCode::Diagnosed;
  }
  if (options.json)
    report::printGraphListJson(streams.out, *graphs);
  else
    printGraphList(streams.out, *graphs);
  return ExitCode::Ok;
}

ExitCode compareOrders(const OptOptions &options, const OptInput &input, OrderPair orders, Streams streams) {
  const Machine machine = orDefault(input.machine());
  auto record = [&](const Graph &of) { return recordSchedule(of, CostModel(of, machine, input.durations())); };
  const ScheduleRecord first = record(orders.first), second = record(orders.second);
  const report::OrdersCompared compared{{options.input, &first}, {options.compare, &second}, machine.name};
  if (options.json)
    report::printOrdersJson(streams.out, compared);
  else
    report::printOrders(streams.out, compared);
  if (options.views.report.empty())
    return ExitCode::Ok;
  if (llvm::Error error = saveComparison(options.views.report, orders.first.name(), compared)) {
    printError(streams.err, std::move(error));
    return ExitCode::Diagnosed;
  }
  return ExitCode::Ok;
}

} // namespace ccgraph::driver
