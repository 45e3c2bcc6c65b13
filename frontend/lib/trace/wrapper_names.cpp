#include "trace/wrapper_names.h"

namespace ccgraph {

bool mayNameWrappers(llvm::StringRef kind) { return kind == "dynamo_cpp_guards_str"; }

void noteWrappers(llvm::StringRef guards, JobWrappers &wrappers) {
  wrappers.ddp |= guards.contains("<class 'torch.nn.parallel.distributed.DistributedDataParallel'>");
  wrappers.fsdp1 |= guards.contains("<class 'torch.distributed.fsdp.fully_sharded_data_parallel.");
  wrappers.fsdp2 |= guards.contains("<class 'torch.distributed.fsdp._fully_shard.");
}

} // namespace ccgraph
