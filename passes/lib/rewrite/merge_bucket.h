// mergeBucket rewrites one bucket and records it: the certificate's entry, and a remark for each member.
//
// Ownership: see rewrite/bucket_rewrite.h. Failure: none. Cost: that of the rewrite.
#pragma once

#include "ccgraph/passes/pass.h"
#include "rewrite/bucket_rewrite.h"

namespace ccgraph {

/// How a bucket is made and recorded.
struct BucketRecord {
  PassContext &context;
  BucketLayout layout = BucketLayout::Grouped;
  /// of the remarks, which state `into` (the name of the merged collective), `members` and `bytes`
  const Reason &reason;
  /// appended to the arguments of each remark
  RemarkArgs more = {};
};

void mergeBucket(Graph &graph, const Bucket &bucket, const BucketRecord &record);

} // namespace ccgraph
