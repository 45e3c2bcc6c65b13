#include "ccgraph/frontend/memory_snapshot_file.h"

#include "ccgraph/ir/text.h"
#include "flight/pickle_or_json.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

#include <map>

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral framesKey = "frames";

/// What an event does; `changesMemory` is false for notes in the record.
struct ActionWord {
  llvm::StringLiteral word;
  AllocatorAction action = AllocatorAction::Allocate;
  bool changesMemory = true;
};
constexpr ActionWord actionWords[] = {{"alloc", AllocatorAction::Allocate},
                                      {"free_requested", AllocatorAction::RequestFree},
                                      {"free_completed", AllocatorAction::CompleteFree},
                                      {"segment_alloc", AllocatorAction::AddSegment},
                                      {"segment_free", AllocatorAction::RemoveSegment},
                                      {"segment_map", AllocatorAction::AddSegment},
                                      {"segment_unmap", AllocatorAction::RemoveSegment},
                                      {"snapshot", AllocatorAction::Allocate, false},
                                      {"oom", AllocatorAction::Allocate, false},
                                      {"annotate", AllocatorAction::Allocate, false}};

struct StateWord {
  llvm::StringLiteral word;
  BlockState state;
};
constexpr StateWord stateWords[] = {{"active_allocated", BlockState::Allocated},
                                    {"active_awaiting_free", BlockState::AwaitingFree},
                                    {"active_pending_free", BlockState::AwaitingFree},
                                    {"inactive", BlockState::Inactive}};

class SnapshotReader {
public:
  explicit SnapshotReader(ReportExpected expected) : expected_(std::move(expected)) {}

  void read(const JsonValue &root) {
    const JsonValue *segments = root.is(JsonKind::Array) ? &root : root.member("segments");
    if (!segments || !segments->is(JsonKind::Array))
      return expected_(segments ? *segments : root,
                       "a memory snapshot: a dictionary with 'segments' and 'device_traces', or a list of segments");
    for (const JsonValue &segment : segments->elements())
      readSegment(segment);
    if (const JsonValue *traces = root.member("device_traces"))
      readTraces(*traces);
  }

  MemorySnapshot take() {
    MemorySnapshot snapshot;
    for (auto &[number, device] : devices_) {
      llvm::sort(device.segments, [](const MemorySegment &a, const MemorySegment &b) { return a.address < b.address; });
      snapshot.devices.push_back(std::move(device));
    }
    return snapshot;
  }

private:
  AllocatorSnapshot &deviceOf(int64_t number) {
    AllocatorSnapshot &device = devices_[number];
    device.device = number;
    return device;
  }

  // --- Typed look-ups: each reports what is missing or of another kind --------------------------------------------

  std::optional<int64_t> size(const JsonValue &object, llvm::StringRef name) {
    const JsonValue *value = object.member(name);
    if (value && value->is(JsonKind::Integer) && value->integer >= 0)
      return value->integer;
    expected_(value ? *value : object, "'" + name.str() + "' as a whole number that is not negative");
    return std::nullopt;
  }
  std::optional<int64_t> sizeOr(const JsonValue &object, llvm::StringRef name, int64_t absent) {
    return object.member(name) ? size(object, name) : std::optional(absent);
  }
  const JsonValue *list(const JsonValue &object, llvm::StringRef name) {
    const JsonValue *value = object.member(name);
    if (value && value->is(JsonKind::Array))
      return value;
    expected_(value ? *value : object, "'" + name.str() + "' as a list");
    return nullptr;
  }
  /// Returns the entry of a table of words.
  template <typename Entry>
  const Entry *word(const JsonValue &object, llvm::StringRef name, llvm::ArrayRef<Entry> table) {
    const JsonValue *value = object.member(name);
    std::string known;
    for (const Entry &entry : table) {
      if (value && value->is(JsonKind::String) && value->text == entry.word)
        return &entry;
      known += (known.empty() ? "" : ", ") + entry.word.str();
    }
    expected_(value ? *value : object, "'" + name.str() + "' as one of " + known);
    return nullptr;
  }

  // --- State ------------------------------------------------------------------------------------------------------

  void readSegment(const JsonValue &value) {
    if (!value.is(JsonKind::Object))
      return expected_(value, "a segment as a dictionary");
    const std::optional<int64_t> device = sizeOr(value, "device", 0), address = size(value, "address");
    const std::optional<int64_t> bytes = size(value, "total_size");
    const JsonValue *blocks = list(value, "blocks");
    if (!device || !address || !bytes || !blocks)
      return;
    AllocatorSnapshot &own = deviceOf(*device);
    MemorySegment &segment = own.segments.emplace_back();
    segment.address = *address;
    segment.bytes = *bytes;
    int64_t next = *address;
    for (const JsonValue &block : blocks->elements())
      readBlock(block, own, segment, next);
  }

