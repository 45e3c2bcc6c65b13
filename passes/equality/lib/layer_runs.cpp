#include "layer_runs.h"

#include "ring.h"
#include "step_nodes.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace ccgraph::equality {
namespace {

/// A run of fewer layers is none.
constexpr int64_t fewestLayers = 4;

/// The most common difference of neighbours, where both are there.
std::optional<int64_t> commonStep(llvm::ArrayRef<int64_t> positions) {
  std::map<int64_t, int64_t> count;
  for (size_t k = 0; k + 1 < positions.size(); ++k)
    if (positions[k] >= 0 && positions[k + 1] >= 0)
      ++count[positions[k + 1] - positions[k]];
  auto best =
      std::max_element(count.begin(), count.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
  return best == count.end() ? std::nullopt : std::optional(best->first);
}

/// Leaves the positions of the longest stretch of layers whose neighbours differ by `step`; the others become negative.
void keepStretch(std::vector<int64_t> &positions, int64_t step) {
  size_t best = 0, length = 0;
  for (size_t begin = 0; begin != positions.size();) {
    size_t end = begin + 1;
    while (end != positions.size() && positions[begin] >= 0 && positions[end] - positions[end - 1] == step)
      ++end;
    if (positions[begin] >= 0 && end - begin > length)
      best = begin, length = end - begin;
    begin = end;
  }
  for (size_t k = 0; k != positions.size(); ++k)
    if (k < best || k >= best + length)
      positions[k] = -1;
}

} // namespace

std::optional<LayerName> layerNameOf(llvm::StringRef name) {
  size_t begin = name.find_first_of("0123456789");
  // A tracer counts inputs, not layers.
  if (begin == llvm::StringRef::npos || isOneOfWords(name.take_front(begin), {"arg", "primals_", "tangents_"}))
    return std::nullopt;
  size_t end = std::min(name.size(), name.find_first_not_of("0123456789", begin));
  LayerName layer;
  if (name.slice(begin, end).getAsInteger(10, layer.layer))
    return std::nullopt;
  layer.family = (name.take_front(begin) + "#" + name.drop_front(end)).str();
  return layer;
}

LayerRuns::LayerRuns(const Graph &graph, llvm::ArrayRef<std::vector<Node *>> inputs)
    : nodes_(graph.nodes()), position_(graph.idLimit(), -1), places_(graph.idLimit()), keys_(graph.idLimit(), 0) {
  for (size_t i = 0; i != nodes_.size(); ++i) {
    position_[nodes_[i]->id()] = static_cast<int64_t>(i);
    uint64_t type = reinterpret_cast<uintptr_t>(nodes_[i]->type());
    keys_[nodes_[i]->id()] = mix(hashText(literalsOf(*nodes_[i])), type);
  }
  layers_ = inputs.empty() ? 0 : static_cast<int64_t>(inputs.front().size());
  for (const std::vector<Node *> &family : inputs) {
    Run run;
    for (const Node *node : family)
      run.start.push_back(position_[node->id()]);
    label(run);
  }
  discover();
}

Node *LayerRuns::at(const LayerPlace &place) const {
  if (place.run < 0 || place.layer < 0 || place.layer >= layers_)
    return nullptr;
  int64_t start = runs_[static_cast<size_t>(place.run)].start[static_cast<size_t>(place.layer)];
  return start < 0 ? nullptr : nodes_[static_cast<size_t>(start + place.offset)];
}

bool LayerRuns::collectsLayers(const Node &node) const {
  std::map<std::pair<int, int64_t>, std::set<int64_t>> layers;
  for (const Node *operand : node.dataOperands())
    if (const LayerPlace &place = placeOf(*operand); place.run >= 0)
      layers[{place.run, place.offset}].insert(place.layer);
  return llvm::any_of(layers, [](const auto &entry) { return entry.second.size() > 2; });
}

void LayerRuns::label(const Run &run) {
  for (int64_t layer = 0; layer != layers_; ++layer)
    for (int64_t offset = 0; offset != run.width && run.start[static_cast<size_t>(layer)] >= 0; ++offset) {
      const Node *node = nodes_[static_cast<size_t>(run.start[static_cast<size_t>(layer)] + offset)];
      places_[node->id()] = {static_cast<int>(runs_.size()), layer, offset};
    }
  runs_.push_back(run);
}

void LayerRuns::discover() {
  for (size_t run = 0; run != runs_.size(); ++run)
    for (int64_t offset = 0; offset != runs_[run].width; ++offset)
      addRunsFrom(static_cast<int>(run), offset);
}

/// Returns the positions of the users that are in no window, ascending, for each layer.
std::vector<std::vector<int64_t>> LayerRuns::usersByLayer(int run, int64_t offset) const {
  std::vector<std::vector<int64_t>> users(static_cast<size_t>(layers_));
  for (int64_t layer = 0; layer != layers_; ++layer)
    if (const Node *node = at({run, layer, offset})) {
      std::vector<int64_t> &mine = users[static_cast<size_t>(layer)];
      for (const Use &use : node->uses())
        if (const Node *user = use.user();
            user->opcode() == Opcode::CallFunction && placeOf(*user).run < 0 && !collectsLayers(*user))
          mine.push_back(position_[user->id()]);
      llvm::sort(mine);
      mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    }
  return users;
}

void LayerRuns::addRunsFrom(int run, int64_t offset) {
  std::vector<std::vector<int64_t>> users = usersByLayer(run, offset);
  std::map<size_t, int64_t> count;
  for (const std::vector<int64_t> &mine : users)
    ++count[mine.size()];
  size_t usual = std::max_element(count.begin(), count.end(), [](const auto &a, const auto &b) {
                   return a.second < b.second;
                 })->first;
  for (size_t ordinal = 0; ordinal != usual; ++ordinal) {
    std::vector<int64_t> positions;
    for (const std::vector<int64_t> &mine : users) {
      bool isUsual = mine.size() == usual && placeOf(*nodes_[static_cast<size_t>(mine[ordinal])]).run < 0;
      positions.push_back(isUsual ? mine[ordinal] : -1);
    }
    addRun(std::move(positions));
  }
}

bool LayerRuns::isFree(int64_t start, int64_t width) const {
  for (int64_t position = start; position != start + width; ++position)
    if (position >= static_cast<int64_t>(nodes_.size()) ||
        nodes_[static_cast<size_t>(position)]->opcode() != Opcode::CallFunction ||
        placeOf(*nodes_[static_cast<size_t>(position)]).run >= 0)
      return false;
  return true;
}

void LayerRuns::addRun(std::vector<int64_t> positions) {
  std::optional<int64_t> step = commonStep(positions);
  if (!step || *step == 0)
    return;
  Run run;
  run.width = std::abs(*step);
  for (int64_t &position : positions)
    if (position >= 0 && !isFree(position, run.width))
      position = -1;
  keepStretch(positions, *step);
  if (llvm::count_if(positions, [](int64_t position) { return position >= 0; }) < fewestLayers)
    return;
  run.start = std::move(positions);
  label(run);
}

bool LayerRuns::isShifted(const Node &node, const Node &next) const {
  if (keys_[node.id()] != keys_[next.id()] || node.numOperands() != next.numOperands())
    return false;
  for (unsigned i = 0; i != node.numOperands(); ++i) {
    const Node *mine = node.operand(i), *other = next.operand(i);
    const LayerPlace &a = placeOf(*mine), &b = placeOf(*other);
    if (mine != other && (a.run < 0 || a.run != b.run || a.offset != b.offset || b.layer != a.layer + 1))
      return false;
  }
  return true;
}

std::vector<bool> LayerRuns::repeats() const {
  std::vector<bool> same(static_cast<size_t>(std::max<int64_t>(layers_ - 1, 0)), true);
  for (size_t run = 0; run != runs_.size(); ++run)
    for (size_t layer = 0; layer != same.size(); ++layer)
      for (int64_t offset = 0; offset != runs_[run].width && same[layer]; ++offset) {
        LayerPlace place{static_cast<int>(run), static_cast<int64_t>(layer), offset};
        LayerPlace further{place.run, place.layer + 1, offset};
        const Node *node = at(place), *next = at(further);
        same[layer] = node && next &&
                      (node->opcode() == Opcode::Placeholder ? node->type() == next->type() : isShifted(*node, *next));
      }
  return same;
}

} // namespace ccgraph::equality
