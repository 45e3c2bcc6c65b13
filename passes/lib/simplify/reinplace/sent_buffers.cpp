#include "simplify/reinplace/sent_buffers.h"

#include "simplify/reinplace/storage_uses.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

SentBuffers::SentBuffers(const ProgramFacts &facts) : flights_(facts.storages().numStorages()) {
  for (const Node *node : facts.graph()) {
    if (!facts.launches(node))
      continue;
    const Flight flight{node, lastWaitOf(*node, facts.asyncPairs())};
    for (const StorageAccess &access : facts.accesses(node))
      note(access.storage, flight);
    for (StorageId storage : facts.storages().storages(node))
      note(storage, flight);
  }
}

void SentBuffers::note(StorageId storage, Flight flight) {
  if (!flights_[storage].empty()) {
    const Node *before = flights_[storage].back().end;
    flight.end = !before || !flight.end ? nullptr : flight.end->isBefore(before) ? before : flight.end;
  }
  flights_[storage].push_back(flight);
}

bool SentBuffers::isInFlightAt(StorageId storage, const Node &launch) const {
  llvm::ArrayRef<Flight> flights = flights_[storage];
  const Flight *later =
      llvm::partition_point(flights, [&](const Flight &flight) { return flight.launch->isBefore(&launch); });
  if (later == flights.begin())
    return false;
  const Node *end = std::prev(later)->end;
  return !end || launch.isBefore(end);
}

} // namespace ccgraph
