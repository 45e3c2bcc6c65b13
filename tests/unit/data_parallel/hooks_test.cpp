// Tests the gradient hooks against the records of PyTorch, for eight steps each.
#include "records.h"
#include "training_run.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/tracer/ops.h"
#include "ccgraph/tracer/power_sgd.h"
#include "ccgraph/tracer/trace.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccgraph::test {
namespace {

using namespace tracer;
using llvm::cantFail;

constexpr int64_t iterations = 8;

HostTensor joinedTensors(const std::vector<HostTensor> &tensors) {
  HostTensor all{tensors.front().dtype, {0}, {}};
  for (const HostTensor &tensor : tensors) {
    all.sizes[0] += tensor.numElements();
    all.data.insert(all.data.end(), tensor.data.begin(), tensor.data.end());
  }
  return all;
}

HostTensor convertedTo(DType dtype, const HostTensor &tensor) {
  return hostTensor(dtype, tensor.sizes, numbersOf(tensor));
}

/// The value, or the end of the test with the text of the error.
template <typename T>
T readable(llvm::Expected<T> value) {
  if (!value)
    llvm::report_fatal_error(llvm::Twine(llvm::toString(value.takeError())), /*gen_crash_diag=*/false);
  return std::move(*value);
}

/// Runs the hook of a record on the gradients of the record.
class HookRun {
public:
  explicit HookRun(const Json &record)
      : record_(record), world_(record["world"]),
        tensors_(readTensors("hooks/" + record["id"].get<std::string>() + ".safetensors")),
        gradients_(readTensors("hooks/gradients_w" + std::to_string(world_) +
                               (record.value("zero", false) ? "_zero" : "") + ".safetensors")),
        state_(world_) {
    auto [outer, inner] = llvm::StringRef(record["hook"].get_ref<const std::string &>()).split('+');
    outer_ = inner.empty() ? "" : outer.str();
    kind_ = inner.empty() ? outer.str() : inner.str();
  }

  /// Returns the largest differences of results, of P and Q up to the sign of a column, and of errors, by step.
  std::vector<double> run() {
    std::vector<double> largest;
    for (int64_t iteration = 0; iteration != iterations; ++iteration)
      largest.push_back(runIteration(iteration));
    return largest;
  }
  [[nodiscard]] double stateDifference() const { return stateDifference_; }
  [[nodiscard]] const std::vector<PowerSgd::Volume> &volumes() const { return volumes_; }
  /// Returns the bytes that one rank hands to collectives in the last step, by the types of the graph.
  [[nodiscard]] int64_t bytesSent() const { return bytesSent_; }

private:
  bool isPowerSgd() const { return llvm::StringRef(kind_).endswith("powersgd"); }

  PowerSgdOptions powerSgdOptions() const {
    const Json &args = record_["args"];
    return {.rank = args["matrix_approximation_rank"],
            .startIteration = args["start_powerSGD_iter"],
            .minRate = args.value("min_compression_rate", 2.0),
            .errorFeedback = args.value("use_error_feedback", true),
            .warmStart = args.value("warm_start", true),
            .epsilon = args.value("orthogonalization_epsilon", 0.0),
            .batched = kind_ == "batched_powersgd"};
  }

  std::vector<std::vector<std::string>> bucketsOf(int64_t iteration) const {
    std::vector<std::vector<std::string>> buckets;
    if (record_["hook_calls"].is_null() || record_["hook_calls"].empty())
      return {{"tall", "row", "b", "conv", "w3", "w2", "w1"}};
    for (const Json &call : record_["hook_calls"][static_cast<size_t>(std::min<int64_t>(iteration, 2))])
      buckets.push_back(call["params"].get<std::vector<std::string>>());
    return buckets;
  }

  CommHook simpleHook(int64_t iteration) const {
    if (kind_ == "builtin_FP16_COMPRESS")
      return fp16CompressHook;
    if (kind_ == "builtin_ALLREDUCE")
      return allReduceHook;
    if (kind_ == "quant_tensor")
      return quantizePerTensorHook;
    if (kind_ == "quant_channel")
      return quantizePerChannelHook();
    if (kind_ == "simple") // the record's hook returns twos, whatever the gradients are
      return [](const GradBucket &bucket) -> HookResult { return ones_like(bucket.buffer) * 2; };
    if (kind_ == "post_local")
      return postLocalSgdHook({.startIteration = record_["args"]["start_localSGD_iter"],
                               .iteration = iteration,
                               .subgroup = record_["args"]["post_local_gradient_allreduce"] ? "half" : ""});
    return readable(hookOfName(kind_));
  }

