#include "ccgraph/ir/graph.h"

#include "order/order_list.h"

#include "ccgraph/ir/internal/names.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace ccgraph {
namespace {

const Provenance noProvenance;

} // namespace

Graph::Graph(Context &context, llvm::StringRef name) : Surroundings{.graphName = name.str()}, context_(&context) {}

Graph::~Graph() = default; // nodes are trivially destructible and go with the arena

template <typename T>
llvm::MutableArrayRef<T> Graph::allocate(size_t count) {
  static_assert(std::is_trivially_destructible_v<T>);
  T *memory = arena_.Allocate<T>(count);
  std::uninitialized_value_construct_n(memory, count);
  return {memory, count};
}

// --- Order and look-up -----------------------------------------------------------------------------------------------

std::vector<Node *> Graph::nodes() const {
  std::vector<Node *> result;
  result.reserve(size());
  llvm::copy(*this, std::back_inserter(result));
  return result;
}

Node *Graph::find(llvm::StringRef name) const { return find(context_->identifier(name)); }

// An edit of a subgraph is also an edit of its parents, because effects of a node there depend on the subgraph.
void Graph::noteEdit() {
  for (Graph *graph = this; graph; graph = graph->parent_)
    ++graph->revision_;
}

Node *Graph::output() const {
  for (Node *node = back(); node; node = node->prev())
    if (node->opcode() == Opcode::Output)
      return node;
  return nullptr;
}

void Graph::moveBefore(Node *node, Node *position) {
  assert(node->graph_ == this && !node->erased_);
  if (node == position || node->next_ == position)
    return;
  noteEdit();
  OrderList(order_).remove(node);
  OrderList(order_).insertBefore(node, position);
}

void Graph::moveAfter(Node *node, Node *position) {
  if (node != position)
    moveBefore(node, position->next_);
}

// All nodes are removed first, so that each is appended, which needs no relabelling.
void Graph::reorder(llvm::ArrayRef<Node *> order) {
  assert(order.size() == size() && "a permutation of all live nodes");
  noteEdit();
  for (Node *node : order)
    OrderList(order_).remove(node);
  for (Node *node : order)
    OrderList(order_).insertBefore(node, nullptr);
}

// --- Names -----------------------------------------------------------------------------------------------------------

static uint32_t hashOf(Identifier name) {
  constexpr uint64_t factor = 0x9E3779B97F4A7C15; // 2^64 divided by the golden ratio
  return static_cast<uint32_t>((reinterpret_cast<uintptr_t>(name.key()) * factor) >> 32);
}

Node *Graph::find(Identifier name) const {
  auto id = byName_.find(hashOf(name), [&](uint32_t known) { return byId_[known]->name_ == name; });
  return id ? byId_[*id] : nullptr;
}

void Graph::addName(const Node *node) {
  byName_.insert(node->id_, [&](uint32_t id) { return hashOf(byId_[id]->name_); });
}

void Graph::removeName(const Node *node) {
  byName_.erase(node->id_, [&](uint32_t id) { return hashOf(byId_[id]->name_); });
}

// The next suffix is stored for each preferred name. Otherwise a pass that creates 10,000 nodes named "getitem" would
// try 1, 2, 3, ... again for each of them.
Identifier Graph::uniqueName(llvm::StringRef wish) {
  Identifier name = context_->identifier(wish);
  if (!find(name))
    return name;
  unsigned &suffix = nextSuffix_[name];
  do
    name = context_->identifier((wish + "_" + llvm::Twine(++suffix)).str());
  while (find(name));
  return name;
}

void Graph::rename(Node *node, llvm::StringRef name) {
  assert(!find(name) && "names are unique");
  noteEdit();
  removeName(node);
  node->name_ = context_->identifier(name);
  addName(node);
}

// --- Uses ------------------------------------------------------------------------------------------------------------

void Graph::appendUse(Use &use) {
  Use *&first = use.def_->firstUse_;
  use.next_ = nullptr;
  use.prev_ = first ? first->prev_ : &use;
  (first ? use.prev_->next_ : first) = &use;
  first->prev_ = &use;
}

