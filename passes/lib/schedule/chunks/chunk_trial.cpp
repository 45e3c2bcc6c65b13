#include "schedule/chunks/chunk_trial.h"

#include "analysis/own_program.h"
#include "schedule/chunks/region_in_copy.h"
#include "schedule/overlap/bound.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <numeric>

namespace ccgraph {

namespace {

ChunkPlan inCopy(const ChunkPlan &plan, const Graph &copy) {
  ChunkPlan same{inCopy(plan.region, copy), plan.choice};
  if (plan.chain)
    same.chain = inCopy(*plan.chain, copy);
  return same;
}

/// Returns the nodes that the plan replaces.
llvm::SmallVector<const Node *, 16> nodesOf(const ChunkPlan &plan) {
  llvm::SmallVector<const Node *, 16> nodes;
  auto add = [&](const ChunkRegion &region) { llvm::append_range(nodes, region.nodes()); };
  if (!plan.chain)
    return add(plan.region), nodes;
  for (const ChunkRegion &region : plan.chain->regions)
    add(region);
  for (const auto *parts : {&plan.chain->links, &plan.chain->repeated})
    for (const auto &links : *parts)
      llvm::append_range(nodes, links);
  return nodes;
}

} // namespace

llvm::SmallVector<const Node *, 4> ChunkPlan::launches() const {
  llvm::SmallVector<const Node *, 4> launches;
  if (!chain)
    launches.push_back(region.launch);
  else
    for (const ChunkRegion &part : chain->regions)
      launches.push_back(part.launch);
  return launches;
}

std::string ChunkPlan::text() const {
  std::string text;
  for (const Node *launch : launches())
    text += (text.empty() ? "" : "-") + launch->name().str().str();
  for (int64_t rows : choice.pieces)
    text += "." + std::to_string(rows);
  return text;
}

bool ChunkPlan::overlaps(const ChunkPlan &other) const {
  const llvm::SmallVector<const Node *, 16> own = nodesOf(*this);
  return llvm::any_of(nodesOf(other), [&](const Node *node) { return llvm::is_contained(own, node); });
}

void buildPieces(const CostModel &cost, Graph &graph, const ChunkPlan &plan, RuleEntry &entry) {
  if (plan.chain)
    return buildPieces(cost, graph, *plan.chain, plan.choice, entry);
  buildPieces(graph, plan.region, plan.choice.pieces, entry);
}

void ChunkTrial::noteExposed(const overlap::GraphProblem &given, const overlap::Schedule &schedule) {
  overlap::Replay replay = overlap::replay(given.problem, schedule);
  exposed_.assign(graph_.idLimit(), 0);
  for (uint32_t step = 0; step < given.nodes.size(); ++step)
    exposed_[given.nodes[step]->id()] = replay.exposedBy[step];
  // The time of a bucket counts for its first member in the replay; each member may be cut.
  for (const std::vector<uint32_t> &bucket : schedule.buckets)
    for (uint32_t step : bucket)
      exposed_[given.nodes[step]->id()] = replay.exposedBy[bucket.front()];
  noteSequences(given, schedule, replay);
}

// A bucket begins once its last member can, and its last member is read last, so that member is the one that counts.
void ChunkTrial::noteSequences(const overlap::GraphProblem &given, const overlap::Schedule &schedule,
                               const overlap::Replay &replay) {
  struct Sequence {
    uint32_t first = 0, last = 0;
    int64_t end = -1;
    int64_t exposed = 0;
  };
  std::vector<uint32_t> lastOf(given.nodes.size()); // by step: the last member of its bucket, or itself
  std::iota(lastOf.begin(), lastOf.end(), 0);
  llvm::DenseSet<uint32_t> others; // members of buckets besides the first, whose times the first one has
  for (const std::vector<uint32_t> &bucket : schedule.buckets) {
    lastOf[bucket.front()] = bucket.back();
    others.insert(bucket.begin() + 1, bucket.end());
  }
  beginsWith_.resize(graph_.idLimit(), 0);
  endsWith_.resize(graph_.idLimit(), 0);
  auto note = [&](const Sequence &sequence) {
    int64_t &begins = beginsWith_[given.nodes[sequence.first]->id()],
            &ends = endsWith_[given.nodes[sequence.last]->id()];
    begins = std::max(begins, sequence.exposed);
    ends = std::max(ends, sequence.exposed);
  };
  std::map<uint32_t, Sequence> sequences; // by stream
  for (uint32_t step : schedule.order) {
    const overlap::Step &launch = given.problem.steps[step];
    if (launch.kind != overlap::StepKind::Launch || others.contains(step))
      continue;
    auto [known, isNew] = sequences.try_emplace(launch.stream);
    Sequence &sequence = known->second;
    if (isNew || replay.begin[step] > sequence.end) {
      if (!isNew)
        note(sequence);
      sequence = {.first = lastOf[step]};
    }
    sequence.last = lastOf[step];
    sequence.end = replay.end[step];
    sequence.exposed += replay.exposedBy[step];
  }
  for (const auto &[stream, sequence] : sequences)
    note(sequence);
}

PredictedStep ChunkTrial::scheduleWhole() {
  overlap::ProgramProblem program(graph_, context_.analyses().facts(), context_.cost(),
                                  {context_.spmd(), context_.bitwise()});
  const overlap::GraphProblem &given = program.given();
  overlap::SearchOptions options = searchOptionsOf(context_, walks_, beam_);
  SearchRecord &record = context_.analyses().searches();
  program_ = recordSearch(record, given, options, Effort::Thorough);
  const overlap::Schedule &schedule = *record.find(program_, options.budget);
  peak_ = schedule.peakBytes;
  noteSequences(given, schedule, overlap::replay(given.problem, schedule));
  const int64_t own = overlap::replay(given.problem, overlap::asItStands(given.problem)).peakBytes;
  const bool hasMore = options.budget > own;
  options.budget = std::min(options.budget, own);
  noteExposed(given, hasMore ? searchRecorded(record, given, options, Effort::Once) : schedule);
  return {schedule.picoseconds, overlap::lowerBounds(given.problem).anyMerging.picoseconds};
}

namespace {

/// A copy of a program in which the regions of these plans are cut.
class CutProgram {
public:
  CutProgram(const Graph &graph, PassContext &context, llvm::ArrayRef<const ChunkPlan *> plans)
      : copy_(graph.clone()), costs_(context.cost().forCopy(graph, *copy_)), facts_(cut(context, plans)),
        program_(*copy_, facts_, *costs_, {context.spmd(), context.bitwise()}) {}
  [[nodiscard]] const overlap::GraphProblem &given() const { return program_.given(); }

private:
  const Graph &cut(PassContext &context, llvm::ArrayRef<const ChunkPlan *> plans) {
    editOwnProgram(*copy_, context, [&] {
      for (const ChunkPlan *plan : plans) {
        RuleEntry entry;
        buildPieces(*costs_, *copy_, inCopy(*plan, *copy_), entry);
      }
    });
    return *copy_;
  }

