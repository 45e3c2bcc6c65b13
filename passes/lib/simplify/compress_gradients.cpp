// compress-gradients: c = all_reduce(x: f32); ...; w = wait(c)
//                     ->  n = to(x, bf16); c = all_reduce(n); ...; v = wait(c); w = to(v, f32)
//
// The all_reduce sends half the bytes. This is the compression hook of PyTorch's DistributedDataParallel
// (bf16_compress_hook, fp16_compress_hook) for a graph that reduces gradients. It changes results, so it runs only
// where it is named, and never under --bitwise.
//   error       Each of n ranks rounds its addend once, and the sum has n - 1 additions (and a division, for an
//               average). So a result differs from the exact sum of the addends x_r by at most u m / (1 - u m) times
//               the sum of |x_r|, with m = n + 1 roundings and u = 2^-8 for bf16, 2^-11 for f16 (N. Higham, "Accuracy
//               and Stability of Numerical Algorithms", 2002, section 3.1). Beyond 65,504, f16 is infinite.
//   may we      rewrite/candidates.h: whether the all_reduce can be replaced; here: a group of known size, without
//               which no bound is known
//   which       every sum or average of f32 or f64, where the memory fits
//   do it       `rewrite`
#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/group_nesting.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/candidates.h"
#include "rewrite/input_life.h"
#include "rewrite/supersede.h"

#include "analysis/lifetimes.h"

#include "llvm/Support/Format.h"

namespace ccgraph {

namespace {

class CompressGradients final : public Pass {
public:
  CompressGradients()
      : Pass({.name = "compress-gradients",
              .description = "Sends each sum of gradients in 16 bits: a cast before the all_reduce and one after its "
                             "wait.",
              .phase = Phase::Simplify,
              .tolerance = 0.05}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<CompressGradients>(); }

private:
  ChoiceOption<DType> dtype_{
      *this,
      "dtype",
      DType::BF16,
      {{"bf16", DType::BF16}, {"f16", DType::F16}},
      "bf16 has the range of f32 and 8 significant bits; f16 has 11, and overflows beyond 65504"};
  Statistic compressed_{*this, "compressed", "all_reduces in 16 bits"};
  Statistic saved_{*this, "saved-bytes", "bytes that each rank no longer sends, as tensors"};
  Reason done_{*this, RemarkKind::Rewritten, "compressed",
               "is sent as `dtype`; its result differs by at most `bound` times the sum of the absolute values of the "
               "ranks' addends"};
  Reason sum_{*this, RemarkKind::Missed, "no-gradient-sum",
              "not a functional all_reduce that adds or averages one tensor of f32 or f64"};
  Reason spmd_{*this, RemarkKind::Missed, "not-spmd",
               "ranks run different graphs, so another rank may not compress its part"};
  Reason bitwise_{*this, RemarkKind::Missed, "bitwise", "results must be bitwise equal (--bitwise)"};
  Reason readers_{*this, RemarkKind::Missed, "in-flight-readers",
                  "before it completes, its result has a user other than its one wait, or is returned"};
  Reason type_{*this, RemarkKind::Missed, "unknown-size",
               "its size is unknown, its input may have been reshaped in place, or its wait has another stated type"};
  Reason strided_{*this, RemarkKind::Missed, "strided", "its input or result is not contiguous"};
  Reason group_{
      *this, RemarkKind::Missed, "group",
      "its group has an unknown number of ranks (give the ranks with --groups FILE), so the error has no known "
      "bound"};
  Reason budget_{
      *this, RemarkKind::Missed, "over-budget",
      "its result in 16 bits, live together with the whole result at the second cast, would exceed the memory "
      "budget"};
  friend class GradientCompressor;
};

/// One run.
class GradientCompressor {
public:
  GradientCompressor(CompressGradients &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), facts_(context.analyses().facts()),
        groups_(graph, context.spmd()), dependences_(facts_, groups_),
        candidates_(graph, facts_, groups_, dependences_,
                    {BucketLayout::Flat, std::nullopt, context.spmd(), context.bitwise()}) {}
  Changed run();

private:
  /// An all_reduce, and the number of its ranks.
  struct Plan {
    Candidate all;
    int64_t ranks = 0;
  };
  [[nodiscard]] const Reason *reasonFor(Obstacle obstacle) const;
  [[nodiscard]] const Reason *obstacle(Node *launch, Plan &plan);
  [[nodiscard]] std::optional<int64_t> ranksOf(const Node &launch) const;
  [[nodiscard]] bool fits(const Plan &plan);
  [[nodiscard]] double bound(int64_t ranks) const;
  void rewrite(const Plan &plan);