void Graph::removeUse(Use &use) {
  Use *&first = use.def_->firstUse_;
  (first == &use ? first : use.prev_->next_) = use.next_;
  if (Use *after = use.next_ ? use.next_ : first)
    after->prev_ = use.prev_;
}

// A node stores its edges in one array of Use, data operands first, and each Use is also a link in the list of its
// definition's uses. For z = add(x, y) ordered after w, the array is [x, y, w], and x, y and w have z in their lists.
// Replacing the edges removes all of them from those lists and links the new ones at the ends. The old array is used
// again if it is long enough; else it stays in the arena until the graph is destroyed.
void Graph::bindOperands(Node *node, llvm::ArrayRef<Node *> data, llvm::ArrayRef<Node *> ordering) {
  noteEdit();
  for (const Use &use : node->operandUses())
    removeUse(const_cast<Use &>(use));
  size_t count = data.size() + ordering.size();
  bool fits = count <= node->numOperands_ + node->numOrdering_;
  if (!fits)
    node->operands_ = allocate<Use>(count).data();
  for (size_t i = 0; i < count; ++i) {
    Use &use = node->operands_[i];
    use.def_ = i < data.size() ? data[i] : ordering[i - data.size()];
    use.user_ = node;
    assert(use.def_ && use.def_->graph_ == this && "an operand of the same graph");
    appendUse(use);
  }
  node->numOperands_ = static_cast<uint32_t>(data.size());
  node->numOrdering_ = static_cast<uint32_t>(ordering.size());
}

static llvm::SmallVector<Node *, 8> defsOf(llvm::ArrayRef<Use> uses) {
  llvm::SmallVector<Node *, 8> result;
  for (const Use &use : uses)
    result.push_back(use.def());
  return result;
}

void Graph::setOperand(Node *node, unsigned index, Node *def) {
  assert(index < node->numOperands_ && def->graph_ == this);
  noteEdit();
  Use &use = node->operands_[index];
  removeUse(use);
  use.def_ = def;
  appendUse(use);
}

void Graph::addOrdering(Node *node, Node *after) {
  auto uses = node->operandUses();
  if (llvm::any_of(uses.drop_front(node->numOperands_), [&](const Use &use) { return use.def() == after; }))
    return;
  auto data = defsOf(uses.take_front(node->numOperands_));
  auto ordering = defsOf(uses.drop_front(node->numOperands_));
  ordering.push_back(after);
  bindOperands(node, data, ordering);
}

void Graph::removeOrdering(Node *node, Node *after) {
  auto uses = node->operandUses();
  auto data = defsOf(uses.take_front(node->numOperands_));
  auto ordering = defsOf(uses.drop_front(node->numOperands_));
  llvm::erase_value(ordering, after);
  bindOperands(node, data, ordering);
}

void Graph::replaceAllUses(Node *from, Node *to) {
  noteEdit();
  Use *next = nullptr;
  for (Use *use = from->firstUse_; use; use = next) {
    // Read first, because appendUse links this use into the list of `to`.
    next = use->next_;
    if (use->user_ == to)
      continue;
    removeUse(*use);
    use->def_ = to;
    appendUse(*use);
  }
}

// --- Nodes -----------------------------------------------------------------------------------------------------------

Node *Graph::create(const NodeSpec &spec, ArgumentBuilder &&builder, const Arguments &arguments, Node *position) {
  auto *node = new (arena_.Allocate<Node>()) Node();
  node->graph_ = this;
  node->opcode_ = spec.opcode;
  node->name_ = uniqueName(spec.name);
  node->type_ = spec.type;
  node->frame_ = spec.frame;
  node->provenance_ = spec.provenance ? spec.provenance : &noProvenance;
  node->id_ = static_cast<uint32_t>(byId_.size());
  setTarget(node, spec.target);
  byId_.push_back(node);
  addName(node);
  node->arguments_ = context_->arguments(arguments);
  bindOperands(node, builder.operands_, {});
  OrderList(order_).insertBefore(node, position);
  return node;
}

