// Flight files: the record of one rank, in the format of ccgraph or of PyTorch.
//
// PyTorch's flight recorder dumps one file a rank, as a Python pickle or as JSON. The pickle comes from
// torch.distributed's `_dump_fr_trace` or from a NCCL watchdog. Our format is JSON with the same keys and values
// (docs/flight.schema.json) and a few keys of our own, so tools that read one format read the other. Both become a
// FlightRecord.
//
// A pickle is a program. This reader executes none: it supports the opcodes that build lists, tuples, dictionaries,
// strings and numbers. It rejects every other opcode, with its byte offset, before it builds anything.
//
// Our files state their rank. For PyTorch's files, the last number in the file's name is the rank.
//
// Ownership: plain values; the text may be freed. Errors: each with file, line and column, or byte. Arbitrary bytes
// never crash, and the size of a file bounds the memory that it can claim. Cost: linear.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/flight_record.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// Reads one record. The content of the file determines its format.
[[nodiscard]] llvm::Expected<FlightRecord> readFlightRecord(const SourceText &source);

/// Writes the record and a final newline. Never fails; errors of the system stay in the stream.
void writeFlightRecord(llvm::raw_ostream &os, const FlightRecord &record);

} // namespace ccgraph
