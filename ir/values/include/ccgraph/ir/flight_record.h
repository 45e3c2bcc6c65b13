// FlightRecord: the last collectives that one rank launched, and its present activity.
//
// Engines keep a record while they run (ccgraph/runtime/engine.h), and files store it (ccgraph/frontend/flight_file.h).
// The records of all ranks together show which rank delays a run (ccgraph/runtime/flight_analysis.h). The terms are
// those of PyTorch's flight recorder, so its dumps can be read as records too; fields that it does not have are empty.
//
//   scheduled   the host has issued the call to its stream
//   started     the rank has launched it, and waits for the other members or moves its part
//   completed   it has ended for all members
//
// Ownership: owns its contents. Failure: none. Cost: plain data, about 300 bytes a call.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

enum class FlightState : uint8_t { Scheduled, Started, Completed };
/// "scheduled", "started", "completed".
[[nodiscard]] llvm::StringRef flightStateName(FlightState state);
[[nodiscard]] std::optional<FlightState> parseFlightState(llvm::StringRef text);

/// The group of a call.
struct FlightGroup {
  std::string name;
  std::string description;
  /// global ranks, in the group's order; empty if the record does not contain them
  std::vector<int64_t> ranks;
};

/// One tensor of a call: number of elements and dtype. It contains no shape: a collective moves rows of elements.
struct FlightTensor {
  /// "f32"; PyTorch's word if ccgraph has none
  std::string dtype;
  int64_t elements = 0;
  friend bool operator==(const FlightTensor &, const FlightTensor &) = default;
};

/// Times in nanoseconds since 1970; 0: unknown, or not yet.
struct FlightTimes {
  int64_t scheduled = 0;
  int64_t started = 0;
  int64_t completed = 0;
};

/// One collective, or one end of a transfer.
struct FlightCall {
  /// index in FlightRecord::groups
  size_t group = 0;
  /// number of the collective within the group, or of the transfer within its channel, from 1
  int64_t sequence = 0;
  /// "all_reduce", "_all_gather_base", "send", "recv"
  std::string operation;
  /// further fields in which the members must agree: "sum", "from 1"; empty if there are none, or they are unknown
  std::string detail;
  /// transfers: the other end's rank within the group; empty for collectives
  std::optional<int64_t> peer;
  /// transfers: the tag; transfers of different tags do not match
  int64_t tag = 0;
  std::vector<FlightTensor> inputs;
  std::vector<FlightTensor> outputs;
  FlightState state = FlightState::Scheduled;
  FlightTimes times;
  /// name of the node from which the plan's step was created; empty in records of other programs
  std::string step;
  /// position of the step in the plan
  std::optional<int64_t> position;
  /// How this call differs from the rank's own plan: "number 3 by the plan"; empty if it does not, or no plan is known.
  std::string departure;

  [[nodiscard]] bool isTransfer() const { return peer.has_value(); }
};

/// One step of a plan, executed or in execution.
struct FlightStep {
  int64_t position = 0;
  /// name of the node from which it was created
  std::string name;
  /// "aten.mm.default", "copy", "all_reduce"
  std::string operation;
  bool communicates = false;
  /// name of its stream
  std::string stream;
  FlightTimes times;
};

/// The activity of a rank when the record was taken.
enum class RankActivity : uint8_t {
  Unknown,
  /// executes a step, or is about to
  Busy,
  /// cannot continue before a peer does
  Waiting,
  /// has completed its program
  Ended,
};
/// "unknown", "busy", "waiting", "ended".
[[nodiscard]] llvm::StringRef activityName(RankActivity activity);
[[nodiscard]] std::optional<RankActivity> parseActivity(llvm::StringRef text);

struct FlightRecord {
  int64_t rank = 0;
  /// 0: unknown
  int64_t worldSize = 0;
  /// "local", "nccl", "gloo": the engine that ran the calls
  std::string engine;
  /// digest of the graph from which the plan was created; empty in records of other programs
  std::string graphDigest;
  /// When the record was taken, in nanoseconds since 1970; 0: unknown.
  int64_t taken = 0;
  RankActivity activity = RankActivity::Unknown;
  /// the step that a busy rank executes; empty between steps
  std::string busyWith;
  /// Number of calls, or steps, before the oldest that is still recorded.
  int64_t forgottenCalls = 0;
  int64_t forgottenSteps = 0;
  std::vector<FlightGroup> groups;
  /// in the order in which the rank issued them
  std::vector<FlightCall> calls;
  std::vector<FlightStep> steps;
};

} // namespace ccgraph