void Graph::setArguments(Node *node, ArgumentBuilder &&builder, const Arguments &arguments) {
  auto ordering = defsOf(node->operandUses().drop_front(node->numOperands_));
  node->arguments_ = context_->arguments(arguments);
  bindOperands(node, builder.operands_, ordering);
}

// Most programs contain no operator that can give a tensor object another shape (resize_, set_). If an operator may do
// so, this is recorded at the graph and all its parents, and never reset; the expensive queries run only if it is set.
void Graph::setTarget(Node *node, Identifier target) {
  noteEdit();
  node->target_ = target;
  node->op_ = node->opcode_ == Opcode::CallFunction ? context_->ops().lookup(target) : nullptr;
  if (node->op_ && node->op_->reshapes)
    for (Graph *graph = this; graph; graph = graph->parent_)
      graph->reshapes_ = true;
}

bool Graph::mayReshape() const { return reshapes_ || context_->ops().declaresReshape(); }

void Graph::setType(Node *node, const Type *type) {
  noteEdit();
  node->type_ = type;
}
void Graph::setFrame(Node *node, uint32_t frame) { node->frame_ = frame; }
void Graph::setProvenance(Node *node, const Provenance *provenance) {
  node->provenance_ = provenance ? provenance : &noProvenance;
}

// The node stays readable, since a snapshot may still point to it.
void Graph::erase(Node *node) {
  assert(!node->hasUses() && "an erased node has no users");
  bindOperands(node, {}, {});
  OrderList(order_).remove(node);
  removeName(node);
  node->erased_ = true;
}

// --- Provenance ------------------------------------------------------------------------------------------------------

/// Texts from an untrusted file appear in comments and tables, so they must be one line; a tab in a source line is
/// harmless there.
static Identifier onOneLine(Context &context, Identifier text) {
  auto isPlain = [](llvm::StringRef part) { return isOneLine(part); };
  if (!text || llvm::all_of(llvm::split(text.str(), "\t"), isPlain))
    return text;
  return context.identifier(visibleText(text.str()));
}

uint32_t Graph::addFrame(const Frame &given) {
  if (std::optional<uint32_t> index = frames_.find(given)) // most frames exist already, and their texts are clean
    return *index;
  Frame frame = given;
  for (Identifier *text : {&frame.file, &frame.function, &frame.code, &frame.annotation, &frame.prefix})
    *text = onOneLine(*context_, *text);
  if (!(frame == given)) // a text was not clean, and the frame with the clean text may be known
    if (std::optional<uint32_t> index = frames_.find(frame))
      return *index;
  return frames_.add(frame);
}

const Provenance *Graph::makeProvenance(const Provenance &value) {
  auto origins = allocate<Identifier>(value.origins.size());
  auto attributes = allocate<NamedArgument>(value.attributes.size());
  llvm::copy(value.origins, origins.begin());
  llvm::copy(value.attributes, attributes.begin());
  auto *stored = allocate<Provenance>(1).data();
  *stored = {origins, attributes, value.durationPs};
  return stored;
}

// Origins are nodes of the graph as it was read. Merging a, which has no origins and so is its own origin, with b,
// which was created from x and y, gives [a, x, y].
const Provenance *Graph::mergeProvenance(llvm::ArrayRef<Node *> sources) {
  llvm::SmallVector<Identifier, 8> origins;
  for (Node *source : sources) {
    auto known = source->provenance().origins;
    if (known.empty())
      origins.push_back(source->name());
    else
      origins.append(known.begin(), known.end());
  }
  return makeProvenance({.origins = origins, .attributes = {}, .durationPs = -1});
}

// --- Subgraphs -------------------------------------------------------------------------------------------------------

Graph &Graph::addSubgraph(Identifier name) {
  assert(!subgraph(name) && "names of subgraphs are unique");
  return adopt(name, std::make_unique<Graph>(*context_, name.str()));
}

