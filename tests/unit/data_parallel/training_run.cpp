#include "training_run.h"

#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/engine.h"
#include "ccgraph/runtime/interpreter.h"
#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/optimizers.h"
#include "ccgraph/tracer/trace.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccgraph::test {
namespace {

using namespace tracer;
using llvm::cantFail;

/// "fc1.weight" -> "fc1_weight", as placeholders are named.
std::string inputName(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::string shownError(llvm::Error error) { return llvm::toString(std::move(error)); }

/// A graph, and the name of each result: "loss", "grad/fc1.weight", "param/fc1.weight", "state/fc1.weight".
struct TracedStep {
  std::unique_ptr<Graph> graph;
  std::vector<std::string> results;
  GradientUse use;
};

/// Traces the step of one rank.
class StepTracer {
public:
  StepTracer(Context &context, const Json &record, const TensorMap &tensors)
      : context_(context), record_(record), tensors_(tensors), variant_(record["variant"]) {
    options_.buckets.capMegabytes = record["ddp"].contains("bucket_cap_mb")
                                        ? std::optional(record["ddp"]["bucket_cap_mb"].get<double>())
                                        : std::nullopt;
    options_.buckets.findUnused = record["ddp"].value("find_unused_parameters", false);
    options_.buckets.staticGraph = record["ddp"].value("static_graph", false);
  }

  void setUses(std::vector<GradientUse> uses) { options_.ranks = std::move(uses); }
  void setDivisor(int64_t divisor) { options_.divisor = divisor; }

  enum class Stop : bool { AfterUse, AtEnd };
  TracedStep trace(Place place, Stop stop) {
    place_ = place;
    options_.iteration = place.iteration;
    std::optional<int64_t> rank = differsByRank(variant_) ? std::optional(place.rank) : std::nullopt;
    Trace trace = cantFail(Trace::begin(context_, {.name = "step", .worldSize = place.world, .rank = rank}));
    declare(trace);
    TracedStep step;
    std::vector<Tensor> results;
    auto add = [&](const std::string &name, const Tensor &tensor) {
      step.results.push_back(name);
      results.push_back(tensor);
    };
    TensorList gradients = recordGradients(trace, add, stop, step);
    if (stop == Stop::AtEnd)
      recordOptimizer(trace, gradients, add);
    llvm::Expected<std::unique_ptr<Graph>> graph = trace.finish(results);
    if (!graph)
      llvm::report_fatal_error(llvm::Twine(shownError(graph.takeError())));
    step.graph = std::move(*graph);
    return step;
  }

private:
  using Add = llvm::function_ref<void(const std::string &, const Tensor &)>;

  void declare(Trace &trace) {
    names_.clear();
    parameters_.clear();
    trained_.clear();
    for (const Json &parameter : record_["params"]) {
      if (!parameter["requires_grad"])
        continue;
      std::string name = parameter["name"];
      names_.push_back(name);
      trained_.push_back(
          trace.parameter(inputName(name), {DType::F32, parameter["shape"].get<std::vector<int64_t>>()}));
      parameters_[name] = trained_.back();
    }
  }

  std::string prefix() const {
    return "it" + std::to_string(place_.iteration) + "/r" + std::to_string(place_.rank) + "/";
  }

  std::pair<Tensor, Tensor> batch(Trace &trace, size_t number) {
    std::pair<Tensor, Tensor> both;
    for (auto [name, tensor] : {std::pair("input", &both.first), std::pair("target", &both.second)}) {
      std::string key = name + std::to_string(number);
      *tensor = trace.input(key, {DType::F32, tensors_.at(prefix() + key).sizes});
    }
    return both;
  }

  TensorList recordGradients(Trace &trace, Add add, Stop stop, TracedStep &step) {
    std::vector<Tensor> losses;
    for (size_t number = 0; tensors_.count(prefix() + "input" + std::to_string(number)) != 0; ++number) {
      losses.push_back(lossOf(variant_, parameters_, batch(trace, number), place_));
      add("loss", losses.back());
    }
    DataParallel ddp(trained_, options_);
    if (losses.empty()) {
      TensorList nothing = ddp.reduceNothing();
      return nothing;
    }
    std::vector<Tensor> accumulated;
    for (size_t number = 0; number + 1 != losses.size(); ++number)
      accumulated = accumulate(accumulated, backward(losses[number], trained_).tensors());
    if (stop == Stop::AtEnd)
      return ddp.backward(losses.back(), accumulated);
    TensorList own = backward(losses.back(), trained_);
    step.use = cantFail(useOf(trained_, own.tensors()));
    return own;
  }

  void recordOptimizer(Trace &trace, const TensorList &gradients, Add add) {
    const Json &optimizer = record_["optimizer_args"];
    for (size_t i = 0; i != names_.size(); ++i) {
      if (gradients[i].isAbsent()) {
        add("param/" + names_[i], trained_[i]);
        continue;
      }
      add("grad/" + names_[i], gradients[i]);
      TensorSpec like{DType::F32, trained_[i].sizes()};
      Tensor state = trace.input("state_" + inputName(names_[i]), like);
      if (record_["optimizer"] == "AdamW") {
        AdamWState after =
            adamw({trained_[i], state, trace.input("square_" + inputName(names_[i]), like)}, gradients[i],
                  {.lr = optimizer["lr"], .weightDecay = optimizer["weight_decay"], .step = place_.iteration + 1});
        add("param/" + names_[i], after.parameter);
        add("state/" + names_[i], after.average);
        add("square/" + names_[i], after.square);
        continue;
      }
      Tensor momentum = state * optimizer.value("momentum", 0.0) + gradients[i];
      add("param/" + names_[i], trained_[i] - momentum * optimizer["lr"].get<double>());
      add("state/" + names_[i], momentum);
    }
  }

  Context &context_;
  const Json &record_;
  const TensorMap &tensors_;
  std::string variant_;
  DataParallelOptions options_;
  Place place_;
  std::vector<std::string> names_;
  std::vector<Tensor> trained_;
  Parameters parameters_;
};

HostTensor zerosLike(const HostTensor &tensor) {
  HostTensor zeros = tensor;
  std::fill(zeros.data.begin(), zeros.data.end(), std::byte{0});
  return zeros;
}

/// What one rank keeps between iterations, as inputs.
class RankState {
public:
  RankState(const Json &record, const TensorMap &tensors) {
    for (const Json &parameter : record["params"]) {
      std::string name = parameter["name"];
      const HostTensor &initial = tensors.at("init/" + name);
      kept_["in." + inputName(name)] = initial;
      kept_["in.state_" + inputName(name)] = kept_["in.square_" + inputName(name)] = zerosLike(initial);
    }
  }

  [[nodiscard]] TensorMap inputs(const TensorMap &tensors, const std::string &prefix) const {
    TensorMap inputs = kept_;
    for (const auto &[name, tensor] : tensors)
      if (llvm::StringRef(name).startswith(prefix + "input") || llvm::StringRef(name).startswith(prefix + "target"))
        inputs["in." + name.substr(prefix.size())] = tensor;
    return inputs;
  }

  void keep(const std::string &result, const HostTensor &tensor) {
    auto [kind, name] = llvm::StringRef(result).split('/');
    std::string input = kind == "param" ? "in." : "in." + kind.str() + "_";
    if (kind != "loss" && kind != "grad")
      kept_[input + inputName(name.str())] = tensor;
  }
  [[nodiscard]] const HostTensor &parameter(const std::string &name) const { return kept_.at("in." + inputName(name)); }

private:
  TensorMap kept_;
};

/// Compares one tensor with one of the record, if the record has it.
class Comparison {
public:
  Comparison(const Json &record, const TensorMap &tensors) : tensors_(tensors) {
    Json tolerance = record.value("tolerance", Json::parse(R"({"rtol": 1.3e-6, "atol": 5e-5})"));
    rtol_ = tolerance["rtol"];
    atol_ = tolerance["atol"];
  }

  void compare(const HostTensor &ours, const std::string &name, double &largest) {
    auto theirs = tensors_.find(name);
    if (theirs == tensors_.end())
      return;
    ++compared_;
    largest = std::max(largest, largestDifference(ours, theirs->second));
    std::vector<double> a = numbersOf(ours), b = numbersOf(theirs->second);
    bool equal = a.size() == b.size();
    for (size_t i = 0; equal && i != a.size(); ++i)
      equal = std::abs(a[i] - b[i]) <= atol_ + rtol_ * std::abs(b[i]);
    if (!equal && beyond_.empty())
      beyond_ = name;
  }

  [[nodiscard]] size_t compared() const { return compared_; }
  [[nodiscard]] std::string beyond() const { return beyond_; }
  void refuse(const std::string &why) { beyond_ = beyond_.empty() ? why : beyond_; }

private:
  const TensorMap &tensors_;
  double rtol_ = 0;
  double atol_ = 0;
  size_t compared_ = 0;
  std::string beyond_;
};

int64_t wholeBatch(const TensorMap &tensors, const std::string &iteration, int64_t world) {
  int64_t examples = 0;
  for (int64_t rank = 0; rank != world; ++rank)
    examples += tensors.at(iteration + "r" + std::to_string(rank) + "/input0").sizes[0];
  return examples;
}

std::vector<TracedStep> traceRanks(StepTracer &tracer, Place place, size_t programs) {
  std::vector<GradientUse> uses;
  for (size_t rank = 0; programs != 1 && rank != programs; ++rank) {
    place.rank = static_cast<int64_t>(rank);
    uses.push_back(tracer.trace(place, StepTracer::Stop::AfterUse).use);
  }
  tracer.setUses(uses);
  std::vector<TracedStep> steps;
  for (size_t rank = 0; rank != programs; ++rank) {
    place.rank = static_cast<int64_t>(rank);
    steps.push_back(tracer.trace(place, StepTracer::Stop::AtEnd));
  }
  return steps;
}

std::vector<const Graph *> graphsOf(const std::vector<TracedStep> &steps) {
  std::vector<const Graph *> graphs;
  for (const TracedStep &step : steps)
    graphs.push_back(step.graph.get());
  return graphs;
}

} // namespace

std::string runnerName(Runner runner) {
  const char *names[] = {"interpreter", "local", "local -O2", "mpi"};
  return names[static_cast<size_t>(runner)];
}

std::vector<TensorMap> runGraphs(Runner runner, const std::vector<const Graph *> &graphs,
                                 std::vector<TensorMap> inputs) {
  size_t ranks = inputs.size();
  if (runner == Runner::Interpreter)
    return cantFail(runtime::interpret({.graphs = graphs, .ranks = ranks, .inputs = std::move(inputs)}));
  std::vector<std::unique_ptr<Plan>> plans;
  runtime::PlanRequest request{.plans = {}, .ranks = ranks, .inputs = std::move(inputs)};
  for (const Graph *graph : graphs) {
    std::unique_ptr<Graph> copy = graph->clone();
    if (runner == Runner::LocalAfterO2)
      cantFail(runPipeline(*copy, pipelineOfLevel(2), {.spmd = graphs.size() == 1}));
    plans.push_back(cantFail(lowerGraph(*copy)));
    request.plans.push_back(plans.back().get());
  }
  return cantFail(runPlans(*runtime::findEngine(runner == Runner::Mpi ? "mpi" : "local"), request));
}

TrainingDifferences compareTraining(const Json &record, Runner runner) {
  TensorMap tensors = readTensors("train/" + record["id"].get<std::string>() + ".safetensors");
  auto world = record["world"].get<size_t>();
  Comparison comparison(record, tensors);
  TrainingDifferences differences;
  Context context;
  StepTracer tracer(context, record, tensors);
  std::vector<RankState> states(world, RankState(record, tensors));
  for (int64_t iteration = 0; iteration != record["iterations"].get<int64_t>(); ++iteration) {
    std::string prefix = "it" + std::to_string(iteration) + "/";
    Place place{0, static_cast<int64_t>(world), iteration, wholeBatch(tensors, prefix, static_cast<int64_t>(world))};
    std::vector<TracedStep> steps = traceRanks(tracer, place, differsByRank(record["variant"]) ? world : 1);
    std::vector<TensorMap> inputs;
    for (size_t rank = 0; rank != world; ++rank)
      inputs.push_back(states[rank].inputs(tensors, prefix + "r" + std::to_string(rank) + "/"));
    std::vector<TensorMap> results = runGraphs(runner, graphsOf(steps), std::move(inputs));
    for (size_t rank = 0; rank != world; ++rank) {
      const std::vector<std::string> &names = steps[steps.size() == 1 ? 0 : rank].results;
      for (size_t i = 0; !results[rank].empty() && i != names.size(); ++i) {
        const HostTensor &result = results[rank].at("out." + std::to_string(i));
        states[rank].keep(names[i], result);
        bool isGradient = llvm::StringRef(names[i]).startswith("grad/");
        comparison.compare(result, prefix + names[i], isGradient ? differences.gradient : differences.parameter);
        if (names[i] != "loss")
          comparison.compare(result, prefix + "ref_" + names[i], differences.oneRank);
        if (llvm::is_contained(record["absent"], prefix + names[i]))
          comparison.refuse(names[i] + " has a gradient, expected none");
      }
    }
  }
  if (comparison.compared() == 0)
    comparison.refuse("the record has no tensor of a result");
  differences.beyond = comparison.beyond();
  return differences;
}

TrainingDifferences compareJoin(const Json &record, Runner runner) {
  TensorMap tensors = readTensors("train/" + record["id"].get<std::string>() + ".safetensors");
  auto world = record["world"].get<size_t>();
  Json whole = record;
  whole["params"] = Json::array();
  for (const auto &[name, tensor] : tensors)
    if (llvm::StringRef(name).startswith("init/"))
      whole["params"].push_back(
          {{"name", name.substr(5)}, {"shape", tensor.sizes}, {"requires_grad", tensor.dtype == DType::F32}});
  Comparison comparison(whole, tensors);
  TrainingDifferences differences;
  Context context;
  StepTracer tracer(context, whole, tensors);
  std::vector<RankState> states(world, RankState(whole, tensors));
  bool hasLastRank = false;
  for (size_t iteration = 0; iteration != world; ++iteration) {
    Place place{static_cast<int64_t>(world) - 1, static_cast<int64_t>(world), static_cast<int64_t>(iteration)};
    size_t active = world - iteration;
    tracer.setDivisor(static_cast<int64_t>(record["divide_by_initial_world_size"] ? world : active));
    tracer.setUses({});
    // The last rank has a batch in each iteration, so its use stands for that of all.
    tracer.setUses(std::vector<GradientUse>(world, tracer.trace(place, StepTracer::Stop::AfterUse).use));
    std::vector<TracedStep> steps;
    std::vector<TensorMap> inputs;
    std::string prefix = "it" + std::to_string(iteration) + "/r";
    for (size_t rank = 0; rank != world; ++rank) {
      place.rank = static_cast<int64_t>(rank);
      steps.push_back(tracer.trace(place, StepTracer::Stop::AtEnd));
      inputs.push_back(states[rank].inputs(tensors, prefix + std::to_string(rank) + "/"));
    }
    std::vector<TensorMap> results = runGraphs(runner, graphsOf(steps), std::move(inputs));
    hasLastRank = !results.back().empty();
    for (size_t rank = iteration; rank != world; ++rank)
      for (size_t i = 0; !results[rank].empty() && i != steps[rank].results.size(); ++i) {
        const std::string &name = steps[rank].results[i];
        const HostTensor &result = results[rank].at("out." + std::to_string(i));
        states[rank].keep(name, result);
        bool isGradient = llvm::StringRef(name).startswith("grad/");
        comparison.compare(result, prefix + std::to_string(rank) + "/" + name,
                           isGradient ? differences.gradient : differences.parameter);
      }
  }
  // In the end, all ranks receive the parameters of the last one that had a batch.
  for (size_t rank = 0; hasLastRank && rank != world; ++rank)
    for (const Json &parameter : whole["params"])
      if (parameter["requires_grad"])
        comparison.compare(states.back().parameter(parameter["name"]),
                           "end/r" + std::to_string(rank) + "/param/" + parameter["name"].get<std::string>(),
                           differences.parameter);
  if (comparison.compared() == 0)
    comparison.refuse("the record has no tensor of a result");
  differences.beyond = comparison.beyond();
  return differences;
}

} // namespace ccgraph::test
