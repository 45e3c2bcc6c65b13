#include "trial.h"

#include "distribute.h"
#include "form_run.h"
#include "inputs.h"
#include "reference_form.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/strides.h"

namespace ccgraph::equality {
namespace {

/// Checks one list of placements against the number of inputs or outputs on both sides.
llvm::Error checkList(llvm::StringRef what, llvm::ArrayRef<TensorPlacement> list, size_t parallel, size_t single) {
  std::vector<bool> seen(parallel, false);
  for (const TensorPlacement &placement : list) {
    if (placement.position >= parallel || placement.single >= single)
      return placementError(what + llvm::Twine(" '") + placement.of + "' is at position " +
                                llvm::Twine(placement.position) + " and at " + llvm::Twine(placement.single) +
                                " of the single graph, expected positions below " + llvm::Twine(parallel) + " and " +
                                llvm::Twine(single),
                            "positions count the " + what + "s of each graph from 0");
    if (seen[placement.position])
      return placementError("two placements are of " + what + llvm::Twine(" ") + llvm::Twine(placement.position),
                            "each " + what + " has one placement");
    seen[placement.position] = true;
  }
  for (size_t i = 0; i != parallel; ++i)
    if (!seen[i])
      return placementError("no placement is of " + what + llvm::Twine(" ") + llvm::Twine(i) + " of the parallel graph",
                            "add it to the list '" + what + "s' of the placements");
  return llvm::Error::success();
}

/// Compares one output of all ranks with that of the single step.
class OutputCheck {
public:
  OutputCheck(const StepComparison &comparison, const Trial &trial, const TensorPlacement &placement)
      : mesh_(comparison.placements.mesh), trial_(trial), placement_(placement) {}

  llvm::Expected<std::optional<WrongOutput>> run() {
    const Value &single = trial_.single.front().outputs[placement_.single];
    const bool isTensor = single.is(Value::Type::Tensor);
    if (isTensor)
      whole_ = read(single.tensor);
    const int64_t ranks = numRanks(mesh_);
    for (int64_t rank = 0; rank != ranks; ++rank) {
      const Value &value = trial_.ranks[static_cast<size_t>(rank)].outputs[placement_.position];
      if (value.is(Value::Type::Tensor) != isTensor)
        return placementError("output '" + placement_.of + "' is a tensor on one side only",
                              "correct the positions of this output");
      if (!isTensor)
        continue;
      llvm::Expected<std::optional<WrongOutput>> wrong = checkRank(rank);
      if (!wrong || *wrong)
        return wrong;
    }
    return std::nullopt;
  }

private:
  [[nodiscard]] Array outputOf(int64_t rank) const {
    return asPairs(read(trial_.ranks[static_cast<size_t>(rank)].outputs[placement_.position].tensor));
  }

  /// The value of a rank after the sums over the axes on which the output is partial.
  [[nodiscard]] Array totalOf(int64_t rank) const {
    std::vector<std::vector<int64_t>> members = {coordinatesOf(rank, mesh_)};
    Word share = fromPlain(1);
    for (size_t axis = 0; axis != mesh_.size(); ++axis) {
      AxisPlacement::Kind kind = placement_.axes[axis].kind;
      if (kind != AxisPlacement::Kind::PartialSum && kind != AxisPlacement::Kind::PartialAvg)
        continue;
      if (kind == AxisPlacement::Kind::PartialAvg)
        share = multiply(share, Field(0).inverse(numberOfInteger(mesh_[axis].size)));
      std::vector<std::vector<int64_t>> more;
      for (std::vector<int64_t> coordinates : members)
        for (coordinates[axis] = 0; coordinates[axis] != mesh_[axis].size; ++coordinates[axis])
          more.push_back(coordinates);
      members = std::move(more);
    }
    Array sum = outputOf(rankAt(members.front(), mesh_));
    if (members.size() == 1)
      return sum;
    for (llvm::ArrayRef<int64_t> coordinates : llvm::ArrayRef(members).drop_front())
      sum = addedArrays(sum, outputOf(rankAt(coordinates, mesh_)));
    return scaledArray(sum, share);
  }

  llvm::Expected<std::optional<WrongOutput>> checkRank(int64_t rank) {
    TensorPlacement cut = placement_;
    for (AxisPlacement &placement : cut.axes)
      if (placement.kind != AxisPlacement::Kind::Shard)
        placement = {};
    llvm::Expected<Array> wanted = partOf(whole_, cut, mesh_, rank, {});
    if (!wanted)
      return placementError("output '" + placement_.of + "' cannot be cut: " + llvm::toString(wanted.takeError()),
                            "correct its placement");
    const bool isComplex = wanted->kind == Kind::Complex;
    *wanted = asPairs(*wanted);
    Array got = outputOf(rank);
    llvm::Expected<Array> first = partOf(whole_, cut, mesh_, 0, {});
    const bool isPadded = first && isPaddedShard(got.sizes, wanted->sizes, asPairs(*first).sizes);
    llvm::consumeError(first.takeError());
    if (isPadded)
      got = withoutPadding(got, wanted->sizes);
    if (got.sizes != wanted->sizes || got.kind != wanted->kind)
      return placementError("output '" + placement_.of + "' has the sizes " + intListText(got.sizes) + " on rank " +
                                llvm::Twine(rank) + ", its placement gives " + intListText(wanted->sizes),
                            "correct its placement or its position");
    got = totalOf(rank);
    if (isPadded)
      got = withoutPadding(got, wanted->sizes);
    std::optional<int64_t> index = firstDifference(got, *wanted);
    if (!index)
      return std::nullopt;
    WrongOutput wrong{placement_.of, rank, indicesOf(*index, got), false};
    if (isComplex)
      wrong.element.pop_back();
    wrong.replicasDiffer = replicasDiffer();
    return std::optional(std::move(wrong));
  }

