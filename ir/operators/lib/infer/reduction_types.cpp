#include "infer/families.h"
#include "infer/symbolic_layout.h"

#include "ccgraph/ir/internal/promotion.h"

namespace ccgraph::infer {
namespace {

/// The dimensions that `dim` names: a number, a list, or all where nothing is named; empty where it is out of range.
std::optional<llvm::SmallVector<unsigned, 6>> reducedDims(const Call &call, size_t rank) {
  llvm::SmallVector<unsigned, 6> dims;
  const Argument *asked = call.given("dim");
  if (!asked || (asked->isSequence() && asked->elements().empty())) {
    for (unsigned i = 0; i != rank; ++i)
      dims.push_back(i);
    return dims;
  }
  llvm::ArrayRef<Argument> list = asked->isSequence() ? asked->elements() : llvm::ArrayRef(*asked);
  for (const Argument &entry : list) {
    auto dim = entry.is(Argument::Kind::Int) ? wrapDim(entry.integer(), std::max<size_t>(rank, 1)) : std::nullopt;
    if (!dim)
      return std::nullopt;
    if (rank != 0)
      dims.push_back(*dim);
  }
  return dims;
}

TypePtr reduction(const Call &call, DType (*dtypeOf)(DType)) {
  TypePtr self = call.tensor(0);
  auto dims = self ? reducedDims(call, self->sizes().size()) : std::nullopt;
  if (!dims)
    return nullptr;
  auto dtype = call.dtypeOr(dtypeOf(self->dtype()));
  return dtype ? call.contiguous(*dtype, reduced(self->sizes(), *dims, call.flag("keepdim")), self->device()) : nullptr;
}

DType same(DType dtype) { return dtype; }
DType summed(DType dtype) { return classOf(dtype) < DTypeClass::Float ? DType::I64 : dtype; }

} // namespace

TypePtr sameReduction(Call &call) { return reduction(call, same); }
TypePtr sumReduction(Call &call) { return reduction(call, summed); }
TypePtr normReduction(Call &call) { return reduction(call, realTypeOf); }
TypePtr floatReduction(Call &call) { return reduction(call, floatTypeOf); }
TypePtr indexReduction(Call &call) {
  return reduction(call, [](DType) { return DType::I64; });
}
TypePtr boolReduction(Call &call) {
  return reduction(call, [](DType dtype) { return dtype == DType::U8 ? dtype : DType::Bool; });
}

TypePtr pairReduction(Call &call) {
  TypePtr values = sameReduction(call);
  return values ? call.context.list({values, indexReduction(call)}) : nullptr;
}

TypePtr momentReduction(Call &call) {
  TypePtr moment = normReduction(call);
  return moment ? call.context.list({moment, moment}) : nullptr;
}

TypePtr onlineSoftmax(Call &call) {
  TypePtr self = call.tensor(0);
  auto dim = self ? intAt(call.node, 1) : std::nullopt;
  auto wrapped = dim ? wrapDim(*dim, self->sizes().size()) : std::nullopt;
  if (!wrapped)
    return nullptr;
  TypePtr kept = call.contiguousLike(*self, reduced(self->sizes(), {*wrapped}, true));
  return call.context.list({kept, kept});
}

TypePtr scanType(Call &call) {
  TypePtr self = call.tensor(0);
  auto dtype = self ? call.dtypeOr(summed(self->dtype())) : std::nullopt;
  return dtype ? call.contiguous(*dtype, self->sizes(), self->device()) : nullptr;
}

TypePtr sortType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self)
    return nullptr;
  return call.context.list({elementwise(call, self->dtype(), {self}), elementwise(call, DType::I64, {self})});
}

TypePtr topkType(Call &call) {
  TypePtr self = call.tensor(0);
  auto count = call.dim("k");
  auto dim = self ? wrapDim(call.integer("dim").value_or(-1), self->sizes().size()) : std::nullopt;
  if (!count || !dim)
    return nullptr;
  DimList sizes(self->sizes().begin(), self->sizes().end());
  sizes[*dim] = *count;
  return call.context.list({call.contiguousLike(*self, sizes), call.contiguous(DType::I64, sizes, self->device())});
}

} // namespace ccgraph::infer
