#include "ccgraph/frontend/machine_file.h"

#include "json/file_header.h"
#include "json/json_parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace ccgraph {
namespace {

constexpr FileKind machineFile = {"ccgraph.machine", "a machine", "docs/cost-model.md describes machine files",
                                  "this is a file of another format; --machine takes the name of a preset, too",
                                  "keys that are not known here are left out"};

constexpr double tera = 1e12;
constexpr double giga = 1e9;
constexpr double picosecondsPerMicrosecond = 1e6;

/// The allowed range of a number, and its conversion.
struct Quantity {
  llvm::StringLiteral key;
  double unit;
  double least;
  double most;
};

constexpr Quantity tflops = {"tflops", tera, 0, 1e6};
constexpr Quantity tflopsReached = {"tflops_reached", wholePpm, 1e-3, 1};
constexpr Quantity memory = {"memory_gb_per_s", giga, 1e-3, 1e6};
constexpr Quantity memoryReached = {"memory_reached", wholePpm, 1e-3, 1};
constexpr Quantity launch = {"launch_us", picosecondsPerMicrosecond, 0, 1e6};
constexpr Quantity linkRate = {"gb_per_s", giga, 1e-3, 1e6};
constexpr Quantity hostRate = {"gb_per_s", giga, 0, 1e6};
constexpr Quantity channels = {"channels", 1, 1, 1024};
constexpr Quantity linkLatency = {"latency_us", picosecondsPerMicrosecond, 0, 1e6};
constexpr Quantity baseLatency = {"base_us", picosecondsPerMicrosecond, 0, 1e6};
constexpr Quantity stepLatency = {"step_us", picosecondsPerMicrosecond, 0, 1e6};
constexpr CollectiveKind fittedKinds[] = {
    CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
    CollectiveKind::Broadcast, CollectiveKind::Scatter,   CollectiveKind::Send};
constexpr Quantity ranksPerNode = {"ranks_per_node", 1, 1, 1e6};
constexpr Quantity multicast = {"multicast_gb_per_s", giga, 0, 1e6};
constexpr Quantity hostRead = {"host_read_us", picosecondsPerMicrosecond, 0, 1e6};
constexpr Quantity slowdown = {"slowdown", wholePpm, 0, 100};
constexpr Quantity resident = {"resident_communicators", 1, 0, 1e6};

/// Collects the machine, and all errors.
class MachineReader {
public:
  explicit MachineReader(JsonReport &report) : report_(report), header_(machineFile, report) {}

  void read(const JsonValue &file) {
    if (!header_.readFrom(file))
      return;
    readBase(file.member("base"));
    for (const JsonValue &member : file.elements())
      if (!FileHeader::holds(member.key) && member.key != "base")
        readMember(member);
  }
  Machine take() { return std::move(machine_); }

private:
  /// The base is read first, because the rest of the file overrides it.
  void readBase(const JsonValue *base) {
    std::string names = llvm::join(machinePresetNames(), ", ");
    std::optional<Machine> preset = machinePreset(base ? base->text : llvm::StringRef(defaultMachine));
    if (!preset)
      return report_.expected(*base, "the name of a preset", "the presets are " + names);
    machine_ = std::move(*preset);
  }

  void readMember(const JsonValue &member) {
    llvm::StringRef key = member.key;
    if (key == "name" || key == "about")
      (key == "name" ? machine_.name : machine_.about) = report_.line(member, "a string").value_or("").str();
    else if (key == "processor")
      readObject(member, &MachineReader::readProcessor);
    else if (key == "intra" || key == "inter") {
      link_ = key == "intra" ? &machine_.intra : &machine_.inter;
      readObject(member, &MachineReader::readLink);
    } else if (key == "host_link")
      readObject(member, &MachineReader::readHostLink);
    else if (key == "rules" || key == "generation")
      readWord(member);
    else if (key == "host_reads_stall" || key == "shared_links")
      readSwitch(member, key == "shared_links" ? machine_.sharedLinks : machine_.hostReadsStall);
    else if (key == ranksPerNode.key)
      readNumber(member, ranksPerNode, machine_.ranksPerNode);
    else if (key == multicast.key)
      readNumber(member, multicast, machine_.multicastBytesPerSecond);
    else if (key == hostRead.key)
      readNumber(member, hostRead, machine_.hostReadPs);
    else if (key == slowdown.key)
      readNumber(member, slowdown, machine_.slowdownPpm);
    else if (key == resident.key)
      readNumber(member, resident, machine_.residentCommunicators);
    else if (key == "linear")
      readObject(member, &MachineReader::readFit);
    else
      unknown(member,
              "base, name, about, processor, ranks_per_node, intra, inter, host_link, multicast_gb_per_s, rules, "
              "generation, linear, host_reads_stall, host_read_us, shared_links, slowdown, "
              "resident_communicators");
  }

  void readObject(const JsonValue &value, void (MachineReader::*readEach)(const JsonValue &)) {
    if (!value.is(JsonKind::Object))
      return report_.expected(value, "an object");
    for (const JsonValue &member : value.elements())
      (this->*readEach)(member);
  }

  void readProcessor(const JsonValue &member) {
    Processor &processor = machine_.processor;
    if (member.key == tflops.key)
      readObject(member, &MachineReader::readPeak);
    else if (member.key == tflopsReached.key)
      readNumber(member, tflopsReached, processor.flopsReachedPpm);
    else if (member.key == memory.key)
      readNumber(member, memory, processor.bytesPerSecond);
    else if (member.key == memoryReached.key)
      readNumber(member, memoryReached, processor.bytesReachedPpm);
    else if (member.key == launch.key)
      readNumber(member, launch, processor.launchPs);
    else
      unknown(member, "tflops, tflops_reached, memory_gb_per_s, memory_reached, launch_us");
  }

