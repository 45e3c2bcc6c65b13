#include "output_match.h"

#include "cut_candidates.h"

#include "ccgraph/equality/output_candidates.h"
#include "ccgraph/ir/signature.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/ir/work.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

namespace ccgraph {
namespace {

using Kind = AxisPlacement::Kind;

bool isPartial(const AxisPlacement &placement) {
  return placement.kind == Kind::PartialSum || placement.kind == Kind::PartialAvg;
}
bool hasPartial(const TensorPlacement &placement) { return llvm::any_of(placement.axes, isPartial); }

/// Returns the positions of the inputs of the same sizes from which a value is computed element by element.
std::set<size_t> updatedInputs(const Graph &graph, const Node *output) {
  std::optional<IntList> sizes = knownSizes(output);
  std::set<const Node *> seen;
  std::vector<const Node *> work = {output};
  std::set<size_t> found;
  const std::vector<const Node *> inputs = placeholdersOf(graph);
  while (sizes && !work.empty()) {
    const Node *node = work.back();
    work.pop_back();
    if (knownSizes(node) != sizes || !seen.insert(node).second)
      continue;
    if (node->opcode() == Opcode::Placeholder)
      found.insert(static_cast<size_t>(llvm::find(inputs, node) - inputs.begin()));
    else if (node->opcode() == Opcode::CallFunction && workFamily(*node->op()) == WorkFamily::Pointwise)
      for (const Node *operand : node->dataOperands())
        work.push_back(operand);
  }
  return found;
}

} // namespace

OutputMatcher::OutputMatcher(const equality::StepComparison &comparison, const InputMatches &inputs)
    : mesh_(comparison.placements.mesh), ones_(outputLeavesOf(*comparison.single)) {
  for (const equality::RankStep &rank : comparison.ranks) {
    ofRanks_.push_back(outputLeavesOf(*rank.graph));
    if (problem_.empty() && ofRanks_.back().size() != ones_.size())
      problem_ = "a rank has " + counted(ofRanks_.back().size(), "output") + ", the single step has " +
                 std::to_string(ones_.size());
  }
  for (const Node *input : placeholdersOf(*comparison.single))
    if (std::optional<IntList> sizes = knownSizes(input))
      hasNumberInput_ |= productOf(*sizes) == 1 && classOf(input->type()->dtype()) == DTypeClass::Float;
  if (!problem_.empty())
    return;
  matchUpdates(comparison, inputs);
  matchPositions();
}

void OutputMatcher::matchUpdates(const equality::StepComparison &comparison, const InputMatches &inputs) {
  std::vector<size_t> toSingle(inputs.inputs.size());
  for (const MatchedInput &input : inputs.inputs)
    toSingle[input.position] = input.single;
  std::map<std::set<size_t>, std::vector<size_t>> byUpdate;
  for (size_t i = 0; i != ones_.size(); ++i)
    byUpdate[updatedInputs(*comparison.single, ones_[i])].push_back(i);
  for (const Node *output : ofRanks_.front()) {
    std::set<size_t> updated;
    for (size_t input : updatedInputs(*comparison.ranks.front().graph, output))
      updated.insert(toSingle[input]);
    isUpdate_.push_back(!updated.empty());
    auto same = byUpdate.find(updated);
    const bool isOne = !updated.empty() && same != byUpdate.end() && same->second.size() == 1;
    partners_.push_back(isOne ? std::optional(same->second.front()) : std::nullopt);
  }
}

void OutputMatcher::matchPositions() {
  std::vector<bool> isTaken(ones_.size(), false);
  for (std::optional<size_t> &partner : partners_) {
    if (partner && isTaken[*partner])
      partner.reset();
    if (partner)
      isTaken[*partner] = true;
  }
  size_t next = 0;
  for (size_t position = 0; position != partners_.size(); ++position) {
    if (partners_[position])
      continue;
    while (isTaken[next])
      ++next;
    const size_t single = isTaken[position] ? next : position;
    partners_[position] = single;
    isTaken[single] = true;
  }
}

std::string OutputMatcher::textOf(size_t position) const {
  const Node *node = ofRanks_.front()[position];
  return "output " + std::to_string(position) + (node ? " (" + node->name().str().str() + ")" : "");
}

std::vector<TensorPlacement> OutputMatcher::candidates(size_t position, size_t single, Partials partials) const {
  std::vector<const Node *> parts;
  for (const std::vector<const Node *> &outputs : ofRanks_)
    parts.push_back(outputs[position]);
  std::vector<TensorPlacement> found;
  if (!ones_[single])
    found.emplace_back().axes.resize(mesh_.size());
  else
    found = cutsOf(ones_[single], parts, mesh_);
  if (partials == Partials::All)
    for (size_t axis = 0; axis != mesh_.size(); ++axis)
      for (size_t i = 0, count = found.size(); i != count; ++i)
        if (found[i].axes[axis].kind == Kind::Replicate)
          for (Kind kind : {Kind::PartialAvg, Kind::PartialSum}) {
            found.push_back(found[i]);
            found.back().axes[axis].kind = kind;
          }
  for (TensorPlacement &placement : found) {
    placement.position = position;
    placement.single = single;
    placement.of = textOf(position);
  }
  return found;
}

bool OutputMatcher::mayBePartial(size_t position) const {
  std::optional<IntList> sizes = knownSizes(ofRanks_.front()[position]);
  return sizes && sizes->empty() && !hasNumberInput_;
}

llvm::Expected<std::optional<std::vector<TensorPlacement>>>
OutputMatcher::heldOutputs(const equality::StepComparison &comparison) const {
  std::vector<TensorPlacement> all;
  for (size_t position = 0; position != partners_.size(); ++position)
    for (TensorPlacement &placement :
         candidates(position, *partners_[position], mayBePartial(position) ? Partials::All : Partials::None))
      all.push_back(std::move(placement));
  llvm::Expected<std::vector<bool>> holds = equality::holdingOutputs(comparison, all);
  if (!holds)
    return holds.takeError();
  std::vector<TensorPlacement> chosen;
  for (size_t i = 0; i != holds->size(); ++i)
    if ((*holds)[i] && chosen.size() == all[i].position)
      chosen.push_back(all[i]);
  if (chosen.size() != partners_.size())
    return std::optional<std::vector<TensorPlacement>>();
  return std::optional(std::move(chosen));
}

std::vector<TensorPlacement> OutputMatcher::allCandidates(size_t position) const {
  std::vector<TensorPlacement> all;
  for (size_t single = 0; single != ones_.size(); ++single)
    if ((ones_[single] != nullptr) == (ofRanks_.front()[position] != nullptr))
      for (TensorPlacement &placement :
           candidates(position, single, single == *partners_[position] ? Partials::All : Partials::None))
        all.push_back(std::move(placement));
  return all;
}

bool OutputMatcher::isExpected(const TensorPlacement &placement) const {
  return placement.single == *partners_[placement.position] &&
         (!hasPartial(placement) || mayBePartial(placement.position));
}

std::string OutputMatcher::hintText(const TensorPlacement &placement) const {
  const size_t expected = *partners_[placement.position];
  std::string text = textOf(placement.position) + " is equal to ";
  if (placement.single != expected)
    return text + "output " + std::to_string(placement.single) + " of the single step, where output " +
           std::to_string(expected) + " was expected";
  text += "that of the single step as";
  for (size_t axis = 0; axis != mesh_.size(); ++axis)
    if (isPartial(placement.axes[axis]))
      text += " " + placementText(placement.axes[axis]) + " over " + mesh_[axis].name;
  return text;
}

/// Adds how one output is held, or what would make it equal. `holding`: the candidates that hold.
void OutputMatcher::explainOutput(size_t position, llvm::ArrayRef<TensorPlacement> holding, Explanation &result) const {
  const auto *expected = llvm::find_if(holding, [&](const TensorPlacement &held) { return isExpected(held); });
  if (expected != holding.end()) {
    result.placements.push_back(*expected);
    return;
  }
  std::vector<TensorPlacement> fitting = candidates(position, *partners_[position], Partials::None);
  if (!fitting.empty())
    result.placements.push_back(fitting.front());
  // The mean of updated parameters is that of the single step even where gradients are not reduced.
  const auto *hint =
      llvm::find_if(holding, [&](const TensorPlacement &held) { return !hasPartial(held) || !isUpdate_[position]; });
  if (hint != holding.end())
    result.hints.push_back(hintText(*hint));
  else if (fitting.empty())
    result.hints.push_back(textOf(position) + " of a rank is no cut of output " + std::to_string(*partners_[position]) +
                           " of the single step");
}

llvm::Expected<OutputMatcher::Explanation> OutputMatcher::explain(const equality::StepComparison &comparison) const {
  std::vector<TensorPlacement> all;
  for (size_t position = 0; position != partners_.size(); ++position)
    for (TensorPlacement &placement : allCandidates(position))
      all.push_back(std::move(placement));
  llvm::Expected<std::vector<bool>> holds = equality::holdingOutputs(comparison, all);
  if (!holds)
    return holds.takeError();
  std::vector<std::vector<TensorPlacement>> holding(partners_.size());
  for (size_t i = 0; i != holds->size(); ++i)
    if ((*holds)[i])
      holding[all[i].position].push_back(all[i]);
  Explanation result;
  for (size_t position = 0; position != partners_.size(); ++position)
    explainOutput(position, holding[position], result);
  return result;
}

std::vector<std::string> OutputMatcher::assumptions(llvm::ArrayRef<TensorPlacement> outputs,
                                                    llvm::ArrayRef<NamedAxis> mesh) const {
  std::vector<std::string> texts;
  for (const TensorPlacement &output : outputs)
    for (size_t axis = 0; axis != mesh.size(); ++axis)
      if (isPartial(output.axes[axis]))
        texts.push_back(output.of + " is meant to be " + placementText(output.axes[axis]) + " over " + mesh[axis].name);
  return texts;
}

} // namespace ccgraph
