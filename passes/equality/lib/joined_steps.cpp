#include "ccgraph/equality/joined_steps.h"

#include "form_run.h"
#include "microbatches.h"
#include "stage_merge.h"
#include "trial.h"

#include "ccgraph/ir/signature.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <string>
#include <utility>

namespace ccgraph::equality {
namespace {

bool isAt(const AxisPlacement &placement) { return placement.kind == AxisPlacement::Kind::At; }

std::vector<const TensorPlacement *> allTensorsOf(const StepPlacements &placements) {
  std::vector<const TensorPlacement *> tensors;
  for (const std::vector<TensorPlacement> *list : {&placements.inputs, &placements.outputs})
    for (const TensorPlacement &placement : *list)
      tensors.push_back(&placement);
  return tensors;
}

/// Returns the axis of the stages, of which all tensors state where they are; empty if there is none.
llvm::Expected<std::optional<size_t>> stageAxisOf(const StepPlacements &placements) {
  std::optional<size_t> found;
  for (const TensorPlacement *tensor : allTensorsOf(placements))
    for (size_t axis = 0; axis != tensor->axes.size(); ++axis)
      if (isAt(tensor->axes[axis])) {
        if (found && *found != axis)
          return placementError("tensors are at stages of two axes, '" + placements.mesh[*found].name + "' and '" +
                                    placements.mesh[axis].name + "'",
                                "state at(STAGE) on the axis of the pipeline alone");
        found = axis;
      }
  if (!found)
    return found;
  const NamedAxis &axis = placements.mesh[*found];
  for (const TensorPlacement *tensor : allTensorsOf(placements)) {
    const AxisPlacement &placement = tensor->axes[*found];
    if (!isAt(placement) || placement.coordinate >= axis.size)
      return placementError("'" + tensor->of + "' is " + placementText(placement) + " on the axis '" + axis.name +
                                "' of stages, expected at(0) to at(" + llvm::Twine(axis.size - 1) + ")",
                            "state the stage of every input and output; one that several stages have is listed for "
                            "each of them");
  }
  return found;
}

/// The mesh of a pipeline, and the one of joined ranks, whose axis of stages has one rank.
struct StageMesh {
  llvm::ArrayRef<NamedAxis> given;
  size_t axis = 0;
  std::vector<NamedAxis> joined;

  StageMesh(llvm::ArrayRef<NamedAxis> mesh, size_t axis) : given(mesh), axis(axis), joined(mesh.begin(), mesh.end()) {
    joined[axis].size = 1;
  }
  [[nodiscard]] StageRank stageOf(int64_t rank) const {
    std::vector<int64_t> coordinates = coordinatesOf(rank, given);
    const auto stage = static_cast<size_t>(std::exchange(coordinates[axis], 0));
    return {stage, rankAt(coordinates, joined)};
  }
  [[nodiscard]] int64_t rankOf(int64_t joinedRank, int64_t stage) const {
    std::vector<int64_t> coordinates = coordinatesOf(joinedRank, joined);
    coordinates[axis] = stage;
    return rankAt(coordinates, given);
  }
};

/// Joins the groups of the stages of one joined rank.
class GroupJoin {
public:
  GroupJoin(const StageMesh &mesh, llvm::ArrayRef<StageProgram> stages) : mesh_(mesh), stages_(stages) {}

  /// Returns the name of a group that has other ranks on two stages; empty if there is none.
  std::string run(GroupTable &joined) {
    for (const StageProgram &stage : stages_)
      for (Group group : stage.groups->groups()) {
        std::vector<int64_t> ranks;
        for (int64_t rank : group.members(stage.rank))
          if (const int64_t own = mesh_.stageOf(rank).rank; !llvm::is_contained(ranks, own))
            ranks.push_back(own);
        group.partition.clear();
        group.ranks = std::move(ranks);
        const Group *known = joined.find(group.name);
        if (known && known->ranks != group.ranks)
          return group.name;
        joined.set(std::move(group));
      }
    return "";
  }

private:
  const StageMesh &mesh_;
  llvm::ArrayRef<StageProgram> stages_;
};

/// How many inputs and outputs come before those of each stage.
struct Offsets {
  std::vector<size_t> inputs = {0}, outputs = {0};

