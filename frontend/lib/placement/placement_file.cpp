#include "ccgraph/frontend/placement_file.h"

#include "json/json_report.h"
#include "json/member_sink.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

constexpr size_t errorLimit = 20;

/// Reads the number of "name(number)".
std::optional<int64_t> numberIn(llvm::StringRef text, llvm::StringRef name, int64_t most) {
  int64_t number = 0;
  if (!text.consume_front(name) || !text.consume_front("(") || !text.consume_back(")") ||
      text.getAsInteger(10, number) || number < 0 || number > most)
    return std::nullopt;
  return number;
}

constexpr int64_t mostRanks = 65536;

/// Reads "replicate", "shard(0)", "head_tail(0)", "partial(sum)", "partial(avg)" or "at(0)".
std::optional<AxisPlacement> parsePlacement(llvm::StringRef text) {
  AxisPlacement placement;
  if (text == "replicate")
    return placement;
  if (std::optional<int64_t> coordinate = numberIn(text, "at", mostRanks - 1)) {
    placement.kind = AxisPlacement::Kind::At;
    placement.coordinate = *coordinate;
    return placement;
  }
  placement.kind = text == "partial(sum)" ? AxisPlacement::Kind::PartialSum : AxisPlacement::Kind::PartialAvg;
  if (text == "partial(sum)" || text == "partial(avg)")
    return placement;
  placement.kind = AxisPlacement::Kind::Shard;
  constexpr int64_t mostDims = 64;
  placement.isHeadTail = text.startswith("head_tail");
  std::optional<int64_t> dim = numberIn(text, placement.isHeadTail ? "head_tail" : "shard", mostDims);
  if (!dim)
    return std::nullopt;
  placement.dim = *dim;
  return placement;
}

class PlacementReader {
public:
  explicit PlacementReader(const SourceText &source) : report_(source, errorLimit) {}

  llvm::Expected<StepPlacements> read(const SourceText &source) {
    bool hasInputs = false, hasOutputs = false;
    MemberSink sink("", [&](const JsonValue &member) {
      if (member.key == "mesh")
        readMesh(member);
      else if (member.key == "inputs" || member.key == "outputs") {
        bool isInput = member.key == "inputs";
        (isInput ? hasInputs : hasOutputs) = true;
        readList(member, isInput ? placements_.inputs : placements_.outputs);
      }
    });
    llvm::Error syntax = parseJson(source, sink);
    if (!syntax && (!hasInputs || !hasOutputs))
      report_.error(0, "expected an object with the members 'inputs' and 'outputs'",
                    "e.g. {\"inputs\": [{\"position\": 0, \"single\": 0, \"of\": \"x\", \"placement\": {\"dp\": "
                    "\"shard(0)\"}}], \"outputs\": []}");
    finish();
    if (llvm::Error error = report_.take(std::move(syntax)))
      return error;
    return std::move(placements_);
  }

private:
  void readMesh(const JsonValue &mesh) {
    const JsonValue *axes = mesh.member("axes"), *sizes = mesh.member("sizes");
    if (!axes || !axes->is(JsonKind::Array) || !sizes || !sizes->is(JsonKind::Array) || axes->count != sizes->count)
      return report_.expected(mesh, "the axes of the mesh and as many sizes",
                              "e.g. {\"axes\": [\"dp\", \"tp\"], \"sizes\": [2, 4]}");
    for (const JsonValue &axis : axes->elements())
      stated_.push_back({report_.line(axis, "the name of an axis").value_or("").str(), 0});
    size_t next = 0;
    for (const JsonValue &size : sizes->elements()) {
      int64_t ranks = report_.integer(size, "a number of ranks").value_or(1);
      if (ranks < 1 || ranks > mostRanks)
        report_.expected(size, "a number of ranks from 1 to " + llvm::Twine(mostRanks));
      stated_[next++].size = ranks;
    }
  }

  void readList(const JsonValue &list, std::vector<TensorPlacement> &into) {
    if (!list.is(JsonKind::Array))
      return report_.expected(list, "an array of placements");
    for (const JsonValue &entry : list.elements())
      into.push_back(readEntry(entry));
  }

  TensorPlacement readEntry(const JsonValue &entry) {
    TensorPlacement placement;
    if (!entry.is(JsonKind::Object)) {
      report_.expected(entry, "a placement: an object with 'position', 'single', 'of' and 'placement'");
      return placement;
    }
    placement.position = readPosition(entry, "position");
    placement.single = readPosition(entry, "single");
    if (const JsonValue *of = entry.member("of"))
      placement.of = report_.line(*of, "a name").value_or("").str();
    if (placement.of.empty())
      placement.of = std::to_string(placement.position);
    readAxes(entry, placement);
    readAxisList(entry, "split_order", placement.splitOrder);
    readAxisList(entry, "as_axes", placement.asAxes);
    if (const JsonValue *shape = entry.member("as"))
      readShape(*shape, placement);
    if (const JsonValue *parts = entry.member("parts"))
      readParts(*parts, placement);
    if (const JsonValue *microbatch = entry.member("microbatch"))
      readMicrobatch(*microbatch, placement);
    return placement;
  }

