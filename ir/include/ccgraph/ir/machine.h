// Machine: what the cost model knows of the hardware, in numbers.
//
// One rank is one processor (a GPU, or a share of a host). Ranks stand in nodes of `ranksPerNode`,
// by their global number: rank r is on node r / ranksPerNode. A group whose ranks are all on one
// node talks over `intra`, any other over `inter`. What a number means for a collective is said by
// `rules`, see docs/cost-model.md.
//
// All numbers are integers, rounded once where a file is read, so that two machines that read one
// file decide alike: bytes and operations a second, picoseconds, parts per million.
//
// Ownership: a plain value. Failure: none; ranges are checked where a file is read (machine_file.h).
// Cost: a look-up of a preset copies a few hundred bytes.
#pragma once

#include "ccgraph/ir/op_def.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

/// 1.0 in parts per million.
inline constexpr int64_t wholePpm = 1'000'000;

/// What one rank computes with.
struct Processor {
  /// peak, by DType; 0: none is known, and that of the nearest wider float is taken
  std::array<int64_t, numDTypes> flopsPerSecond = {};
  /// of that peak, what matrix products reach
  int64_t flopsReachedPpm = wholePpm;
  /// of memory
  int64_t bytesPerSecond = 0;
  /// of that, what kernels reach
  int64_t bytesReachedPpm = wholePpm;
  /// what each kernel costs beside its work
  int64_t launchPs = 0;

  /// What kernels reach, in bytes a second.
  [[nodiscard]] double effectiveBytesPerSecond() const;
  /// What matrix products of this dtype reach, in operations a second; 0 where nothing is known.
  [[nodiscard]] double effectiveFlopsPerSecond(DType dtype) const;
};

/// Whether a group stays on one node or crosses nodes.
enum class LinkLevel : uint8_t { Intra, Inter };
inline constexpr unsigned numLinkLevels = 2;
/// "inside a node", "across nodes".
[[nodiscard]] llvm::StringRef levelText(LinkLevel level);

/// Which of NCCL's latencies of one hop holds.
enum class LinkKind : uint8_t { NvLink, Pcie, Network };
/// "nvlink", "pcie", "network".
[[nodiscard]] llvm::StringRef linkKindName(LinkKind kind);
[[nodiscard]] std::optional<LinkKind> parseLinkKind(llvm::StringRef text);

/// What one rank sends over and receives over, at once, on one level.
struct Link {
  LinkKind kind = LinkKind::NvLink;
  /// one way, all channels together; this is what nccl-tests calls bus bandwidth
  int64_t bytesPerSecond = 0;
  int64_t channels = 1;
  /// of one hop, beside what the rules take for one
  int64_t latencyPs = 0;
};

/// Which column of NCCL's constants holds.
enum class Generation : uint8_t { Volta, Ampere, Hopper, Blackwell };
/// "volta", ...
[[nodiscard]] llvm::StringRef generationName(Generation generation);
[[nodiscard]] std::optional<Generation> parseGeneration(llvm::StringRef text);

/// How bytes, ranks and links become time.
enum class CollectiveRules : uint8_t {
  /// NCCL's tuning model: the best of its algorithms and protocols
  Nccl,
  /// PyTorch's estimator: ring and tree with NCCL's constants, and a network whose efficiency grows with nodes and bytes
  PyTorch,
  /// a latency for each step and the link's bandwidth: shared memory, MPI
  Linear,
};
/// "nccl", "pytorch", "linear".
[[nodiscard]] llvm::StringRef rulesName(CollectiveRules rules);
[[nodiscard]] std::optional<CollectiveRules> parseRules(llvm::StringRef text);

/// How long one collective took, wherever it was timed.
struct CollectiveSample {
  CollectiveKind kind = CollectiveKind::AllReduce;
  int64_t ranks = 0;
  /// on which they stood
  int64_t nodes = 1;
  /// the larger of what a rank sends in all and what it receives in all
  int64_t bytes = 0;
  int64_t picoseconds = 0;
  friend bool operator==(const CollectiveSample &, const CollectiveSample &) = default;
};

/// What a fit says of one kind: time = base + steps * step + bytes on the wire / bandwidth (docs/cost-model.md).
struct LinearCollective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  int64_t basePs = 0;
  /// of each of the rounds in which every rank sends and receives a share
  int64_t stepPs = 0;
  int64_t bytesPerSecond = 0;
  friend bool operator==(const LinearCollective &, const LinearCollective &) = default;
};

struct Machine {
  /// of the preset, or as the file says
  std::string name;
  /// one sentence
  std::string about;
  Processor processor;
  int64_t ranksPerNode = 8;
  Link intra;
  Link inter;
  CollectiveRules rules = CollectiveRules::Nccl;
  Generation generation = Generation::Hopper;
  /// bus bandwidth of an all_reduce in the switch (NVLS) inside a node; 0: there is none
  int64_t multicastBytesPerSecond = 0;
  /// For the linear rules inside a node: kinds that have numbers of their own, each once; the others take the link's.
  std::vector<LinearCollective> linear;
  /// By kind, ranks, nodes and bytes, each once. Where a collective's kind, ranks and nodes are here, they tell its time
  /// and the rules do not.
  std::vector<CollectiveSample> measured;
  /// A read of a tensor by the host (item(), a size that data tell) stops the issue of all that follows until the tensor
  /// is ready, so that the stream runs dry.
  bool hostReadsStall = true;
  /// for how long, where it stalls: the way of the value to the host, and of the next kernel back
  int64_t hostReadPs = 0;
  /// transfers of groups that communicate at once share the bandwidth of their level evenly
  bool sharedLinks = true;
  /// how much longer computation takes while the rank communicates
  int64_t slowdownPpm = 0;

  [[nodiscard]] const Link &link(LinkLevel level) const { return level == LinkLevel::Intra ? intra : inter; }
};

/// The kind whose times hold for a kind: all transfers are sends, and what shards a dimension anew is an all_to_all.
[[nodiscard]] CollectiveKind timedAs(CollectiveKind kind);

/// Sorts samples as Machine::measured has them, each under the kind that it is timed as; of those that differ in time alone the least stays, since a
/// collective that waits for a rank takes longer.
[[nodiscard]] std::vector<CollectiveSample> sortedSamples(std::vector<CollectiveSample> samples);

/// What is taken where nobody says which machine.
inline constexpr llvm::StringLiteral defaultMachine = "h100x8";
/// A machine by its name; empty where there is none.
[[nodiscard]] std::optional<Machine> machinePreset(llvm::StringRef name);
/// All names, sorted.
[[nodiscard]] std::vector<std::string> machinePresetNames();

} // namespace ccgraph
