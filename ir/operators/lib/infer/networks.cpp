#include "infer/families.h"
#include "infer/symbolic_layout.h"

#include "ccgraph/ir/internal/promotion.h"
#include "ccgraph/ir/subgraph_calls.h"

namespace ccgraph::infer {

TypePtr linearType(Call &call) {
  TypePtr input = call.tensor("input");
  TypePtr weight = call.tensor("weight");
  if (!input || !weight || input->sizes().empty() || weight->sizes().size() != 2)
    return nullptr;
  DimList sizes(input->sizes().begin(), input->sizes().end());
  sizes.back() = weight->sizes()[0];
  return call.contiguousLike(*input, sizes);
}

/// Returns the type of the product of two matrices, or of batches of as many.
static TypePtr productType(Call &call, const TypePtr &a, const TypePtr &b, DType dtype) {
  size_t rank = a->sizes().size();
  if (rank < 2 || b->sizes().size() != rank)
    return call.refuse("multiplies " + typeText(a) + " by " + typeText(b),
                       "both must be matrices, or batches of as many");
  const Dim &inner = a->sizes()[rank - 1], &other = b->sizes()[rank - 2];
  if (inner.isStatic() && other.isStatic() && inner != other)
    return call.refuse("multiplies " + typeText(a) + " by " + typeText(b) + ": " + inner.str() + " columns meet " +
                           other.str() + " rows",
                       "transpose one of them");
  DimList sizes(a->sizes().begin(), a->sizes().end());
  sizes.back() = b->sizes().back();
  return call.contiguous(dtype, sizes, a->device());
}

/// Returns the dtype that the argument out_dtype states, or `otherwise`.
static DType statedDType(Call &call, DType otherwise) {
  const Argument *stated = call.given("out_dtype");
  return stated && stated->is(Argument::Kind::DType) ? stated->dtype() : otherwise;
}

// mm, bmm, and with a tensor that is added in front, whose sizes do not count: addmm, baddbmm.
TypePtr matmulType(Call &call) {
  int left = call.index("mat2") == 2 || call.index("batch2") == 2 ? 1 : 0;
  TypePtr a = call.tensor(left);
  TypePtr b = call.tensor(left + 1);
  if (!a || !b)
    return nullptr;
  call.assumeUnless(a->dtype() == b->dtype() && !call.given("out_dtype"));
  return productType(call, a, b, statedDType(call, a->dtype()));
}

// Products of float8 factors, which may have different dtypes.
TypePtr scaledMatmulType(Call &call) {
  TypePtr a = call.tensor("self");
  TypePtr b = call.tensor("mat2");
  if (!a || !b)
    return nullptr;
  call.assumeUnless(!call.given("contraction_dim"));
  return productType(call, a, b, statedDType(call, a->dtype()));
}

// Rows in groups: [m, k] with [g, k, n] is [m, n], [k, m] with [k, n] is [g, m, n] for as many groups as there are
// ends. A row of the result begins at a multiple of 16 bytes (_create_grouped_mm_output_tensor).
TypePtr groupedMatmul(Call &call) {
  TypePtr a = call.tensor(0);
  TypePtr b = call.tensor(1);
  TypePtr ends = call.tensor("offs");
  if (!a || !b || a->sizes().size() < 2 || b->sizes().size() < 2)
    return nullptr;
  bool flatA = a->sizes().size() == 2;
  bool flatB = b->sizes().size() == 2;
  Dim rows = a->sizes()[a->sizes().size() - 2];
  Dim columns = b->sizes().back();
  DimList sizes;
  if (flatA && flatB) {
    if (!ends)
      return nullptr;
    sizes = {ends->sizes()[0], rows, columns};
  } else if (flatA || flatB) {
    sizes = {rows, columns};
  } else {
    sizes = {a->sizes()[0], rows, columns};
  }
  const Argument *asked = call.given("out_dtype");
  DType dtype = asked && asked->is(Argument::Kind::DType) ? asked->dtype() : DType::BF16;
  if (!columns.isStatic())
    return call.contiguous(dtype, sizes, a->device());
  int64_t alignment = 16 / static_cast<int64_t>(sizeInBytes(dtype));
  int64_t row = (columns.value() + alignment - 1) / alignment * alignment;
  DimList strides = {Dim(row), Dim(1)};
  if (sizes.size() == 3)
    strides.insert(strides.begin(), multiply(call.context, sizes[1], Dim(row)));
  return call.context.tensor(dtype, {sizes, strides, true}, a->device());
}

TypePtr lossType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self)
    return nullptr;
  return call.integer("reduction").value_or(1) == 0 ? arithmeticType(call) : call.contiguousLike(*self, {});
}

TypePtr lossBackward(Call &call) {
  TypePtr self = call.tensor("self");
  TypePtr target = call.tensor("target");
  return self && target ? elementwise(call, self->dtype(), {self, target}) : nullptr;
}

