#include "form_run.h"

#include "distribute.h"
#include "inputs.h"

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::equality {

llvm::Error placementError(const llvm::Twine &message, const llvm::Twine &repair) {
  return makeError(diagnose("same.placements", message.str(), repair.str()));
}

namespace {

/// Returns an error if a part does not have the sizes of its placeholder.
llvm::Error checkPart(const Array &part, const Node &placeholder, const TensorPlacement &placement, int64_t rank) {
  const Type *type = placeholder.type();
  std::optional<IntList> sizes = type && type->isTensor() ? staticDims(type->sizes()) : std::nullopt;
  if (!sizes)
    return placementError("input '" + placeholder.name().str().str() + "' of rank " + llvm::Twine(rank) + " is " +
                              typeText(type) + ", expected a tensor of known sizes",
                          "capture the step with static shapes");
  Kind kind = kindOf(type->dtype());
  if (*sizes == part.sizes && kind == part.kind)
    return llvm::Error::success();
  return placementError("input '" + placement.of + "' is " + type->str() + " on rank " + llvm::Twine(rank) + " ('" +
                            placeholder.name().str().str() + "'), its placement gives the sizes " +
                            intListText(part.sizes),
                        "correct its placement, or the position of the input in the single graph");
}

struct RankOfMesh {
  llvm::ArrayRef<NamedAxis> mesh;
  int64_t rank = 0;
};

/// Cuts one input for a rank. A shard that the rank holds in the size of the first one has zeros after its elements.
llvm::Expected<Array> inputOf(const TensorPlacement &placement, const Node &placeholder, const FormRun &run,
                              const RankOfMesh &at) {
  const int64_t rank = at.rank;
  PartialParts parts{&run.evaluator->field(), mix(hashText("partial input"), placement.position)};
  auto partFor = [&](int64_t of) { return partOf(run.whole[placement.single], placement, at.mesh, of, parts); };
  llvm::Expected<Array> part = partFor(rank);
  if (!part)
    return placementError("input '" + placement.of + "' cannot be cut: " + llvm::toString(part.takeError()),
                          "correct its placement");
  const Type *type = placeholder.type();
  std::optional<IntList> held = type && type->isTensor() ? staticDims(type->sizes()) : std::nullopt;
  if (held && *held != part->sizes && part->kind != Kind::Complex) {
    llvm::Expected<Array> first = partFor(0);
    const bool isPadded = first && isPaddedShard(*held, part->sizes, first->sizes);
    llvm::consumeError(first.takeError());
    if (isPadded)
      *part = paddedTo(*part, *held);
    if (isPadded && run.padsShards)
      *run.padsShards = true;
  }
  if (llvm::Error error = checkPart(*part, placeholder, placement, rank))
    return error;
  return part;
}

/// Cuts the inputs for one rank.
llvm::Expected<std::vector<Value>> inputsOf(const Graph &graph, const StepPlacements &placements, const FormRun &run,
                                            int64_t rank) {
  std::vector<const Node *> placeholders = placeholdersOf(graph);
  std::vector<Value> inputs(placeholders.size());
  for (const TensorPlacement &placement : placements.inputs) {
    if (placement.position >= placeholders.size())
      return placementError("rank " + llvm::Twine(rank) + " has " + llvm::Twine(placeholders.size()) +
                                " inputs, fewer than rank 0",
                            "the graphs of all ranks have the same inputs");
    llvm::Expected<Array> part = inputOf(placement, *placeholders[placement.position], run, {placements.mesh, rank});
    if (!part)
      return part.takeError();
    inputs[placement.position] = Value(*part);
  }
  return inputs;
}

} // namespace

llvm::Expected<std::optional<Problem>> runForm(llvm::ArrayRef<RankStep> ranks, const StepPlacements &placements,
                                               const FormRun &run, std::vector<RankValues> &results) {
  std::vector<RankProgram> programs;
  std::vector<std::vector<Value>> inputs;
  for (size_t rank = 0; rank != ranks.size(); ++rank) {
    programs.push_back({ranks[rank].graph, &ranks[rank].groups, static_cast<int64_t>(rank), run.keepsValues,
                        run.checksSizes, run.forced.empty() ? nullptr : &run.forced[rank]});
    if (!run.forced.empty() && run.forced[rank].known) { // the inputs are among the known values
      inputs.emplace_back();
      continue;
    }
    llvm::Expected<std::vector<Value>> mine = inputsOf(*ranks[rank].graph, placements, run, static_cast<int64_t>(rank));
    if (!mine)
      return mine.takeError();
    inputs.push_back(std::move(*mine));
  }
  std::optional<Problem> problem = runJob(*run.evaluator, programs, inputs, results);
  if (problem)
    return problem;
  for (const RankValues &rank : results)
    if (rank.outputs.size() != results.front().outputs.size())
      return placementError("the graphs of the ranks have different numbers of outputs", "give the graphs of one step");
  return std::optional<Problem>();
}

} // namespace ccgraph::equality
