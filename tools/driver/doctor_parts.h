// Doctor parts: the programs, modules and libraries that ccgraph can use, and which of them this machine has.
//
// ccgraph needs none of them to rewrite and check a graph. Each part adds something, which `gives` says in both cases:
// what it gives here, or what it would give.
//
// Ownership: plain values. Failure: none; a part that is missing has the reason as its `found`. Cost: some
// milliseconds, and about 100 ms for the start of Python; the module of PyTorch's kernels is looked for and not loaded.
#pragma once

#include "ccgraph/runtime/engine.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace ccgraph::driver {

struct DoctorPart {
  /// "mpi"
  std::string name;
  bool isHere = false;
  /// what was found: a version or a path; or why it is missing
  std::string found;
  /// what the part makes possible
  std::string gives;
  /// how to get it; empty if it is here
  std::string repair;
};

/// The facts of one engine.
[[nodiscard]] DoctorPart partOfEngine(const runtime::Engine &engine, llvm::StringRef gives);

/// Returns the ten parts, in a fixed order. `PATH` decides which programs are found, and the dynamic loader which
/// libraries. The Python is CCGRAPH_TORCH_PYTHON, or else python3.
[[nodiscard]] std::vector<DoctorPart> doctorParts();

} // namespace ccgraph::driver
