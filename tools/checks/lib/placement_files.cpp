#include "ccgraph/checks/placement_files.h"

#include "parallel_ranks.h"

namespace ccgraph {

NamedNode namedNode(const Node *node) {
  if (!node)
    return {};
  return {node->name().str().str(), sourceText(*node)};
}

namespace {

NamedPlacements named(const placements::PlacementAnswer &answer) {
  NamedPlacements result{answer.mesh, {}, {}, answer.undecided, answer.assumed};
  for (const placements::PlacedValue &value : answer.values) {
    std::string name = value.node->name().str().str();
    const bool isList = value.element != 0 || (value.node->type() && value.node->type()->isList());
    result.values.push_back({isList ? name + "[" + std::to_string(value.element) + "]" : name, value.axes});
  }
  for (const placements::PlacementFinding &finding : answer.findings)
    result.findings.push_back({finding.kind, answer.mesh[finding.axis].name, namedNode(finding.node),
                               namedNode(finding.operand), finding.text, finding.repair});
  return result;
}

} // namespace

llvm::Expected<NamedPlacements> inferPlacementsOfFiles(const PlacementFiles &files, Diagnostics &warnings) {
  ParallelRanks ranks("placements.input", warnings);
  if (llvm::Error error = ranks.readFiles(files.graphs, files.groups))
    return error;
  llvm::Expected<StepPlacements> known = ranks.readPlacements(files.placements, files.ranks);
  if (!known)
    return known.takeError();
  if (llvm::Error error = ranks.stageError())
    return error;
  placements::PlacementQuestion question;
  question.known = std::move(*known);
  for (size_t rank = 0; rank != ranks.numRanks(); ++rank)
    question.ranks.push_back({&ranks.graph(rank), ranks.groups(rank)});
  llvm::Expected<placements::PlacementAnswer> answer = placements::inferPlacements(question);
  if (!answer)
    return answer.takeError();
  return named(*answer);
}

} // namespace ccgraph