  /// Returns true if ranks that should hold equal values do not.
  [[nodiscard]] bool replicasDiffer() const {
    for (int64_t rank = 0; rank != numRanks(mesh_); ++rank) {
      std::vector<int64_t> coordinates = coordinatesOf(rank, mesh_);
      for (size_t axis = 0; axis != mesh_.size(); ++axis)
        if (placement_.axes[axis].kind == AxisPlacement::Kind::Replicate)
          coordinates[axis] = 0;
      if (!sameWords(outputOf(rank), outputOf(rankAt(coordinates, mesh_))))
        return true;
    }
    return false;
  }

  llvm::ArrayRef<NamedAxis> mesh_;
  const Trial &trial_;
  const TensorPlacement &placement_;
  Array whole_;
};

} // namespace

bool Trial::differs() const {
  return llvm::any_of(wrong, [](const std::optional<WrongOutput> &output) { return output.has_value(); });
}

bool Trial::drawsRandom() const {
  return llvm::any_of(ranks, [](const RankValues &rank) { return rank.draws != 0; }) ||
         llvm::any_of(single, [](const RankValues &rank) { return rank.draws != 0; });
}

llvm::Error checkMesh(llvm::ArrayRef<RankStep> ranks, llvm::ArrayRef<NamedAxis> mesh) {
  if (numRanks(mesh) == static_cast<int64_t>(ranks.size()))
    return llvm::Error::success();
  return placementError("the mesh has " + llvm::Twine(numRanks(mesh)) + " ranks, the job has " +
                            llvm::Twine(ranks.size()),
                        "state the mesh in the placements: \"mesh\": {\"axes\": [\"dp\", \"tp\"], \"sizes\": [2, 4]}");
}

llvm::Error checkForm(llvm::ArrayRef<RankStep> ranks, const StepPlacements &placements, const StepSize &whole) {
  if (needsJoining(placements))
    return placementError("the placements are of stages or of microbatches", "join them first (joinSteps)");
  const Graph &parallel = *ranks.front().graph;
  if (llvm::Error error = checkMesh(ranks, placements.mesh))
    return error;
  if (llvm::Error error = checkList("input", placements.inputs, placeholdersOf(parallel).size(), whole.inputs))
    return error;
  return checkList("output", placements.outputs, outputLeavesOf(parallel).size(), whole.outputs);
}

llvm::Error checkPlacements(const StepComparison &comparison) {
  const StepSize whole{placeholdersOf(*comparison.single).size(), outputLeavesOf(*comparison.single).size()};
  return checkForm(comparison.ranks, comparison.placements, whole);
}

/// Runs the step of one device.
static llvm::Expected<std::vector<Array>> runSingle(const StepComparison &comparison, Trial &trial) {
  llvm::Expected<std::vector<Array>> whole = makeInputs(*comparison.single, trial.evaluator.field());
  trial.ofSingle = true;
  if (!whole) {
    trial.problem = Problem{nullptr, 0, llvm::toString(whole.takeError())};
    return std::vector<Array>();
  }
  if (trial.labels != LabelChoice::None)
    for (const IgnoredLabels &labels : ignoredLabelsOf(comparison))
      (*whole)[labels.single] = withIgnoredLabels((*whole)[labels.single], labels, trial.labels, comparison.placements);
  std::vector<Value> inputs(whole->begin(), whole->end());
  const GroupTable none;
  trial.problem = runJob(trial.evaluator, {{comparison.single, &none, 0, trial.keepsValues, trial.checksSizes}},
                         {inputs}, trial.single);
  trial.ofSingle = trial.problem.has_value();
  return whole;
}

std::vector<int64_t> indicesOf(int64_t position, const Array &array) {
  std::vector<int64_t> indices;
  for (int64_t stride : contiguousStrides(array.sizes)) {
    indices.push_back(position / stride);
    position %= stride;
  }
  return indices;
}

llvm::Expected<std::optional<WrongOutput>> checkOutput(const StepComparison &comparison, const Trial &trial,
                                                       const TensorPlacement &placement) {
  return OutputCheck(comparison, trial, placement).run();
}

llvm::Error runTrial(const StepComparison &comparison, Trial &trial) {
  llvm::Expected<std::vector<Array>> whole =
      comparison.reference ? runReference(comparison, trial) : runSingle(comparison, trial);
  if (!whole)
    return whole.takeError();
  if (trial.problem)
    return llvm::Error::success();
  trial.whole = std::move(*whole);
  FormRun run{&trial.evaluator, trial.whole, trial.keepsValues, trial.checksSizes, {}, &trial.padsShards};
  llvm::Expected<std::optional<Problem>> problem = runForm(comparison.ranks, comparison.placements, run, trial.ranks);
  if (!problem)
    return problem.takeError();
  trial.problem = std::move(*problem);
  if (trial.problem)
    return llvm::Error::success();
  for (const TensorPlacement &placement : comparison.placements.outputs) {
    if (std::optional<WrongOutput> differing = replicasOfReference(comparison, trial, placement)) {
      trial.wrong.emplace_back(std::move(*differing));
      continue;
    }
    llvm::Expected<std::optional<WrongOutput>> wrong = checkOutput(comparison, trial, placement);
    if (!wrong)
      return wrong.takeError();
    trial.wrong.push_back(std::move(*wrong));
  }
  return llvm::Error::success();
}

} // namespace ccgraph::equality
