#include "normalize/functional/finished_call.h"
#include "rewrite/supersede.h"

namespace ccgraph {

namespace {

/// The values that replace buffers, by number, and all new nodes besides launch and wait.
struct Pieces {
  std::vector<Node *> values;
  std::vector<Node *> made;
};

/// Launches a collective on a list, and waits for each element. Returns the launch.
Node *buildList(GraphBuilder &builder, const FinishedCall &call, Pieces &pieces) {
  std::vector<Actual> args = {Actual::nodes(call.sent)};
  args.insert(args.end(), call.rest.begin(), call.rest.end());
  Node *launch = builder.call(call.target, std::move(args));
  for (size_t i = 0; i < call.filled.size(); ++i) {
    Node *element = builder.call("operator.getitem", {launch, static_cast<int>(i)}, call.filled[i]->type());
    pieces.values.push_back(builder.call("_c10d_functional.wait_tensor.default", {element}, element->type()));
    pieces.made.insert(pieces.made.end(), {element, pieces.values.back()});
  }
  return launch;
}

Node *joined(GraphBuilder &builder, llvm::ArrayRef<Node *> pieces) {
  return pieces.size() == 1 ? pieces[0] : builder.call("aten.cat.default", {pieces});
}

/// Returns the numbers of the buffers whose rows are needed, in order: those that are read, and those to copy into.
std::vector<unsigned> neededPieces(const FinishedCall &call) {
  std::vector<unsigned> needed = call.copiedBack;
  for (const FinishedCall::Element &element : call.elements)
    needed.push_back(element.number);
  llvm::sort(needed);
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  return needed;
}

/// Splits the result into buffers. A single buffer is the result itself. If there are several, each buffer with a
/// reader is a copy of its rows, in memory of its own as the buffer was.
Pieces takeApart(GraphBuilder &builder, Node *wait, const FinishedCall &call) {
  Pieces pieces{std::vector<Node *>(call.filled.size(), wait), {}};
  std::vector<unsigned> needed = neededPieces(call);
  if (call.filled.size() == 1 || needed.empty())
    return pieces;
  std::vector<int64_t> rows;
  for (const Node *buffer : call.filled)
    rows.push_back(buffer->type()->sizes()[0].value());
  Node *split = builder.call("aten.split_with_sizes_copy.default", {wait, rows});
  pieces.made.push_back(split);
  pieces.values.assign(call.filled.size(), nullptr);
  for (unsigned number : needed) {
    pieces.values[number] =
        builder.call("operator.getitem", {split, static_cast<int>(number)}, call.filled[number]->type());
    pieces.made.push_back(pieces.values[number]);
  }
  return pieces;
}

/// Copies results into the buffers that are read by another name. A reader of the result then reads the buffer.
void copyBack(GraphBuilder &builder, const FinishedCall &call, Pieces &pieces) {
  for (unsigned number : call.copiedBack) {
    Node *&value = pieces.values[number];
    value = builder.call("aten.copy_.default", {call.filled[number], value}, call.filled[number]->type());
    pieces.made.push_back(value);
  }
}

/// Lets the readers of the call's tensors read the replacements, under the name of the first.
void replaceElements(Graph &graph, const FinishedCall &call, llvm::ArrayRef<Node *> values, RuleEntry &entry) {
  std::vector<bool> named(values.size());
  for (const FinishedCall::Element &element : call.elements) {
    std::string name = element.getItem->name().str().str();
    graph.replaceAllUses(element.getItem, values[element.number]);
    graph.erase(element.getItem);
    if (!named[element.number])
      graph.rename(values[element.number], name);
    named[element.number] = true;
    entry.matched.push_back(element.getItem);
  }
  for (Node *getItem : llvm::reverse(call.passed)) {
    graph.erase(getItem);
    entry.matched.push_back(getItem);
  }
}

/// Launches a collective on one tensor and waits for it. The result is split into the buffers.
Node *buildSingle(GraphBuilder &builder, const FinishedCall &call, Pieces &pieces) {
  Node *input = joined(builder, call.sent);
  std::vector<Actual> args = {input};
  args.insert(args.end(), call.rest.begin(), call.rest.end());
  Node *launch = builder.call(call.target, std::move(args), call.filled.size() == 1 ? call.filled[0]->type() : nullptr);
  Node *wait = builder.call("_c10d_functional.wait_tensor.default", {launch}, launch->type());
  pieces = takeApart(builder, wait, call);
  if (call.sent.size() > 1)
    pieces.made.insert(pieces.made.begin(), input);
  pieces.made.insert(pieces.made.begin(), wait);
  return launch;
}

} // namespace

Node *buildFinishedCall(Graph &graph, Node *node, const FinishedCall &call, Certificate &certificate) {
  GraphBuilder builder(graph, node);
  builder.standFor({node});
  Pieces pieces;
  Node *launch = call.ofList ? buildList(builder, call, pieces) : buildSingle(builder, call, pieces);
  copyBack(builder, call, pieces);
  copyOrdering(graph, *node, launch);
  RuleEntry entry{"finished-form", {node}, {launch}};
  llvm::append_range(entry.built, pieces.made);
  replaceElements(graph, call, pieces.values, entry);
  std::string name = node->name().str().str();
  graph.erase(node);
  graph.rename(launch, name);
  certificate.rules.push_back(std::move(entry));
  return launch;
}

} // namespace ccgraph
