// Machine: the cost model's description of the hardware, in numbers.
//
// One rank is one processor (a GPU, or a share of a host). Each node has `ranksPerNode` ranks, by global number: rank r
// is on node r / ranksPerNode. A group whose ranks are all on one node communicates over `intra`, any other over
// `inter`. `rules` determines how collectives use these numbers, see docs/cost-model.md.
//
// All numbers are integers, rounded once where a file is read, so that two hosts that read one file decide alike: bytes
// and operations a second, picoseconds, parts per million.
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

/// The processor of one rank.
struct Processor {
  /// peak, by DType; 0: unknown, and that of the nearest wider float is used
  std::array<int64_t, numDTypes> flopsPerSecond = {};
  /// share of that peak that matrix products reach
  int64_t flopsReachedPpm = wholePpm;
  /// memory bandwidth
  int64_t bytesPerSecond = 0;
  /// share of that bandwidth that kernels reach
  int64_t bytesReachedPpm = wholePpm;
  /// cost of each kernel besides its work
  int64_t launchPs = 0;

  /// Returns the memory bandwidth that kernels reach, in bytes a second.
  [[nodiscard]] double effectiveBytesPerSecond() const;
  /// Returns the rate that matrix products of this dtype reach, in operations a second; 0 if unknown.
  [[nodiscard]] double effectiveFlopsPerSecond(DType dtype) const;
};

/// Whether a group stays on one node or crosses nodes.
enum class LinkLevel : uint8_t { Intra, Inter };
inline constexpr unsigned numLinkLevels = 2;
/// "inside a node", "across nodes".
[[nodiscard]] llvm::StringRef levelText(LinkLevel level);

/// Selects NCCL's latency of one hop.
enum class LinkKind : uint8_t { NvLink, Pcie, Network };
/// "nvlink", "pcie", "network".
[[nodiscard]] llvm::StringRef linkKindName(LinkKind kind);
[[nodiscard]] std::optional<LinkKind> parseLinkKind(llvm::StringRef text);

/// The link over which one rank sends and receives at the same time, on one level.
struct Link {
  LinkKind kind = LinkKind::NvLink;
  /// one way, all channels together; nccl-tests calls this bus bandwidth
  int64_t bytesPerSecond = 0;
  int64_t channels = 1;
  /// latency of one hop, in addition to the rules' own
  int64_t latencyPs = 0;
};

/// The link over which a rank copies to the host's memory and back, one copy at a time in the order of issue.
struct HostLink {
  /// 0: there is none
  int64_t bytesPerSecond = 0;
  /// time of a copy besides its bytes
  int64_t latencyPs = 0;

  [[nodiscard]] bool exists() const { return bytesPerSecond > 0; }
};

/// Selects the column of NCCL's constants.
enum class Generation : uint8_t { Volta, Ampere, Hopper, Blackwell };
/// "volta", ...
[[nodiscard]] llvm::StringRef generationName(Generation generation);
[[nodiscard]] std::optional<Generation> parseGeneration(llvm::StringRef text);

/// How bytes, ranks and links determine the time.
enum class CollectiveRules : uint8_t {
  /// NCCL's tuning model: the best of its algorithms and protocols
  Nccl,
  /// PyTorch's estimator: ring and tree with NCCL's constants, and a network whose efficiency grows with nodes and
  /// bytes
  PyTorch,
  /// a latency for each step and the link's bandwidth: shared memory, MPI
  Linear,
};
/// "nccl", "pytorch", "linear".
[[nodiscard]] llvm::StringRef rulesName(CollectiveRules rules);
[[nodiscard]] std::optional<CollectiveRules> parseRules(llvm::StringRef text);

/// The measured time of one collective.
struct CollectiveSample {
  CollectiveKind kind = CollectiveKind::AllReduce;
  int64_t ranks = 0;
  /// number of nodes of these ranks
  int64_t nodes = 1;
  /// the larger of the total that a rank sends and the total that it receives
  int64_t bytes = 0;
  int64_t picoseconds = 0;
  friend bool operator==(const CollectiveSample &, const CollectiveSample &) = default;
};

/// A fit for one kind: time = base + steps * step + bytes on the wire / bandwidth (docs/cost-model.md).
struct LinearCollective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  int64_t basePs = 0;
  /// for each of the rounds in which every rank sends and receives a share
  int64_t stepPs = 0;
  int64_t bytesPerSecond = 0;
  friend bool operator==(const LinearCollective &, const LinearCollective &) = default;
};

struct Machine {
  /// name of the preset, or as stated in the file
  std::string name;
  /// one sentence
  std::string about;
  Processor processor;
  int64_t ranksPerNode = 8;
  Link intra;
  Link inter;
  HostLink hostLink;
  CollectiveRules rules = CollectiveRules::Nccl;
  Generation generation = Generation::Hopper;
  /// bus bandwidth of an all_reduce in the switch (NVLS) inside a node; 0: there is none
  int64_t multicastBytesPerSecond = 0;
  /// For the linear rules inside a node: kinds with numbers of their own, each once; the others use the link's.
  std::vector<LinearCollective> linear;
  /// By kind, ranks, nodes and bytes, each once. Samples of a collective's kind, ranks and nodes determine its time
  /// instead of the rules.
  std::vector<CollectiveSample> measured;
  /// A read of a tensor by the host (item(), a data-dependent size) stops the issue of all later nodes until the tensor
  /// is ready, so the stream becomes empty.
  bool hostReadsStall = true;
  /// duration of that stall: the path of the value to the host, and of the next kernel back
  int64_t hostReadPs = 0;
  /// concurrent transfers of several groups share the bandwidth of their level evenly
  bool sharedLinks = true;
  /// slowdown of computation while the rank communicates
  int64_t slowdownPpm = 0;
  /// how many communicators of one rank can have a kernel on the device at the same time; 0: any number. The time of a
  /// step does not depend on it, but a job may need more of them to make progress (ccgraph/jobs/check.h).
  int64_t residentCommunicators = 0;

  [[nodiscard]] const Link &link(LinkLevel level) const { return level == LinkLevel::Intra ? intra : inter; }
};

/// Returns the kind whose times are used for a kind: all transfers are sends, and a resharding of a dimension is an
/// all_to_all.
[[nodiscard]] CollectiveKind timedAs(CollectiveKind kind);

/// Sorts samples in the order of Machine::measured, each under the kind by which it is timed. Of samples that differ in
/// time only, the smallest stays, since a collective that waits for a rank takes longer.
[[nodiscard]] std::vector<CollectiveSample> sortedSamples(std::vector<CollectiveSample> samples);

/// The machine that is used if none is given.
inline constexpr llvm::StringLiteral defaultMachine = "h100x8";
/// Returns a machine by its name; empty if there is none.
[[nodiscard]] std::optional<Machine> machinePreset(llvm::StringRef name);
/// Returns all names, sorted.
[[nodiscard]] std::vector<std::string> machinePresetNames();

} // namespace ccgraph
