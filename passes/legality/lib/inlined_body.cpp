#include "inlined_body.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {
namespace {

constexpr size_t firstActual = 2; // after the subgraph and its name

bool sameProvenance(const Provenance &a, const Provenance &b) {
  auto sameNamed = [](const NamedArgument &x, const NamedArgument &y) {
    return x.name == y.name && sameArgument(x.value, y.value);
  };
  return a.origins == b.origins && a.durationPs == b.durationPs &&
         std::equal(a.attributes.begin(), a.attributes.end(), b.attributes.begin(), b.attributes.end(), sameNamed);
}

bool isLeaf(const Argument &argument) { return !argument.isSequence() && !argument.is(Argument::Kind::Dict); }

} // namespace

InlinedBody::InlinedBody(const Rewrite &rewrite, const InlinedCall &call, llvm::ArrayRef<uint32_t> images)
    : rewrite_(rewrite), call_(call.step), body_(*call.body), readers_(call.readers) {
  if (const Node *output = body_.output(); output && output->args().size() == 1)
    result_ = &output->args().front();
  for (const Node *node : body_)
    if (node->opcode() == Opcode::Placeholder)
      placeholders_.push_back(node);
  bindPlaceholders(images);
}

void InlinedBody::bindPlaceholders(llvm::ArrayRef<uint32_t> images) {
  const Step &call = rewrite_.before[call_];
  llvm::ArrayRef<Argument> actuals = call.arguments->positional;
  for (size_t i = 0; i < placeholders_.size() && firstActual + i < actuals.size(); ++i) {
    const Argument &actual = actuals[firstActual + i];
    if (!actual.is(Argument::Kind::Operand))
      values_[placeholders_[i]] = {none, &actual};
    else if (uint32_t operand = rewrite_.before.operand(call, actual); operand != none)
      values_[placeholders_[i]] = {images[operand], nullptr};
  }
}

// A type in the subgraph describes a value for the arguments that the placeholders there describe, and for no other.
std::string InlinedBody::obstacle() const {
  const Step &call = rewrite_.before[call_];
  llvm::ArrayRef<Argument> positional = call.arguments->positional;
  if (!call.arguments->keyword.empty() || positional.size() != firstActual + placeholders_.size())
    return "does not have one argument for each input of its subgraph";
  if (!body_.subgraphs().empty() ||
      llvm::any_of(body_, [](const Node *node) { return node->opcode() == Opcode::GetAttr; }))
    return "has a subgraph that names constants or subgraphs of its own";
  for (size_t i = 0; i < placeholders_.size(); ++i) {
    const Argument &actual = positional[firstActual + i];
    if (!isLeaf(actual))
      return "has a list as argument, expected a node or a literal for each input of its subgraph";
    uint32_t operand = actual.is(Argument::Kind::Operand) ? rewrite_.before.operand(call, actual) : none;
    const Type *type = operand == none ? nullptr : rewrite_.before[operand].type;
    if (type && placeholders_[i]->type() && type != placeholders_[i]->type())
      return "gives " + quoted(placeholders_[i]) + " of its subgraph " + typeText(type) + ", expected " +
             typeText(placeholders_[i]->type());
  }
  return "";
}

bool InlinedBody::sameTree(const Node &inner, const Argument &was, const Step &step, const Argument &now) const {
  if (was.is(Argument::Kind::Operand)) {
    const Value value = values_.lookup(inner.operand(was));
    if (value.literal)
      return sameArgument(*value.literal, now);
    return value.step != none && now.is(Argument::Kind::Operand) && rewrite_.after.operand(step, now) == value.step;
  }
  if (was.isSequence())
    return was.kind() == now.kind() &&
           std::equal(was.elements().begin(), was.elements().end(), now.elements().begin(), now.elements().end(),
                      [&](const Argument &a, const Argument &b) { return sameTree(inner, a, step, b); });
  if (was.is(Argument::Kind::Dict))
    return now.is(Argument::Kind::Dict) &&
           std::equal(was.entries().begin(), was.entries().end(), now.entries().begin(), now.entries().end(),
                      [&](const NamedArgument &a, const NamedArgument &b) {
                        return a.name == b.name && sameTree(inner, a.value, step, b.value);
                      });
  return sameArgument(was, now);
}

bool InlinedBody::sameArguments(const Node &inner, const Step &step) const {
  const Arguments &now = *step.arguments;
  return std::equal(inner.args().begin(), inner.args().end(), now.positional.begin(), now.positional.end(),
                    [&](const Argument &a, const Argument &b) { return sameTree(inner, a, step, b); }) &&
         std::equal(inner.kwargs().begin(), inner.kwargs().end(), now.keyword.begin(), now.keyword.end(),
                    [&](const NamedArgument &a, const NamedArgument &b) {
                      return a.name == b.name && sameTree(inner, a.value, step, b.value);
                    });
}

// A result whose type the subgraph does not state may have the type that a reader states.
bool InlinedBody::sameType(const Node &inner, const Type *now) const {
  if (inner.type() || !now)
    return inner.type() == now;
  auto states = [&](uint32_t reader) { return resultRead(reader) == &inner && rewrite_.before[reader].type == now; };
  return states(call_) || llvm::any_of(readers_, states);
}

bool InlinedBody::sameSource(const Node &inner, const Node &now) const {
  const uint32_t ofCall = rewrite_.snapshot.nodes()[call_].frame;
  const Frame &frame = inner.frame() ? body_.frames()[inner.frame()] : rewrite_.graph.frames()[ofCall];
  return rewrite_.graph.frames()[now.frame()] == frame && sameProvenance(inner.provenance(), now.provenance());
}

std::string InlinedBody::compare(const Node &inner, uint32_t now) {
  const Step &step = rewrite_.after[now];
  values_[&inner] = {now, nullptr};
  if (rewrite_.before.contains(step.node))
    return "was in the graph before";
  if (step.opcode() != inner.opcode() || step.node->target() != inner.target())
    return "calls " + step.node->target().str().str();
  if (!sameArguments(inner, step))
    return "has other arguments";
  if (!sameType(inner, step.type))
    return "has the type " + typeText(step.type);
  return sameSource(inner, *step.node) ? "" : "has another stack frame or provenance";
}

/// Returns the node of the subgraph that has the value that a step reads; null if it is a literal or there is none.
const Node *InlinedBody::resultRead(uint32_t reader) const {
  const Step &step = rewrite_.before[reader];
  const Argument *result = result_;
  if (returnsList()) {
    bool isElement = reader != call_ && step.isGetItem() && step.element < result_->elements().size() &&
                     rewrite_.before.operands(step).front() == call_;
    result = isElement ? &result_->elements()[step.element] : nullptr;
  } else if (reader != call_) {
    return nullptr;
  }
  return result && result->is(Argument::Kind::Operand) ? body_.output()->operand(*result) : nullptr;
}

uint32_t InlinedBody::valueRead(uint32_t reader) const {
  const Node *inner = resultRead(reader);
  return inner ? values_.lookup(inner).step : none;
}

} // namespace ccgraph::legality
