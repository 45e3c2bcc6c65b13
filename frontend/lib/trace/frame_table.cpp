#include "trace/frame_table.h"

#include "json/member_sink.h"

#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace ccgraph {
namespace {

/// Members of an object, one at a time; false where the text is none.
bool forEachMember(StringRef json, const std::function<void(const JsonValue &)> &visit) {
  MemberSink sink("", visit);
  if (llvm::Error error = parseJson({"", json}, sink))
    return llvm::consumeError(std::move(error)), false;
  return true;
}

/// The last of a list; null where it has none.
const JsonValue *lastOf(const JsonValue *list) {
  const JsonValue *last = nullptr;
  if (list && list->is(JsonKind::Array))
    for (const JsonValue &element : list->elements())
      last = &element;
  return last;
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
      files_[{prefix.str(), number.integer}] = llvm::sys::path::filename(path.text).str();
  });
}

void FrameTable::noteStart(StringRef prefix, StringRef json) {
  std::string frame;
  forEachMember(json, [&](const JsonValue &member) {
    const JsonValue *last = member.key == "dynamo_start" ? lastOf(member.member("stack")) : nullptr;
    const JsonValue *line = last ? last->member("line") : nullptr;
    const JsonValue *name = last ? last->member("name") : nullptr;
    const JsonValue *file = last ? last->member("filename") : nullptr;
    if (!line || !line->is(JsonKind::Integer) || !name || !name->is(JsonKind::String) || !file ||
        !file->is(JsonKind::Integer))
      return;
    auto known = files_.find({prefix.str(), file->integer});
    if (known != files_.end())
      frame = known->second + ":" + std::to_string(line->integer) + " in " + name->text.str();
  });
  std::optional<TraceHeader> header = parseWholeHeader(json);
  if (!frame.empty() && header && !header->compileId.empty())
    frames_[{prefix.str(), header->compileId}] = frame;
}

std::string FrameTable::frameOf(StringRef prefix, const std::string &compileId) const {
  auto known = frames_.find({prefix.str(), compileId});
  return known == frames_.end() ? "" : known->second;
}

} // namespace ccgraph
