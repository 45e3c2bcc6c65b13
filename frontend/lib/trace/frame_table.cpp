#include "trace/frame_table.h"

#include "ccgraph/ir/frame_place.h"

#include "json/member_sink.h"

#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace ccgraph {
namespace {

/// Visits the members of an object, one at a time; returns false where the text is not an object.
bool forEachMember(StringRef json, const std::function<void(const JsonValue &)> &visit) {
  MemberSink sink("", visit);
  if (llvm::Error error = parseJson({"", json}, sink))
    return llvm::consumeError(std::move(error)), false;
  return true;
}

} // namespace

void FrameTable::note(const HeaderLine &line) {
  if (line.json.startswith("{\"str\""))
    noteFile(line.prefix, line.json);
  else if (line.json.startswith("{\"dynamo_start\""))
    noteStart(line.prefix, line.json);
}

void FrameTable::noteFile(StringRef prefix, StringRef json) {
  forEachMember(json, [&](const JsonValue &member) {
    if (member.key != "str" || !member.is(JsonKind::Array) || member.count != 2)
      return;
    const JsonValue &path = *member.first, &number = *path.next;
    if (path.is(JsonKind::String) && number.is(JsonKind::Integer))
      files_[{prefix.str(), number.integer}] = path.text.str();
  });
}

/// Returns the file of a frame; empty where the log does not name it.
StringRef FrameTable::fileOf(StringRef prefix, const JsonValue &frame) const {
  const JsonValue *file = frame.member("filename");
  auto known = file && file->is(JsonKind::Integer) ? files_.find({prefix.str(), file->integer}) : files_.end();
  return known == files_.end() ? StringRef() : StringRef(known->second);
}

/// Returns "train.py:154 in step"; empty where the frame lacks a part of it.
std::string FrameTable::textOf(StringRef prefix, const JsonValue &frame) const {
  const JsonValue *line = frame.member("line");
  const JsonValue *name = frame.member("name");
  StringRef file = fileOf(prefix, frame);
  if (file.empty() || !line || !line->is(JsonKind::Integer) || !name || !name->is(JsonKind::String))
    return "";
  return llvm::sys::path::filename(file).str() + ":" + std::to_string(line->integer) + " in " + name->text.str();
}

void FrameTable::noteStart(StringRef prefix, StringRef json) {
  Start start;
  forEachMember(json, [&](const JsonValue &member) {
    const JsonValue *stack = member.key == "dynamo_start" ? member.member("stack") : nullptr;
    if (!stack || !stack->is(JsonKind::Array))
      return;
    for (const JsonValue &frame : stack->elements()) {
      StringRef file = fileOf(prefix, frame);
      start.optimizes = file.contains("/torch/optim/");
      if (std::string text = textOf(prefix, frame); !text.empty() && !isPyTorchFile(file))
        start.frame = std::move(text);
    }
  });
  std::optional<TraceHeader> header = parseWholeHeader(json);
  if (header && !header->compileId.empty())
    starts_[{prefix.str(), header->compileId}] = std::move(start);
}

std::string FrameTable::frameOf(StringRef prefix, const std::string &compileId) const {
  auto known = starts_.find({prefix.str(), compileId});
  return known == starts_.end() ? "" : known->second.frame;
}

bool FrameTable::isOptimizer(StringRef prefix, const std::string &compileId) const {
  auto known = starts_.find({prefix.str(), compileId});
  return known != starts_.end() && known->second.optimizes;
}

} // namespace ccgraph
