// Reads and writes the flight records of a run: one file for each rank, in a folder of their own.
//
// Ownership: plain values. Failure: diagnostics with the file. Cost: that of reading and writing.
#pragma once

#include "ccgraph/ir/flight_record.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace ccgraph {

/// Reads one file, or all files of a folder, each of which must be a record of ccgraph or PyTorch. Hidden files are
/// ignored, and unfinished files of a process that was ended. The records are in the order of ranks. Returns an error
/// if a file cannot be read, there is none, or two belong to one rank.
[[nodiscard]] llvm::Expected<std::vector<FlightRecord>> loadFlightRecords(const std::string &path);

/// Removes the records of an earlier run from the folder, since records of two runs cannot be analyzed together; other
/// files stay. Does nothing if there is no such folder.
[[nodiscard]] llvm::Error clearFlightRecords(const std::string &folder);

/// Writes FOLDER/rank_0.json, ...; creates the folder if it does not exist.
[[nodiscard]] llvm::Error saveFlightRecords(const std::string &folder, llvm::ArrayRef<FlightRecord> records);

} // namespace ccgraph
