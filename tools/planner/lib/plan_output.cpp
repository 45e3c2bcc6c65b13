#include "planner/plan_output.h"

#include "ccgraph/ir/durations.h"
#include "ccgraph/passes/options.h"
#include "ccgraph/toolkit/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace ccgraph::planner {
namespace {

using Fate = PlanPoint::Fate;

std::string generateCommand(const PlanText &plan, const PlanRow &row, models::Part part) {
  const std::string optimizer =
      part == models::Part::Step && !plan.names.optimizer.empty() ? " " + plan.names.optimizer : "";
  return "ccgraph-gen " + plan.names.model + " " + row.candidate.flags() + " --part " +
         (part == models::Part::Step ? "step" : "joint") + optimizer;
}

std::string command(const PlanText &plan, const PlanRow &row, const PlanProgram &program, models::Part part) {
  return generateCommand(plan, row, part) + " | ccgraph-opt - -O2 --machine " + plan.names.machine +
         " --memory-budget " + OptionText<ByteCount>::print({program.budgetBytes});
}

/// Writes the graphs of all ranks into a folder, and optimizes them as a job.
std::string pipelineCommand(const PlanText &plan, const PlanRow &row) {
  return generateCommand(plan, row, models::Part::Step) +
         " -o pipeline && ccgraph-opt pipeline/job.json -O2 --machine " + plan.names.machine + " -o pipeline-O2";
}

std::string rateText(double rate) { return withCommas(static_cast<int64_t>(rate)); }

using Cells = std::vector<std::string>;

Cells headOfTable() {
  return {"#",       "parallelism", "sequences", "recompute", "zero",         "step",
          "exposed", "bubble",      "bound",     "memory",    "tokens/s/rank"};
}

Cells cellsOf(const PlanRow &row, size_t number) {
  const PlanCandidate &candidate = row.candidate;
  return {std::to_string(number),
          candidate.parallelText(),
          std::to_string(candidate.microbatch) + " x " + std::to_string(candidate.microbatches()),
          recomputeName(candidate.recompute),
          std::to_string(candidate.zero),
          timeText(row.stepPs),
          shareText(row.exposedPs, row.stepPs),
          candidate.pipeline ? shareText(row.bubblePs, row.stepPs) : "-",
          timeText(row.boundPs),
          bytesText(row.peakBytes),
          rateText(row.tokensPerSecondOfRank)};
}

/// Texts start at the left of their column, and numbers end at the right.
bool isNumber(size_t column) { return column == 0 || column >= 4; }

void printRows(llvm::raw_ostream &os, llvm::ArrayRef<Cells> rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Cells &row : rows)
    for (size_t i = 0; i != row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const Cells &row : rows) {
    std::string line;
    for (size_t i = 0; i != row.size(); ++i) {
      std::string cell =
          isNumber(i) ? alignRight(row[i], widths[i]) : row[i] + std::string(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + cell;
    }
    os << llvm::StringRef(line).rtrim() << '\n';
  }
}

std::string countsText(const PlanResult &result) {
  auto number = [&](std::initializer_list<Fate> fates) {
    size_t sum = 0;
    for (Fate fate : fates)
      sum += result.count(fate);
    return withCommas(static_cast<int64_t>(sum));
  };
  return counted(result.points.size(), "candidate") + ": " + number({Fate::TooLarge}) +
         " need more memory in any order, " + number({Fate::NotGenerated}) + " are slower by their bound, " +
         number({Fate::Row, Fate::OverMemory}) + " were generated and optimized, of which " +
         number({Fate::OverMemory}) + " exceed the memory";
}

} // namespace

std::vector<std::string> PlanText::commandsOf(const PlanRow &row) const {
  if (row.candidate.pipeline)
    return {pipelineCommand(*this, row)};
  std::vector<std::string> commands = {command(*this, row, row.last, models::Part::Step)};
  if (row.each)
    commands.push_back(command(*this, row, *row.each, models::Part::Joint));
  return commands;
}

void writePlanTable(llvm::raw_ostream &os, const PlanText &plan) {
  const PlanJob &job = plan.request.job;
  os << job.step.model.name << " on " << job.ranks << " ranks of " << plan.request.machine.name << ", "
     << bytesText(plan.request.memoryBytes) << " each; a step has " << withCommas(job.batch) << " sequences of "
     << withCommas(job.step.shape.sequence) << " tokens\n\n";
  std::vector<Cells> rows = {headOfTable()};
  for (const PlanRow &row : plan.result.rows)
    rows.push_back(cellsOf(row, rows.size()));
  printRows(os, rows);
  os << "\nsequences    of a rank at once x microbatches of a step\n";
  if (llvm::any_of(plan.result.rows, [](const PlanRow &row) { return row.candidate.pipeline.has_value(); }))
    os << "bubble       of the last rank to end: it waits for values of other ranks\n";
  os << "bound        no order with any merging of these programs is faster\n"
     << "searched     " << wrapped(countsText(plan.result), 13) << '\n';
  const std::vector<std::string> commands = plan.commandsOf(plan.result.rows.front());
  os << "row 1        " << commands.front() << '\n';
  if (commands.size() > 1)
    os << "             and " << plan.result.rows.front().candidate.accumulation - 1 << " x\n             "
       << commands.back() << '\n';
}

