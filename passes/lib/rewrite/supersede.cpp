#include "rewrite/supersede.h"

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

void copyOrdering(Graph &graph, const Node &from, Node *to) {
  for (unsigned i = 0; i < from.numOrdering(); ++i)
    graph.addOrdering(to, from.ordering(i));
}

void supersede(Graph &graph, Node *node, Node *by) {
  std::string name = node->name().str().str();
  copyOrdering(graph, *node, by);
  graph.replaceAllUses(node, by);
  graph.erase(node);
  graph.rename(by, name);
}

Node *callBefore(Graph &graph, Node *node, llvm::StringRef target, llvm::ArrayRef<Actual> args,
                 llvm::ArrayRef<NamedActual> kwargs) {
  NodeSpec spec;
  spec.name = node->name().str();
  spec.target = graph.context().identifier(target);
  spec.type = node->type();
  spec.frame = node->frame();
  spec.provenance = &node->provenance();
  ArgumentBuilder builder(graph);
  std::vector<Argument> built;
  for (const Actual &actual : args)
    built.push_back(actual.build(builder));
  std::vector<NamedArgument> named;
  for (const NamedActual &actual : kwargs)
    named.push_back({graph.context().identifier(actual.name), actual.value.build(builder)});
  return graph.create(spec, std::move(builder), Arguments{built, named}, node);
}

bool isPlainCall(const Node &call) { return call.kwargs().empty() && call.args().size() == call.op()->params.size(); }

std::vector<Actual> argumentsWith(const Node &like, Actual first) {
  std::vector<Actual> args = {std::move(first)};
  for (const Argument &argument : like.args().drop_front())
    args.push_back(Actual::copyOf(like, argument));
  return args;
}

Node *callLike(GraphBuilder &builder, const Node &like, const Type *type,
               llvm::function_ref<Actual(size_t argument)> operandFor) {
  CallSpec call{.target = like.target().str(), .args = {}, .type = type};
  for (size_t i = 0; i < like.args().size(); ++i) {
    const Argument &argument = like.args()[i];
    call.args.push_back(argument.is(Argument::Kind::Operand) ? operandFor(i) : Actual::copyOf(like, argument));
  }
  for (const NamedArgument &argument : like.kwargs())
    call.kwargs.push_back({argument.name.str(), Actual::copyOf(like, argument.value)});
  return builder.call(call);
}

Node *repeatCall(GraphBuilder &builder, const Node &call) {
  std::vector<Actual> args;
  std::vector<NamedActual> kwargs;
  for (const Argument &argument : call.args())
    args.push_back(Actual::copyOf(call, argument));
  for (const NamedArgument &argument : call.kwargs())
    kwargs.push_back({argument.name.str(), Actual::copyOf(call, argument.value)});
  return builder.call({.target = call.target().str(),
                       .args = std::move(args),
                       .kwargs = std::move(kwargs),
                       .name = (call.name().str() + "_again").str(),
                       .type = call.type()});
}

void eraseMatched(Graph &graph, llvm::ArrayRef<Node *> gone, llvm::ArrayRef<Node *> made, RuleEntry &entry) {
  auto list = [](llvm::ArrayRef<Node *> nodes, std::vector<Node *> &listed) {
    for (Node *node : nodes)
      if (!llvm::is_contained(listed, node))
        listed.push_back(node);
  };
  list(gone, entry.matched);
  list(made, entry.built);
  llvm::SmallVector<Node *, 16> readersFirst(gone.begin(), gone.end());
  llvm::sort(readersFirst, [](const Node *a, const Node *b) { return b->isBefore(a); });
  for (Node *node : readersFirst)
    graph.erase(node);
}

Node *waitLike(GraphBuilder &builder, Node *value, const Node &like) {
  return builder.call({.target = like.target().str(), .args = {value}, .name = like.name().str()});
}

} // namespace ccgraph
