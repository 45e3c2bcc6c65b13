#include "planner/plan_space.h"

#include "models/pipeline_step.h"
#include "models/refusal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph::planner {

using models::GenerateRequest;
using models::Parallelism;
using models::Part;
using models::Recompute;

namespace {

/// Returns the kinds of parallelism with more than one rank: the name of ccgraph-gen's flag, and its value.
std::vector<std::pair<std::string, std::string>> ranksByName(const Parallelism &parallel) {
  std::vector<std::pair<std::string, std::string>> all;
  auto add = [&](const char *name, int64_t ranks) {
    if (ranks > 1)
      all.emplace_back(name, std::to_string(ranks));
  };
  if (parallel.replicas > 1 && parallel.shards > 1)
    all.emplace_back("hsdp", std::to_string(parallel.replicas) + "x" + std::to_string(parallel.shards));
  else if (parallel.replicas > 1)
    add("ddp", parallel.replicas);
  else
    add("fsdp", parallel.shards);
  add("tp", parallel.tensor);
  add("ep", parallel.experts);
  add("cp", parallel.context);
  add("pp", parallel.pipeline);
  return all;
}

bool isInterleaved(const models::PipelineRequest &pipeline) {
  return pipeline.kind == models::PipelineKind::Interleaved;
}

} // namespace

std::string recomputeName(Recompute recompute) {
  for (const auto &[name, choice] : models::recomputeChoices())
    if (choice == recompute)
      return name;
  llvm_unreachable("no such choice");
}

std::string PlanCandidate::parallelText() const {
  std::vector<std::string> parts;
  for (const auto &[name, ranks] : ranksByName(parallel))
    parts.push_back(name + " " + ranks);
  if (pipeline)
    parts.back() += " " + models::pipelineKindName(pipeline->kind) +
                    (isInterleaved(*pipeline) ? " " + std::to_string(pipeline->stagesOfRank()) : "");
  return parts.empty() ? "one rank" : llvm::join(parts, ", ");
}

std::string PlanCandidate::flags() const {
  std::string text;
  auto add = [&](const std::string &name, const std::string &value) {
    text += (text.empty() ? "--" : " --") + name + " " + value;
  };
  for (const auto &[name, ranks] : ranksByName(parallel))
    add(name, ranks);
  if (pipeline) {
    add("schedule", models::pipelineKindName(pipeline->kind));
    if (isInterleaved(*pipeline))
      add("stages-per-rank", std::to_string(pipeline->stagesOfRank()));
    add("microbatches", std::to_string(pipeline->numMicrobatches()));
  }
  add("batch", std::to_string(microbatch));
  if (accumulation > 1)
    add("accumulate", std::to_string(accumulation));
  if (recompute != Recompute::None)
    add("recompute", recomputeName(recompute));
  // A pipeline has no other stage.
  if (zero > 0 && !pipeline)
    add("zero", std::to_string(zero));
  return text;
}

GenerateRequest requestOf(const PlanJob &job, const PlanCandidate &candidate, Part part) {
  GenerateRequest request = job.step;
  request.parallel = candidate.parallel;
  request.shape.batch = candidate.microbatch;
  request.accumulation = candidate.accumulation;
  request.recompute = {candidate.recompute, candidate.zero == 3};
  request.shardsOptimizer = candidate.zero == 1;
  request.part = part;
  if (part != Part::Step) {
    request.clipNorm = 0;
    request.hasForeachOptimizer = false;
  }
  return request;
}

