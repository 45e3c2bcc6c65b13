#include "tracer/gradient/gradient_call.h"

#include "ccgraph/ir/effects.h"

namespace ccgraph::tracer::gradient {

Node *GradientCall::operand(int position) const {
  const Argument *argument = argumentAt(*node_, position);
  return argument && argument->is(Argument::Kind::Operand) ? node_->operand(*argument) : nullptr;
}

std::vector<Node *> GradientCall::operands(int position) const {
  std::vector<Node *> nodes;
  if (const Argument *list = argumentAt(*node_, position))
    for (const Argument &element : list->elements())
      if (element.is(Argument::Kind::Operand))
        nodes.push_back(node_->operand(element));
  return nodes;
}

int64_t GradientCall::integer(int position, int64_t otherwise) const {
  const Argument *argument = argumentAt(*node_, position);
  return argument && argument->is(Argument::Kind::Int) ? argument->integer() : otherwise;
}

double GradientCall::number(int position, double otherwise) const {
  const Argument *argument = argumentAt(*node_, position);
  if (argument && argument->is(Argument::Kind::Float))
    return argument->floating();
  return argument && argument->is(Argument::Kind::Int) ? static_cast<double>(argument->integer()) : otherwise;
}

bool GradientCall::boolean(int position, bool otherwise) const {
  const Argument *argument = argumentAt(*node_, position);
  return argument && argument->is(Argument::Kind::Bool) ? argument->boolean() : otherwise;
}

Actual GradientCall::argument(int position) const {
  const Argument *argument = argumentAt(*node_, position);
  return argument ? Actual::copyOf(*node_, *argument) : Actual::none();
}

bool GradientCall::has(int position) const {
  const Argument *argument = argumentAt(*node_, position);
  return argument && !argument->is(Argument::Kind::None);
}

IntList GradientCall::sizesOf(const Type *type) {
  std::optional<IntList> sizes = type && type->isTensor() ? staticDims(type->sizes()) : std::nullopt;
  if (!sizes)
    refuse(
        {"gradient.sizes", "needs sizes that are numbers, got " + typeText(type), "trace with sizes that are numbers"});
  return sizes.value_or(IntList());
}

Node *GradientCall::zeros(const Type &like) {
  Context &context = builder_.graph().context();
  return make("aten.full.default", {Actual::integers(sizesOf(&like)), 0},
              {{"dtype", like.dtype()},
               {"layout", Actual::literal(Argument::word(Argument::Kind::Layout, context.identifier("strided")))},
               {"device", Actual::literal(Argument::device(like.device()))},
               {"pin_memory", false}});
}

std::vector<Node *> GradientCall::elementGradients() {
  llvm::ArrayRef<const Type *> types = node_->type()->elements();
  std::vector<Node *> gradients;
  for (size_t i = 0; i < types.size(); ++i)
    gradients.push_back(gradient(i) ? gradient(i) : zeros(*types[i]));
  return gradients;
}

Node *GradientCall::resultElement(int64_t index) {
  for (const Use &use : node_->uses())
    if (getItemIndex(*use.user()) == index)
      return use.user();
  return element(node_, index);
}

Actual GradientCall::wanted(llvm::ArrayRef<int> positions) const {
  std::vector<Actual> mask;
  for (int position : positions)
    mask.emplace_back(wants(operand(position)));
  return Actual::list(std::move(mask));
}

void GradientCall::give(Node *operand, Maker maker) {
  if (!wants(operand))
    return;
  if (Node *gradient = maker())
    store_.add(operand, gradient);
}

void GradientCall::giveFitted(int position, Maker maker) {
  Node *to = operand(position);
  give(to, [&] { return fitted(maker(), *node_->type(), *to->type()); });
}

void GradientCall::giveElements(llvm::ArrayRef<int> positions, Maker makeAll) {
  Node *all = nullptr;
  for (size_t i = 0; i < positions.size(); ++i)
    give(positions[i], [&] {
      all = all ? all : makeAll();
      return element(all, static_cast<int64_t>(i));
    });
}

bool GradientCall::readsFirstAlone() {
  for (size_t statistic = 1; statistic < node_->type()->elements().size(); ++statistic)
    if (gradient(statistic))
      fail("differentiates its statistics, which has no rule");
  return gradient(0) != nullptr;
}

Node *GradientCall::sumTo(Node *gradient, const IntList &from, const IntList &to) {
  auto added = static_cast<int64_t>(from.size() - to.size());
  IntList repeated;
  for (int64_t dim = 0; dim < static_cast<int64_t>(from.size()); ++dim)
    if (dim < added || (to[dim - added] == 1 && from[dim] != 1))
      repeated.push_back(dim);
  if (!repeated.empty())
    gradient = make("aten.sum.dim_IntList", {gradient, Actual::integers(repeated), true});
  return added == 0 ? gradient : make("aten.view.default", {gradient, Actual::integers(to)});
}

Node *GradientCall::fitted(Node *gradient, const Type &from, const Type &to) {
  gradient = sumTo(gradient, sizesOf(&from), sizesOf(&to));
  return from.dtype() == to.dtype() ? gradient : make("prims.convert_element_type.default", {gradient, to.dtype()});
}

} // namespace ccgraph::tracer::gradient