  std::unique_ptr<Graph> copy_;
  std::unique_ptr<CostModel> costs_;
  ProgramFacts facts_;
  overlap::ProgramProblem program_;
};

} // namespace

std::optional<PredictedStep> ChunkTrial::schedule(llvm::ArrayRef<const ChunkPlan *> plans, int64_t limit) const {
  std::string name = program_;
  for (const ChunkPlan *plan : plans)
    name += ";" + plan->text();
  SearchRecord &record = context_.analyses().searches();
  SearchRecord::Program &known = record.changed(name);
  std::optional<CutProgram> cut;
  if (!known.bound) {
    cut.emplace(graph_, context_, plans);
    known.bound = overlap::lowerBounds(cut->given().problem).anyMerging.picoseconds;
  }
  if (*known.bound >= limit)
    return std::nullopt;
  const overlap::SearchOptions options = searchOptionsOf(context_, walks_, beam_);
  if (!record.find(known.search, options.budget)) {
    if (!cut)
      cut.emplace(graph_, context_, plans);
    known.search = recordSearch(record, cut->given(), options, Effort::Thorough);
  }
  const overlap::Schedule &schedule = *record.find(known.search, options.budget);
  const bool fits = schedule.peakBytes <= std::max(peak_, context_.memoryBudget().value_or(overlap::unlimited));
  return fits ? std::optional(PredictedStep{schedule.picoseconds, *known.bound}) : std::nullopt;
}

} // namespace ccgraph