  CommHook wrapped(CommHook inner) const {
    if (outer_ == "fp16")
      return fp16CompressWrapper(std::move(inner));
    return outer_ == "bf16" ? bf16CompressWrapper(std::move(inner)) : std::move(inner);
  }

  double runIteration(int64_t iteration) {
    Context context;
    Trace trace = cantFail(Trace::begin(context, {.name = "hook", .worldSize = static_cast<int64_t>(world_)}));
    Group half{.name = "half"};
    half.partition = {{0, 1}, {2, 3}};
    if (world_ == 4)
      trace.addGroup(half);
    std::optional<PowerSgd> powerSgd;
    if (isPowerSgd())
      powerSgd = cantFail(PowerSgd::create(trace, powerSgdOptions(), iteration));
    CommHook hook = wrapped(powerSgd ? powerSgd->hook() : simpleHook(iteration));
    std::vector<Tensor> results;
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> buckets = bucketsOf(iteration);
    for (size_t index = 0; index != buckets.size(); ++index)
      recordBucket(trace, hook, index, buckets, names, results);
    if (powerSgd)
      addStates(*powerSgd, names, results);
    std::unique_ptr<Graph> graph = readable(trace.finish(results));
    bytesSent_ = 0;
    for (const Node *node : *graph)
      if (collectiveOf(*node))
        bytesSent_ += *node->operand(0)->type()->numElements() * sizeInBytes(node->operand(0)->type()->dtype());
    return compare(iteration, names, runGraphs(Runner::Local, {graph.get()}, inputs(iteration, *graph)));
  }

  void recordBucket(Trace &trace, const CommHook &hook, size_t index,
                    const std::vector<std::vector<std::string>> &buckets, std::vector<std::string> &names,
                    std::vector<Tensor> &results) {
    GradBucket bucket{.index = index, .isLast = index + 1 == buckets.size()};
    std::vector<Tensor> pieces;
    std::vector<int64_t> lengths;
    for (const std::string &name : buckets[index]) {
      bucket.shapes.push_back(gradients_.at("it0/r0/" + name).sizes);
      pieces.push_back(reshape(trace.input(name, {DType::F32, bucket.shapes.back()}), {-1}));
      lengths.push_back(pieces.back().numel());
    }
    bucket.slices = bucketSlices(lengths);
    bucket.buffer = cat(pieces);
    bucket.group = "0";
    bucket.ranks = bucket.divisor = static_cast<int64_t>(world_);
    std::vector<Tensor> views = bucket.viewsOf(runHook(hook, bucket));
    for (size_t i = 0; i != views.size(); ++i) {
      names.push_back("out/" + buckets[index][i]);
      results.push_back(views[i]);
    }
  }

  void addStates(const PowerSgd &powerSgd, std::vector<std::string> &names, std::vector<Tensor> &results) {
    for (const PowerSgd::State &state : powerSgd.states())
      for (auto [kind, tensor] : {std::pair("error", state.error), std::pair("P", state.p), std::pair("Q", state.q)})
        if (!tensor.isAbsent()) {
          names.push_back(kind + ("/b" + std::to_string(state.bucket)));
          results.push_back(tensor);
        }
    volumes_.push_back(powerSgd.volume());
  }

  /// Returns the inputs that the graph declares: gradients, and the state of PowerSGD.
  std::vector<TensorMap> inputs(int64_t iteration, const Graph &graph) {
    std::vector<TensorMap> all(world_);
    for (const Node *node : graph) {
      if (node->opcode() != Opcode::Placeholder)
        continue;
      std::string name = node->name().str().str();
      for (size_t rank = 0; rank != world_; ++rank)
        all[rank]["in." + name] = inputOf(iteration, rank, name, node->type()->dtype());
    }
    return all;
  }

  HostTensor inputOf(int64_t iteration, size_t rank, llvm::StringRef name, DType dtype) {
    if (!name.consume_front("powersgd_"))
      return gradients_.at("it" + std::to_string(iteration) + "/r" + std::to_string(rank) + "/" + name.str());
    auto [kind, bucket] = name.split('_');
    if (kind != "random")
      return state_[rank].at((kind == "q" ? "Q" : kind.str()) + "/b" + bucket.str());
    std::vector<HostTensor> draws;
    for (const Json &draw : record_["randn"])
      if (draw["it"] == iteration && std::to_string(draw["bucket"].get<int>()) == bucket)
        draws.push_back(tensors_.at(draw["name"]));
    return convertedTo(dtype, joinedTensors(draws));
  }

