// CandidateSearch: finds the candidates of one run of a pass (rewrite/candidates.h), with the reason for each
// collective that is none.
//
// Ownership: owns the analyses that it makes; refers to the graph, to the facts of the context and to the reasons of
// the pass. Failure: none; a refusal is a reason. Cost: O(nodes) to build; a query costs the readers of the collective.
#pragma once

#include "rewrite/candidate_reasons.h"

namespace ccgraph {

class CandidateSearch {
public:
  /// `layout` and `maxCopied`: see CandidateRules.
  struct Form {
    BucketLayout layout = BucketLayout::Flat;
    std::optional<int64_t> maxCopied = std::nullopt;
  };
  CandidateSearch(const Graph &graph, PassContext &context, const CandidateReasons &reasons, const Form &form);
  CandidateSearch(const CandidateSearch &) = delete;
  CandidateSearch &operator=(const CandidateSearch &) = delete;

  /// Returns why the collective is no candidate; null if it is one, and then `candidate` describes it.
  [[nodiscard]] const Reason *find(Node *launch, Candidate &candidate);
  /// Returns the number of keys of the candidates so far.
  [[nodiscard]] size_t numKeys() const { return candidates_.numKeys(); }

  [[nodiscard]] const ProgramFacts &facts() const { return facts_; }
  [[nodiscard]] const CommGroups &groups() const { return groups_; }
  [[nodiscard]] const Dependences &dependences() const { return dependences_; }

private:
  const CandidateReasons &reasons_;
  const ProgramFacts &facts_;
  CommGroups groups_;
  Dependences dependences_;
  Candidates candidates_;
};

/// Returns true for an all_reduce of one tensor that adds or averages. `launch` is a collective.
[[nodiscard]] bool isSumOrAverage(const Node &launch);

} // namespace ccgraph
