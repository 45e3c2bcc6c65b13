// ccgraph_train runs a captured training step repeatedly by plan: the results of one step are inputs of the next.
//
//   ccgraph_train GRAPH --values DIR --ranks N --steps K [--engine NAME] [--level L]
//
// DIR/rankN.safetensors holds each rank's in.NAME of the first step, and batch.NAME: rows that the inputs use in turn,
// one for each step. The program returns its loss, then the values of its other inputs for the next step, in their
// order. It prints the loss of each step on rank 0. For an engine with a process for each rank: mpirun -n N
// ccgraph_train ... Exit: 0, 1 an error, 2 usage.
#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/passes/pipeline.h"
#include "ccgraph/runtime/engine.h"
#include "ccgraph/toolkit/equivalence_check.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace ccgraph;

namespace {

struct Options {
  std::string graph, values, engine = "local";
  size_t ranks = 1;
  size_t steps = 1;
  unsigned level = 0;
};

std::optional<Options> parse(llvm::ArrayRef<char *> arguments) {
  Options options;
  if (arguments.empty())
    return std::nullopt;
  options.graph = arguments[0];
  for (size_t i = 1; i + 1 < arguments.size(); i += 2) {
    llvm::StringRef flag = arguments[i], value = arguments[i + 1];
    std::string *text = flag == "--values" ? &options.values : flag == "--engine" ? &options.engine : nullptr;
    bool wrong = text                ? false
                 : flag == "--ranks" ? value.getAsInteger(10, options.ranks)
                 : flag == "--steps" ? value.getAsInteger(10, options.steps)
                                     : flag != "--level" || value.getAsInteger(10, options.level);
    if (wrong)
      return std::nullopt;
    if (text)
      *text = value.str();
  }
  bool known = runtime::findEngine(options.engine) != nullptr;
  return arguments.size() % 2 == 1 && known && !options.values.empty() ? std::optional(options) : std::nullopt;
}

/// Returns row `index` of a tensor that holds all batches.
HostTensor rowOf(const HostTensor &rows, size_t index) {
  HostTensor row;
  row.dtype = rows.dtype;
  row.sizes.assign(rows.sizes.begin() + 1, rows.sizes.end());
  size_t bytes = rows.data.size() / static_cast<size_t>(rows.sizes.front());
  auto begin = rows.data.begin() + static_cast<std::ptrdiff_t>(index * bytes);
  row.data.assign(begin, begin + static_cast<std::ptrdiff_t>(bytes));
  return row;
}

class Training {
public:
  explicit Training(const Options &options) : options_(options) {}

  llvm::Error run(runtime::ProcessPlace place) {
    place_ = place;
    if (llvm::Error error = prepare())
      return error;
    for (size_t step = 0; step < options_.steps; ++step) {
      takeBatch(step);
      llvm::Expected<runtime::RunResult> results = plans_->run(inputs_);
      if (!results)
        return results.takeError();
      if (place_.rank == 0)
        printLoss((*results)[0].at("out.0"));
      for (size_t rank = 0; rank < results->size(); ++rank)
        keepState((*results)[rank], inputs_[rank]);
    }
    return llvm::Error::success();
  }

private:
  llvm::Error prepare() {
    llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context_, options_.graph);
    if (!graph)
      return graph.takeError();
    assumeGroups(**graph, options_.ranks);
    llvm::Expected<PipelineRun> passes = runPipeline(**graph, pipelineOfLevel(options_.level));
    if (!passes)
      return passes.takeError();
    llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(**graph);
    if (!plan)
      return plan.takeError();
    plan_ = std::move(*plan);
    plan_->rank.reset();
    if (llvm::Error error = verifyPlanOrError(*plan_))
      return error;
    llvm::Expected<std::vector<TensorMap>> values = loadValues(options_.values, options_.ranks);
    if (!values)
      return values.takeError();
    inputs_ = std::move(*values);
    runtime::PlanRequest request{.plans = {plan_.get()}, .ranks = options_.ranks};
    llvm::Expected<std::unique_ptr<runtime::PreparedPlans>> plans =
        runtime::findEngine(options_.engine)->prepare(request);
    if (!plans)
      return plans.takeError();
    plans_ = std::move(*plans);
    return llvm::Error::success();
  }

  void takeBatch(size_t step) {
    for (TensorMap &values : inputs_)
      for (const PlanInput &input : plan_->inputs)
        if (auto rows = values.find("batch." + input.name.substr(3)); rows != values.end())
          values[input.name] = rowOf(rows->second, step % static_cast<size_t>(rows->second.sizes.front()));
  }

  /// The results of ranks in other processes are missing here, and not needed.
  void keepState(const TensorMap &results, TensorMap &values) const {
    size_t output = 1;
    for (const PlanInput &input : plan_->inputs)
      if (values.count("batch." + input.name.substr(3)) == 0)
        if (auto result = results.find("out." + std::to_string(output++)); result != results.end())
          values[input.name] = result->second;
  }

  static void printLoss(const HostTensor &loss) {
    float value = 0;
    std::memcpy(&value, loss.data.data(), sizeof(value));
    llvm::outs() << llvm::format("%.9g\n", static_cast<double>(value));
  }

  const Options &options_;
  runtime::ProcessPlace place_;
  Context context_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<runtime::PreparedPlans> plans_;
  /// by rank: the inputs of the next step, and the batches of all steps
  std::vector<TensorMap> inputs_;
};

} // namespace

int main(int argc, char **argv) {
  std::optional<Options> options = parse({argv + 1, argv + argc});
  if (!options) {
    llvm::errs() << "usage: ccgraph_train GRAPH --values DIR --ranks N --steps K [--engine NAME] [--level L]\n";
    return 2;
  }
  const runtime::Engine &engine = *runtime::findEngine(options->engine);
  runtime::ProcessPlace place = llvm::cantFail(engine.join(std::chrono::minutes(1)));
  int code = 0;
  if (llvm::Error error = Training(*options).run(place)) {
    if (std::string text = llvm::toString(std::move(error)); engine.reports())
      llvm::errs() << text << '\n';
    code = 1;
  }
  llvm::outs().flush();
  return engine.leave(code);
}
