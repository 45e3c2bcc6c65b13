#include "reference_form.h"

#include "distribute.h"
#include "form_run.h"
#include "inputs.h"
#include "step_nodes.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::equality {
namespace {

/// A placement of an input on one of the two forms.
struct PlacedInput {
  const TensorPlacement *placement;
  llvm::ArrayRef<RankStep> ranks;
  llvm::ArrayRef<NamedAxis> mesh;
};

/// Returns the placements of all inputs on both forms, by TensorPlacement::single.
std::vector<std::vector<PlacedInput>> placedInputs(const StepComparison &comparison) {
  std::vector<std::vector<PlacedInput>> inputs;
  auto add = [&](llvm::ArrayRef<RankStep> ranks, const StepPlacements &placements) {
    for (const TensorPlacement &placement : placements.inputs) {
      inputs.resize(std::max(inputs.size(), placement.single + 1));
      inputs[placement.single].push_back({&placement, ranks, placements.mesh});
    }
  };
  add(comparison.reference->ranks, comparison.reference->placements);
  add(comparison.ranks, comparison.placements);
  return inputs;
}

/// Makes the whole inputs of the two forms.
class WholeInputs {
public:
  explicit WholeInputs(const StepComparison &comparison) : comparison_(comparison) {}

  llvm::Expected<std::vector<Array>> make(const Field &field) {
    std::vector<Array> whole;
    for (const std::vector<PlacedInput> &placed : placedInputs(comparison_)) {
      llvm::Expected<DrawnInput> drawn = describe(placed, whole.size());
      if (!drawn)
        return drawn.takeError();
      llvm::Expected<Array> input = drawInput(*drawn, field);
      if (!input)
        return placementError("input '" + placed.front().placement->of + "' " + llvm::toString(input.takeError()),
                              "capture the step with static shapes");
      whole.push_back(std::move(*input));
    }
    return whole;
  }

private:
  llvm::Expected<DrawnInput> describe(llvm::ArrayRef<PlacedInput> placed, size_t position) {
    // A shape in which a fused weight is cut states the number of elements alone, so other placements come first.
    const auto *first = llvm::find_if(placed, [](const PlacedInput &input) { return input.placement->as.empty(); });
    const PlacedInput &input = first != placed.end() ? *first : placed.front();
    std::vector<IntList> sizes;
    for (size_t rank = 0; rank != input.ranks.size(); ++rank) {
      std::optional<IntList> mine = sizesOn(input, rank);
      if (!mine || (rank != 0 && mine->size() != sizes.front().size()))
        return placementError("input '" + input.placement->of + "' of rank " + llvm::Twine(rank) +
                                  " is no tensor of known sizes, or of other dimensions than that of rank 0",
                              "capture the step with static shapes, and check the position of this input");
      sizes.push_back(std::move(*mine));
    }
    DrawnInput drawn{kindOf(placeholderOf(input, 0)->type()->dtype()), wholeSizes(sizes, *input.placement, input.mesh),
                     position, 0};
    drawn.bound = drawn.kind == Kind::Integer ? boundOf(placed) : 2;
    return drawn;
  }

  /// Integers are below what indices of whole tensors allow; else, below the largest limit of a rank. A rank of a
  /// vocabulary-parallel step indexes its own rows, after it has subtracted where they begin.
  int64_t boundOf(llvm::ArrayRef<PlacedInput> placed) {
    IndexLimit common;
    int64_t largest = 0;
    for (const PlacedInput &input : placed)
      for (size_t rank = 0; rank != input.ranks.size(); ++rank) {
        const std::vector<IndexLimit> &limits = limitsOf(*input.ranks[rank].graph);
        if (input.placement->position >= limits.size())
          continue;
        const IndexLimit &limit = limits[input.placement->position];
        common.direct = std::min(common.direct, limit.direct);
        common.compared = std::max(common.compared, limit.compared);
        if (limit.any != IndexLimit::none)
          largest = std::max(largest, limit.any);
      }
    common.any = largest == 0 ? IndexLimit::none : largest;
    if (common.direct != IndexLimit::none)
      common.any = common.direct;
    return boundOfLimit(common);
  }
  const Node *placeholderOf(const PlacedInput &input, size_t rank) {
    const Graph &graph = *input.ranks[rank].graph;
    auto [place, isNew] = placeholders_.try_emplace(&graph);
    if (isNew)
      place->second = placeholdersOf(graph);
    const std::vector<const Node *> &placeholders = place->second;
    return input.placement->position < placeholders.size() ? placeholders[input.placement->position] : nullptr;
  }
  std::optional<IntList> sizesOn(const PlacedInput &input, size_t rank) {
    const Node *node = placeholderOf(input, rank);
    const Type *type = node ? node->type() : nullptr;
    return type && type->isTensor() ? staticDims(type->sizes()) : std::nullopt;
  }
  const std::vector<IndexLimit> &limitsOf(const Graph &graph) {
    auto [place, isNew] = limits_.try_emplace(&graph);
    if (isNew)
      place->second = indexLimits(graph);
    return place->second;
  }

