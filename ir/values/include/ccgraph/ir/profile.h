// RankProfile: what PyTorch's profiler recorded on one rank, reduced to the events that can belong to nodes of a graph.
//
// Host threads and device streams are lanes. An event of a device refers to the host event that launched it by its
// correlation number. A collective's event refers to an entry of `collectives`, which holds the profiler's arguments.
//
// All times are integer nanoseconds of the rank's own clock; two ranks' clocks may differ by any amount.
//
// Ownership: owns its texts; each distinct name is stored once. Failure: none; a reader fills it (profile_file.h).
// Cost: 48 bytes an event.
#pragma once

#include "ccgraph/ir/op_def.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

enum class ProfileEventKind : uint8_t {
  Operator,   ///< an operator or a kernel of a CPU, on a host thread
  Annotation, ///< a range that the program or a backend named, on a host thread
  Launch,     ///< a call of a device's runtime, on a host thread
  Kernel,     ///< a kernel on a device's stream
  Copy,       ///< a copy or a memset on a device's stream
};

/// No event has this number; Kineto counts correlations from 1.
inline constexpr int64_t noCorrelation = 0;
inline constexpr int32_t noCollective = -1;
inline constexpr int32_t noStatedNode = -1;

struct ProfileEvent {
  uint32_t name = 0; ///< index in RankProfile::names
  ProfileEventKind kind = ProfileEventKind::Operator;
  int32_t collective = noCollective; ///< index in RankProfile::collectives
  int32_t node = noStatedNode;       ///< index in RankProfile::names of the node that the trace states
  int64_t lane = 0;                  ///< number of the thread or the stream
  int64_t begin = 0;                 ///< nanoseconds
  int64_t end = 0;                   ///< nanoseconds
  int64_t correlation = noCorrelation;
};

/// The arguments of a collective's event; a field that the trace lacks is empty.
struct ProfiledCollective {
  std::optional<CollectiveKind> kind;
  std::string group;               ///< the process group's name
  std::vector<int64_t> ranks;      ///< its global ranks; empty also if the trace abbreviates the list
  int64_t groupSize = 0;           ///< 0: unknown
  std::optional<int64_t> sequence; ///< number of the collective in its group
  std::optional<int64_t> bytes;    ///< the larger of the bytes that a rank sends and receives
  friend bool operator==(const ProfiledCollective &, const ProfiledCollective &) = default;
};

/// A process group as the header of the trace lists it.
struct ProfiledGroup {
  std::string name;
  std::vector<int64_t> ranks;
};

struct RankProfile {
  std::string origin;          ///< path of the trace
  std::optional<int64_t> rank; ///< empty if the trace does not state it
  std::vector<std::string> names;
  std::vector<ProfileEvent> events; ///< by begin; of equal begins, the longest first
  std::vector<ProfiledCollective> collectives;
  std::vector<ProfiledGroup> groups;
  [[nodiscard]] const std::string &nameOf(const ProfileEvent &event) const { return names[event.name]; }
};

/// Which nodes one call of a kernel computes, as Inductor states it.
struct KernelNodes {
  std::string kernel;             ///< "cpp_fused_add_0", "triton_poi_fused_mul_1"
  int64_t call = 0;               ///< calls of one graph count up in the order of the program
  std::vector<std::string> nodes; ///< names of nodes of inductor_post_grad_graph
};

/// The mapping of one compiled graph.
struct KernelProvenance {
  std::string origin; ///< path of the log or the file
  std::vector<KernelNodes> kernels;
};

} // namespace ccgraph
