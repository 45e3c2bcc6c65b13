#include "fx_text/copied_body.h"

#include "ccgraph/ir/graph.h"

namespace ccgraph::fx {
namespace {

class BodyCopy {
public:
  BodyCopy(const Graph &from, Graph &into, NodePlaces *places) : from_(from), into_(into), places_(places) {}

  void run() {
    for (const Node *node : from_)
      copyNode(*node);
    for (const auto &[name, subgraph] : from_.subgraphs())
      copyBody(*subgraph, into_.addSubgraph(name), places_);
  }

private:
  void copyNode(const Node &node) {
    ArgumentBuilder builder(into_);
    auto copy = [&](const Argument &argument) {
      return builder.copy(argument, [&](uint32_t index) { return copies_.lookup(node.operand(index)); });
    };
    std::vector<Argument> positional;
    for (const Argument &argument : node.args())
      positional.push_back(copy(argument));
    std::vector<NamedArgument> keyword;
    for (const NamedArgument &argument : node.kwargs())
      keyword.push_back({argument.name, copy(argument.value)});
    NodeSpec spec{.opcode = node.opcode(), .name = node.name().str(), .target = node.target(), .type = node.type()};
    spec.frame = into_.addFrame(from_.frames()[node.frame()]);
    Node *made = into_.create(spec, std::move(builder), Arguments{positional, keyword});
    for (unsigned i = 0; i < node.numOrdering(); ++i)
      into_.addOrdering(made, copies_.lookup(node.ordering(i)));
    copies_[&node] = made;
    movePlace(node, *made);
  }

  void movePlace(const Node &node, const Node &made) {
    auto found = places_ ? places_->find(&node) : NodePlaces::iterator();
    if (!places_ || found == places_->end())
      return;
    size_t place = found->second;
    places_->erase(found);
    (*places_)[&made] = place;
  }

  const Graph &from_;
  Graph &into_;
  NodePlaces *places_;
  llvm::DenseMap<const Node *, Node *> copies_;
};

} // namespace

void copyBody(const Graph &from, Graph &into, NodePlaces *places) { BodyCopy(from, into, places).run(); }

} // namespace ccgraph::fx
