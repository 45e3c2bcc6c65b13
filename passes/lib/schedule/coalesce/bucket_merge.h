// BucketMerger: may this bucket (often of one) join that one, and if so, brings them together.
//
//   search  bucket_search.h  does one need the other, and what has to move
//   room    bucket_room.h    would the program fit its budget
//   moves   bucket_moves.h   brings them together, and takes it back
//
// Ownership: refers into graph and analyses. Failure: a verdict; the graph is then as it was.
// Cost of join(): the smaller of the two sets that the search looks at, twice, and O(log n) for each
// node moved.
#pragma once

#include "schedule/coalesce/bucket_room.h"

namespace ccgraph {

class BucketMerger {
public:
  struct Inputs {
    Graph &graph;
    const Dependences &dependences;
    BucketLayout layout;
    /// most nodes that may move, besides the collectives themselves, to let one join; empty: any
    /// number
    std::optional<int64_t> maxMoves;
  };
  /// `memory` null: there is no budget. Graph, analyses and live bytes must outlive the merger, and agree: it
  /// moves nodes in graph and live bytes together.
  BucketMerger(const Inputs &inputs, LiveBytes *memory, int64_t budget);

  /// Puts the newcomer's launches after the last member's, and leaves the newcomer without
  /// members. Both must be open, and the whole newcomer must stand after the whole bucket in the
  /// program.
  [[nodiscard]] MergeVerdict join(Bucket &bucket, Bucket &newcomer);
  /// Tells that a bucket of one was opened. Buckets must not move in memory afterwards.
  void open(Bucket &bucket);

private:
  [[nodiscard]] MergeVerdict tryPlace(Bucket &bucket, Bucket &newcomer, Side side);
  void accept(Bucket &bucket, Bucket &newcomer);

  BucketSearch search_;
  BucketMoves moves_;
  /// empty where there is no budget
  std::optional<BucketRoom> room_;
};

} // namespace ccgraph
