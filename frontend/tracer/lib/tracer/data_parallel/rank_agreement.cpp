#include "tracer/data_parallel/rank_agreement.h"

#include "tracer/mode.h"

namespace ccgraph::tracer::detail {
namespace {

std::string text(const GradientUse::Parameter &parameter) { return "`" + parameter.name + "` " + parameter.type; }

llvm::Error differ(size_t rank, const std::string &message) {
  return makeError(problem("ddp.ranks-differ", "rank " + std::to_string(rank), message,
                           "all ranks must declare the same trained parameters in the same order"));
}

llvm::Error checkSame(size_t rank, const GradientUse &first, const GradientUse &use) {
  size_t common = std::min(first.parameters.size(), use.parameters.size());
  for (size_t i = 0; i != common; ++i)
    if (first.parameters[i].name != use.parameters[i].name || first.parameters[i].type != use.parameters[i].type)
      return differ(rank, "parameter " + std::to_string(i) + " is " + text(use.parameters[i]) + ", expected " +
                              text(first.parameters[i]) + " as on rank 0");
  if (first.parameters.size() > common)
    return differ(rank, "lacks parameter " + std::to_string(common) + ", " + text(first.parameters[common]) +
                            ", which rank 0 has");
  if (use.parameters.size() > common)
    return differ(rank, "has parameter " + std::to_string(common) + ", " + text(use.parameters[common]) +
                            ", which rank 0 lacks");
  return llvm::Error::success();
}

/// Without a search for unused parameters, a bucket would wait for a gradient that never becomes ready.
llvm::Error checkUsed(std::string rank, const GradientUse &use) {
  for (const GradientUse::Parameter &parameter : use.parameters)
    if (!parameter.used)
      return makeError(problem("ddp.unused", rank,
                               "computes no gradient of " + text(parameter) + ", so its bucket would never be ready",
                               "set findUnused, or staticGraph if the same parameters are unused in each step"));
  return llvm::Error::success();
}

} // namespace

llvm::Expected<GradientUse> agreedUse(const RankAgreement &agreement, Batch batch) {
  bool mayLack = agreement.options.findUnused || agreement.options.staticGraph;
  GradientUse agreed = agreement.own;
  if (agreement.ranks.empty()) {
    if (!mayLack && batch == Batch::Some)
      if (llvm::Error error = checkUsed("DataParallel", agreement.own))
        return error;
    for (GradientUse::Parameter &parameter : agreed.parameters)
      parameter.used |= batch == Batch::None;
    return agreed;
  }
  if (static_cast<int64_t>(agreement.ranks.size()) != agreement.groupSize)
    return makeError(problem("ddp.ranks-differ", "DataParallel",
                             "got the parameters of " + std::to_string(agreement.ranks.size()) +
                                 " ranks for a group of " + std::to_string(agreement.groupSize),
                             "gather the GradientUse of every rank of the group"));
  for (size_t rank = 0; rank != agreement.ranks.size(); ++rank) {
    const GradientUse &use = agreement.ranks[rank];
    if (llvm::Error error = checkSame(rank, agreement.ranks.front(), use))
      return error;
    if (!mayLack)
      if (llvm::Error error = checkUsed("rank " + std::to_string(rank), use))
        return error;
  }
  if (llvm::Error error = checkSame(0, agreement.own, agreement.ranks.front()))
    return error;
  agreed.readyOrder = agreement.ranks.front().readyOrder;
  for (const GradientUse &use : agreement.ranks)
    for (size_t i = 0; i != use.parameters.size(); ++i)
      agreed.parameters[i].used |= use.parameters[i].used;
  return agreed;
}

} // namespace ccgraph::tracer::detail
