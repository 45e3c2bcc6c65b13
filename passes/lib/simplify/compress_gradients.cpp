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
#include "ccgraph/passes/registry.h"
#include "rewrite/candidate_search.h"
#include "rewrite/group_sizes.h"
#include "rewrite/spare_memory.h"
#include "rewrite/supersede.h"

#include "llvm/Support/Format.h"

#include <limits>

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
              "not an all_reduce that adds or averages one tensor of f32 or f64"};
  CandidateReasons obstacles_{*this,
                              CandidateScope::AllReduce,
                              {.done = "compressed",
                               .rounding = "16 bits hold fewer digits of each term",
                               .otherRank = "not compress its part"}};
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
      : pass_(pass), graph_(graph), context_(context), search_(graph, context, pass.obstacles_, {}),
        sizes_(graph, search_.groups(), AssumedMembers::Accept), spare_(graph, context.analyses().facts(), context) {}
  Changed run();

private:
  /// An all_reduce, and the number of its ranks.
  struct Plan {
    Candidate all;
    int64_t ranks = 0;
  };
  [[nodiscard]] const Reason *obstacle(Node *launch, Plan &plan);
  [[nodiscard]] bool fits(const Plan &plan);
  [[nodiscard]] double bound(int64_t ranks) const;
  void rewrite(const Plan &plan);

  CompressGradients &pass_;
  Graph &graph_;
  PassContext &context_;
  CandidateSearch search_;
  GroupSizes sizes_;
  SpareMemory spare_;
};

bool isWideSum(const Node &launch) {
  return isSumOrAverage(launch) && (launch.type()->dtype() == DType::F32 || launch.type()->dtype() == DType::F64);
}

const Reason *GradientCompressor::obstacle(Node *launch, Plan &plan) {
  if (!isWideSum(*launch))
    return &pass_.sum_;
  if (context_.bitwise())
    return &pass_.obstacles_.of(Obstacle::Bitwise);
  if (const Reason *reason = search_.find(launch, plan.all))
    return reason;
  if (search_.facts().isReshaped(launch->operand(0)))
    return &pass_.obstacles_.of(Obstacle::Reshaped);
  std::optional<int64_t> ranks = sizes_.of(*launch);
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
  Node *wait = plan.all.wait;
  return spare_.waitFreesInput(plan.all.launch, wait) || spare_.hasRoom(narrowBytes(plan.all), wait, wait->next());
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
  Node *reduced = begin.call(launch->target().str(), argumentsWith(*launch, sent));
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