namespace {

std::vector<int64_t> divisorsOf(int64_t number) {
  std::vector<int64_t> low, high;
  for (int64_t divisor = 1; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) {
      low.push_back(divisor);
      if (divisor * divisor != number)
        high.push_back(number / divisor);
    }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

bool allows(const std::optional<int64_t> &choice, int64_t value) { return !choice || *choice == value; }

class Enumeration {
public:
  Enumeration(const PlanJob &job, const PlanChoices &choices) : job_(job), choices_(choices) {}

  llvm::Expected<std::vector<PlanCandidate>> run() {
    for (int64_t pipeline : divisorsOf(job_.ranks))
      if (allows(choices_.pipeline, pipeline) && pipeline <= job_.step.model.layers)
        for (int64_t tensor : divisorsOf(job_.ranks / pipeline))
          if (allows(choices_.tensor, tensor) && (tensor <= job_.ranksPerNode || choices_.tensor))
            addTensor(pipeline, tensor);
    if (found_.empty())
      return refusal();
    return std::move(found_);
  }

private:
  void addTensor(int64_t pipeline, int64_t tensor) {
    const int64_t data = job_.ranks / pipeline / tensor;
    for (int64_t shards : divisorsOf(data)) {
      Parallelism parallel{.replicas = data / shards, .shards = shards, .tensor = tensor, .pipeline = pipeline};
      if (!allows(choices_.shards, shards) || !allows(choices_.replicas, parallel.replicas))
        continue;
      for (int64_t experts : expertChoices(parallel)) {
        parallel.experts = experts;
        addContexts(parallel);
      }
    }
  }

  void addContexts(Parallelism parallel) {
    for (int64_t context : divisorsOf(parallel.dataRanks())) {
      parallel.context = context;
      if (allows(choices_.context, context))
        addBatches(parallel);
    }
  }

  [[nodiscard]] std::vector<int64_t> expertChoices(const Parallelism &parallel) const {
    std::vector<int64_t> choices;
    for (int64_t experts : divisorsOf(std::max<int64_t>(job_.step.model.experts, 1)))
      if (allows(choices_.experts, experts) && parallel.shards * parallel.tensor % experts == 0)
        choices.push_back(experts);
    return choices;
  }

  void addBatches(const Parallelism &parallel) {
    if (job_.batch % parallel.sequenceRanks() != 0)
      return noteUndivided(parallel.sequenceRanks());
    const int64_t ofRank = job_.batch / parallel.sequenceRanks();
    for (int64_t microbatch : divisorsOf(ofRank)) {
      const bool isCompared =
          allows(choices_.microbatch, microbatch) && (parallel.context == 1 || microbatch == 1 || choices_.context);
      if (!isCompared)
        continue;
      PlanCandidate candidate{parallel, microbatch, parallel.pipeline == 1 ? ofRank / microbatch : 1};
      if (llvm::Error error = checkRequest(requestOf(job_, candidate, Part::Step)))
        noteUnfit(std::move(error));
      else if (parallel.pipeline == 1)
        addMemoryChoices(candidate);
      else
        addSchedules(candidate, ofRank / microbatch);
    }
  }

  void addSchedules(PlanCandidate candidate, int64_t microbatches) {
    for (const auto &[name, kind] : models::pipelineKinds())
      for (int64_t stages : stageChoices(kind)) {
        candidate.pipeline = {kind, candidate.parallel.pipeline, stages, microbatches};
        PipelineSchedule shape;
        shape.stages = candidate.pipeline->stages();
        if (llvm::Error error = models::checkPipelineSchedule(*candidate.pipeline))
          noteUnfit(std::move(error));
        else if (llvm::Error error = models::checkPipeline(requestOf(job_, candidate, Part::Step), shape))
          noteUnfit(std::move(error));
        else
          addMemoryChoices(candidate);
      }
  }

  /// Returns the stages of a rank with this schedule.
  [[nodiscard]] std::vector<int64_t> stageChoices(models::PipelineKind kind) const {
    if (choices_.schedule && *choices_.schedule != kind)
      return {};
    if (kind != models::PipelineKind::Interleaved)
      return choices_.stagesPerRank ? std::vector<int64_t>() : std::vector<int64_t>{0};
    return choices_.stagesPerRank ? std::vector<int64_t>{*choices_.stagesPerRank} : std::vector<int64_t>{2, 4};
  }

  void addMemoryChoices(PlanCandidate candidate) {
    for (const auto &[name, recompute] : models::recomputeChoices())
      for (int64_t zero : zeroChoices(candidate)) {
        candidate.recompute = recompute;
        candidate.zero = zero;
        if (allows(choices_.zero, zero) && (!choices_.recompute || *choices_.recompute == recompute))
          found_.push_back(candidate);
      }
  }

  [[nodiscard]] std::vector<int64_t> zeroChoices(const PlanCandidate &candidate) const {
    if (candidate.parallel.shards > 1)
      return candidate.pipeline ? std::vector<int64_t>{2} : std::vector<int64_t>{2, 3};
    const GenerateRequest &step = job_.step;
    const bool shardsOptimizer = !candidate.pipeline && candidate.parallel.replicas > 1 &&
                                 candidate.accumulation == 1 && step.optimizer != models::Optimizer::None &&
                                 step.clipNorm == 0 && !step.hasForeachOptimizer;
    return shardsOptimizer ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{0};
  }

  void noteUndivided(int64_t dataRanks) { leastUndivided_ = std::min(leastUndivided_.value_or(dataRanks), dataRanks); }
  /// Keeps the first error, since the candidates before it have the fewest tensor ranks.
  void noteUnfit(llvm::Error error) {
    llvm::handleAllErrors(std::move(error), [&](const DiagnosticError &known) {
      if (unfit_.empty())
        unfit_ = known.diagnostics().vec();
    });
  }

  /// Returns why there is no candidate: a batch that does not divide explains more than a model that does not.
  llvm::Error refusal() {
    const std::string ranks = std::to_string(job_.ranks);
    if (leastUndivided_) {
      const std::string data = std::to_string(*leastUndivided_);
      return models::refusal("plan.batch", job_.step.model.name,
                             "--batch " + std::to_string(job_.batch) + " does not divide over " + ranks +
                                 " ranks, of which at least " + data +
                                 " have their own sequences; expected a multiple of " + data,
                             "with --plan, --batch counts the sequences of a whole training step");
    }
    if (!unfit_.empty())
      return makeError(unfit_);
    return models::refusal("plan.ranks", job_.step.model.name,
                           "no parallelism of " + ranks +
                               " ranks agrees with the given flags; expected --ddp, --fsdp, "
                               "--hsdp, --tp, --ep, --cp, --pp, --zero and --batch that " +
                               ranks + " ranks allow",
                           "leave out the flags that the plan may choose");
  }

  const PlanJob &job_;
  const PlanChoices &choices_;
  std::vector<PlanCandidate> found_;
  std::optional<int64_t> leastUndivided_;
  std::vector<Diagnostic> unfit_;
};

} // namespace

llvm::Expected<std::vector<PlanCandidate>> planCandidates(const PlanJob &job, const PlanChoices &choices) {
  return Enumeration(job, choices).run();
}

} // namespace ccgraph::planner
