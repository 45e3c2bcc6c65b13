// ccgraph doctor prints which optional parts of ccgraph this machine has, and what each of them gives: one line a part.
//
// Names of parts as arguments select parts, and make a missing one an error: `ccgraph doctor mpi && mpirun ...`.
//
// Ownership: borrows arguments and streams. Failure: Usage for a word that is no part, CheckFailed if a part that was
// named is missing. Cost: that of doctorParts().
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

struct DoctorOptions {
  bool json = false;
  bool version = false;
  std::optional<std::string> help;
};

/// Declares the flags; they write into `options`.
[[nodiscard]] CommandLine declareDoctorFlags(DoctorOptions &options);

/// `arguments` without the program's name.
[[nodiscard]] ExitCode doctorMain(llvm::ArrayRef<const char *> arguments, Streams streams);

} // namespace ccgraph::driver
