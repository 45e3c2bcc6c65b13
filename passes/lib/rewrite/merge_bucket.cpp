#include "rewrite/merge_bucket.h"

namespace ccgraph {

void mergeBucket(Graph &graph, const Bucket &bucket, const BucketRecord &record) {
  MergedEntry entry = record.layout == BucketLayout::Flat ? rewriteFlat(graph, bucket) : rewriteGrouped(graph, bucket);
  for (const Candidate &member : bucket.members) {
    RemarkArgs args = {{"into", entry.launch->name().str().str()},
                       {"members", std::to_string(bucket.members.size())},
                       {"bytes", std::to_string(member.bytes())}};
    args.insert(args.end(), record.more.begin(), record.more.end());
    record.context.remark(record.reason, *member.launch, std::move(args));
  }
  record.context.certificate().merged.push_back(std::move(entry));
}

} // namespace ccgraph