  double compare(int64_t iteration, const std::vector<std::string> &names, const std::vector<TensorMap> &results) {
    double largest = 0;
    std::string step = "it" + std::to_string(iteration) + "/";
    for (size_t rank = 0; rank != world_; ++rank)
      for (size_t i = 0; i != names.size(); ++i) {
        const HostTensor &ours = results[rank].at("out." + std::to_string(i));
        auto [kind, what] = llvm::StringRef(names[i]).split('/');
        if (kind == "out") {
          largest = std::max(largest, largestDifference(ours, outputOf(step, rank, what.str())));
          continue;
        }
        state_[rank][names[i]] = ours;
        std::string theirs = "state/" + step + names[i] + (kind == "error" ? "/r" + std::to_string(rank) : "");
        if (auto known = tensors_.find(theirs); known != tensors_.end())
          stateDifference_ = std::max(stateDifference_, upToSign(ours, known->second));
      }
    return largest;
  }

  const HostTensor &outputOf(const std::string &step, size_t rank, const std::string &name) const {
    auto all = tensors_.find("out/" + step + name);
    return all != tensors_.end() ? all->second : tensors_.at("out/" + step + "r" + std::to_string(rank) + "/" + name);
  }

  // Relative to elements beyond 1. The columns of P and Q have the sign that the library's QR factorization chooses,
  // which the product P Q^T lacks.
  double upToSign(const HostTensor &ours, const HostTensor &theirs) const {
    bool anySign = powerSgdOptions().rank > 2;
    std::vector<double> left = numbersOf(ours), right = numbersOf(theirs);
    if (left.size() != right.size())
      return INFINITY;
    double largest = 0;
    for (size_t i = 0; i != left.size(); ++i) {
      if (std::isnan(left[i]) && std::isnan(right[i]))
        continue;
      double difference = anySign ? std::abs(left[i]) - std::abs(right[i]) : left[i] - right[i];
      largest = std::max(largest, std::abs(difference) / std::max(1.0, std::abs(right[i])));
    }
    return largest;
  }

