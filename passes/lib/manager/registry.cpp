#include "ccgraph/passes/registry.h"

// Lists every pass, sorted by name. A new pass needs a line here, its own file, and docs/passes.md (tools/presubmit
// --fix).
#define CCGRAPH_PASSES(PASS)                                                                                           \
  PASS("bucket-gradients", createBucketGradients)                                                                      \
  PASS("chunk-collectives", createChunkCollectives)                                                                    \
  PASS("chunk-rows", createChunkRows)                                                                                  \
  PASS("coalesce-collectives", createCoalesceCollectives)                                                              \
  PASS("compress-gradients", createCompressGradients)                                                                  \
  PASS("decompose-all-reduce", createDecomposeAllReduce)                                                               \
  PASS("deduplicate-collectives", createDeduplicateCollectives)                                                        \
  PASS("eliminate-dead-collectives", createEliminateDeadCollectives)                                                   \
  PASS("forward-copies", createForwardCopies)                                                                          \
  PASS("functionalize-collectives", createFunctionalizeCollectives)                                                    \
  PASS("hierarchical-collectives", createHierarchicalCollectives)                                                      \
  PASS("inline-control-deps", createInlineControlDeps)                                                                 \
  PASS("inline-subgraphs", createInlineSubgraphs)                                                                      \
  PASS("keep-gathered", createKeepGathered)                                                                            \
  PASS("offload-values", createOffloadValues)                                                                          \
  PASS("recompute-values", createRecomputeValues)                                                                      \
  PASS("reinplace-collectives", createReinplaceCollectives)                                                            \
  PASS("schedule-overlap", createScheduleOverlap)                                                                      \
  PASS("simplify-collectives", createSimplifyCollectives)                                                              \
  PASS("sink-waits", createSinkWaits)

namespace ccgraph {

#define CCGRAPH_DECLARE(name, create) std::unique_ptr<Pass> create();
CCGRAPH_PASSES(CCGRAPH_DECLARE)
#undef CCGRAPH_DECLARE

namespace {

struct Entry {
  llvm::StringRef name;
  std::unique_ptr<Pass> (*create)();
};

#define CCGRAPH_ENTRY(name, create) {name, create},
constexpr Entry entries[] = {CCGRAPH_PASSES(CCGRAPH_ENTRY)};
#undef CCGRAPH_ENTRY

} // namespace

std::vector<llvm::StringRef> passNames() {
  std::vector<llvm::StringRef> names;
  for (const Entry &entry : entries)
    names.push_back(entry.name);
  return names;
}

std::unique_ptr<Pass> createPass(llvm::StringRef name) {
  for (const Entry &entry : entries)
    if (entry.name == name)
      return entry.create();
  return nullptr;
}

// Up to a third of the letters, and one more, may be wrong: "sink-wait" finds "sink-waits", and "foo" finds nothing.
std::string nearestWord(llvm::StringRef word, llvm::ArrayRef<std::string> known) {
  std::string best;
  unsigned bestDistance = static_cast<unsigned>(word.size()) / 3 + 2;
  for (const std::string &candidate : known) {
    unsigned distance = word.edit_distance(candidate);
    if (distance < bestDistance)
      best = candidate, bestDistance = distance;
  }
  return best;
}

} // namespace ccgraph
