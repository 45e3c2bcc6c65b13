#include "ccgraph/frontend/flight_file.h"

#include "flight/flight_words.h"
#include "json/line_writer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

/// Version of the keys that PyTorch's tools read.
constexpr llvm::StringLiteral torchVersion = "2.10";

class FlightWriter : private LineWriter {
public:
  FlightWriter(llvm::raw_ostream &os, const FlightRecord &record) : LineWriter(os), record_(record) {}

  void write() {
    file([&] { writeMembers(); });
  }

private:
  void writeMembers() {
    text(top("format"), "ccgraph.flight");
    text(top("format_version"), "1.0");
    text(top("version"), torchVersion);
    top("rank") << record_.rank;
    top("world_size") << record_.worldSize;
    text(top("engine"), record_.engine);
    text(top("graph_digest"), record_.graphDigest);
    top("time_taken_ns") << record_.taken;
    text(top("activity"), activityName(record_.activity));
    text(top("busy_with"), record_.busyWith);
    top("forgotten_calls") << record_.forgottenCalls;
    top("forgotten_steps") << record_.forgottenSteps;
    writeGroups();
    writeStatus();
    list("entries", record_.calls, [&](const FlightCall &call) { writeCall(call); });
    list("steps", record_.steps, [&](const FlightStep &step) { writeStep(step); });
  }

  /// Writes an object with a member for each group, keyed by its number; `write` fills the member.
  template <typename Write>
  void byGroup(llvm::StringRef name, Write write) {
    object(name, record_.groups, [&](const FlightGroup &group) {
      size_t number = static_cast<size_t>(&group - record_.groups.data());
      os_ << '"' << number << "\": {";
      write(number);
      os_ << '}';
    });
  }

  /// PyTorch writes ranks as the text of a list.
  void writeGroups() {
    byGroup("pg_config", [&](size_t i) {
      const FlightGroup &group = record_.groups[i];
      Separator separator;
      text(key(separator, "name"), group.name);
      text(key(separator, "desc"), group.description);
      std::vector<std::string> ranks;
      for (int64_t rank : group.ranks)
        ranks.push_back(std::to_string(rank));
      text(key(separator, "ranks"), "[" + llvm::join(ranks, ", ") + "]");
    });
  }

  /// -1 where there was none, as in PyTorch.
  void writeStatus() {
    byGroup("pg_status", [&](size_t i) {
      auto last = [&](FlightState state) {
        int64_t number = -1;
        for (const FlightCall &call : record_.calls)
          if (call.group == i && !call.isTransfer() && call.state >= state)
            number = std::max(number, call.sequence);
        return number;
      };
      Separator separator;
      key(separator, "last_enqueued_collective") << last(FlightState::Scheduled);
      key(separator, "last_started_collective") << last(FlightState::Started);
      key(separator, "last_completed_collective") << last(FlightState::Completed);
    });
  }

  [[nodiscard]] std::string profilingName(const FlightCall &call) const {
    std::string name = record_.engine + ":" + call.operation;
    if (!call.isTransfer())
      return name;
    const std::vector<int64_t> &ranks = record_.groups[call.group].ranks;
    auto me = static_cast<int64_t>(llvm::find(ranks, record_.rank) - ranks.begin());
    return name + " " + std::to_string(me) + (call.operation == "send" ? "->" : "<-") + std::to_string(*call.peer);
  }

  void writeCall(const FlightCall &call) {
    Separator separator;
    const FlightGroup &group = record_.groups[call.group];
    os_ << '{';
    key(separator, "record_id") << record_.forgottenCalls + (&call - record_.calls.data());
    key(separator, "pg_id") << call.group;
    key(separator, "process_group") << '[';
    text(os_, group.name);
    os_ << ", ";
    text(os_, group.description);
    os_ << ']';
    key(separator, "collective_seq_id") << (call.isTransfer() ? 0 : call.sequence);
    key(separator, "p2p_seq_id") << (call.isTransfer() ? call.sequence : 0);
    key(separator, "op_id") << call.sequence;
    text(key(separator, "profiling_name"), profilingName(call));
    key(separator, "is_p2p") << (call.isTransfer() ? "true" : "false");
    writeTensors(separator, "input", call.inputs);
    writeTensors(separator, "output", call.outputs);
    text(key(separator, "state"), flightStateName(call.state));
    key(separator, "retired") << (call.state == FlightState::Completed ? "true" : "false");
    key(separator, "time_created_ns") << call.times.scheduled;
    key(separator, "time_discovered_started_ns") << call.times.started;
    key(separator, "time_discovered_completed_ns") << call.times.completed;
    writeOwn(separator, call);
    os_ << '}';
  }

  void writeTensors(Separator &separator, const std::string &side, const std::vector<FlightTensor> &tensors) {
    array(separator, side + "_sizes", tensors,
          [&](const FlightTensor &tensor) { os_ << '[' << tensor.elements << ']'; });
    array(separator, side + "_dtypes", tensors,
          [&](const FlightTensor &tensor) { text(os_, flightWordOf(tensor.dtype)); });
  }

  /// Writes the members that PyTorch has no keys for.
  void writeOwn(Separator &separator, const FlightCall &call) {
    if (!call.detail.empty())
      text(key(separator, "detail"), call.detail);
    if (call.tag != 0)
      key(separator, "tag") << call.tag;
    text(key(separator, "step"), call.step);
    if (call.position)
      key(separator, "position") << *call.position;
    if (!call.departure.empty())
      text(key(separator, "departure"), call.departure);
  }

  void writeStep(const FlightStep &step) {
    Separator separator;
    os_ << '{';
    key(separator, "position") << step.position;
    text(key(separator, "name"), step.name);
    text(key(separator, "operation"), step.operation);
    key(separator, "communicates") << (step.communicates ? "true" : "false");
    text(key(separator, "stream"), step.stream);
    key(separator, "time_started_ns") << step.times.started;
    key(separator, "time_completed_ns") << step.times.completed;
    os_ << '}';
  }

  const FlightRecord &record_;
};

} // namespace

void writeFlightRecord(llvm::raw_ostream &os, const FlightRecord &record) { FlightWriter(os, record).write(); }

} // namespace ccgraph
