// Flight files: the record of one rank, as ccgraph writes it and as PyTorch does.
//
// PyTorch's flight recorder dumps one file a rank, as a Python pickle (torch.distributed's `_dump_fr_trace`, and what a NCCL
// watchdog leaves behind) or as JSON. Ours is JSON with the same keys and the same words (docs/flight.schema.json), and a few keys
// of our own besides; so tools that read the one read the other. All of them become a FlightRecord.
//
// A pickle is a program. What is read here runs none: the reader knows the opcodes that build lists, tuples, dictionaries, strings and
// numbers, and refuses every other, at its byte, before anything is made of the file.
//
// Which rank a file is of, ours says itself; of PyTorch's, the last number in the file's name does.
//
// Ownership: plain values; the text may go. Errors: each with file and line and column, or byte; arbitrary bytes never crash, and
// what a file asks for in memory is bounded by its size. Cost: linear.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/flight_record.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// The kind of file shows in its content.
[[nodiscard]] llvm::Expected<FlightRecord> readFlightRecord(const SourceText &source);

/// Ends in a newline. Never fails; the stream keeps what the system said.
void writeFlightRecord(llvm::raw_ostream &os, const FlightRecord &record);

} // namespace ccgraph
