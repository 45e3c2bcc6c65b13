// Exchange: the results of each kind of collective, computed from the members' rows.
//
// With members 0..n-1 in the group's order, row r_m sent by member m, and chunk j of a row its j-th
// of n equal parts:
//   all_reduce      m receives r_0 op r_1 op ... op r_n-1
//   all_gather      m receives r_0 ++ r_1 ++ ... ++ r_n-1
//   reduce_scatter  m receives chunk m of r_0 op ... op r_n-1
//   all_to_all      m receives part m of r_0 ++ part m of r_1 ++ ..., parts by the splits
//   broadcast       m receives r_root
//   scatter         m receives chunk m of r_root
//   send, recv      member 1 receives r_0
// These are the definitions of the MPI standard and of torch.distributed, in elements rather than bytes; reduce.h
// documents the order in which `op` is applied. A barrier has no rows.
//
// Ownership: results are new 1-d tensors, which share no memory with the sent rows. Failure: none; launches were
// checked (agreement.h). Cost: linear in the moved elements.
#pragma once

#include "collectives/launch.h"

namespace ccgraph::runtime {

/// Row `row` of the results, by member. Launches are by member and agree.
[[nodiscard]] std::vector<Tensor> exchangeRow(llvm::ArrayRef<const Launch *> members, size_t row);

} // namespace ccgraph::runtime
