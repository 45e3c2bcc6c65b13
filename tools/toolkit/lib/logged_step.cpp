#include "ccgraph/toolkit/logged_step.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using llvm::StringRef;

namespace ccgraph {
namespace {

/// From this stage on, a graph is Inductor's own result: the graph after its post-grad passes.
constexpr unsigned inductorStage = 8;

using ByStage = std::map<unsigned, std::vector<size_t>>;
using PartKey = std::pair<std::string, GraphRole>; ///< a compilation and a role

/// Splits "0/0_1" into "0/0" and 1.
std::pair<StringRef, unsigned> splitAttempt(StringRef compileId) {
  auto [compilation, text] = compileId.split('_');
  unsigned attempt = 0;
  text.getAsInteger(10, attempt);
  return {compilation, attempt};
}

/// Sorts the graphs of one rank by compilation and role, and pairs the stages of each.
class StepFinder {
public:
  StepFinder(llvm::ArrayRef<ListedGraph> graphs, size_t chosen) : graphs_(graphs), chosen_(chosen) {}

  LoggedTrainingStep find() {
    noteAttempts();
    sortByPart();
    for (const auto &[key, stages] : parts_)
      if (isOfStep(key))
        addPart(key, stages);
    dropUncompiled();
    return std::move(step_);
  }

private:
  [[nodiscard]] bool isOfRank(const ListedGraph &graph) const {
    const ListedGraph &chosen = graphs_[chosen_];
    return graph.file == chosen.file && graph.rank == chosen.rank;
  }

  void noteAttempts() {
    for (const ListedGraph &graph : graphs_)
      if (isOfRank(graph)) {
        auto [compilation, attempt] = splitAttempt(graph.compileId);
        unsigned &last = lastAttempt_[compilation.str()];
        last = std::max(last, attempt);
      }
  }

  [[nodiscard]] bool isOfLastAttempt(const ListedGraph &graph) const {
    auto [compilation, attempt] = splitAttempt(graph.compileId);
    return attempt == lastAttempt_.at(compilation.str());
  }

  void sortByPart() {
    for (size_t i = 0; i != graphs_.size(); ++i) {
      const ListedGraph &graph = graphs_[i];
      if (graph.stage == 0 || !isOfRank(graph) || (i != chosen_ && !isOfLastAttempt(graph)))
        continue;
      if (graph.leftOut.empty())
        parts_[{graph.compileId, graph.role}][graph.stage].push_back(i);
      else if (graph.stage >= inductorStage)
        unread_.push_back(graph.compileId);
    }
  }

  [[nodiscard]] bool has(StringRef compileId, GraphRole role) const {
    return parts_.find({compileId.str(), role}) != parts_.end();
  }

  /// A joint graph replaces forward and backward only if it is the chosen graph, or the log has no others.
  [[nodiscard]] bool isOfStep(const PartKey &key) const {
    const auto &[compileId, role] = key;
    const ListedGraph &chosen = graphs_[chosen_];
    bool jointIsChosen = chosen.role == GraphRole::Joint && chosen.compileId == compileId;
    bool isHalf = role == GraphRole::Forward || role == GraphRole::Backward;
    if (role == GraphRole::Joint)
      return jointIsChosen || !(has(compileId, GraphRole::Forward) || has(compileId, GraphRole::Backward));
    return !(isHalf && jointIsChosen);
  }

  // One compilation may contain several graphs of a role, as DDP's splits do. Their stages are matched by position; a
  // stage that did not print all of them cannot be matched.
  void addPart(const PartKey &key, const ByStage &stages) {
    size_t count = 0;
    for (const auto &[stage, indices] : stages)
      count = std::max(count, indices.size());
    for (size_t i = 0; i != count; ++i) {
      std::vector<size_t> matched;
      for (const auto &[stage, indices] : stages)
        if (indices.size() == count)
          matched.push_back(indices[i]);
      addGraph(key, matched);
    }
  }

  void addGraph(const PartKey &key, llvm::ArrayRef<size_t> stages) {
    TrainingStepGraph graph{key.second, key.first};
    graph.start = startOf(stages);
    for (size_t index : stages)
      if (graphs_[index].stage >= inductorStage)
        graph.inductor = {index};
    if (key.second == GraphRole::Joint)
      graph.inductor = inductorsOf(key.first);
    if (llvm::is_contained(stages, chosen_))
      step_.chosen = step_.graphs.size();
    step_.graphs.push_back(std::move(graph));
  }

  [[nodiscard]] size_t startOf(llvm::ArrayRef<size_t> stages) const {
    if (llvm::is_contained(stages, chosen_))
      return chosen_;
    unsigned stage = fullestStage(graphs_, stages);
    return *llvm::find_if(stages, [&](size_t index) { return graphs_[index].stage == stage; });
  }

  /// Returns the results for forward and backward of a compilation; empty if one of them has none.
  [[nodiscard]] std::vector<size_t> inductorsOf(const std::string &compileId) const {
    std::vector<size_t> found;
    for (GraphRole role : {GraphRole::Forward, GraphRole::Backward}) {
      auto part = parts_.find({compileId, role});
      if (part == parts_.end() || part->second.rbegin()->first < inductorStage)
        return {};
      llvm::append_range(found, part->second.rbegin()->second);
    }
    return found;
  }

  void dropUncompiled() {
    bool anyCompiled =
        llvm::any_of(step_.graphs, [](const TrainingStepGraph &graph) { return !graph.inductor.empty(); });
    std::vector<TrainingStepGraph> kept;
    const size_t chosen = step_.chosen;
    for (size_t i = 0; i != step_.graphs.size(); ++i) {
      TrainingStepGraph &graph = step_.graphs[i];
      if (anyCompiled && graph.inductor.empty() && i != chosen && !llvm::is_contained(unread_, graph.compileId))
        continue;
      if (i == chosen)
        step_.chosen = kept.size();
      kept.push_back(std::move(graph));
    }
    step_.graphs = std::move(kept);
  }

  llvm::ArrayRef<ListedGraph> graphs_;
  size_t chosen_;
  std::map<std::string, unsigned> lastAttempt_; ///< by compilation
  llvm::MapVector<PartKey, ByStage, std::map<PartKey, unsigned>> parts_;
  std::vector<std::string> unread_; ///< compilations with a result of Inductor that could not be read
  LoggedTrainingStep step_;
};

} // namespace

unsigned fullestStage(llvm::ArrayRef<ListedGraph> graphs, llvm::ArrayRef<size_t> indices) {
  std::map<unsigned, size_t> collectives;
  for (size_t i : indices)
    collectives[graphs[i].stage] += graphs[i].collectives;
  auto best = collectives.begin();
  for (auto at = collectives.begin(); at != collectives.end(); ++at)
    if (at->second >= best->second)
      best = at;
  return best->first;
}

std::optional<LoggedTrainingStep> trainingStepOf(llvm::ArrayRef<ListedGraph> graphs, size_t chosen) {
  if (graphs[chosen].stage == 0)
    return std::nullopt;
  LoggedTrainingStep step = StepFinder(graphs, chosen).find();
  bool holds = step.chosen < step.graphs.size() && step.graphs[step.chosen].start == chosen;
  return holds ? std::optional(std::move(step)) : std::nullopt;
}

} // namespace ccgraph