  const StepComparison &comparison_;
  llvm::DenseMap<const Graph *, std::vector<const Node *>> placeholders_;
  llvm::DenseMap<const Graph *, std::vector<IndexLimit>> limits_;
};

/// Returns the output of one rank; no value for an output that is no tensor.
std::optional<Array> outputOf(const RankValues &rank, size_t position) {
  const Value &value = rank.outputs[position];
  return value.is(Value::Type::Tensor) ? std::optional(read(value.tensor)) : std::nullopt;
}

/// Sets the outputs that the ranks of the reference hold together.
llvm::Error joinOutputs(const ParallelForm &form, Trial &trial) {
  RankValues whole;
  for (const TensorPlacement &placement : form.placements.outputs) {
    whole.outputs.resize(std::max(whole.outputs.size(), placement.single + 1));
    std::vector<Array> parts;
    std::vector<IntList> sizes;
    for (const RankValues &rank : trial.referenceRanks)
      if (std::optional<Array> part = outputOf(rank, placement.position)) {
        sizes.push_back(part->sizes);
        parts.push_back(std::move(*part));
      }
    if (parts.empty())
      continue;
    if (parts.size() != trial.referenceRanks.size())
      return placementError("output '" + placement.of + "' is a tensor on some ranks of the reference only",
                            "give the graphs of one step");
    llvm::Expected<Array> joined = joinedParts(std::move(parts), placement, form.placements.mesh,
                                               wholeSizes(sizes, placement, form.placements.mesh));
    if (!joined)
      return placementError("output '" + placement.of +
                                "' of the reference cannot be joined: " + llvm::toString(joined.takeError()),
                            "correct its placement");
    whole.outputs[placement.single] = Value(*joined);
  }
  for (const RankValues &rank : trial.referenceRanks)
    whole.draws += rank.draws;
  trial.single = {std::move(whole)};
  return llvm::Error::success();
}

/// Joins the values of the ranks over one axis after the other.
class Joins {
public:
  Joins(llvm::ArrayRef<NamedAxis> mesh, llvm::function_ref<void(const Array &)> visit) : mesh_(mesh), visit_(visit) {}

  /// Joins over `axis` and all major ones; a line of ranks has its joined value at its first rank.
  void join(std::vector<Array> arrays, size_t axis) {
    if (axis == 0)
      return visit_(arrays.front());
    --axis;
    const std::vector<std::vector<size_t>> lines = linesOf(axis);
    if (llvm::all_of(lines, [&](llvm::ArrayRef<size_t> line) { return areEqual(arrays, line); }))
      return join(std::move(arrays), axis);
    for (size_t dim = 0; dim != arrays.front().sizes.size(); ++dim)
      if (llvm::all_of(lines, [&](llvm::ArrayRef<size_t> line) { return haveSizes(arrays, line, dim); }))
        join(joined(arrays, lines, [&](llvm::ArrayRef<Array> parts) { return concatenated(parts, dim); }), axis);
  }

private:
  /// The ranks that differ on this axis alone, of lines whose minor coordinates are 0, as those are joined.
  [[nodiscard]] std::vector<std::vector<size_t>> linesOf(size_t axis) const {
    std::vector<std::vector<size_t>> lines;
    for (int64_t rank = 0; rank != numRanks(mesh_); ++rank) {
      std::vector<int64_t> coordinates = coordinatesOf(rank, mesh_);
      if (llvm::any_of(llvm::ArrayRef(coordinates).drop_front(axis), [](int64_t index) { return index != 0; }))
        continue;
      lines.emplace_back();
      for (; coordinates[axis] != mesh_[axis].size; ++coordinates[axis])
        lines.back().push_back(static_cast<size_t>(rankAt(coordinates, mesh_)));
    }
    return lines;
  }
  static bool areEqual(llvm::ArrayRef<Array> arrays, llvm::ArrayRef<size_t> line) {
    return llvm::all_of(line, [&](size_t rank) {
      return arrays[rank].sizes == arrays[line.front()].sizes && sameWords(arrays[rank], arrays[line.front()]);
    });
  }
  /// Returns whether all sizes but that of `dim` are equal on a line.
  static bool haveSizes(llvm::ArrayRef<Array> arrays, llvm::ArrayRef<size_t> line, size_t dim) {
    const IntList &first = arrays[line.front()].sizes;
    return llvm::all_of(line, [&](size_t rank) {
      IntList sizes = arrays[rank].sizes;
      if (sizes.size() != first.size() || arrays[rank].count() == 0)
        return false;
      sizes[dim] = first[dim];
      return sizes == first;
    });
  }
  static std::vector<Array> joined(llvm::ArrayRef<Array> arrays, llvm::ArrayRef<std::vector<size_t>> lines,
                                   llvm::function_ref<Array(llvm::ArrayRef<Array>)> combine) {
    std::vector<Array> result = arrays.vec();
    for (const std::vector<size_t> &line : lines) {
      std::vector<Array> parts;
      for (size_t rank : line)
        parts.push_back(arrays[rank]);
      result[line.front()] = combine(parts);
    }
    return result;
  }