Graph &Graph::adopt(Identifier name, std::unique_ptr<Graph> subgraph) {
  noteEdit();
  subgraph->parent_ = this;
  reshapes_ |= subgraph->reshapes_;
  return *subgraphs_.emplace_back(name, std::move(subgraph)).second;
}

Graph *Graph::subgraph(Identifier name) const {
  auto found = llvm::find_if(subgraphs_, [&](const auto &entry) { return entry.first == name; });
  return found == subgraphs_.end() ? nullptr : found->second.get();
}

void Graph::eraseSubgraph(Identifier name) {
  auto found = llvm::find_if(subgraphs_, [&](const auto &entry) { return entry.first == name; });
  if (found == subgraphs_.end())
    return;
  noteEdit();
  erasedSubgraphs_.push_back(std::move(*found));
  subgraphs_.erase(found);
}

const Graph *Graph::erasedSubgraph(Identifier name) const {
  auto found = std::find_if(erasedSubgraphs_.rbegin(), erasedSubgraphs_.rend(),
                            [&](const auto &entry) { return entry.first == name; });
  return found == erasedSubgraphs_.rend() ? nullptr : found->second.get();
}

// --- Copies ----------------------------------------------------------------------------------------------------------

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>(*context_, name());
  copy->surroundings() = surroundings();
  copy->frames_ = frames_;
  std::vector<Node *> map(idLimit());
  for (Node *node : *this) {
    ArgumentBuilder builder(*copy);
    for (const Node *def : node->dataOperands())
      builder.operand(map[def->id()]);
    const Provenance *provenance =
        node->provenance_ == &noProvenance ? nullptr : copy->makeProvenance(*node->provenance_);
    NodeSpec spec{node->opcode_, node->name_.str(), node->target_, node->type_, node->frame_, provenance};
    map[node->id()] = copy->create(spec, std::move(builder), node->arguments());
  }
  for (Node *node : *this)
    for (const Node *after : node->orderedAfter())
      copy->addOrdering(map[node->id()], map[after->id()]);
  for (const auto &[name, graph] : subgraphs_)
    copy->adopt(name, graph->clone());
  return copy;
}

// --- ArgumentBuilder -------------------------------------------------------------------------------------------------

Argument ArgumentBuilder::operand(Node *node) {
  operands_.push_back(node);
  return Argument::operand(static_cast<uint32_t>(operands_.size() - 1));
}

Argument ArgumentBuilder::sequence(Argument::Kind kind, llvm::ArrayRef<Argument> elements) {
  return Argument::sequence(kind, graph_->context().arguments({elements, {}})->positional);
}

Argument ArgumentBuilder::dict(llvm::ArrayRef<NamedArgument> entries) {
  return Argument::dict(graph_->context().arguments({{}, entries})->keyword);
}

Argument ArgumentBuilder::integers(llvm::ArrayRef<int64_t> values) {
  auto elements = llvm::to_vector<8>(llvm::map_range(values, [](int64_t value) { return Argument::integer(value); }));
  return sequence(Argument::Kind::List, elements);
}

Argument ArgumentBuilder::nodes(llvm::ArrayRef<Node *> values) {
  auto elements = llvm::to_vector<8>(llvm::map_range(values, [&](Node *node) { return operand(node); }));
  return sequence(Argument::Kind::List, elements);
}

Argument ArgumentBuilder::string(llvm::StringRef text) { return Argument::string(graph_->context().identifier(text)); }

Argument ArgumentBuilder::copy(const Argument &tree, llvm::function_ref<Node *(uint32_t)> map) {
  if (tree.is(Argument::Kind::Operand))
    return operand(map(tree.operandIndex()));
  if (tree.is(Argument::Kind::Dict)) {
    llvm::SmallVector<NamedArgument, 4> entries;
    for (const NamedArgument &entry : tree.entries())
      entries.push_back({entry.name, copy(entry.value, map)});
    return dict(entries);
  }
  if (!tree.isSequence())
    return tree;
  llvm::SmallVector<Argument, 8> elements;
  for (const Argument &element : tree.elements())
    elements.push_back(copy(element, map));
  return sequence(tree.kind(), elements);
}

} // namespace ccgraph
