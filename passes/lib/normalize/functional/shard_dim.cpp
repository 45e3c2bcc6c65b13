#include "normalize/functional/shard_dim.h"

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/int_list.h"

#include "rewrite/supersede.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

bool isStatic(const Type *type) {
  return type && type->isTensor() && type->isContiguous() && !type->sizes().empty() &&
         llvm::all_of(type->sizes(), [](const Dim &dim) { return dim.isStatic(); });
}

std::optional<int64_t> dimension(const Node &node, llvm::StringRef parameter, size_t rank) {
  const Argument *argument = argumentAt(node, node.op()->paramIndex(parameter));
  if (!argument || !argument->is(Argument::Kind::Int))
    return std::nullopt;
  int64_t dim = argument->integer();
  return dim >= 0 && dim < static_cast<int64_t>(rank) ? std::optional<int64_t>(dim) : std::nullopt;
}

/// Returns the sizes of the result for a tensor of these sizes.
IntList exchanged(IntList sizes, const ShardDim &dims) {
  sizes[static_cast<size_t>(dims.shard)] /= dims.ranks;
  sizes[static_cast<size_t>(dims.gather)] *= dims.ranks;
  return sizes;
}

std::optional<int64_t> membersOf(const Node &node) {
  const Group *group = node.graph()->groups().find(collectiveCall(node)->group);
  return group ? group->size() : std::nullopt;
}

/// Blocks of a value along one dimension, concatenated along another one.
struct Rearrangement {
  int64_t block; ///< its length
  int64_t from;
  int64_t to;
};
Node *rearranged(GraphBuilder &builder, Node *value, const Rearrangement &how, int64_t ranks) {
  std::vector<Node *> parts;
  for (int64_t i = 0; i < ranks; ++i)
    parts.push_back(builder.call("aten.slice.Tensor", {value, how.from, i * how.block, (i + 1) * how.block}));
  IntList sizes = *staticDims(value->type()->sizes());
  sizes[static_cast<size_t>(how.from)] = how.block;
  sizes[static_cast<size_t>(how.to)] *= ranks;
  return builder.call("aten.cat.default", {parts, how.to}, builder.tensorLike(*value->type(), sizes));
}

} // namespace

std::optional<ShardDim> shardDimOf(const Node &node) {
  const CollectiveSpec *spec = collectiveOf(node);
  if (!spec || spec->kind != CollectiveKind::ShardDimAllToAll || !node.kwargs().empty() || node.numOperands() != 1)
    return std::nullopt;
  const Type *input = node.operand(0)->type(), *output = node.type();
  if (!isStatic(input) || !isStatic(output) || input->sizes().size() != output->sizes().size())
    return std::nullopt;
  auto gather = dimension(node, "gather_dim", input->sizes().size());
  auto shard = dimension(node, "shard_dim", input->sizes().size());
  std::optional<int64_t> ranks = membersOf(node);
  if (!gather || !shard || !ranks || *ranks <= 0)
    return std::nullopt;
  ShardDim dims{*gather, *shard, *ranks};
  IntList sizes = *staticDims(input->sizes());
  bool fits =
      sizes[static_cast<size_t>(*shard)] % *ranks == 0 && exchanged(sizes, dims) == *staticDims(output->sizes());
  return fits && input->dtype() == output->dtype() ? std::optional(dims) : std::nullopt;
}

Node *buildShardDim(Graph &graph, Node *node, const ShardDim &dims, Certificate &certificate) {
  GraphBuilder builder(graph, node);
  builder.standFor({node});
  Node *sent = node->operand(0);
  IntList sizes = *staticDims(sent->type()->sizes());
  int64_t block = sizes[static_cast<size_t>(dims.shard)] / dims.ranks;
  int64_t rows = dims.shard == 0 ? block : sizes[0];
  if (dims.shard != 0)
    sent = rearranged(builder, sent, {block, dims.shard, 0}, dims.ranks);
  std::vector<int64_t> splits(static_cast<size_t>(dims.ranks), rows);
  Actual group = Actual::copyOf(*node, *argumentAt(*node, collectiveOf(*node)->group));
  Node *launch = builder.call("_c10d_functional.all_to_all_single.default", {sent, splits, splits, group});
  Node *result = builder.call("_c10d_functional.wait_tensor.default", {launch}, launch->type());
  if (dims.gather != 0)
    result = rearranged(builder, result, {rows, 0, dims.gather}, dims.ranks);
  copyOrdering(graph, *node, launch);
  RuleEntry entry{"exchange-chain", {node}, {result}};
  llvm::copy_if(builder.made(), std::back_inserter(entry.built), [&](Node *made) { return made != result; });
  std::string name = node->name().str().str();
  graph.replaceAllUses(node, result);
  graph.erase(node);
  graph.rename(result, name);
  certificate.rules.push_back(std::move(entry));
  return launch;
}

} // namespace ccgraph
