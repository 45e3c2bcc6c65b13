// Memory snapshots of PyTorch: the files of torch.cuda.memory._dump_snapshot(), or the same as JSON.
//
//   {"segments": [{"device": 0, "address": 140, "total_size": 2097152, "blocks":
//      [{"size": 512, "requested_size": 400, "address": 140, "state": "active_allocated", "frames": [...]}]}],
//    "device_traces": [[{"action": "alloc", "addr": 140, "size": 400, "frames": [...]}]]}
//
// The documentation of torch.cuda.memory._snapshot() describes the keys. An event of a block has the bytes that were
// requested, a block has both, and a list of segments alone (torch.cuda.memory_snapshot()) is a snapshot without
// events. The first frame that is not of PyTorch names the place of an allocation.
//
// A pickle is a program. This reader executes none: it supports the instructions that build lists, tuples,
// dictionaries, strings and numbers, and rejects every other one with its byte.
//
// Ownership: plain values; the text may be freed. Errors: each with file, line and column, or byte: a missing key, a
// value of another kind, a negative size, a state or an action that is not known. Arbitrary bytes never crash, and the
// size of a file bounds the memory that it can claim. Cost: linear; frames that many events share are read once.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/memory_snapshot.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

[[nodiscard]] llvm::Expected<MemorySnapshot> readMemorySnapshot(const SourceText &source);

} // namespace ccgraph