  /// Old snapshots state no address of a block; blocks follow one another.
  void readBlock(const JsonValue &value, AllocatorSnapshot &device, MemorySegment &segment, int64_t &next) {
    if (!value.is(JsonKind::Object))
      return expected_(value, "a block as a dictionary");
    const std::optional<int64_t> bytes = size(value, "size"), address = sizeOr(value, "address", next);
    const StateWord *state = word(value, "state", llvm::ArrayRef(stateWords));
    if (!bytes || !address || !state)
      return;
    const bool isFree = state->state == BlockState::Inactive;
    const std::optional<int64_t> requested = isFree ? 0 : sizeOr(value, "requested_size", *bytes);
    if (!requested || __builtin_add_overflow(*address, *bytes, &next))
      return;
    if (*requested > *bytes)
      return expected_(*value.member("requested_size"),
                       "at most the " + std::to_string(*bytes) + " bytes of the block");
    segment.blocks.push_back(
        {*address, *bytes, *requested, state->state, isFree ? noAllocationPlace : placeOf(value, device)});
  }

  // --- Events -----------------------------------------------------------------------------------------------------

  void readTraces(const JsonValue &traces) {
    if (!traces.is(JsonKind::Array))
      return expected_(traces, "'device_traces' as a list");
    int64_t device = 0;
    for (const JsonValue &trace : traces.elements()) {
      if (!trace.is(JsonKind::Array))
        return expected_(trace, "the events of a device as a list");
      if (trace.count != 0)
        readEvents(trace, deviceOf(device));
      ++device;
    }
  }

  void readEvents(const JsonValue &trace, AllocatorSnapshot &device) {
    for (const JsonValue &value : trace.elements()) {
      if (!value.is(JsonKind::Object)) {
        expected_(value, "an event as a dictionary");
        continue;
      }
      const ActionWord *action = word(value, "action", llvm::ArrayRef(actionWords));
      if (!action || !action->changesMemory)
        continue;
      const std::optional<int64_t> address = size(value, "addr"), bytes = size(value, "size");
      if (address && bytes)
        device.events.push_back(
            {action->action, *address, *bytes,
             action->action == AllocatorAction::Allocate ? placeOf(value, device) : noAllocationPlace});
    }
  }

  // --- Places -----------------------------------------------------------------------------------------------------

  uint32_t placeOf(const JsonValue &value, AllocatorSnapshot &device) {
    const JsonValue *frames = value.member(framesKey);
    if (!frames || !frames->is(JsonKind::Array) || frames->count == 0)
      return noAllocationPlace;
    // Values with the same frames share the list, so its first element identifies it.
    auto [known, isNew] = byFrames_.try_emplace({device.device, frames->first}, noAllocationPlace);
    if (!isNew)
      return known->second;
    const std::string text = placeText(*frames);
    auto [place, isNewPlace] = byText_.try_emplace(std::to_string(device.device) + " " + text, device.places.size());
    if (isNewPlace)
      device.places.push_back(text);
    return known->second = static_cast<uint32_t>(place->second);
  }

  /// Returns the first frame that is not of PyTorch or of C++, or the first one.
  static std::string placeText(const JsonValue &frames) {
    for (const JsonValue &frame : frames.elements())
      if (const llvm::StringRef file = textOf(frame, "filename"); file.endswith(".py") && !file.contains("/torch/"))
        return frameText(frame);
    return frameText(*frames.first);
  }
  static std::string frameText(const JsonValue &frame) {
    const JsonValue *line = frame.member("line");
    std::string text = llvm::sys::path::filename(textOf(frame, "filename")).str();
    if (line && line->is(JsonKind::Integer) && line->integer > 0)
      text += ":" + std::to_string(line->integer);
    return visibleText(text + " in " + textOf(frame, "name").str());
  }
  static llvm::StringRef textOf(const JsonValue &object, llvm::StringRef name) {
    const JsonValue *value = object.member(name);
    return value ? value->text : llvm::StringRef();
  }

  ReportExpected expected_;
  std::map<int64_t, AllocatorSnapshot> devices_;
  std::map<std::pair<int64_t, const JsonValue *>, uint32_t> byFrames_;
  llvm::StringMap<size_t> byText_;
};

} // namespace

llvm::Expected<MemorySnapshot> readMemorySnapshot(const SourceText &source) {
  std::optional<SnapshotReader> reader;
  auto read = [&](const JsonValue &root, const ReportExpected &expected) { reader.emplace(expected).read(root); };
  if (llvm::Error error = readPickleOrJson(source, {"a memory snapshot", framesKey}, read))
    return error;
  MemorySnapshot snapshot = reader->take();
  snapshot.origin = source.name;
  return snapshot;
}

} // namespace ccgraph