  explicit Offsets(llvm::ArrayRef<StageProgram> stages) {
    for (const StageProgram &stage : stages) {
      inputs.push_back(inputs.back() + placeholdersOf(*stage.graph).size());
      outputs.push_back(outputs.back() + outputLeavesOf(*stage.graph).size());
    }
  }
  friend bool operator==(const Offsets &, const Offsets &) = default;
};

/// Moves the tensors of one list to their places in the joined program. Each place of each stage has one of them.
class JoinedPlaces {
public:
  /// `what`: "input" or "output".
  JoinedPlaces(llvm::StringRef what, llvm::ArrayRef<size_t> offsets, const StageMesh &mesh)
      : what_(what), offsets_(offsets), mesh_(mesh) {}

  llvm::Error place(std::vector<TensorPlacement> &list) {
    std::vector<bool> seen(offsets_.back(), false);
    for (TensorPlacement &placement : list) {
      const auto stage = static_cast<size_t>(placement.axes[mesh_.axis].coordinate);
      const size_t count = offsets_[stage + 1] - offsets_[stage], position = placement.position;
      if (position >= count)
        return placementError(what_ + " '" + placement.of + "' is at position " + llvm::Twine(position) + " of stage " +
                                  llvm::Twine(stage) + ", expected a position below " + llvm::Twine(count),
                              "positions count the " + what_ + "s of each stage from 0");
      placement.position += offsets_[stage];
      if (seen[placement.position])
        return placementError("two placements are of " + what_ + " " + llvm::Twine(position) + " of stage " +
                                  llvm::Twine(stage),
                              "each " + what_ + " of a stage has one placement");
      seen[placement.position] = true;
      placement.axes[mesh_.axis] = {};
    }
    for (size_t stage = 0; stage + 1 != offsets_.size(); ++stage)
      for (size_t place = offsets_[stage]; place != offsets_[stage + 1]; ++place)
        if (!seen[place])
          return placementError("no placement is of " + what_ + " " + llvm::Twine(place - offsets_[stage]) +
                                    " of stage " + llvm::Twine(stage),
                                "add it to the list '" + what_ + "s' of the placements");
    return llvm::Error::success();
  }

private:
  const std::string what_;
  llvm::ArrayRef<size_t> offsets_;
  const StageMesh &mesh_;
};

std::vector<StageProgram> stagesOf(llvm::ArrayRef<RankStep> ranks, const StageMesh &mesh, int64_t joined) {
  std::vector<StageProgram> stages;
  for (int64_t stage = 0; stage != mesh.given[mesh.axis].size; ++stage) {
    const int64_t rank = mesh.rankOf(joined, stage);
    const RankStep &step = ranks[static_cast<size_t>(rank)];
    stages.push_back({step.graph, &step.groups, rank, mesh.given[mesh.axis].name + std::to_string(stage)});
  }
  return stages;
}

} // namespace

/// Makes the joined steps.
class StepJoiner {
public:
  StepJoiner(llvm::ArrayRef<RankStep> ranks, const StepPlacements &placements)
      : given_(ranks), placements_(placements) {}

  llvm::Expected<JoinedSteps> run() {
    if (llvm::Error error = checkMesh(given_, placements_.mesh))
      return error;
    llvm::Expected<std::optional<size_t>> axis = stageAxisOf(placements_);
    if (!axis)
      return axis.takeError();
    joined_.placements = placements_;
    joined_.givenMesh_ = placements_.mesh;
    joined_.axis_ = *axis;
    if (llvm::Error error = *axis ? joinStages(StageMesh(placements_.mesh, **axis)) : copyRanks())
      return error;
    if (!joined_.problem.empty())
      return std::move(joined_);
    std::vector<Graph *> graphs;
    for (const std::unique_ptr<Graph> &graph : joined_.graphs_)
      graphs.push_back(graph.get());
    if (llvm::Error error = joinMicrobatches(graphs, joined_.placements))
      return error;
    return std::move(joined_);
  }

private:
  llvm::Error joinStages(const StageMesh &mesh) {
    for (const TensorPlacement &output : placements_.outputs)
      joined_.stageOfOutput_.try_emplace(output.of, output.axes[mesh.axis].coordinate);
    std::optional<Offsets> offsets;
    for (int64_t rank = 0; rank != numRanks(mesh.joined); ++rank) {
      const std::vector<StageProgram> stages = stagesOf(given_, mesh, rank);
      Offsets mine(stages);
      if (offsets && *offsets != mine)
        return placementError("the ranks of a stage have different numbers of inputs or outputs",
                              "give the graphs of one step");
      offsets = std::move(mine);
      mergeFor(stages, mesh);
      if (!joined_.problem.empty())
        return llvm::Error::success();
    }
    joined_.placements.mesh = mesh.joined;
    if (llvm::Error error = JoinedPlaces("input", offsets->inputs, mesh).place(joined_.placements.inputs))
      return error;
    return JoinedPlaces("output", offsets->outputs, mesh).place(joined_.placements.outputs);
  }

