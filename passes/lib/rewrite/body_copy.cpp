#include "rewrite/body_copy.h"

namespace ccgraph {

void BodyCopy::bind(const Node &placeholder, const Argument &argument) {
  bool isNode = argument.is(Argument::Kind::Operand);
  actuals_[&placeholder] = isNode ? Actual{call_.operand(argument), nullptr} : Actual{nullptr, &argument};
}

Argument BodyCopy::copy(ArgumentBuilder &builder, const Node &inner, const Argument &tree) {
  if (tree.is(Argument::Kind::Operand)) {
    const Actual &actual = actuals_.find(inner.operand(tree))->second;
    if (actual.node)
      return builder.operand(actual.node);
    return builder.copy(*actual.literal, [&](uint32_t index) { return call_.operand(index); });
  }
  if (tree.isSequence()) {
    std::vector<Argument> elements;
    for (const Argument &element : tree.elements())
      elements.push_back(copy(builder, inner, element));
    return builder.sequence(tree.kind(), elements);
  }
  if (!tree.is(Argument::Kind::Dict))
    return tree;
  std::vector<NamedArgument> entries;
  for (const NamedArgument &entry : tree.entries())
    entries.push_back({entry.name, copy(builder, inner, entry.value)});
  return builder.dict(entries);
}

Node *BodyCopy::copy(const Node &inner) {
  NodeSpec spec;
  spec.opcode = inner.opcode();
  spec.name = inner.name().str();
  spec.target = inner.target();
  spec.type = inner.type();
  spec.frame = inner.frame() ? graph_.addFrame(inner.graph()->frames()[inner.frame()]) : call_.frame();
  spec.provenance = graph_.makeProvenance(inner.provenance());
  return copy(inner, spec);
}

Node *BodyCopy::copy(const Node &inner, const NodeSpec &spec) {
  ArgumentBuilder builder(graph_);
  std::vector<Argument> args;
  for (const Argument &argument : inner.args())
    args.push_back(copy(builder, inner, argument));
  std::vector<NamedArgument> kwargs;
  for (const NamedArgument &argument : inner.kwargs())
    kwargs.push_back({argument.name, copy(builder, inner, argument.value)});
  Node *copied = graph_.create(spec, std::move(builder), {args, kwargs}, &call_);
  actuals_[&inner] = {copied, nullptr};
  return copied;
}

} // namespace ccgraph