  llvm::ArrayRef<NamedAxis> mesh_;
  llvm::function_ref<void(const Array &)> visit_;
};

void addTensors(const Value &value, std::vector<Array> &arrays) {
  for (const Value &element : value.list)
    addTensors(element, arrays);
  if (value.is(Value::Type::Tensor))
    arrays.push_back(asPairs(read(value.tensor)));
}

} // namespace

llvm::Expected<std::vector<Array>> runReference(const StepComparison &comparison, Trial &trial) {
  llvm::Expected<std::vector<Array>> whole = WholeInputs(comparison).make(trial.evaluator.field());
  if (!whole)
    return whole.takeError();
  const ParallelForm &form = *comparison.reference;
  FormRun run{&trial.evaluator, *whole, trial.keepsValues};
  llvm::Expected<std::optional<Problem>> problem = runForm(form.ranks, form.placements, run, trial.referenceRanks);
  if (!problem)
    return problem.takeError();
  trial.problem = std::move(*problem);
  trial.ofReference = trial.problem.has_value();
  if (!trial.problem)
    if (llvm::Error error = joinOutputs(form, trial))
      return error;
  return whole;
}

std::optional<WrongOutput> replicasOfReference(const StepComparison &comparison, const Trial &trial,
                                               const TensorPlacement &output) {
  if (!comparison.reference)
    return std::nullopt;
  const StepPlacements &placements = comparison.reference->placements;
  const auto *placement = llvm::find_if(llvm::ArrayRef(placements.outputs),
                                        [&](const TensorPlacement &other) { return other.single == output.single; });
  for (size_t rank = 0; rank != trial.referenceRanks.size(); ++rank) {
    std::vector<int64_t> coordinates = coordinatesOf(static_cast<int64_t>(rank), placements.mesh);
    for (size_t axis = 0; axis != coordinates.size(); ++axis)
      if (placement->axes[axis].kind == AxisPlacement::Kind::Replicate)
        coordinates[axis] = 0;
    const auto other = static_cast<size_t>(rankAt(coordinates, placements.mesh));
    std::optional<Array> mine = outputOf(trial.referenceRanks[rank], placement->position);
    std::optional<Array> first = outputOf(trial.referenceRanks[other], placement->position);
    if (!mine || !first || mine->sizes != first->sizes)
      continue;
    if (std::optional<int64_t> index = firstDifference(asPairs(*mine), asPairs(*first)))
      return WrongOutput{output.of, static_cast<int64_t>(rank), indicesOf(*index, *mine), true, true};
  }
  return std::nullopt;
}

void forEachReferenceValue(const StepComparison &comparison, const Trial &trial,
                           llvm::function_ref<void(const Array &)> visit) {
  const ParallelForm &form = *comparison.reference;
  Alignment alignment(form.ranks);
  for (const Node *node : *form.ranks.front().graph) {
    std::vector<std::vector<Array>> ofRanks;
    for (size_t rank = 0; rank != form.ranks.size(); ++rank)
      if (const Node *mine = alignment.on(rank, *node)) {
        ofRanks.emplace_back();
        addTensors(trial.referenceRanks[rank].values[mine->id()], ofRanks.back());
      }
    if (ofRanks.size() != form.ranks.size())
      continue;
    for (size_t i = 0; i != ofRanks.front().size(); ++i) {
      std::vector<Array> arrays;
      for (const std::vector<Array> &rank : ofRanks)
        if (i < rank.size() && rank[i].kind == ofRanks.front()[i].kind)
          arrays.push_back(rank[i]);
      if (arrays.size() == form.ranks.size())
        Joins(form.placements.mesh, visit).join(std::move(arrays), form.placements.mesh.size());
    }
  }
}

} // namespace ccgraph::equality
