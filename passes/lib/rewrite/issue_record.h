// IssueRecord: in which order each group's collectives were issued before a pass, to state in the
// certificate where it differs after.
//
// A bucket whose members were consecutive on their group moves nothing that another rank could see;
// any other bucket does, and must say so.
//
// Ownership: refers to nodes, erased ones too. Cost: linear in nodes, once when it is made and once
// for the moves. Fails never.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/group_id.h"

namespace ccgraph {

class IssueRecord {
public:
  /// Takes down the present order: make it before the first edit.
  explicit IssueRecord(const Graph &graph);
  /// Adds a moved entry for each group whose order is not the old one with consecutive members of a
  /// bucket as one.
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
