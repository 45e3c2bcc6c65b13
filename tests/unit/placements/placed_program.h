// InferPlacementsTest: a program of a few nodes that all ranks run, and how it places their values.
#pragma once

#include "ccgraph/placements/infer_placements.h"

#include "ccgraph/ir/diagnostic.h"
#include "support/step_texts.h"

namespace ccgraph::placements {

struct InferPlacementsTest : testing::Test, test::StepTexts {
  PlacementQuestion question;

  /// Two ranks of one axis, or four of two, run the lines.
  void ask(llvm::StringRef parameters, llvm::StringRef lines) {
    const Graph *graph =
        read(("class M(torch.nn.Module):\n    def forward(self, " + parameters + "):\n" + lines).str());
    if (question.known.mesh.empty())
      question.known.mesh = {{"tp", 2}};
    const bool hasTwo = question.known.mesh.size() == 2;
    Group tp{"tp"}, dp{"dp"};
    tp.partition =
        hasTwo ? std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}} : std::vector<std::vector<int64_t>>{{0, 1}};
    dp.partition = {{0, 2}, {1, 3}};
    for (size_t rank = 0; rank != (hasTwo ? 4U : 2U); ++rank) {
      RankProgram program{graph, {}};
      program.groups.set(tp);
      if (hasTwo)
        program.groups.set(dp);
      question.ranks.push_back(program);
    }
  }
  void input(size_t position, std::vector<AxisPlacement> axes) {
    question.known.inputs.push_back({position, position, "x" + std::to_string(position), std::move(axes), {}, {}});
  }
  static AxisPlacement shard(int64_t dim) { return {AxisPlacement::Kind::Shard, dim}; }
  static AxisPlacement partial() { return {AxisPlacement::Kind::PartialSum, 0}; }

  PlacementAnswer answer() {
    llvm::Expected<PlacementAnswer> result = inferPlacements(question);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    return *result;
  }
  /// Returns the placement of a node, its axes joined by commas.
  static std::string of(const PlacementAnswer &answer, llvm::StringRef name) {
    std::string text;
    for (const PlacedValue &value : answer.values)
      if (value.node->name().str() == name && value.element == 0)
        for (const AxisHold &hold : value.axes)
          text += (text.empty() ? "" : ", ") + holdText(hold);
    return text;
  }
  std::string findings() {
    std::string text;
    for (const PlacementFinding &finding : answer().findings)
      text += findingName(finding.kind).str() + " at " + finding.node->name().str().str() + ";";
    return text;
  }
};

} // namespace ccgraph::placements