TypePtr nllForward(Call &call) {
  TypePtr self = call.tensor("self");
  TypePtr target = call.tensor("target");
  if (!self || !target)
    return nullptr;
  TypePtr total = call.contiguousLike(*self, {});
  bool each = call.integer("reduction").value_or(1) == 0;
  return call.context.list({each ? call.contiguousLike(*self, target->sizes()) : total, total});
}

TypePtr nllBackward(Call &call) {
  TypePtr self = call.tensor("self");
  return self ? call.contiguousLike(*self, self->sizes()) : nullptr;
}

TypePtr softmaxType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self)
    return nullptr;
  return call.contiguous(call.flag("half_to_float") ? DType::F32 : self->dtype(), self->sizes(), self->device());
}

TypePtr softmaxBackward(Call &call) {
  TypePtr grad = call.tensor(0);
  const Argument *asked = call.given("input_dtype");
  if (!grad)
    return nullptr;
  return call.contiguous(asked && asked->is(Argument::Kind::DType) ? asked->dtype() : grad->dtype(), grad->sizes(),
                         grad->device());
}

namespace {

/// How many dimensions from the last a normalisation runs over.
std::optional<size_t> normalizedRank(const Call &call, const Type &input) {
  const Argument *shape = call.given("normalized_shape");
  if (!shape || !shape->isSequence() || shape->elements().size() > input.sizes().size())
    return std::nullopt;
  return shape->elements().size();
}

/// Statistics are kept in f32 where the numbers have fewer bits.
DType statisticDType(DType dtype) { return dtype == DType::BF16 || dtype == DType::F16 ? DType::F32 : dtype; }

} // namespace

// native_layer_norm: the result, mean and rstd; _fused_rms_norm: the result and rstd.
TypePtr normForward(Call &call) {
  TypePtr input = call.tensor("input");
  auto rank = input ? normalizedRank(call, *input) : std::nullopt;
  if (!rank)
    return nullptr;
  DimList kept(input->sizes().begin(), input->sizes().end());
  std::fill(kept.end() - static_cast<ptrdiff_t>(*rank), kept.end(), Dim(1));
  TypePtr result = call.contiguousLike(*input, input->sizes());
  TypePtr statistic = call.contiguous(statisticDType(input->dtype()), kept, input->device());
  if (call.node.op()->results.size() == 2)
    return call.context.list({result, statistic});
  return call.context.list({result, statistic, statistic});
}

// Both results have the input's layout; if the input has gaps, the strides are unknown.
TypePtr dropoutType(Call &call) {
  TypePtr input = call.tensor(0);
  if (!input || !input->isContiguous())
    return nullptr;
  return call.context.list({input, call.contiguous(DType::Bool, input->sizes(), input->device())});
}

TypePtr dropoutBackward(Call &call) {
  TypePtr gradient = call.tensor(0);
  return gradient && gradient->isContiguous() ? gradient : nullptr;
}

// Gradients of the input, of the weight and, where there is one, of the bias; those that the mask leaves out are none.
TypePtr normBackward(Call &call) {
  TypePtr input = call.tensor("input");
  const Argument *mask = call.given("output_mask");
  if (!input || !mask || !mask->isSequence())
    return nullptr;
  TypePtr weights[] = {call.contiguousLike(*input, input->sizes()), call.tensor("weight"), call.tensor("bias")};
  llvm::SmallVector<TypePtr, 3> results;
  for (size_t i = 0; i != std::min<size_t>(mask->elements().size(), 3); ++i) {
    const Argument &wanted = mask->elements()[i];
    bool isGiven = wanted.is(Argument::Kind::Bool) && wanted.boolean() && weights[i];
    results.push_back(isGiven ? call.contiguousLike(*weights[i], weights[i]->sizes()) : nullptr);
  }
  return call.context.list(results);
}

namespace {

/// The result of attention: batch, heads and rows of the query, columns of the value, and laid out as the query is.
TypePtr attended(const Call &call, const Type &query, const Type &value) {
  DimList sizes(query.sizes().begin(), query.sizes().end());
  sizes.back() = value.sizes().back();
  auto strides = numbersFor(query.strides());
  return strides && query.stridesKnown() ? orderedLike(call.context, query, sizes, *strides) : nullptr;
}

/// A number for each row of each head.
TypePtr rowStatistic(const Call &call, const Type &query) {
  return call.contiguous(DType::F32, query.sizes().drop_back(), query.device());
}

// Batch, heads, rows, columns, in memory as [batch, rows, heads, columns].
TypePtr rowsFirst(const Call &call, const Type &query, const Dim &columns) {
  DimList sizes(query.sizes().begin(), query.sizes().end());
  sizes[3] = columns;
  Dim heads = multiply(call.context, sizes[1], columns);
  DimList strides = {multiply(call.context, sizes[2], heads), columns, heads, Dim(1)};
  return call.context.tensor(query.dtype(), {sizes, strides, true}, query.device());
}

} // namespace

