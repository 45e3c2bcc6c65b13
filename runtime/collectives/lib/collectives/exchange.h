// Exchange: what each kind of collective makes of the members' rows.
//
// With members 0..n-1 in the group's order, row r_m sent by member m, and chunk j of a row its j-th
// of n equal parts:
//   all_reduce      m receives r_0 op r_1 op ... op r_n-1
//   all_gather      m receives r_0 ++ r_1 ++ ... ++ r_n-1
//   reduce_scatter  m receives chunk m of r_0 op ... op r_n-1
//   all_to_all      m receives part m of r_0 ++ part m of r_1 ++ ..., parts as the splits say
//   broadcast       m receives r_root
//   scatter         m receives chunk m of r_root
//   send, recv      member 1 receives r_0
// These are the definitions of the MPI standard and of torch.distributed, in elements rather than
// bytes; reduce.h says in which order `op` is applied. A barrier has no rows.
//
// Ownership: results are new 1-d tensors, which share nothing with what was sent. Failure: none;
// launches were checked (agreement.h). Cost: linear in what is moved.
#pragma once

#include "collectives/launch.h"

namespace ccgraph::runtime {

/// Row `row` of the results, by member. Launches are by member and agree.
[[nodiscard]] std::vector<Tensor> exchangeRow(llvm::ArrayRef<const Launch *> members, size_t row);

} // namespace ccgraph::runtime
