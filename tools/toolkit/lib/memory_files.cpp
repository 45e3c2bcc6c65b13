#include "ccgraph/toolkit/memory_files.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/memory_snapshot_file.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/toolkit/peak_holders.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

measured::PredictedMemory predictedMemory(const Graph &graph) {
  const PeakHolders peak = holdersOfPeak(graph);
  measured::PredictedMemory predicted;
  predicted.peak = peak.bytes;
  predicted.at = peak.at ? peak.at->name().str().str() : "";
  for (const PeakHolder &holder : peak.holders)
    predicted.held.push_back({holder.owner->name().str().str(), holder.bytes});
  const StorageMap storages(graph);
  const StorageLives lives = storageLives(graph, storages, AsyncPairs(graph, storages));
  for (const StorageLife &life : lives.storages)
    if (life.bytes > 0)
      predicted.allSizes.push_back(life.bytes);
  return predicted;
}

int64_t segmentBytesOf(const AllocatorSnapshot &device) {
  int64_t bytes = 0;
  for (const MemorySegment &segment : device.segments)
    bytes += segment.bytes;
  return bytes;
}

llvm::Error inSnapshotFile(llvm::Error error, llvm::StringRef file) {
  return llvm::handleErrors(std::move(error), [&](std::unique_ptr<DiagnosticError> wrong) -> llvm::Error {
    std::vector<Diagnostic> diagnostics = wrong->diagnostics().vec();
    for (Diagnostic &diagnostic : diagnostics)
      diagnostic.file = file.str();
    return makeError(std::move(diagnostics));
  });
}

llvm::Expected<measured::MemoryComparison> compareLargest(const Graph &graph, const MemorySnapshot &snapshot) {
  if (snapshot.devices.empty())
    return makeError(diagnose("tool.memory", "got a memory snapshot without any segment or event",
                              "call _record_memory_history() before the step, and _dump_snapshot() after it"));
  auto weight = [](const AllocatorSnapshot &device) { return std::pair(device.events.size(), segmentBytesOf(device)); };
  auto most =
      std::max_element(snapshot.devices.begin(), snapshot.devices.end(),
                       [&](const AllocatorSnapshot &a, const AllocatorSnapshot &b) { return weight(a) < weight(b); });
  return measured::compareMemory(*most, predictedMemory(graph));
}

} // namespace

llvm::Expected<std::optional<measured::MemoryComparison>> compareWithSnapshot(const Graph &graph,
                                                                              llvm::StringRef path) {
  if (path.empty())
    return std::nullopt;
  llvm::Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<MemorySnapshot> snapshot = readMemorySnapshot(file->source());
  if (!snapshot)
    return snapshot.takeError();
  llvm::Expected<measured::MemoryComparison> comparison = compareLargest(graph, *snapshot);
  if (!comparison)
    return inSnapshotFile(comparison.takeError(), path);
  return std::optional(std::move(*comparison));
}

} // namespace ccgraph