namespace {

/// Returns the text as a field of CSV: in quotes, which are doubled inside.
std::string quoted(llvm::StringRef text) {
  std::string field = "\"";
  for (char c : text)
    field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

std::string scheduleName(const PlanCandidate &candidate) {
  return candidate.pipeline ? models::pipelineKindName(candidate.pipeline->kind) : "";
}
int64_t stagesOfRank(const PlanCandidate &candidate) {
  return candidate.pipeline ? candidate.pipeline->stagesOfRank() : 1;
}

} // namespace

void writePlanCsv(llvm::raw_ostream &os, const PlanText &plan) {
  os << "rank,replicas,shards,tensor,experts,context,pipeline,schedule,stages_per_rank,microbatch,accumulation,"
        "microbatches,recompute,zero,step_ns,exposed_ns,bubble_ns,bound_ns,early_bound_ns,peak_bytes,"
        "tokens_per_second_of_rank,command,command_of_other_microbatches\n";
  size_t number = 0;
  for (const PlanRow &row : plan.result.rows) {
    const PlanCandidate &c = row.candidate;
    const std::vector<std::string> commands = plan.commandsOf(row);
    os << ++number << ',' << c.parallel.replicas << ',' << c.parallel.shards << ',' << c.parallel.tensor << ','
       << c.parallel.experts << ',' << c.parallel.context << ',' << c.parallel.pipeline << ',' << scheduleName(c) << ','
       << stagesOfRank(c) << ',' << c.microbatch << ',' << c.accumulation << ',' << c.microbatches() << ','
       << recomputeName(c.recompute) << ',' << c.zero << ',' << row.stepPs / picosecondsOfNs << ','
       << row.exposedPs / picosecondsOfNs << ',' << row.bubblePs / picosecondsOfNs << ','
       << row.boundPs / picosecondsOfNs << ',' << row.earlyBoundPs / picosecondsOfNs << ',' << row.peakBytes << ','
       << static_cast<int64_t>(row.tokensPerSecondOfRank) << ',' << quoted(commands.front()) << ','
       << quoted(commands.size() > 1 ? commands.back() : "") << '\n';
  }
}

namespace {

void writeCandidate(llvm::json::OStream &json, const PlanCandidate &candidate) {
  json.attribute("replicas", candidate.parallel.replicas);
  json.attribute("shards", candidate.parallel.shards);
  json.attribute("tensor", candidate.parallel.tensor);
  json.attribute("experts", candidate.parallel.experts);
  json.attribute("context", candidate.parallel.context);
  json.attribute("pipeline", candidate.parallel.pipeline);
  if (candidate.pipeline) {
    json.attribute("schedule", scheduleName(candidate));
    json.attribute("stages_per_rank", stagesOfRank(candidate));
  }
  json.attribute("microbatch", candidate.microbatch);
  json.attribute("microbatches", candidate.microbatches());
  json.attribute("accumulation", candidate.accumulation);
  json.attribute("recompute", recomputeName(candidate.recompute));
  json.attribute("zero", candidate.zero);
}

void writeProgram(llvm::json::OStream &json, const PlanProgram &program, const std::string &command, int64_t times) {
  json.object([&] {
    json.attribute("times", times);
    json.attribute("command", llvm::json::fixUTF8(command));
    json.attribute("step_ns", program.stepPs / picosecondsOfNs);
    json.attribute("compute_ns", program.computePs / picosecondsOfNs);
    json.attribute("exposed_ns", program.exposedPs / picosecondsOfNs);
    json.attribute("peak_bytes", program.peakBytes);
  });
}

void writeRow(llvm::json::OStream &json, const PlanText &plan, const PlanRow &row) {
  writeCandidate(json, row.candidate);
  json.attribute("step_ns", row.stepPs / picosecondsOfNs);
  json.attribute("exposed_ns", row.exposedPs / picosecondsOfNs);
  json.attribute("bubble_ns", row.bubblePs / picosecondsOfNs);
  json.attribute("bound_ns", row.boundPs / picosecondsOfNs);
  json.attribute("early_bound_ns", row.earlyBoundPs / picosecondsOfNs);
  json.attribute("peak_bytes", row.peakBytes);
  json.attribute("tokens_per_second_of_rank", static_cast<int64_t>(row.tokensPerSecondOfRank));
  const std::vector<std::string> commands = plan.commandsOf(row);
  if (row.candidate.pipeline) {
    json.attribute("command", llvm::json::fixUTF8(commands.front()));
    return;
  }
  json.attributeArray("programs", [&] {
    writeProgram(json, row.last, commands.front(), 1);
    if (row.each)
      writeProgram(json, *row.each, commands.back(), row.candidate.accumulation - 1);
  });
}

} // namespace

void writePlanJson(llvm::raw_ostream &os, const PlanText &plan) {
  llvm::json::OStream json(os, 1);
  const PlanJob &job = plan.request.job;
  json.object([&] {
    json.attribute("format", "ccgraph.plan-of-training");
    json.attribute("version", "1.0");
    json.attribute("model", llvm::json::fixUTF8(job.step.model.name));
    json.attribute("ranks", job.ranks);
    json.attribute("machine", llvm::json::fixUTF8(plan.request.machine.name));
    json.attribute("memory_bytes", plan.request.memoryBytes);
    json.attribute("batch", job.batch);
    json.attribute("sequence", job.step.shape.sequence);
    json.attributeObject("candidates", [&] {
      json.attribute("all", static_cast<int64_t>(plan.result.points.size()));
      json.attribute("too_large", static_cast<int64_t>(plan.result.count(Fate::TooLarge)));
      json.attribute("slower_by_bound", static_cast<int64_t>(plan.result.count(Fate::NotGenerated)));
      json.attribute("over_memory", static_cast<int64_t>(plan.result.count(Fate::OverMemory)));
    });
    json.attributeArray("rows", [&] {
      for (const PlanRow &row : plan.result.rows)
        json.object([&] { writeRow(json, plan, row); });
    });
  });
  os << '\n';
}

} // namespace ccgraph::planner
