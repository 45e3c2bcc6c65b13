#include "trace/header.h"

#include "ccgraph/frontend/listed_graph.h"

#include "json/member_sink.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using llvm::StringRef;

namespace ccgraph {
namespace {

/// Matches "V1121 08:54:34" at the front of `text`.
bool startsLoggerWords(StringRef text) {
  constexpr StringRef form = "L0000 00:00:00";
  if (text.size() < form.size() || !StringRef("VDIWEC").contains(text.front()))
    return false;
  for (size_t i = 1; i != form.size(); ++i)
    if (form[i] == '0' ? !llvm::isDigit(text[i]) : text[i] != form[i])
      return false;
  return true;
}

struct KindStage {
  StringRef kind;
  unsigned stage;
};

// The order in which one compilation prints these kinds. Graphs of Dynamo hold modules, methods and tensor subclasses,
// and graphs of compiled autograd hold hooks; fx_graph_runnable has no types.
constexpr KindStage kinds[] = {
    {"dynamo_output_graph", 0},
    {"before_pre_grad_graph", 0},
    {"inductor_pre_grad_graph", 0},
    {"after_pre_grad_graph", 0},
    {"compiled_autograd_graph", 0},
    {"compiled_autograd_graph_pre_reordering", 0},
    {"optimize_ddp_split_graph", 0},
    {"optimize_ddp_split_child", 0},
    {"exported_program", 0},
    {"fx_graph_runnable", 0},
    {"aot_joint_graph", 1},
    {"aot_inference_graph", 2},
    {"aot_forward_graph", 2},
    {"aot_backward_graph", 2},
    {"before_joint_graph", 3},
    {"after_joint_graph", 4},
    {"before_post_grad_graph", 5},
    {"overlap_scheduling_graph_before", 6},
    {"overlap_scheduling_graph_after", 7},
    {"after_post_grad_graph", 8},
    {"inductor_post_grad_graph", 8},
};

const KindStage *findKind(StringRef kind) {
  const auto *found = llvm::find_if(kinds, [&](const KindStage &entry) { return entry.kind == kind; });
  return found == std::end(kinds) ? nullptr : found;
}

/// Reads the members of a header one by one.
class HeaderReader {
public:
  void member(const JsonValue &value) {
    if (header_.kind.empty())
      artefact(value);
    else if (value.key == "rank" && value.is(JsonKind::Integer))
      header_.rank = value.integer;
    else if (value.key == "has_payload" && value.is(JsonKind::String))
      header_.md5 = value.text.str();
    else if (value.is(JsonKind::Integer))
      number(value);
  }

  TraceHeader take() {
    if (frame_ && compile_)
      header_.compileId =
          std::to_string(*frame_) + "/" + std::to_string(*compile_) + (attempt_ ? "_" + std::to_string(attempt_) : "");
    return std::move(header_);
  }

private:
  void artefact(const JsonValue &value) {
    header_.kind = value.key.str();
    const JsonValue *name = value.member("name");
    const JsonValue *encoding = value.member("encoding");
    header_.holdsJson = encoding && encoding->text == "json";
    if (name == nullptr || !name->is(JsonKind::String))
      return;
    bool isNamed = value.key == "artifact" || value.key == "graph_dump";
    (isNamed ? header_.kind : header_.name) = name->text.str();
  }

  void number(const JsonValue &value) {
    if (value.key == "frame_id")
      frame_ = value.integer;
    else if (value.key == "frame_compile_id")
      compile_ = value.integer;
    else if (value.key == "attempt")
      attempt_ = value.integer;
    else if (value.key == "compiled_autograd_id")
      header_.ofCompiledAutograd = true;
  }

  TraceHeader header_;
  std::optional<int64_t> frame_;
  std::optional<int64_t> compile_;
  int64_t attempt_ = 0;
};

} // namespace

// "] {" is searched first, because most lines of a log are payload and do not contain it. The logger's prefix is
// searched from the right, because the marks of a launcher before it may look like it.
std::optional<HeaderLine> findHeader(StringRef line) {
  size_t end = line.find("] {\"");
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef before = line.take_front(end);
  if (before.empty() || !llvm::isDigit(before.back()))
    return std::nullopt;
  for (size_t at = before.size(); at-- != 0;)
    if (startsLoggerWords(before.drop_front(at)))
      return HeaderLine{line.take_front(at), line.drop_front(end + 2)};
  return std::nullopt;
}

bool isBrokenHeader(StringRef line) {
  if (!line.startswith("V") || !startsLoggerWords(line))
    return false;
  size_t end = line.find("] ");
  return end == StringRef::npos || line.drop_front(end).startswith("] {");
}

std::optional<TraceHeader> parseHeader(StringRef json) {
  if (!json.contains("\"has_payload\""))
    return json.endswith("}") ? std::optional(TraceHeader()) : std::nullopt;
  return parseWholeHeader(json);
}

std::optional<TraceHeader> parseWholeHeader(StringRef json) {
  HeaderReader reader;
  MemberSink sink("", [&](const JsonValue &value) { reader.member(value); });
  if (llvm::Error error = parseJson({"", json}, sink)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return reader.take();
}

bool isGraphKind(StringRef kind) { return findKind(kind) != nullptr; }

unsigned stageOf(StringRef kind) {
  const KindStage *found = findKind(kind);
  return found ? found->stage : 0;
}

} // namespace ccgraph
