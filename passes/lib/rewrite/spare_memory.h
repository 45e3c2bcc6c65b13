// SpareMemory: decides whether a rewrite that needs more memory for some rows fits the memory budget.
//
// All passes that replace nodes without moving others use it: they add bytes to a range of rows, and they may free the
// input of a collective earlier. Passes that move nodes use WhatIf (analysis/what_if.h) and Runs (schedule/coalesce).
//
// Ownership: refers to the graph and its facts. The answers are those of the graph at the first question; a pass that
// rewrites between two questions updates live().
// Failure: none. Cost: the live bytes of the graph at the first question; then O(log n) each.
#pragma once

#include "analysis/live_bytes.h"
#include "analysis/program_facts.h"
#include "ccgraph/passes/pass.h"

namespace ccgraph {

class SpareMemory {
public:
  /// `facts` are those of the graph before any rewrite.
  SpareMemory(Graph &graph, const ProgramFacts &facts, const PassContext &context)
      : graph_(graph), facts_(facts), budget_(context.memoryBudget()) {}

  /// Forgets what was taken, and sets another budget; none: there is always room.
  void reset(std::optional<int64_t> budget);
  /// Returns true if all rows of [from, to) may hold `bytes` more; always true without a budget. `to` null: the end.
  [[nodiscard]] bool hasRoom(int64_t bytes, Node *from, const Node *to);
  /// Returns true if there is no budget, or if the wait is the last holder of some tensor that existed before the
  /// launch, and no other node holds it after the launch. Then a rewrite that reads the input only up to the launch
  /// frees this tensor for the time of the collective.
  [[nodiscard]] bool waitFreesInput(const Node *launch, const Node *wait);
  /// Counts bytes that a decided rewrite needs, which later questions include.
  void take(int64_t bytes, llvm::ArrayRef<Node *> holders);
  /// Returns the live bytes of the graph; they are computed once.
  [[nodiscard]] LiveBytes &live();

private:
  Graph &graph_;
  const ProgramFacts &facts_;
  std::optional<int64_t> budget_;
  std::optional<LiveBytes> live_;
};

} // namespace ccgraph
