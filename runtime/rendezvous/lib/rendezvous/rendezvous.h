// Rendezvous: where the processes of a job exchange what they need before they can communicate, and results after.
//
// There are two: a folder that all of them see (file_rendezvous.h), and a port of rank 0 (tcp_rendezvous.h).
//
// Ownership and cost: those of the implementation. Failure: DiagnosticErrors of rule run.nccl.
#pragma once

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ccgraph::runtime {

class Rendezvous {
public:
  virtual ~Rendezvous() = default;
  /// What each rank gives, by rank. A call of all ranks.
  [[nodiscard]] virtual llvm::Expected<std::vector<std::string>> gather(const std::string &own) = 0;
};

} // namespace ccgraph::runtime