  void readAxisList(const JsonValue &entry, llvm::StringRef key, std::vector<size_t> &axes) {
    if (const JsonValue *list = entry.member(key))
      for (const JsonValue &axis : list->elements())
        axes.push_back(axisOf(axis, report_.string(axis, "the name of an axis").value_or("")));
  }

  size_t readPosition(const JsonValue &entry, llvm::StringRef key) {
    const JsonValue *value = entry.member(key);
    if (value && value->is(JsonKind::Integer) && value->integer >= 0)
      return static_cast<size_t>(value->integer);
    report_.expected(value ? *value : entry, "'" + key + "': a position, from 0");
    return 0;
  }

  void readShape(const JsonValue &shape, TensorPlacement &placement) {
    for (const JsonValue &size : shape.elements())
      placement.as.push_back(size.is(JsonKind::Integer) ? size.integer : 0);
    if (placement.as.size() < 2 || llvm::any_of(placement.as, [](int64_t size) { return size < 1; }))
      report_.expected(shape, "'as': a shape of two dimensions or more", "e.g. [3, 16, 16]");
  }

  void readParts(const JsonValue &parts, TensorPlacement &placement) {
    for (const JsonValue &size : parts.elements())
      placement.parts.push_back(size.is(JsonKind::Integer) ? size.integer : 0);
    if (placement.parts.size() < 2 || llvm::any_of(placement.parts, [](int64_t size) { return size < 1; }) ||
        !placement.as.empty())
      report_.expected(parts, "'parts': two sizes or more, and no 'as'", "e.g. [16384, 1024, 1024]");
  }

  void readMicrobatch(const JsonValue &of, TensorPlacement &placement) {
    IntList numbers;
    for (const JsonValue &number : of.elements())
      numbers.push_back(number.is(JsonKind::Integer) ? number.integer : -1);
    constexpr int64_t most = 65536;
    if (numbers.size() != 2 || numbers[0] < 0 || numbers[1] <= numbers[0] || numbers[1] > most)
      return report_.expected(of, "'microbatch': its index, and how many there are",
                              "e.g. [0, 4] of the first of four");
    placement.microbatch = {numbers[0], numbers[1]};
  }

  void readAxes(const JsonValue &entry, TensorPlacement &placement) {
    const JsonValue *axes = entry.member("placement");
    if (!axes || !axes->is(JsonKind::Object))
      return report_.expected(axes ? *axes : entry, "'placement': an object, axis -> placement",
                              "e.g. {\"dp\": \"replicate\", \"tp\": \"shard(0)\"}");
    for (const JsonValue &axis : axes->elements()) {
      std::optional<AxisPlacement> parsed =
          axis.is(JsonKind::String) ? parsePlacement(axis.text) : std::optional<AxisPlacement>();
      if (!parsed)
        report_.expected(
            axis,
            "a placement: replicate, shard(DIMENSION), head_tail(DIMENSION), partial(sum), partial(avg) or at(RANK)");
      size_t index = axisOf(axis, axis.key);
      placement.axes.resize(std::max(placement.axes.size(), index + 1));
      placement.axes[index] = parsed.value_or(AxisPlacement());
    }
  }

  /// Returns the index of an axis by its first appearance in a placement; the stated mesh may order them otherwise.
  size_t axisOf(const JsonValue &place, llvm::StringRef name) {
    const auto *known = llvm::find_if(axes_, [&](const PlacedAxis &axis) { return axis.name == name; });
    if (known != axes_.end())
      return static_cast<size_t>(known - axes_.begin());
    axes_.push_back({name.str(), place.offset});
    return axes_.size() - 1;
  }

  /// Orders the axes of all placements as the mesh does.
  void finish() {
    if (stated_.empty())
      for (const PlacedAxis &axis : axes_)
        stated_.push_back({axis.name, 0});
    std::vector<size_t> toMesh;
    for (const PlacedAxis &axis : axes_) {
      const auto *place = llvm::find_if(stated_, [&](const NamedAxis &stated) { return stated.name == axis.name; });
      if (place == stated_.end())
        report_.error(axis.offset, "the mesh has no axis '" + axis.name + "'", "list it in \"mesh\"");
      toMesh.push_back(static_cast<size_t>(place - stated_.begin()));
    }
    placements_.mesh.assign(stated_.begin(), stated_.end());
    if (report_.hasErrors())
      return;
    for (std::vector<TensorPlacement> *list : {&placements_.inputs, &placements_.outputs})
      for (TensorPlacement &placement : *list) {
        std::vector<AxisPlacement> ordered(stated_.size());
        for (size_t i = 0; i != placement.axes.size(); ++i)
          ordered[toMesh[i]] = placement.axes[i];
        placement.axes = std::move(ordered);
        for (std::vector<size_t> *axes : {&placement.splitOrder, &placement.asAxes})
          for (size_t &axis : *axes)
            axis = toMesh[axis];
      }
  }

  struct PlacedAxis {
    std::string name;
    size_t offset;
  };
  JsonReport report_;
  StepPlacements placements_;
  llvm::SmallVector<NamedAxis, 4> stated_;
  llvm::SmallVector<PlacedAxis, 4> axes_;
};

} // namespace

llvm::Expected<StepPlacements> readPlacementFile(const SourceText &source) {
  return PlacementReader(source).read(source);
}

} // namespace ccgraph
