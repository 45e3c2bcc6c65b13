#include "schedule/chunks/row_functions.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/int_list.h"
#include "schedule/chunks/row_movements.h"

namespace ccgraph {

namespace {

enum class RowRule : uint8_t { Pointwise, Reduction, Softmax, LossGradient, Norm, View };

struct RowFunction {
  llvm::StringLiteral target;
  RowRule rule;
};

constexpr RowFunction functions[] = {{"aten.add.Tensor", RowRule::Pointwise},
                                     {"aten.sub.Tensor", RowRule::Pointwise},
                                     {"aten.mul.Tensor", RowRule::Pointwise},
                                     {"aten.div.Tensor", RowRule::Pointwise},
                                     {"aten.pow.Tensor_Scalar", RowRule::Pointwise},
                                     {"aten.rsqrt.default", RowRule::Pointwise},
                                     {"aten.neg.default", RowRule::Pointwise},
                                     {"aten.sigmoid.default", RowRule::Pointwise},
                                     {"aten.silu.default", RowRule::Pointwise},
                                     {"aten.gelu.default", RowRule::Pointwise},
                                     {"aten.relu.default", RowRule::Pointwise},
                                     {"aten.tanh.default", RowRule::Pointwise},
                                     {"aten._to_copy.default", RowRule::Pointwise},
                                     {"prims.convert_element_type.default", RowRule::Pointwise},
                                     {"aten.mean.dim", RowRule::Reduction},
                                     {"aten.sum.dim_IntList", RowRule::Reduction},
                                     {"aten._fused_rms_norm.default", RowRule::Norm},
                                     {"aten.native_layer_norm.default", RowRule::Norm},
                                     {"aten.view.default", RowRule::View},
                                     {"aten._unsafe_view.default", RowRule::View},
                                     {"aten.reshape.default", RowRule::View},
                                     {"aten.unsqueeze.default", RowRule::View},
                                     {"aten.squeeze.dim", RowRule::View}};

/// What a loss has besides.
constexpr RowFunction lossFunctions[] = {{"aten.exp.default", RowRule::Pointwise},
                                         {"aten.log.default", RowRule::Pointwise},
                                         {"aten._softmax.default", RowRule::Softmax},
                                         {"aten._log_softmax.default", RowRule::Softmax},
                                         {"aten._softmax_backward_data.default", RowRule::Softmax},
                                         {"aten._log_softmax_backward_data.default", RowRule::Softmax},
                                         {"aten.nll_loss_backward.default", RowRule::LossGradient}};

const RowFunction *functionOf(const Node &call, llvm::ArrayRef<RowFunction> table = functions) {
  if (!call.op())
    return nullptr;
  const auto *found =
      llvm::find_if(table, [&](const RowFunction &row) { return row.target == call.op()->target.str(); });
  return found == table.end() ? nullptr : found;
}

size_t rankOf(const Node &value) { return value.type()->sizes().size(); }

bool isTensor(const Node &value) { return value.type() && value.type()->isTensor(); }

/// Returns true if every mention of a node is an argument of its own, in no list.
bool mentionsPlainly(const Node &call) {
  const auto plain =
      llvm::count_if(call.args(), [](const Argument &argument) { return argument.is(Argument::Kind::Operand); });
  return static_cast<size_t>(plain) == call.numOperands();
}

/// Returns true if the call states the last dimension alone, and keeps it.
bool reducesRows(const Node &call) {
  if (call.args().size() != 3 || !call.kwargs().empty() || !call.args()[1].isSequence())
    return false;
  llvm::ArrayRef<Argument> dims = call.args()[1].elements();
  const Argument &keeps = call.args()[2];
  const auto last = static_cast<int64_t>(rankOf(*call.operand(0))) - 1;
  return dims.size() == 1 && dims[0].is(Argument::Kind::Int) &&
         (dims[0].integer() == -1 || dims[0].integer() == last) && keeps.is(Argument::Kind::Bool) && keeps.boolean();
}

/// Returns true for a softmax over the last dimension, or for its gradient, which reads values of the same sizes. The
/// last two arguments are the dimension, and the dtype of the result or whether it is wider.
bool normalizesExponentials(const Node &call) {
  const size_t values = call.numOperands();
  if (call.args().size() != values + 2 || !call.kwargs().empty() || !isTensor(call))
    return false;
  const Argument &dim = call.args()[values];
  const auto last = static_cast<int64_t>(rankOf(*call.operand(0))) - 1;
  auto fits = [&](const Node *value) { return isTensor(*value) && value->type()->sizes() == call.type()->sizes(); };
  return dim.is(Argument::Kind::Int) && (dim.integer() == -1 || dim.integer() == last) &&
         llvm::all_of(call.dataOperands(), fits);
}

/// Returns true for the gradient of a loss without weights of classes, nll_loss_backward(g, x, target, None, reduction,
/// ignored, weight), whose gradient and weight are numbers.
bool isGradientOfRows(const Node &call, const Dim &rows) {
  if (call.args().size() != 7 || !call.kwargs().empty() || call.numOperands() != 4 ||
      !call.args()[3].is(Argument::Kind::None) ||
      !llvm::all_of(call.dataOperands(), [](const Node *operand) { return isTensor(*operand); }))
    return false;
  const Node &gradient = *call.operand(0), &target = *call.operand(2), &weight = *call.operand(3);
  return rankOf(gradient) == 0 && rankOf(weight) == 0 && rankOf(target) == 1 && target.type()->sizes()[0] == rows &&
         call.operand(1)->type()->sizes() == call.type()->sizes();
}

/// Returns true for a norm over the last dimension, whose weights are the same for every row.
bool normalizesRows(const Node &call) {
  if (!call.kwargs().empty() || call.args().size() < 2 || !call.args()[1].isSequence() ||
      call.args()[1].elements().size() != 1)
    return false;
  return llvm::all_of(llvm::drop_begin(call.dataOperands()),
                      [](const Node *weight) { return isTensor(*weight) && rankOf(*weight) == 1; });
}

/// Returns true for an operand with these rows, or with the same values for every row.
bool fitsRows(const Node &operand, const Node &result, const Dim &rows) {
  if (!isTensor(operand))
    return false;
  if (rankOf(operand) < 2)
    return staticDims(operand.type()->sizes()).has_value();
  return rankOf(operand) == rankOf(result) && hasRows(operand, rows);
}

} // namespace

bool hasRows(const Node &value, const Dim &rows) {
  if (!hasNoGaps(value) || rankOf(value) < 2)
    return false;
  llvm::ArrayRef<Dim> sizes = value.type()->sizes();
  if (isDense(value))
    return productOf(value.graph()->context(), sizes.drop_back()) == rows;
  return sizes.back().isStatic() && sizes[sizes.size() - 2] == rows && hasOneSequence(value);
}

bool hasOneSequence(const Node &value) {
  return !isTensor(value) || rankOf(value) < 2 ||
         llvm::all_of(value.type()->sizes().drop_back(2), [](const Dim &size) { return size == Dim(1); });
}

bool isElementFunction(const Node &call) {
  const RowFunction *function = functionOf(call);
  if (!function || function->rule != RowRule::Pointwise || call.numOperands() == 0 || !mentionsPlainly(call))
    return false;
  const Node &first = *call.operand(0);
  return hasNoGaps(call) && hasNoGaps(first) && call.type()->sizes() == first.type()->sizes() &&
         call.args()[0].is(Argument::Kind::Operand) &&
         llvm::all_of(llvm::drop_begin(call.dataOperands()),
                      [](const Node *number) { return isTensor(*number) && rankOf(*number) == 0; });
}

bool isRowView(const Node &call) {
  const RowFunction *function = functionOf(call);
  return function && function->rule == RowRule::View && call.numOperands() > 0 && call.kwargs().empty() &&
         llvm::all_of(llvm::drop_begin(call.dataOperands()), isSize);
}

namespace {

bool isRowFunction(const Node &call, const RowFunction *function, llvm::function_ref<bool(const Node &)> cut,
                   const Dim &rows, OtherRows others) {
  if (!function || call.numOperands() == 0 || (function->rule != RowRule::View && !mentionsPlainly(call)))
    return false;
  const Node &first = *call.operand(0);
  switch (function->rule) {
  case RowRule::Pointwise:
    return hasRows(call, rows) && llvm::all_of(call.dataOperands(), [&](const Node *operand) {
             return fitsRows(*operand, call, rows) &&
                    (others == OtherRows::Accept || rankOf(*operand) < 2 || cut(*operand));
           });
  case RowRule::Reduction:
    return hasRows(call, rows) && hasRows(first, rows) && reducesRows(call);
  case RowRule::Softmax:
    return hasRows(call, rows) && normalizesExponentials(call);
  case RowRule::LossGradient:
    return hasRows(call, rows) && isGradientOfRows(call, rows);
  case RowRule::Norm:
    return hasRows(first, rows) && cut(first) && normalizesRows(call);
  case RowRule::View:
    return isRowView(call) && hasRows(call, rows) && hasRows(first, rows);
  }
  return false;
}

} // namespace

bool isRowFunction(const Node &call, llvm::function_ref<bool(const Node &)> cut, const Dim &rows, OtherRows others) {
  if (call.op() && call.op()->role == OpRole::GetItem)
    return call.numOperands() == 1 && cut(*call.operand(0)) && getItemIndex(call) && hasRows(call, rows);
  return isRowFunction(call, functionOf(call), cut, rows, others);
}

bool isRowFunctionOfLoss(const Node &call, int64_t rows) {
  const RowFunction *function = functionOf(call);
  auto isCut = [](const Node &) { return true; };
  return isRowFunction(call, function ? function : functionOf(call, lossFunctions), isCut, Dim(rows),
                       OtherRows::Accept) &&
         hasOneSequence(call) && llvm::all_of(call.dataOperands(), [](Node *it) { return hasOneSequence(*it); });
}

bool isNumberOfEachRow(const Node &call, size_t argument) {
  const llvm::StringRef target = call.op() ? call.op()->target.str() : llvm::StringRef();
  return (target == "aten.nll_loss_forward.default" && argument == 1) ||
         (target == "aten.nll_loss_backward.default" && argument == 2);
}

llvm::SmallVector<Node *, 2> sourcesOfPiece(Node *node, llvm::ArrayRef<Node *> others, const CostModel &cost) {
  llvm::SmallVector<Node *, 2> sources = {node};
  const std::optional<uint32_t> kernel = cost.kernelOf(*node);
  if (!kernel || cost.estimatedTime(*node).picoseconds > 0)
    return sources;
  auto pays = [&](const Node *other) {
    return cost.kernelOf(*other) == kernel && cost.estimatedTime(*other).picoseconds > 0;
  };
  if (const auto *other = llvm::find_if(others, pays); other != others.end())
    sources.push_back(*other);
  return sources;
}

} // namespace ccgraph
