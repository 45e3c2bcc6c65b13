#include "plan/value_reader.h"

#include "ccgraph/ir/internal/names.h"
#include "json/argument_reader.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral windowForm =
    "a window is buffer, elements from its beginning, type: \"b3 f32[4, 4][4, 1]cpu\", \"b3+16 f32[8][1]cpu\", "
    "\"b3+(4*s0) f32[8][1]cpu\"";
constexpr llvm::StringLiteral valueForms = "values are \"b3+16 f32[8][1]cpu\", \"n2 Sym(u0)\", [..], {\"literal\": "
                                           "..}, {\"object\": ..} and null (docs/plan-format.md)";

/// Returns the length of the text in parentheses at the front, these included; 0 where it is not closed.
size_t parenthesized(llvm::StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0)
      return i + 1;
  }
  return 0;
}

/// Reads "+16" or "+(4*s0)", if there is one; returns false where it is malformed.
bool takeOffset(Context &context, llvm::StringRef &text, Dim &offset) {
  if (!text.consume_front("+"))
    return true;
  if (!text.startswith("(")) {
    std::optional<uint64_t> number = takeIndex(text);
    offset = static_cast<int64_t>(number.value_or(0));
    return number && *number <= INT64_MAX;
  }
  size_t length = parenthesized(text);
  if (length <= 2 || !isSymbolText(text.slice(1, length - 1)))
    return false;
  offset = Dim(context.symbolic(text.slice(1, length - 1)));
  text = text.drop_front(length);
  return true;
}

const Type *readWindowType(PlanScope &scope, llvm::StringRef text, const JsonValue &value) {
  const Type *type = scope.types.readText(text, value.offset);
  if (!type || (type->isTensor() && type->stridesKnown()))
    return type;
  scope.report.expected(value, "a window whose type is a tensor with strides", windowForm.str());
  return nullptr;
}

PlanValue reject(PlanScope &scope, const JsonValue &value) {
  scope.report.expected(value, "a value of a plan", valueForms.str());
  return {};
}

PlanValue readNumber(PlanScope &scope, const JsonValue &value) {
  llvm::StringRef text = value.text.drop_front();
  std::optional<uint64_t> number = takeIndex(text);
  bool typed = !text.empty();
  if (!number || (typed && !text.consume_front(" ")))
    return reject(scope, value);
  auto slot = scope.index(*number, value, scope.plan.numSlots, {"a number", "numbers"});
  ++scope.numberMentions;
  const Type *type = typed ? scope.types.readText(text, value.offset) : nullptr;
  if (type && type->kind() != Type::Kind::Symbolic)
    scope.report.expected(value, "a number whose type is Sym(..)", "e.g. \"n2 Sym(u0)\"");
  return slot ? PlanValue::number(*slot, type) : PlanValue();
}

PlanValue readText(PlanScope &scope, const JsonValue &value) {
  if (value.text.startswith("n"))
    return readNumber(scope, value);
  if (!value.text.startswith("b"))
    return reject(scope, value);
  auto window = readWindow(scope, value);
  return window ? PlanValue::tensor(*window) : PlanValue();
}

PlanValue readThing(PlanScope &scope, const JsonValue &value) {
  auto text = scope.text(value, "the name of the object in messages");
  return text ? PlanValue::ofObject(scope.plan.context().identifier(*text)) : PlanValue();
}

/// Represents values that a literal must not have by an empty list, for which the caller tests.
class LiteralOwner final : public ArgumentOwner {
public:
  Argument reference(const JsonValue & /*value*/) override { return Argument::sequence(Argument::Kind::List, {}); }
  Argument sequence(Argument::Kind kind, llvm::ArrayRef<Argument> /*elements*/) override {
    return Argument::sequence(kind, {});
  }
  Argument dict(llvm::ArrayRef<NamedArgument> /*entries*/) override { return Argument::dict({}); }
};

PlanValue readLiteral(PlanScope &scope, const JsonValue &value) {
  LiteralOwner owner;
  Argument literal = ArgumentReader(scope.plan.context(), scope.report, owner).read(value);
  if (!literal.isSequence() && !literal.is(Argument::Kind::Dict))
    return PlanValue::ofLiteral(literal);
  scope.report.expected(value, "a literal that is no list", "text is written {\"str\": ...}");
  return {};
}

PlanValue readObject(PlanScope &scope, const JsonValue &value) {
  if (value.count == 1 && value.first->key == "object")
    return readThing(scope, *value.first);
  if (value.count == 1 && value.first->key == "literal")
    return readLiteral(scope, *value.first);
  return reject(scope, value);
}

} // namespace

std::optional<PlanWindow> readWindow(PlanScope &scope, const JsonValue &value) {
  llvm::StringRef text = value.is(JsonKind::String) ? value.text : llvm::StringRef();
  PlanWindow window;
  std::optional<uint64_t> number = text.consume_front("b") ? takeIndex(text) : std::nullopt;
  if (!number || !takeOffset(scope.plan.context(), text, window.offset) || !text.consume_front(" ")) {
    scope.report.expected(value, "a window", windowForm.str());
    return std::nullopt;
  }
  auto buffer = scope.index(*number, value, scope.plan.buffers.size(), {"a buffer", "buffers"});
  window.buffer = buffer.value_or(0);
  window.type = readWindowType(scope, text, value);
  return buffer && window.type ? std::optional(window) : std::nullopt;
}

PlanValue readPlanValue(PlanScope &scope, const JsonValue &value) {
  if (value.is(JsonKind::Null))
    return {};
  if (value.is(JsonKind::String))
    return readText(scope, value);
  if (value.is(JsonKind::Object))
    return readObject(scope, value);
  if (!value.is(JsonKind::Array))
    return reject(scope, value);
  std::vector<PlanValue> elements;
  for (const JsonValue &element : value.elements())
    elements.push_back(readPlanValue(scope, element));
  return PlanValue::list(std::move(elements));
}

PlanOperand readPlanOperand(PlanScope &scope, const JsonValue &value) {
  const JsonValue *only = value.is(JsonKind::Object) && value.count == 1 ? value.first : nullptr;
  if (only && only->key == "write")
    return {readPlanValue(scope, *only), /*reads=*/false, /*writes=*/true};
  if (only && only->key == "update")
    return {readPlanValue(scope, *only), /*reads=*/true, /*writes=*/true};
  if (only && only->key == "sizes")
    return {readPlanValue(scope, *only), /*reads=*/false, /*writes=*/false};
  return {readPlanValue(scope, value)};
}

} // namespace ccgraph
