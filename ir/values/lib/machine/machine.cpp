#include "ccgraph/ir/machine.h"

#include "ccgraph/ir/durations.h"

#include "llvm/Support/ErrorHandling.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <initializer_list>
#include <tuple>

namespace ccgraph {
namespace {

double part(int64_t whole, int64_t ppm) {
  return static_cast<double>(whole) * static_cast<double>(ppm) / static_cast<double>(wholePpm);
}

/// If a peak is not stated: returns a dtype that computes at that rate or slower. Products of integers and of complex
/// numbers are assumed to be as fast as those of f32, since data sheets do not state them.
std::optional<DType> nextWider(DType dtype) {
  if (dtype == DType::F64 || dtype == DType::F32)
    return std::nullopt;
  if (dtype == DType::F4E2M1FNX2)
    return DType::F8E4M3FN;
  if (isFloat(dtype) && sizeInBytes(dtype) == 1)
    return DType::BF16;
  return dtype == DType::BF16 ? DType::F16 : DType::F32;
}

template <typename Enum>
std::optional<Enum> parseName(llvm::StringRef text, llvm::StringRef (&name)(Enum), std::initializer_list<Enum> all) {
  for (Enum value : all)
    if (name(value) == text)
      return value;
  return std::nullopt;
}

} // namespace

double Processor::effectiveBytesPerSecond() const { return part(bytesPerSecond, bytesReachedPpm); }

double Processor::effectiveFlopsPerSecond(DType dtype) const {
  for (std::optional<DType> type = dtype; type; type = nextWider(*type))
    if (int64_t peak = flopsPerSecond[static_cast<size_t>(*type)])
      return part(peak, flopsReachedPpm);
  return 0;
}

CollectiveKind timedAs(CollectiveKind kind) {
  if (isPointToPoint(kind))
    return CollectiveKind::Send;
  return kind == CollectiveKind::ShardDimAllToAll ? CollectiveKind::AllToAll : kind;
}

std::vector<CollectiveSample> sortedSamples(std::vector<CollectiveSample> samples) {
  for (CollectiveSample &sample : samples)
    sample.kind = timedAs(sample.kind);
  auto question = [](const CollectiveSample &sample) {
    return std::make_tuple(sample.kind, sample.ranks, sample.nodes, sample.bytes);
  };
  llvm::sort(samples, [&](const CollectiveSample &a, const CollectiveSample &b) {
    return std::make_pair(question(a), a.picoseconds) < std::make_pair(question(b), b.picoseconds);
  });
  auto same = [&](const CollectiveSample &a, const CollectiveSample &b) { return question(a) == question(b); };
  samples.erase(std::unique(samples.begin(), samples.end(), same), samples.end());
  return samples;
}

llvm::StringRef levelText(LinkLevel level) {
  switch (level) {
  case LinkLevel::Intra:
    return "inside a node";
  case LinkLevel::Inter:
    return "across nodes";
  }
  llvm_unreachable("no such level");
}

llvm::StringRef linkKindName(LinkKind kind) {
  switch (kind) {
  case LinkKind::NvLink:
    return "nvlink";
  case LinkKind::Pcie:
    return "pcie";
  case LinkKind::Network:
    return "network";
  }
  llvm_unreachable("no such kind");
}

llvm::StringRef generationName(Generation generation) {
  switch (generation) {
  case Generation::Volta:
    return "volta";
  case Generation::Ampere:
    return "ampere";
  case Generation::Hopper:
    return "hopper";
  case Generation::Blackwell:
    return "blackwell";
  }
  llvm_unreachable("no such generation");
}

llvm::StringRef rulesName(CollectiveRules rules) {
  switch (rules) {
  case CollectiveRules::Nccl:
    return "nccl";
  case CollectiveRules::PyTorch:
    return "pytorch";
  case CollectiveRules::Linear:
    return "linear";
  }
  llvm_unreachable("no such rules");
}

llvm::StringRef durationSourceName(DurationSource source) {
  switch (source) {
  case DurationSource::Measured:
    return "measured";
  case DurationSource::Estimated:
    return "estimated";
  }
  llvm_unreachable("no such source");
}

std::optional<LinkKind> parseLinkKind(llvm::StringRef text) {
  return parseName(text, linkKindName, {LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network});
}

std::optional<Generation> parseGeneration(llvm::StringRef text) {
  return parseName(text, generationName,
                   {Generation::Volta, Generation::Ampere, Generation::Hopper, Generation::Blackwell});
}

std::optional<CollectiveRules> parseRules(llvm::StringRef text) {
  return parseName(text, rulesName, {CollectiveRules::Nccl, CollectiveRules::PyTorch, CollectiveRules::Linear});
}

} // namespace ccgraph
