#include "ccgraph/tracer/gradient.h"

#include "ccgraph/ir/effects.h"
#include "tracer/gradient/gradient_rules.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace ccgraph::tracer {
namespace {

using gradient::GradientCall;
using gradient::GradientStore;
using gradient::Incoming;
using gradient::Rule;

bool isDifferentiable(const Type *type) { return type && type->isTensor() && isFloat(type->dtype()); }

/// Returns whether a tensor in the type is differentiable.
bool carriesGradient(const Type *type) {
  return isDifferentiable(type) || (type && llvm::any_of(type->elements(), carriesGradient));
}

llvm::Error errorAt(const Node &node, llvm::StringRef rule, std::string message, std::string repair) {
  return makeError(diagnose(node, rule, std::move(message), std::move(repair)));
}

/// Walks the graph backwards and applies the rules.
class ReverseWalk final : public GradientStore {
public:
  ReverseWalk(GraphBuilder &builder, const GradientRequest &request)
      : builder_(builder), request_(request), depends_(builder.graph().idLimit()) {}

  llvm::Expected<std::vector<Node *>> run();

  [[nodiscard]] bool wants(const Node *node) const override {
    return node->id() < depends_.size() && depends_.test(node->id());
  }
  void add(Node *node, Node *gradient) override { addTo(incoming_[node].whole, gradient); }

private:
  /// Adds the gradient of one element of a node whose result is a list.
  void addElement(Node *node, size_t index, Node *gradient) {
    std::vector<Node *> &elements = incoming_[node].elements;
    elements.resize(std::max(elements.size(), index + 1));
    addTo(elements[index], gradient);
  }
  void addTo(Node *&sum, Node *gradient) { sum = sum ? builder_.call("aten.add.Tensor", {sum, gradient}) : gradient; }
  /// Returns whether an input of the node has a gradient that is requested. A node of `request_.with` may have none.
  [[nodiscard]] bool readsWanted(const Node *node) const {
    if (const GivenGradient *given = givenOf(node))
      return llvm::any_of(given->inputs, [&](const Node *input) { return wants(input); });
    return llvm::any_of(node->dataOperands(), [&](const Node *operand) { return wants(operand); });
  }
  void findDependents();
  [[nodiscard]] llvm::Error checkWrites() const;
  [[nodiscard]] llvm::Expected<Node *> seed();
  [[nodiscard]] llvm::Error differentiate(Node *node);
  [[nodiscard]] llvm::Error checkTypes(const Node *node) const;
  [[nodiscard]] llvm::Error callRule(Node *node, const Incoming &incoming);
  /// Returns null where the rules determine the node's gradient.
  [[nodiscard]] const GivenGradient *givenOf(const Node *node) const;
  [[nodiscard]] llvm::Error callGiven(const GivenGradient &given, Node *node, Node *gradient);
  [[nodiscard]] llvm::Error addGiven(Node *input, Node *gradient, const Node *node);