TypePtr flashAttention(Call &call) {
  TypePtr query = call.tensor(0);
  TypePtr key = call.tensor(1);
  if (!query || !key || query->sizes().size() != 4 || key->sizes().size() != 4)
    return nullptr;
  auto number = [&](const Dim &dim) { return call.context.symbolicScalar(call.context.symbolic(dim.str())); };
  return call.context.list(
      {attended(call, *query, *query), rowStatistic(call, *query), nullptr, nullptr, number(query->sizes()[2]),
       number(key->sizes()[2]), call.contiguous(DType::U64, {Dim(2)}, query->device()),
       call.contiguous(DType::U64, {}, query->device()), call.contiguous(query->dtype(), {Dim(0)}, query->device())});
}

// Its result has the layout of the query, and its statistics lie in memory as [batch, rows, heads].
TypePtr flashAttentionOnCpu(Call &call) {
  TypePtr query = call.tensor(0);
  if (!query || query->sizes().size() != 4)
    return nullptr;
  Dim heads = query->sizes()[1], rows = query->sizes()[2];
  DimList strides = {multiply(call.context, rows, heads), Dim(1), heads};
  TypePtr statistic =
      call.context.tensor(statisticDType(query->dtype()), {query->sizes().drop_back(), strides, true}, query->device());
  return call.context.list({elementwise(call, query->dtype(), {query}), statistic});
}

TypePtr efficientAttention(Call &call) {
  TypePtr query = call.tensor(0);
  TypePtr value = call.tensor(2);
  if (!query || !value || query->sizes().size() != 4 || value->sizes().size() != 4)
    return nullptr;
  Dim rows = query->sizes()[2];
  bool wanted = call.flag("compute_log_sumexp");
  if (rows.isStatic())
    rows = Dim((rows.value() + 31) / 32 * 32);
  TypePtr statistic =
      call.contiguous(DType::F32, {query->sizes()[0], query->sizes()[1], wanted ? rows : Dim(0)}, query->device());
  TypePtr seed = call.contiguous(DType::I64, {}, query->device());
  return call.context.list({rowsFirst(call, *query, value->sizes().back()), statistic, seed, seed});
}

// Gradients of query, key and value, and of the bias of the efficient form where there is one.
TypePtr attentionBackward(Call &call) {
  TypePtr operands[] = {call.tensor("query"), call.tensor("key"), call.tensor("value")};
  if (llvm::is_contained(operands, nullptr))
    return nullptr;
  bool hasBias = call.index("attn_bias") >= 0;
  bool rows = hasBias || call.index("attn_mask") >= 0;
  llvm::SmallVector<TypePtr, 4> results;
  for (TypePtr type : operands)
    results.push_back(rows ? rowsFirst(call, *type, type->sizes().back())
                           : preserved(call, type->dtype(), *type, type->device()));
  if (hasBias)
    results.push_back(nullptr);
  return call.context.list(results);
}

TypePtr flexAttention(Call &call) {
  auto at = [&](size_t i) -> TypePtr {
    if (i >= call.node.args().size() || !call.node.args()[i].is(Argument::Kind::Operand))
      return nullptr;
    TypePtr type = call.node.operand(call.node.args()[i])->type();
    return type && type->isTensor() ? type : nullptr;
  };
  TypePtr query = at(0);
  TypePtr value = at(2);
  if (!query || !value || query->sizes().size() != 4 || value->sizes().size() != 4)
    return nullptr;
  TypePtr statistic = rowStatistic(call, *query);
  return call.context.list({attended(call, *query, *value), statistic, statistic});
}

TypePtr flexAttentionBackward(Call &call) {
  llvm::SmallVector<TypePtr, 4> results;
  for (size_t i = 0; i != 3 && i < call.node.args().size(); ++i) {
    const Argument &argument = call.node.args()[i];
    TypePtr type = argument.is(Argument::Kind::Operand) ? call.node.operand(argument)->type() : nullptr;
    if (!type || !type->isTensor())
      return nullptr;
    auto strides = numbersFor(type->strides());
    results.push_back(strides && type->stridesKnown() ? orderedLike(call.context, *type, type->sizes(), *strides)
                                                      : nullptr);
  }
  results.push_back(call.context.list({}));
  return call.context.list(results);
}

namespace {

/// Returns the type of the argument's node, or a list of the types of the nodes in it.
TypePtr typeOfValue(Context &context, const Node &node, const Argument &argument) {
  if (argument.is(Argument::Kind::Operand))
    return node.operand(argument)->type();
  if (!argument.isSequence())
    return nullptr;
  llvm::SmallVector<TypePtr, 4> elements;
  for (const Argument &element : argument.elements())
    elements.push_back(typeOfValue(context, node, element));
  return context.list(elements);
}

} // namespace

// control_deps, invoke_subgraph, cond and while_loop yield what their last subgraph returns: both subgraphs of a cond
// return equal types, and the subgraph of a while_loop returns what it takes.
TypePtr subgraphResult(Call &call) {
  SubgraphCalls calls = subgraphCallsOf(call.node);
  const Node *output = calls.bodies.empty() ? nullptr : calls.bodies.back()->back();
  if (output && output->opcode() == Opcode::Output && output->args().size() == 1)
    return typeOfValue(call.context, *output, output->args()[0]);
  return nullptr;
}

} // namespace ccgraph::infer
