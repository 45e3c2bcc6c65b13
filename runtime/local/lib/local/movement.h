// Movement: the part of one member in a collective, which it copies from its peers' memory.
//
// With n members, row r_m sent by member m, and chunk j of a row its j-th of n parts (exchange.h defines the results):
//   all_reduce      reduces chunk m of all rows, and writes it to all results     n reads, n writes of a chunk
//   reduce_scatter  reduces chunk m of all rows into its result                   n reads, 1 write of a chunk
//   all_gather      copies every row into its result                              n rows
//   all_to_all      copies its part of every row                                  1 row
//   broadcast       copies the root's row                                         1 row
//   scatter         copies chunk m of the root's row                              1 chunk
//   recv            copies the sender's row; a send and a barrier move nothing
// Nothing is copied twice. Each step is also correct where a result overlaps a sent row, as in in-place forms. In an
// all_reduce, only the member that writes an element reads it; in a gather or a scatter, the overlapping chunk is in
// its place already.
//
// Ownership: none. Failure: none; launches were checked. Cost: as above.
#pragma once

#include "collectives/launch.h"

namespace ccgraph::runtime {

/// All rows of one member. Launches are by member and agree; each row is one contiguous tensor, or none.
void moveRows(llvm::ArrayRef<const Launch *> launches, size_t member);

} // namespace ccgraph::runtime
