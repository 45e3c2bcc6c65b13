// FlightRecord: what one rank launched last, and what it does now.
//
// Engines keep one while they run (ccgraph/runtime/engine.h), files hold them (ccgraph/frontend/flight_file.h), and the records
// of all ranks together tell who holds up a run (ccgraph/runtime/flight_analysis.h). The words are those of PyTorch's flight
// recorder, so that its dumps become records too; what it does not say is empty.
//
//   scheduled   the host has issued the call to its stream
//   started     the rank has launched it, and waits for the other members or moves its part
//   completed   it has ended for all members
//
// Ownership: owns all that it holds. Failure: none. Cost: plain data, about 300 bytes a call.
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

/// Who communicates.
struct FlightGroup {
  std::string name;
  std::string description;
  /// global ranks, in the group's order; empty where the record does not say
  std::vector<int64_t> ranks;
};

/// One tensor of a call: how many elements of which dtype. Shapes are not kept: a collective moves rows of elements.
struct FlightTensor {
  /// "f32"; PyTorch's word where ccgraph has none
  std::string dtype;
  int64_t elements = 0;
  friend bool operator==(const FlightTensor &, const FlightTensor &) = default;
};

/// When things happened, in nanoseconds since 1970; 0: not known, or not yet.
struct FlightTimes {
  int64_t scheduled = 0;
  int64_t started = 0;
  int64_t completed = 0;
};

/// One collective, or one end of a transfer.
struct FlightCall {
  /// index in FlightRecord::groups
  size_t group = 0;
  /// which collective of the group, or which transfer of its channel, from 1
  int64_t sequence = 0;
  /// "all_reduce", "_all_gather_base", "send", "recv"
  std::string operation;
  /// what else the members must say alike: "sum", "from 1"; empty where there is nothing, or it is not known
  std::string detail;
  /// transfers: the other end's rank within the group; not there for collectives
  std::optional<int64_t> peer;
  /// transfers: transfers of other tags are others
  int64_t tag = 0;
  std::vector<FlightTensor> inputs;
  std::vector<FlightTensor> outputs;
  FlightState state = FlightState::Scheduled;
  FlightTimes times;
  /// of the plan: the node that the step was made of; empty in records of others
  std::string step;
  /// of the plan: the step's place
  std::optional<int64_t> position;
  /// In which way this is not what the rank's own plan has: "number 3 by the plan"; empty where it is, or no plan is known.
  std::string departure;

  [[nodiscard]] bool isTransfer() const { return peer.has_value(); }
};

/// One step of a plan that ran, or runs.
struct FlightStep {
  int64_t position = 0;
  /// of the node that it was made of
  std::string name;
  /// "aten.mm.default", "copy", "all_reduce"
  std::string operation;
  bool communicates = false;
  /// of its stream
  std::string stream;
  FlightTimes times;
};

/// What a rank did when the record was taken.
enum class RankActivity : uint8_t {
  Unknown,
  /// executes a step, or is about to
  Busy,
  /// can do nothing before a peer does something
  Waiting,
  /// has run its program to the end
  Ended,
};
/// "unknown", "busy", "waiting", "ended".
[[nodiscard]] llvm::StringRef activityName(RankActivity activity);
[[nodiscard]] std::optional<RankActivity> parseActivity(llvm::StringRef text);

struct FlightRecord {
  int64_t rank = 0;
  /// 0: not known
  int64_t worldSize = 0;
  /// "local", "nccl", "gloo": what ran the calls
  std::string engine;
  /// of the graph that the plan was made of; empty in records of others
  std::string graphDigest;
  /// When the record was taken, in nanoseconds since 1970; 0: not known.
  int64_t taken = 0;
  RankActivity activity = RankActivity::Unknown;
  /// the step that a busy rank executes; empty between steps
  std::string busyWith;
  /// Calls, or steps, that came before the oldest which is still there.
  int64_t forgottenCalls = 0;
  int64_t forgottenSteps = 0;
  std::vector<FlightGroup> groups;
  /// in the order in which the rank issued them
  std::vector<FlightCall> calls;
  std::vector<FlightStep> steps;
};

} // namespace ccgraph
