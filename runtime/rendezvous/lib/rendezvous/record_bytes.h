// A FlightRecord as bytes, for another process of the job.
//
// Ownership: plain values. Failure: reading incomplete bytes yields their present part (ByteReader). Cost: linear in
// calls and steps.
#pragma once

#include "ccgraph/ir/flight_record.h"
#include "rendezvous/bytes.h"

namespace ccgraph::runtime {

void write(ByteWriter &to, const FlightRecord &record);
[[nodiscard]] FlightRecord readRecord(ByteReader &from);

} // namespace ccgraph::runtime
