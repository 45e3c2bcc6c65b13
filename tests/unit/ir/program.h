// Program: a few lines of C++ that read like the graph they build.
//
//   Program p;
//   Node *x = p.input("x", "f32[4][1]cpu");
//   Node *ar = p.call("ar", "_c10d_functional.all_reduce.default", {x, "sum", "0"}, "f32[4][1]cpu");
//   p.output({p.call("w", "_c10d_functional.wait_tensor.default", {ar})});
//
// Ownership: the Program owns context and graph. Fails: a type that does not parse aborts the test.
// Cost: none that matters.
#pragma once

#include "ccgraph/ir/graph.h"

#include <string>
#include <vector>

namespace ccgraph::test {

/// One argument as a test writes it: a node, a literal, or a list of these. Converts from each, so
/// that braces suffice.
struct Item {
  enum class Kind : uint8_t { Node, Int, Real, Bool, Text, List, DType, None } kind;
  Node *node = nullptr;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Item> items;

  Item(Node *value) : kind(Kind::Node), node(value) {}
  Item(int value) : kind(Kind::Int), integer(value) {}
  Item(double value) : kind(Kind::Real), real(value) {}
  Item(bool value) : kind(Kind::Bool), integer(value) {}
  Item(const char *value) : kind(Kind::Text), text(value) {}
  Item(DType value) : kind(Kind::DType), integer(static_cast<int64_t>(value)) {}
  static Item none() {
    Item item(0);
    item.kind = Kind::None;
    return item;
  }
  static Item list(std::vector<Item> values) {
    Item item(0);
    item.kind = Kind::List;
    item.items = std::move(values);
    return item;
  }
};

inline Item list(std::vector<Item> values) { return Item::list(std::move(values)); }

/// Nodes come to stand in the order of the calls; names are given, never made up. `type` is as
/// print_readable spells it, "" for unknown.
class Program {
public:
  explicit Program() : owned_(std::make_unique<Graph>(context, "graph")), graph(*owned_) {}

  Node *input(const char *name, const char *type = "") { return make(Opcode::Placeholder, name, name, {}, {}, type); }
  /// A get_attr whose target is its name.
  Node *attribute(const char *name) { return make(Opcode::GetAttr, name, name, {}, {}, ""); }
  Node *call(const char *name, const char *target, const std::vector<Item> &args, const char *type = "") {
    return make(Opcode::CallFunction, name, target, args, {}, type);
  }
  Node *call(const char *name, const char *target, const std::vector<Item> &args,
             const std::vector<std::pair<const char *, Item>> &kwargs, const char *type) {
    return make(Opcode::CallFunction, name, target, args, kwargs, type);
  }
  Node *output(const std::vector<Item> &values) {
    return make(Opcode::Output, "output", "output", {list(values)}, {}, "");
  }
  /// Types of several results, for setType.
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
  Argument build(ArgumentBuilder &builder, const Item &item) {
    switch (item.kind) {
    case Item::Kind::Node:
      return builder.operand(item.node);
    case Item::Kind::Int:
      return Argument::integer(item.integer);
    case Item::Kind::Real:
      return Argument::floating(item.real);
    case Item::Kind::Bool:
      return Argument::boolean(item.integer != 0);
    case Item::Kind::Text:
      return builder.string(item.text);
    case Item::Kind::DType:
      return Argument::dtype(static_cast<DType>(item.integer));
    case Item::Kind::None:
      return Argument::none();
    case Item::Kind::List:
      break;
    }
    std::vector<Argument> elements;
    for (const Item &element : item.items)
      elements.push_back(build(builder, element));
    return builder.sequence(Argument::Kind::List, elements);
  }

  Node *make(Opcode opcode, const char *name, const char *target, const std::vector<Item> &args,
             const std::vector<std::pair<const char *, Item>> &kwargs, const char *type) {
    ArgumentBuilder builder(graph);
    std::vector<Argument> positional;
    std::vector<NamedArgument> keyword;
    positional.reserve(args.size());
    keyword.reserve(kwargs.size());
    for (const Item &item : args)
      positional.push_back(build(builder, item));
    for (const auto &[key, item] : kwargs)
      keyword.push_back({id(key), build(builder, item)});
    NodeSpec spec;
    spec.opcode = opcode;
    spec.name = name;
    spec.target = *target ? id(target) : Identifier();
    spec.type = typeOf(type);
    return graph.create(spec, std::move(builder), {positional, keyword});
  }

  std::unique_ptr<Graph> owned_;

public:
  Graph &graph;
};

} // namespace ccgraph::test
