#include "fx_text/log_title.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace ccgraph::fx {
namespace {

struct TitleKind {
  StringRef start; ///< beginning of the title
  StringRef kind;
};
constexpr TitleKind titleKinds[] = {
    {"Joint graph", "aot_joint_graph"},
    {"Forward graph", "aot_forward_graph"},
    {"Backward graph", "aot_backward_graph"},
    {"Inference graph", "aot_inference_graph"},
    {"BEFORE PRE GRAD", "before_pre_grad_graph"},
    {"AFTER PRE GRAD", "after_pre_grad_graph"},
    {"BEFORE JOINT GRAPH", "before_joint_graph"},
    {"AFTER JOINT GRAPH", "after_joint_graph"},
    {"BEFORE POST GRAD", "before_post_grad_graph"},
    {"AFTER POST GRAD", "inductor_post_grad_graph"},
    {"__compiled_fn", "dynamo_output_graph"},
    {"Compiled autograd graph", "compiled_autograd_graph"},
};

bool isCompileId(StringRef tag) {
  auto [frame, compile] = tag.split('/');
  auto [count, attempt] = compile.split('_');
  auto isNumber = [](StringRef text) { return !text.empty() && llvm::all_of(text, llvm::isDigit); };
  return isNumber(frame) && isNumber(count) && (attempt.empty() || isNumber(attempt));
}

/// Calls `visit` with the inside of each pair of brackets until it returns true.
template <typename Visit>
void eachTag(StringRef marks, Visit visit) {
  for (size_t open = marks.find('['); open != StringRef::npos; open = marks.find('[')) {
    size_t close = marks.find(']', open);
    if (close == StringRef::npos || visit(marks.slice(open + 1, close)))
      return;
    marks = marks.drop_front(close + 1);
  }
}

} // namespace

StringRef titleOf(StringRef line) {
  constexpr StringRef rule = "=====";
  StringRef text = line.trim();
  bool isTitle = text.size() > 2 * rule.size() && text.consume_front(rule) && text.consume_back(rule);
  return isTitle ? text.trim("= ") : StringRef();
}

std::string kindOfTitle(StringRef title) {
  for (const TitleKind &known : titleKinds)
    if (title.startswith_insensitive(known.start))
      return known.kind.str();
  return title.str();
}

std::optional<int64_t> rankOfMarks(StringRef marks) {
  std::optional<int64_t> rank;
  eachTag(marks, [&](StringRef tag) {
    int64_t number = 0;
    if (tag.consume_front("rank") && !tag.getAsInteger(10, number))
      rank = number;
    return rank.has_value();
  });
  return rank;
}

std::string compileIdOfMarks(StringRef marks) {
  std::string id;
  eachTag(marks, [&](StringRef tag) {
    if (isCompileId(tag))
      id = tag.endswith("_0") ? tag.drop_back(2).str() : tag.str();
    return !id.empty();
  });
  return id;
}

} // namespace ccgraph::fx
