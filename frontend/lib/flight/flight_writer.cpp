#include "ccgraph/frontend/flight_file.h"

#include "flight/flight_words.h"
#include "json/json_text.h"
#include "json/separator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

/// Of the keys that PyTorch's tools read.
constexpr llvm::StringLiteral torchVersion = "2.10";

class FlightWriter {
public:
  FlightWriter(llvm::raw_ostream &os, const FlightRecord &record) : os_(os), record_(record) {}

  void write() {
    os_ << '{';
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
    os_ << "\n}\n";
  }

private:
  llvm::raw_ostream &top(llvm::StringRef name) {
    os_ << members_.next() << "\n  ";
    writeJsonString(os_, name);
    return os_ << ": ";
  }
  static void text(llvm::raw_ostream &os, llvm::StringRef text) { writeJsonString(os, text); }
  llvm::raw_ostream &key(Separator &separator, llvm::StringRef name) {
    return os_ << separator.next() << '"' << name << "\": ";
  }
  template <typename Entry, typename Write>
  void list(llvm::StringRef name, const std::vector<Entry> &entries, Write write) {
    top(name) << '[';
    Separator lines(",");
    for (const Entry &entry : entries) {
      os_ << lines.next() << "\n    ";
      write(entry);
    }
    os_ << (entries.empty() ? "]" : "\n  ]");
  }
  /// An object with a member a line, which `write` fills.
  template <typename Write>
  void object(llvm::StringRef name, Write write) {
    top(name) << '{';
    Separator lines(",");
    for (size_t i = 0; i < record_.groups.size(); ++i) {
      os_ << lines.next() << "\n    \"" << i << "\": {";
      write(i);
      os_ << '}';
    }
    os_ << (record_.groups.empty() ? "}" : "\n  }");
  }

  /// PyTorch writes ranks as the text of a list.
  void writeGroups() {
    object("pg_config", [&](size_t i) {
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

  /// -1 where there was none, as PyTorch has it.
  void writeStatus() {
    object("pg_status", [&](size_t i) {
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
    Separator sizes, dtypes;
    key(separator, side + "_sizes") << '[';
    for (const FlightTensor &tensor : tensors)
      os_ << sizes.next() << '[' << tensor.elements << ']';
    os_ << ']';
    key(separator, side + "_dtypes") << '[';
    for (const FlightTensor &tensor : tensors)
      text(os_ << dtypes.next(), flightWordOf(tensor.dtype));
    os_ << ']';
  }

  /// What PyTorch has no keys for.
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

  llvm::raw_ostream &os_;
  const FlightRecord &record_;
  Separator members_{","};
};

} // namespace

void writeFlightRecord(llvm::raw_ostream &os, const FlightRecord &record) { FlightWriter(os, record).write(); }

} // namespace ccgraph
