// Movement: what one member moves in a collective, out of its peers' memory.
//
// With n members, row r_m sent by member m, and chunk j of a row its j-th of n parts (exchange.h says what each receives):
//   all_reduce      reduces chunk m of all rows, and writes it to all results     n reads, n writes of a chunk
//   reduce_scatter  reduces chunk m of all rows into its result                   n reads, 1 write of a chunk
//   all_gather      copies every row into its result                              n rows
//   all_to_all      copies its part of every row                                  1 row
//   broadcast       copies the root's row                                         1 row
//   scatter         copies chunk m of the root's row                              1 chunk
//   recv            copies the sender's row; a send and a barrier move nothing
// Nothing is copied twice, and each step of it is right where a result lies in what is sent, as in-place forms have it: in an
// all_reduce each element is read by one member alone, the one that writes it; in a gather or a scatter the chunk that overlaps is
// where it belongs already.
//
// Ownership: none. Failure: none; launches were checked. Cost: as above.
#pragma once

#include "collectives/launch.h"

namespace ccgraph::runtime {

/// All rows of one member. Launches are by member and agree; each row is one contiguous tensor, or none.
void moveRows(llvm::ArrayRef<const Launch *> launches, size_t member);

} // namespace ccgraph::runtime
