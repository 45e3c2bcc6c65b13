#include "schedule/coalesce/node_writer.h"

namespace ccgraph {

llvm::SmallVector<int64_t, 4> staticSizes(const Type *type) {
  llvm::SmallVector<int64_t, 4> sizes;
  for (const Dim &dim : type->sizes())
    sizes.push_back(dim.value());
  return sizes;
}

const Type *contiguousLike(Context &context, const Type *type, llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<Dim, 4> dims(sizes.begin(), sizes.end());
  return context.contiguousTensor(type->dtype(), dims, type->device());
}

void NodeWriter::standFor(llvm::ArrayRef<Node *> sources) {
  frame_ = sources.front()->frame();
  provenance_ = graph_.mergeProvenance(sources);
}

Node *NodeWriter::call(llvm::StringRef target, llvm::StringRef name, const Type *type,
                       llvm::function_ref<void(ArgumentBuilder &, std::vector<Argument> &)> fill) {
  ArgumentBuilder builder(graph_);
  std::vector<Argument> args;
  fill(builder, args);
  NodeSpec spec;
  spec.name = name;
  spec.target = graph_.context().identifier(target);
  spec.type = type;
  spec.frame = frame_;
  spec.provenance = provenance_;
  made_.push_back(graph_.create(spec, std::move(builder), Arguments{args, {}}, position_));
  return made_.back();
}

Node *NodeWriter::view(Node *value, llvm::ArrayRef<int64_t> sizes) {
  return call("aten.view.default", "view", contiguousLike(graph_.context(), value->type(), sizes),
              [&](ArgumentBuilder &builder, std::vector<Argument> &args) {
                args = {builder.operand(value), builder.integers(sizes)};
              });
}

Node *NodeWriter::slice(Node *value, Range range) {
  const Type *from = value->type();
  llvm::SmallVector<Dim, 4> sizes(from->sizes().begin(), from->sizes().end());
  sizes[static_cast<size_t>(range.dim)] = Dim(range.end - range.begin);
  const Type *type = graph_.context().tensor(from->dtype(), {sizes, from->strides(), true}, from->device());
  return call("aten.slice.Tensor", "slice_1", type, [&](ArgumentBuilder &builder, std::vector<Argument> &args) {
    args = {builder.operand(value), Argument::integer(range.dim), Argument::integer(range.begin),
            Argument::integer(range.end)};
  });
}

Node *NodeWriter::cat(llvm::ArrayRef<Node *> values, int64_t dim) {
  llvm::SmallVector<int64_t, 4> sizes = staticSizes(values.front()->type());
  for (Node *value : values.drop_front())
    sizes[static_cast<size_t>(dim)] += value->type()->sizes()[static_cast<size_t>(dim)].value();
  return call("aten.cat.default", "cat", contiguousLike(graph_.context(), values.front()->type(), sizes),
              [&](ArgumentBuilder &builder, std::vector<Argument> &args) {
                args = {builder.nodes(values)};
                if (dim != 0)
                  args.push_back(Argument::integer(dim));
              });
}

Node *NodeWriter::contiguous(Node *value) {
  ArgumentBuilder builder(graph_);
  Argument operand = builder.operand(value);
  Context &context = graph_.context();
  NamedArgument format{context.identifier("memory_format"),
                       Argument::word(Argument::Kind::MemoryFormat, context.identifier("contiguous_format"))};
  NodeSpec spec;
  spec.name = "clone";
  spec.target = context.identifier("aten.clone.default");
  spec.type = contiguousLike(context, value->type(), staticSizes(value->type()));
  spec.frame = frame_;
  spec.provenance = provenance_;
  made_.push_back(graph_.create(spec, std::move(builder), Arguments{operand, format}, position_));
  return made_.back();
}

Node *NodeWriter::getItem(Node *value, int64_t index, const Type *type) {
  return call("operator.getitem", "getitem", type, [&](ArgumentBuilder &builder, std::vector<Argument> &args) {
    args = {builder.operand(value), Argument::integer(index)};
  });
}

Node *NodeWriter::wait(Node *value, Node *like) {
  return call(like->target().str(), like->name().str(), value->type(),
              [&](ArgumentBuilder &builder, std::vector<Argument> &args) { args = {builder.operand(value)}; });
}

} // namespace ccgraph
