// IssueRecord: records the order in which each group's collectives were issued before a pass, to state in the
// certificate where it differs after.
//
// A bucket whose members were consecutive on their group is no visible change for other ranks; any other bucket is, and
// must be stated.
//
// Ownership: refers to nodes, erased ones too. Failure: none. Cost: linear in nodes, at construction and again for the
// moves.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/group_id.h"

namespace ccgraph {

class IssueRecord {
public:
  /// Records the present order: construct it before the first edit.
  explicit IssueRecord(const Graph &graph);
  /// Adds a moved entry for each group whose order differs from the old one with consecutive members of a bucket as
  /// one.
  void stateMoves(const Graph &graph, Certificate &certificate) const;

private:
  struct Stream {
    GroupId group;
    std::vector<Node *> issue;
  };
  using Streams = std::vector<Stream>;
  static Streams read(const Graph &graph);

  Streams before_;
};

} // namespace ccgraph
