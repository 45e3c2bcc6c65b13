// Flight files of a run: one a rank, in a folder of their own.
//
// Ownership: plain values. Failure: diagnostics with the file. Cost: that of reading and writing.
#pragma once

#include "ccgraph/ir/flight_record.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace ccgraph {

/// All files of the folder, each of which must be a record, ours or PyTorch's; or the one file. Hidden files are left alone, and what
/// a process that was ended has not written to its end. In the order of ranks. Error: one that cannot be read, none at all, two of one rank.
[[nodiscard]] llvm::Expected<std::vector<FlightRecord>> loadFlightRecords(const std::string &path);

/// Removes what an earlier run has left in the folder, since records of two runs prove nothing about either; other files stay.
/// Nothing where there is no such folder.
[[nodiscard]] llvm::Error clearFlightRecords(const std::string &folder);

/// Writes FOLDER/rank_0.json, ...; makes the folder where it is not there.
[[nodiscard]] llvm::Error saveFlightRecords(const std::string &folder, llvm::ArrayRef<FlightRecord> records);

} // namespace ccgraph