  const Json &record_;
  size_t world_;
  TensorMap tensors_;
  TensorMap gradients_;
  std::string outer_;
  std::string kind_;
  /// by rank: error/bB, P/bB, Q/bB
  std::vector<TensorMap> state_;
  double stateDifference_ = 0;
  std::vector<PowerSgd::Volume> volumes_;
  int64_t bytesSent_ = 0;
};

std::vector<Json> hookRecords() {
  std::vector<Json> records;
  for (const Json &record : readRecord("hooks/index.json"))
    if (hasRecord("hooks/" + record["id"].get<std::string>() + ".safetensors"))
      records.push_back(record);
  return records;
}

std::string hookTestName(const testing::TestParamInfo<Json> &info) {
  std::string name = info.param["id"];
  for (char &c : name)
    c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

/// Largest difference that a record permits.
double toleranceOf(const Json &record) {
  llvm::StringRef hook = record["hook"].get_ref<const std::string &>();
  if (hook.contains("powersgd"))
    return hook.contains('+') ? 2e-2 : 1e-4;
  if (hook.contains("quant"))
    return 0.05; // a step of the scale: the gradients have a range of about 8
  // The ring of gloo adds each chunk of more than two ranks in another order of the ranks. Each addition rounds by half
  // a unit in the last place, so two orders differ by at most a unit for each addition. The numbers are below 8.
  auto additions = record["world"].get<double>() - 1;
  if (additions == 1)
    return 0;
  if (hook.startswith("bf16"))
    return additions * 0x1p-5;
  return hook.startswith("fp16") || hook.contains("FP16") ? additions * 0x1p-8 : 1e-6;
}

std::string scientific(double number) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.1e", number);
  return text;
}

class HookRecords : public testing::TestWithParam<Json> {};

TEST_P(HookRecords, ResultsAreThoseOfPyTorch) {
  const Json &record = GetParam();
  HookRun run(record);
  std::string bySteps;
  for (double difference : run.run()) {
    EXPECT_LE(difference, toleranceOf(record)) << "after " << bySteps;
    bySteps += (bySteps.empty() ? "" : " ") + scientific(difference);
  }
  EXPECT_LE(run.stateDifference(), std::max(1e-4, toleranceOf(record)));
  RecordProperty("hook", record["id"].get<std::string>());
  RecordProperty("by_step", bySteps);
  RecordProperty("state", scientific(run.stateDifference()));
  RecordProperty("bytes", static_cast<int>(run.bytesSent()));
  if (!run.volumes().empty()) {
    // P, Q and what is not compressed: each element is sent once.
    EXPECT_LE(run.bytesSent(), 4 * run.volumes().back().after);
    RecordProperty("before", static_cast<int>(run.volumes().back().before));
    RecordProperty("after", static_cast<int>(run.volumes().back().after));
  }
}

INSTANTIATE_TEST_SUITE_P(All, HookRecords, testing::ValuesIn(hookRecords()), hookTestName);

TEST(HookVolumes, AreThoseOfTheRecords) {
  for (const Json &record : hookRecords()) {
    if (!llvm::StringRef(record["hook"].get_ref<const std::string &>()).contains("powersgd"))
      continue;
    HookRun run(record);
    (void)run.run();
    double before = 0, after = 0;
    for (int64_t iteration = 0; iteration != iterations; ++iteration) {
      before += static_cast<double>(run.volumes()[static_cast<size_t>(iteration)].before);
      after += static_cast<double>(run.volumes()[static_cast<size_t>(iteration)].after);
      const Json &stats = record["per_iteration"][static_cast<size_t>(iteration)]["compression_stats"];
      EXPECT_EQ(before, stats[1].get<double>()) << record["id"] << " iteration " << iteration;
      EXPECT_EQ(after, stats[2].get<double>()) << record["id"] << " iteration " << iteration;
    }
  }
}

TEST(PowerSgdRecords, OptionsThatPyTorchRefuses) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
  for (const Json &row : readRecord("hooks/texts.json")) {
    llvm::StringRef what = row["what"].get_ref<const std::string &>();
    if (!what.consume_front("PowerSGDState(start_powerSGD_iter=") || !what.contains("use_error_feedback="))
      continue;
    int64_t start = 0;
    (void)what.split(',').first.getAsInteger(10, start);
    PowerSgdOptions options{.startIteration = start,
                            .errorFeedback = what.contains("use_error_feedback=True"),
                            .warmStart = what.contains("warm_start=True")};
    llvm::Expected<PowerSgd> made = PowerSgd::create(trace, options, 0);
    std::string error = made ? "" : llvm::toString(made.takeError());
    EXPECT_EQ(error.empty(), row.contains("value")) << what.str();
    if (row.contains("text")) {
      std::string text = row["text"];
      text.pop_back(); // the full stop
      EXPECT_NE(error.find(text), std::string::npos) << error;
    }
  }
}

TEST(PowerSgdRecords, WhatIsCompressed) {
  EXPECT_FALSE(isCompressed(4, 4, {.rank = 1, .minRate = 2}));
  EXPECT_TRUE(isCompressed(5, 5, {.rank = 1, .minRate = 2}));
  EXPECT_TRUE(isCompressed(8, 9, {.rank = 2, .minRate = 2}));
  EXPECT_TRUE(isCompressed(1, 1, {.rank = 1, .minRate = 0.1}));
  EXPECT_FALSE(isCompressed(16, 12, {.rank = 4, .minRate = 2}));
}

TEST(PowerSgdErrors, OfRanksAndGradients) {
  Context context;
  Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
  EXPECT_EQ(llvm::toString(PowerSgd::create(trace, {.rank = 0}, 0).takeError()),
            "error: PowerSGD: got rank 0, expected 1 or more [hook.power-sgd]\n");
  PowerSgd powerSgd = cantFail(PowerSgd::create(trace, {.startIteration = 2}, 2));
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, std::vector<int64_t>{0, 3}}) {
    GradBucket bucket{.buffer = trace.input("g", {DType::F32, {1}}), .slices = {{0, 1}}, .shapes = {shape}};
    Tensor result = runHook(powerSgd.hook(), bucket);
    ASSERT_NE(result.error(), nullptr);
    EXPECT_EQ(result.error()->message, "a gradient has no dimensions, or its first dimension is 0; expected a matrix");
  }
}

} // namespace
} // namespace ccgraph::test