  void mergeFor(llvm::ArrayRef<StageProgram> stages, const StageMesh &mesh) {
    MergedStages merged = mergeStages(stages, [&](int64_t rank) { return mesh.stageOf(rank); });
    RankStep step;
    joined_.problem = std::move(merged.problem);
    if (std::string name = GroupJoin(mesh, stages).run(step.groups); !name.empty() && joined_.problem.empty())
      joined_.problem = "group '" + name + "' has other ranks on two stages of one pipeline";
    if (!joined_.problem.empty())
      return;
    std::pair<std::vector<const Graph *>, std::vector<uint64_t>> key;
    for (const StageProgram &stage : stages)
      key.first.push_back(stage.graph);
    key.second = std::move(merged.order);
    auto [known, isNew] = known_.try_emplace(std::move(key), merged.graph.get());
    step.graph = known->second;
    if (isNew) {
      for (const auto &origin : merged.origins)
        joined_.origins_[step.graph][origin.first()] = {static_cast<int64_t>(origin.second.first),
                                                        origin.second.second->name().str().str()};
      joined_.graphs_.push_back(std::move(merged.graph));
    }
    joined_.ranks.push_back(std::move(step));
  }

  llvm::Error copyRanks() {
    if (llvm::Error error = checkPositions())
      return error;
    llvm::DenseMap<const Graph *, const Graph *> copies;
    for (RankStep step : given_) {
      const Graph *&copy = copies[step.graph];
      if (!copy) {
        joined_.graphs_.push_back(step.graph->clone());
        copy = joined_.graphs_.back().get();
      }
      step.graph = copy;
      joined_.ranks.push_back(std::move(step));
    }
    return llvm::Error::success();
  }

  /// Checks that every position has one placement, where there are no stages.
  llvm::Error checkPositions() const {
    StepPlacements anyStep = placements_;
    for (std::vector<TensorPlacement> *list : {&anyStep.inputs, &anyStep.outputs})
      for (TensorPlacement &placement : *list) {
        placement.single = 0;
        placement.microbatch = std::nullopt;
      }
    return checkForm(given_, anyStep, {1, 1});
  }

  llvm::ArrayRef<RankStep> given_;
  const StepPlacements &placements_;
  JoinedSteps joined_;
  std::map<std::pair<std::vector<const Graph *>, std::vector<uint64_t>>, const Graph *> known_;
};

int64_t JoinedSteps::givenRank(int64_t joined, int64_t stage) const {
  return axis_ ? StageMesh(givenMesh_, *axis_).rankOf(joined, stage) : joined;
}

void JoinedSteps::restore(StepPlace &place) const {
  if (!axis_)
    return;
  auto graph = origins_.find(ranks[static_cast<size_t>(place.rank)].graph);
  if (graph == origins_.end())
    return;
  auto origin = graph->second.find(place.node);
  if (origin != graph->second.end())
    place = {givenRank(place.rank, origin->second.stage), origin->second.node, place.source};
  else // the input of which microbatches are parts
    place.rank = givenRank(place.rank, 0);
}

void JoinedSteps::restore(WrongOutput &output) const {
  auto stage = stageOfOutput_.find(output.of);
  output.rank = givenRank(output.rank, stage == stageOfOutput_.end() ? 0 : stage->second);
}

llvm::Expected<JoinedSteps> joinSteps(llvm::ArrayRef<RankStep> ranks, const StepPlacements &placements) {
  return StepJoiner(ranks, placements).run();
}

} // namespace ccgraph::equality