  GraphBuilder &builder_;
  const GradientRequest &request_;
  /// by node id: it depends on a node of `request_.with`
  llvm::BitVector depends_;
  llvm::DenseMap<const Node *, Incoming> incoming_;
};

void ReverseWalk::findDependents() {
  for (Node *node : request_.with)
    depends_.set(node->id());
  for (Node *node = builder_.graph().front(); node != nullptr; node = node->next()) {
    bool mayCarry = node->type() == nullptr || carriesGradient(node->type());
    if ((mayCarry || givenOf(node)) && readsWanted(node))
      depends_.set(node->id());
    if (node == request_.of)
      return;
  }
}

// A written value has two meanings, and a rule supports only one.
llvm::Error ReverseWalk::checkWrites() const {
  for (const Node *node = builder_.graph().front(); node != nullptr && node != request_.of; node = node->next()) {
    Effects effects = effectsOf(*node);
    for (unsigned i = 0; i < node->numOperands(); ++i)
      if (hasAny(effects.operands[i], Access::Write | Access::InFlightWrite) && wants(node->operand(i)))
        return errorAt(*node, "gradient.written",
                       ("writes `" + node->operand(i)->name().str() + "`, which the loss depends on").str(),
                       "make the graph functional first: pass functionalize-collectives, or a copy that is written");
  }
  return llvm::Error::success();
}

llvm::Expected<Node *> ReverseWalk::seed() {
  if (request_.seed)
    return request_.seed;
  const Type *type = request_.of->type();
  if (!isDifferentiable(type) || type->numElements() != 1)
    return errorAt(*request_.of, "gradient.loss",
                   "is " + typeText(type) + ", expected a floating-point tensor of one element",
                   "reduce it (aten.sum.default), or give a seed");
  return builder_.call("aten.ones_like.default", {request_.of});
}

/// Checks the types of the node and of the operands that receive gradients.
llvm::Error ReverseWalk::checkTypes(const Node *node) const {
  auto check = [](const Node *it) -> llvm::Error {
    if (it->type())
      return llvm::Error::success();
    return errorAt(*it, "gradient.no-type", "has no type, which gradient rules need",
                   "infer types first (infer_types.h), or state this one");
  };
  for (const Node *operand : node->dataOperands())
    if (wants(operand))
      if (llvm::Error error = check(operand))
        return error;
  return check(node);
}

llvm::Error ReverseWalk::callRule(Node *node, const Incoming &incoming) {
  Rule rule = gradient::findRule(node->target().str());
  if (!rule)
    return errorAt(*node, "gradient.no-rule", ("calls " + node->target().str() + ", which has no gradient rule").str(),
                   "write it with operators that have one, or leave it out of what the loss depends on");
  if (llvm::Error error = checkTypes(node))
    return error;
  builder_.standFor(node);
  GradientCall call(builder_, *this, node, incoming);
  rule(call);
  if (const std::optional<GradientCall::Refusal> &refusal = call.refusal())
    return errorAt(*node, refusal->rule, refusal->what, refusal->repair.str());
  return llvm::Error::success();
}

const GivenGradient *ReverseWalk::givenOf(const Node *node) const {
  if (!request_.given)
    return nullptr;
  auto found = request_.given->find(node);
  return found == request_.given->end() ? nullptr : &found->second;
}

llvm::Error ReverseWalk::callGiven(const GivenGradient &given, Node *node, Node *gradient) {
  llvm::Expected<std::vector<Node *>> made = given.backward(gradient);
  if (!made)
    return made.takeError();
  if (made->size() != given.inputs.size())
    return errorAt(*node, "gradient.function",
                   "has a backward that yields " + std::to_string(made->size()) + " gradients, expected " +
                       std::to_string(given.inputs.size()) + ", one for each input",
                   "return the gradients in the order of the inputs");
  for (size_t i = 0; i != made->size(); ++i)
    if (llvm::Error error = addGiven(given.inputs[i], (*made)[i], node))
      return error;
  return llvm::Error::success();
}

llvm::Error ReverseWalk::addGiven(Node *input, Node *gradient, const Node *node) {
  const Type *is = gradient->type(), *expected = input->type();
  if (!is || !is->isTensor() || is->dtype() != expected->dtype() || is->sizes() != expected->sizes())
    return errorAt(*node, "gradient.function",
                   "has a backward that yields " + typeText(is) + ", expected " + typeText(expected) +
                       ", as its input is",
                   "cast or reshape what the backward returns");
  add(input, gradient);
  return llvm::Error::success();
}

llvm::Error ReverseWalk::differentiate(Node *node) {
  auto found = incoming_.find(node);
  if (found == incoming_.end() || !wants(node) || !readsWanted(node) || node->opcode() != Opcode::CallFunction)
    return llvm::Error::success();
  Incoming incoming = found->second; // a copy, since rules add to the map
  if (const GivenGradient *given = givenOf(node))
    return callGiven(*given, node, incoming.whole);
  if (std::optional<int64_t> index = getItemIndex(*node)) {
    addElement(node->operand(0), static_cast<size_t>(*index), incoming.whole);
    return llvm::Error::success();
  }
  return callRule(node, incoming);
}

llvm::Expected<std::vector<Node *>> ReverseWalk::run() {
  findDependents();
  if (llvm::Error error = checkWrites())
    return error;
  llvm::Expected<Node *> first = seed();
  if (!first)
    return first.takeError();
  add(request_.of, *first);
  for (Node *node = request_.of; node != nullptr; node = node->prev())
    if (llvm::Error error = differentiate(node))
      return error;
  std::vector<Node *> gradients;
  for (const Node *node : request_.with)
    gradients.push_back(incoming_.lookup(node).whole);
  return gradients;
}

} // namespace

llvm::Expected<std::vector<Node *>> appendGradients(GraphBuilder &builder, const GradientRequest &request) {
  return ReverseWalk(builder, request).run();
}

} // namespace ccgraph::tracer
