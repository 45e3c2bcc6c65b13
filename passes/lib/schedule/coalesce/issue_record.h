// IssueRecord: in which order each group's collectives were issued before a pass, to state in the
// certificate where it differs after.
//
// Ownership: refers to nodes, erased ones too. Cost: linear in nodes, twice. Fails never.
#pragma once

#include "ccgraph/ir/certificate.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {

class IssueRecord {
public:
  explicit IssueRecord(const Graph &graph);
  /// Adds a moved entry for each group whose order is not the old one with consecutive members of a
  /// bucket as one.
  void stateMoves(const Graph &graph, Certificate &certificate) const;

private:
  struct Stream {
    std::string group;
    std::vector<Node *> issue;
  };
  using Streams = std::vector<Stream>;
  static Streams read(const Graph &graph);

  Streams before_;
};

} // namespace ccgraph
