// Program builds a graph with a few lines of C++ that read like the graph.
//
//   Program p;
//   Node *x = p.input("x", "f32[4][1]cpu");
//   Node *ar = p.call("ar", "_c10d_functional.all_reduce.default", {x, "sum", "0"}, "f32[4][1]cpu");
//   p.output({p.call("w", "_c10d_functional.wait_tensor.default", {ar})});
//
// Ownership: the Program owns context and graph. Failure: a type that does not parse aborts the test. Cost: negligible.
#pragma once

#include "ccgraph/ir/builder.h"

#include <string>
#include <vector>

namespace ccgraph::test {

/// One argument in the form that a test writes.
using Item = Actual;
inline Item list(std::vector<Item> values) { return Item::list(std::move(values)); }

/// Nodes are placed in the order of the calls; their names are given and never generated. `type` has the form of
/// print_readable; "" for unknown.
class Program {
public:
  explicit Program() : owned_(std::make_unique<Graph>(context, "graph")), graph(*owned_) {}

  Node *input(const char *name, const char *type = "") { return GraphBuilder(graph).input(name, typeOf(type)); }
  /// Adds a get_attr whose target is its name.
  Node *attribute(const char *name) { return GraphBuilder(graph).attribute(name); }
  Node *call(const char *name, const char *target, const std::vector<Item> &args, const char *type = "") {
    return call(name, target, args, {}, type);
  }
  Node *call(const char *name, const char *target, const std::vector<Item> &args,
             const std::vector<std::pair<const char *, Item>> &kwargs, const char *type) {
    CallSpec spec{.target = target, .args = args, .name = name};
    for (const auto &[key, item] : kwargs)
      spec.kwargs.push_back({key, item});
    Node *node = GraphBuilder(graph).call(spec);
    graph.setType(node, typeOf(type)); // a type that a test omits is meant to be unknown
    return node;
  }
  Node *output(const std::vector<Item> &values) { return GraphBuilder(graph).output({list(values)}); }
  /// Returns the types of several results, for setType.
  const Type *listType(const std::vector<const char *> &types) {
    std::vector<const Type *> elements;
    elements.reserve(types.size());
    for (const char *type : types)
      elements.push_back(typeOf(type));
    return context.list(elements);
  }
  const Type *typeOf(const char *text) { return *text ? llvm::cantFail(parseType(context, text)) : nullptr; }
  Identifier id(llvm::StringRef text) { return context.identifier(text); }

  Context context;

private:
  std::unique_ptr<Graph> owned_;

public:
  Graph &graph;
};

} // namespace ccgraph::test