  CompressGradients &pass_;
  Graph &graph_;
  PassContext &context_;
  const ProgramFacts &facts_;
  CommGroups groups_;
  Dependences dependences_;
  Candidates candidates_;
  std::optional<LiveBytes> memory_; ///< constructed for the first all_reduce that is otherwise possible
};

const Reason *GradientCompressor::reasonFor(Obstacle obstacle) const {
  switch (obstacle) {
  case Obstacle::Kind:
  case Obstacle::Form:
  case Obstacle::Arguments:
    return &pass_.sum_;
  case Obstacle::NotSpmd:
    return &pass_.spmd_;
  case Obstacle::Bitwise:
    return &pass_.bitwise_;
  case Obstacle::Readers:
  case Obstacle::SeveralWaits:
    return &pass_.readers_;
  case Obstacle::Reshaped:
  case Obstacle::UnknownSize:
  case Obstacle::WaitType:
    return &pass_.type_;
  case Obstacle::Strided:
    return &pass_.strided_;
  case Obstacle::NeedsFlat:
  case Obstacle::ListForm:
  case Obstacle::Rewritten:
  case Obstacle::Written:
  case Obstacle::PlaceSeen:
  case Obstacle::DynamicSplits:
    break;
  }
  llvm_unreachable("an all_reduce has a flat layout, whose pieces may be copied");
}

bool isWideSum(const Node &launch) {
  const CollectiveSpec *spec = collectiveOf(launch);
  if (spec->kind != CollectiveKind::AllReduce || !launch.type() || !launch.type()->isTensor() ||
      (launch.type()->dtype() != DType::F32 && launch.type()->dtype() != DType::F64))
    return false;
  std::optional<CollectiveCall> call = collectiveCall(launch);
  return call && (call->reduceOp == "sum" || call->reduceOp == "avg");
}

/// Returns the size of the group, if all ranks know it.
std::optional<int64_t> GradientCompressor::ranksOf(const Node &launch) const {
  std::vector<std::vector<int64_t>> cells = sharedMembers(graph_.groups(), groupIdOf(launch), knownWorldSize(graph_));
  if (cells.empty())
    return std::nullopt;
  size_t size = cells.front().size();
  bool alike = llvm::all_of(cells, [&](const std::vector<int64_t> &cell) { return cell.size() == size; });
  return alike ? std::optional(static_cast<int64_t>(size)) : std::nullopt;
}

const Reason *GradientCompressor::obstacle(Node *launch, Plan &plan) {
  if (!isWideSum(*launch))
    return &pass_.sum_;
  if (context_.bitwise())
    return &pass_.bitwise_;
  std::variant<Candidate, Obstacle> found = candidates_.find(launch);
  if (const Obstacle *obstacle = std::get_if<Obstacle>(&found))
    return reasonFor(*obstacle);
  plan.all = std::get<Candidate>(found);
  if (facts_.isReshaped(launch->operand(0)))
    return &pass_.type_;
  std::optional<int64_t> ranks = ranksOf(*launch);
  if (!ranks)
    return &pass_.group_;
  plan.ranks = *ranks;
  return fits(plan) ? nullptr : &pass_.budget_;
}

int64_t narrowBytes(const Candidate &all) {
  constexpr int64_t narrowSize = 2;
  return all.outputBytes / static_cast<int64_t>(sizeInBytes(all.launch->type()->dtype())) * narrowSize;
}

/// Up to the wait, the addend and the result in 16 bits take no more than the wide result takes today. At the second
/// cast, the result is live in both dtypes, and the addend in neither if the wait ends its life.
bool GradientCompressor::fits(const Plan &plan) {
  std::optional<int64_t> budget = context_.memoryBudget();
  if (!budget)
    return true;
  if (!memory_)
    memory_.emplace(liveMemory(graph_, facts_));
  Node *wait = plan.all.wait;
  return waitFreesInput(*memory_, plan.all.launch, wait) ||
         !memory_->firstAbove(wait, wait->next(), *budget - narrowBytes(plan.all));
}

std::string numberText(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g", number);
  return text;
}

double GradientCompressor::bound(int64_t ranks) const {
  constexpr double bf16Rounding = 1.0 / 256, f16Rounding = 1.0 / 2048;
  double rounding = pass_.dtype_.get() == DType::BF16 ? bf16Rounding : f16Rounding;
  double all = static_cast<double>(ranks + 1) * rounding;
  return all < 1 ? all / (1 - all) : std::numeric_limits<double>::infinity();
}

void GradientCompressor::rewrite(const Plan &plan) {
  Node *launch = plan.all.launch, *wait = plan.all.wait;
  DType narrow = pass_.dtype_.get(), wide = launch->type()->dtype();
  auto cast = [](GraphBuilder &builder, Node *value, DType dtype) {
    return builder.call({.target = "aten._to_copy.default", .args = {value}, .kwargs = {{"dtype", dtype}}});
  };
  GraphBuilder begin(graph_, launch);
  begin.standFor({launch});
  Node *sent = cast(begin, launch->operand(0), narrow);
  std::vector<Actual> args = {sent};
  for (const Argument &argument : launch->args().drop_front())
    args.push_back(Actual::copyOf(*launch, argument));
  Node *reduced = begin.call({.target = launch->target().str(), .args = std::move(args)});
  copyOrdering(graph_, *launch, reduced);

  GraphBuilder end(graph_, wait);
  end.standFor({wait});
  Node *waited = end.call("_c10d_functional.wait_tensor.default", {reduced});
  copyOrdering(graph_, *wait, waited);
  Node *result = cast(end, waited, wide);
  context_.remark(pass_.done_, *launch, {{"dtype", shortName(narrow).str()}, {"bound", numberText(bound(plan.ranks))}});
  supersede(graph_, wait, result);
  graph_.replaceAllUses(launch, reduced);
  graph_.erase(launch);
  context_.certificate().rules.push_back({"compressed-sum", {launch, wait}, {result, sent, reduced, waited}});
  ++pass_.compressed_;
  pass_.saved_ += plan.all.outputBytes - narrowBytes(plan.all);
}

Changed GradientCompressor::run() {
  std::vector<Plan> plans;
  for (Node *node : graph_) {
    if (!collectiveOf(*node))
      continue;
    Plan plan;
    if (const Reason *reason = obstacle(node, plan))
      context_.remark(*reason, *node);
    else
      plans.push_back(plan);
  }
  // Facts describe the original graph, so all candidates are judged before the first rewrite.
  for (const Plan &plan : plans)
    rewrite(plan);
  return plans.empty() ? Changed::No : Changed::Yes;
}

llvm::Expected<Changed> CompressGradients::run(Graph &graph, PassContext &context) {
  return GradientCompressor(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createCompressGradients() { return std::make_unique<CompressGradients>(); }

} // namespace ccgraph