  void readPeak(const JsonValue &member) {
    std::optional<DType> dtype = parseShortDType(member.key);
    if (!dtype)
      return report_.error(member.offset, "'" + member.key.str() + "' is no dtype", "e.g. bf16, f16, f32, f8e4m3fn");
    readNumber(member, tflops, machine_.processor.flopsPerSecond[static_cast<size_t>(*dtype)]);
  }

  void readLink(const JsonValue &member) {
    if (member.key == "kind") {
      std::optional<LinkKind> kind = parseLinkKind(member.text);
      if (!kind)
        return report_.expected(member, "nvlink, pcie or network");
      link_->kind = *kind;
    } else if (member.key == linkRate.key)
      readNumber(member, linkRate, link_->bytesPerSecond);
    else if (member.key == channels.key)
      readNumber(member, channels, link_->channels);
    else if (member.key == linkLatency.key)
      readNumber(member, linkLatency, link_->latencyPs);
    else
      unknown(member, "kind, gb_per_s, channels, latency_us");
  }

  void readHostLink(const JsonValue &member) {
    if (member.key == hostRate.key)
      readNumber(member, hostRate, machine_.hostLink.bytesPerSecond);
    else if (member.key == linkLatency.key)
      readNumber(member, linkLatency, machine_.hostLink.latencyPs);
    else
      unknown(member, "gb_per_s, latency_us");
  }

  void readFit(const JsonValue &member) {
    const auto *kind =
        llvm::find_if(fittedKinds, [&](CollectiveKind one) { return collectiveName(one) == member.key; });
    if (kind == std::end(fittedKinds))
      return report_.error(member.offset, "'" + member.key.str() + "' is no collective that is fitted",
                           "e.g. all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, scatter, send");
    auto same = [&](const LinearCollective &other) { return other.kind == *kind; };
    llvm::erase_if(machine_.linear, same); // the entry of the base
    machine_.linear.push_back({*kind, 0, 0, machine_.intra.bytesPerSecond});
    readObject(member, &MachineReader::readFitNumber);
  }

  void readFitNumber(const JsonValue &member) {
    LinearCollective &fit = machine_.linear.back();
    if (member.key == baseLatency.key)
      readNumber(member, baseLatency, fit.basePs);
    else if (member.key == stepLatency.key)
      readNumber(member, stepLatency, fit.stepPs);
    else if (member.key == linkRate.key)
      readNumber(member, linkRate, fit.bytesPerSecond);
    else
      unknown(member, "base_us, step_us, gb_per_s");
  }

  void readWord(const JsonValue &member) {
    if (member.key == "rules") {
      if (auto rules = parseRules(member.text))
        machine_.rules = *rules;
      else
        report_.expected(member, "nccl, pytorch or linear");
    } else if (auto generation = parseGeneration(member.text))
      machine_.generation = *generation;
    else
      report_.expected(member, "volta, ampere, hopper or blackwell");
  }

  void readSwitch(const JsonValue &member, bool &value) {
    if (!member.is(JsonKind::Bool))
      return report_.expected(member, "true or false");
    value = member.boolean;
  }

  void readNumber(const JsonValue &member, const Quantity &quantity, int64_t &value) {
    const bool isNumber = member.is(JsonKind::Integer) || member.is(JsonKind::Float);
    const double number = member.is(JsonKind::Integer) ? static_cast<double>(member.integer) : member.real;
    const bool counts = quantity.unit == 1;
    const bool fits = isNumber && number >= quantity.least && number <= quantity.most;
    if (!fits || (counts && number != static_cast<double>(static_cast<int64_t>(number))))
      return report_.expected(member, llvm::Twine(counts ? "a whole number" : "a number") + " from " +
                                          text(quantity.least) + " to " + text(quantity.most));
    value = static_cast<int64_t>(number * quantity.unit + 0.5);
  }

  static std::string text(double number) {
    std::string digits = llvm::formatv("{0:f3}", number).str();
    llvm::StringRef trimmed = llvm::StringRef(digits).rtrim('0');
    return trimmed.rtrim('.').str();
  }

  void unknown(const JsonValue &member, const char *known) {
    std::string message = "a machine has no '" + member.key.str() + "' here";
    if (header_.isNewer())
      return report_.warning(member.offset, std::move(message));
    report_.error(member.offset, std::move(message), std::string("the keys are ") + known);
  }

  JsonReport &report_;
  FileHeader header_;
  Machine machine_;
  Link *link_ = nullptr;
};

/// Takes the whole file as one value: it is small.
class WholeFile final : public JsonSink {
public:
  explicit WholeFile(MachineReader &reader) : reader_(reader) {}
  bool enter(const JsonOpening &) override { return false; }
  void leave() override {}
  bool value(const JsonValue &value) override { return reader_.read(value), true; }

private:
  MachineReader &reader_;
};

} // namespace

llvm::Expected<Machine> readMachineFile(const SourceText &source) {
  constexpr size_t errorLimit = 20;
  JsonReport report(source, errorLimit);
  MachineReader reader(report);
  WholeFile sink(reader);
  llvm::Error syntax = parseJson(source, sink);
  if (llvm::Error error = report.take(std::move(syntax)))
    return error;
  return reader.take();
}

} // namespace ccgraph
